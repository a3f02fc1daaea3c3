//! Order of the runs.

use netloom_units::Stream;

/// Returns the numbers of `points` points in the order in which they are run with a seed. It is
/// shuffled, so that what drifts with time falls on no parameter, and always the same.
pub fn order(points: usize, seed: u64) -> Vec<usize> {
    let mut stream = Stream::new(seed, "sweep");
    let mut order: Vec<usize> = (0..points).collect();
    // Fisher and Yates.
    for last in (1..points).rev() {
        let other = stream.below(last as u64 + 1) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, RunKeys};

    #[test]
    fn each_seed_has_an_order_of_its_own_with_every_point_once() {
        let mut first = order(50, 1);
        assert!(first != order(50, 2) && first == order(50, 1) && !first.is_sorted());
        first.sort_unstable();
        assert!(first.into_iter().eq(0..50));
        assert_eq!(order(0, 1), [0_usize; 0]);
    }

    #[test]
    fn a_key_depends_on_all_that_a_result_depends_on() {
        let of = |scenario: &[u8], mode, version, contents: u8, seed| {
            RunKeys::new(scenario, mode, version, [("f", [contents; 32])]).key(seed)
        };
        let key = of(b"s", Mode::Simulate, "1", 0, 1);
        assert!(key.len() == 64 && key == of(b"s", Mode::Simulate, "1", 0, 1));
        let others = [
            of(b"t", Mode::Simulate, "1", 0, 1),
            of(b"s", Mode::Emulate, "1", 0, 1),
            of(b"s", Mode::Simulate, "2", 0, 1),
            of(b"s", Mode::Simulate, "1", 1, 1),
            of(b"s", Mode::Simulate, "1", 0, 2),
        ];
        assert!(!others.contains(&key));
    }
}
