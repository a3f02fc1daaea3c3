//! The search finds the edge of made-up machines.

use netloom_profile::search::{Range, Search};
use proptest::prelude::*;

const RANGE: Range = Range { least: 1e3, most: 1e9, gap: 1.1, tries: 25 };
/// Searches with a machine that decides, for the n-th try of a load, whether it bears it. Returns
/// the highest load that was borne, and all that were tried.
fn search(guess: f64, mut bears: impl FnMut(usize, f64) -> bool) -> (Option<f64>, Vec<f64>) {
    let mut search = Search::new(guess, RANGE);
    let mut tried = Vec::new();
    while let Some(load) = search.next() {
        assert!(tried.len() < RANGE.tries as usize, "no end: {tried:?}");
        let borne = bears(tried.len(), load);
        tried.push(load);
        search.record(borne);
    }
    (search.borne(), tried)
}

proptest! {
    #[test]
    fn it_finds_the_edge(guess in 1.0..1e12f64, edge in 1e3..1e9f64) {
        let (found, tried) = search(guess, |_, load| load <= edge);
        let found = found.expect("the least load is borne");
        prop_assert!(found <= edge, "{found} of {edge}");
        prop_assert!(edge <= found * RANGE.gap * (1.0 + 1e-9), "{found} of {edge}");
        prop_assert!(tried.iter().all(|load| (RANGE.least..=RANGE.most).contains(load)));
    }

    #[test]
    fn one_disturbance_does_not_move_the_edge(
        guess in 1e3..1e9f64,
        edge in 1e4..1e8f64,
        when in 0..12usize,
    ) {
        let bears = |number, load: f64| load <= edge && number != when;
        let (found, _) = search(guess, bears);
        let found = found.expect("the least load is borne");
        prop_assert!(found <= edge && edge <= found * RANGE.gap * RANGE.gap, "{found} of {edge}");
    }

    #[test]
    fn a_search_always_ends(guess in 1e3..1e9f64, answers in any::<u64>()) {
        // The search panics if it does not end.
        search(guess, |number, _| answers >> (number % 64) & 1 == 1);
    }
}

#[test]
fn a_machine_that_bears_nothing_has_no_edge() {
    let (found, tried) = search(1e6, |_, _| false);
    assert_eq!(found, None);
    assert_eq!(tried[tried.len() - 2..], [RANGE.least, RANGE.least]);
}

#[test]
fn a_machine_that_bears_everything_has_the_end_of_the_range() {
    assert_eq!(search(1e6, |_, _| true).0, Some(RANGE.most));
}
