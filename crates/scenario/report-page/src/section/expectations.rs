//! Expectations of the scenario about its processes, and what was found instead.

use maud::{Markup, html};
use netloom_api::event::ExpectationStatus;

use super::{more, table};

/// Largest number of expectations that are listed.
const LISTED: usize = 200;

/// Returns a table of the expectations, those that were not met first.
pub fn expectations(all: &[ExpectationStatus]) -> Markup {
    let mut sorted: Vec<&ExpectationStatus> = all.iter().collect();
    sorted.sort_by_key(|expectation| expectation.met);
    let met = all.iter().filter(|expectation| expectation.met).count();
    let rows = html! {
        @for expectation in sorted.iter().take(LISTED) { (row(expectation)) }
    };
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Expectations" }
                p { (met) " of " (all.len()) " met." }
                (table(&["process", "node", "expected", "met", "found"], &rows))
                (more(all.len().saturating_sub(LISTED), "expectations", "see summary.json"))
            }
        }
    }
}

fn row(expectation: &ExpectationStatus) -> Markup {
    let ExpectationStatus { process, node, expected, met, found } = expectation;
    html! {
        tr class=[(!met).then_some("wrong")] {
            td { (process) }
            td { (node) }
            td { (expected) }
            td { @if *met { "yes" } @else { strong { "no" } } }
            td { @if found.is_empty() { "–" } @else { (found) } }
        }
    }
}
