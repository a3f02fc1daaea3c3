//! Failures and warnings.

use maud::{Markup, html};
use netloom_api::summary::Summary;

use super::more;

/// Largest number of each that is listed.
const TOLD: usize = 100;

/// Returns the failures and warnings.
pub fn trouble(summary: &Summary) -> Markup {
    html! {
        section id="trouble" {
            h2 { "Failures and warnings" }
            @if summary.failures.is_empty() && summary.warnings.is_empty() { p { "None." } }
            (list("Failed", &summary.failures))
            (list("Warning", &summary.warnings))
        }
    }
}

fn list(kind: &str, all: &[String]) -> Markup {
    html! {
        @if !all.is_empty() {
            ul { @for one in all.iter().take(TOLD) { li { strong { (kind) ": " } (one) } } }
            (more(all.len().saturating_sub(TOLD), "like these", "see summary.json"))
        }
    }
}
