//! What went wrong, and what was warned of.

use maud::{Markup, html};
use netloom_api::summary::Summary;

use super::more;

/// So many of each are told.
const TOLD: usize = 100;

/// Failures and warnings.
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
