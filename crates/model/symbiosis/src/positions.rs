//! Chooses the frames that a small pipe loses: those that its chain lost, by their numbers among
//! the frames that entered it.

use crate::PipeReport;

/// Returns the numbers, in ascending order, of the frames that the links of a chain lost in a
/// period. They are numbers among the frames that entered the chain.
///
/// A link numbers the frames that it was offered. These are the frames that the links before it let
/// through, apart from those that waited there at the beginning and the end of the period. Its
/// numbers are therefore scaled to the frames that were let through in the period. Losses beyond
/// these frames are left to the next period: their numbers are beyond the frames that entered.
pub fn on_the_path(chain: &[PipeReport]) -> Vec<u32> {
    let entered = chain.first().map_or(0, |first| first.offered);
    let mut passing: Vec<u32> = (0..entered).collect();
    let (mut lost, mut left_over) = (Vec::new(), 0);
    for link in chain {
        let places = places(link, passing.len() as u64);
        left_over += (link.lost.len() - places.len()) as u32;
        let mut next = places.iter().copied().peekable();
        let mut place = 0;
        passing.retain(|number| {
            let is_lost = next.next_if_eq(&place).is_some();
            place += 1;
            if is_lost {
                lost.push(*number);
            }
            !is_lost
        });
    }
    lost.sort_unstable();
    lost.extend((0..left_over).map(|number| entered.saturating_add(number)));
    lost
}

/// Returns the places, ascending and distinct, of the frames that `link` lost, among `passing`
/// frames. There are at most `passing` of them.
fn places(link: &PipeReport, passing: u64) -> Vec<u64> {
    let offered = u64::from(link.offered).max(1);
    let count = (link.lost.len() as u64).min(passing);
    let mut free = 0;
    let lost = link.lost.iter().take(count as usize).zip(0..);
    lost.map(|(number, index)| {
        let scaled = u64::from(*number) * passing / offered;
        // Room is left for the places that follow.
        let place = scaled.max(free).min(passing - (count - index));
        free = place + 1;
        place
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(offered: u32, lost: &[u32]) -> PipeReport {
        PipeReport { offered, lost: lost.to_vec(), ..PipeReport::default() }
    }

    #[test]
    fn a_link_alone_loses_what_it_lost() {
        assert_eq!(on_the_path(&[link(10, &[0, 3, 9])]), [0, 3, 9]);
        assert!(on_the_path(&[]).is_empty());
    }

    #[test]
    fn numbers_behind_a_link_that_loses_are_scaled() {
        let chain = [link(100, &[10, 20]), link(50, &[5, 25, 49])];
        // Of the 98 frames that pass, the numbers 9, 49 and 96 are lost.
        assert_eq!(on_the_path(&chain), [9, 10, 20, 51, 98]);
    }

    /// Link 1 lets 1, 2, 4, 5, 7, 8 through. Link 2 lets 4 and 8 of these through.
    #[test]
    fn a_link_numbers_what_the_ones_before_let_through() {
        let chain = [link(9, &[0, 3, 6]), link(6, &[0, 1, 3, 4])];
        assert_eq!(on_the_path(&chain), [0, 1, 2, 3, 5, 6, 7]);
    }

    #[test]
    fn different_losses_have_different_places() {
        // A link is offered 10 frames, although only 4 frames reach it in the period.
        let chain = [link(4, &[]), link(10, &[0, 1, 2])];
        assert_eq!(on_the_path(&chain), [0, 1, 2]);
        let chain = [link(4, &[]), link(10, &[7, 8, 9])];
        assert_eq!(on_the_path(&chain), [1, 2, 3]);
    }

    #[test]
    fn what_does_not_fit_is_left_over() {
        assert_eq!(on_the_path(&[link(2, &[0, 1]), link(2, &[1])]), [0, 1, 2]);
        assert_eq!(on_the_path(&[link(0, &[]), link(1, &[0])]), [0]);
    }
}
