//! Whether the run did what its scenario asks for: the first thing that a reader is to see.

use maud::{Markup, html};
use netloom_api::summary::Summary;
use netloom_units::readable::counted;

/// Most failures that are listed. All are further down.
const LISTED: usize = 5;

/// Returns the outcome of the run.
pub fn outcome(summary: &Summary) -> Markup {
    let (sign, class, word) = match summary.success {
        true => ("✓", "passed", "passed"),
        false => ("✗", "failed", "failed"),
    };
    let met = summary.expectations.iter().filter(|expectation| expectation.met).count();
    let all = counted(summary.expectations.len(), "expectation");
    html! {
        section class={ "outcome " (class) } {
            p class="word" { span aria-hidden="true" { (sign) " " } (word) }
            @if !summary.expectations.is_empty() { p { (met) " of " (all) " met." } }
            @if !summary.failures.is_empty() {
                ul { @for failure in summary.failures.iter().take(LISTED) { li { (failure) } } }
                @if summary.failures.len() > LISTED {
                    p class="note" {
                        "… and " (summary.failures.len() - LISTED) " more: "
                        a href="#trouble" { "failures" } "."
                    }
                }
            }
        }
    }
}
