//! Whether the results can be trusted: a word, and the reasons in sentences.

use maud::{Markup, html};
use netloom_api::summary::Summary;
use netloom_monitor::{Finding, Judgement};

use super::more;

/// Largest number of findings that are listed, the most severe first.
const TOLD: usize = 12;

/// Returns the verdict.
pub fn verdict(summary: &Summary) -> Markup {
    let Some(verdict) = &summary.verdict else { return none() };
    let (sign, class, meaning) = match verdict.judgement {
        Judgement::Valid => (
            "✓",
            "valid",
            "By what was observed, the machine shows in the results no more than the run can bear.",
        ),
        Judgement::Suspect => (
            "?",
            "suspect",
            "It is as exact as needed if the marked times are left out, or it could not be told: \
             look at the reasons.",
        ),
        Judgement::Invalid => (
            "✗",
            "invalid",
            "Frames or programs suffered more than the run can bear: do not take the results for \
             the network's.",
        ),
    };
    html! {
        section class={ "verdict " (class) } {
            h2 { "Verdict on the machine" }
            p class="word" { span aria-hidden="true" { (sign) " " } (verdict.judgement) }
            p { (verdict.in_words()) "." }
            p { (meaning) }
            @if !verdict.findings.is_empty() {
                ul { @for finding in verdict.findings.iter().take(TOLD) { (one(finding)) } }
                (more(verdict.findings.len().saturating_sub(TOLD), "findings",
                    "see Contention below, and summary.json for all"))
            }
            p { strong { "By how much it may be wrong" } }
            ul { @for line in verdict.stated() { li { (line) } } }
        }
    }
}

fn one(finding: &Finding) -> Markup {
    html! { li { strong { (finding.judgement) } ": " (finding.why) } }
}

fn none() -> Markup {
    html! {
        section class="verdict none" {
            h2 { "Verdict on the machine" }
            p class="word" { "none" }
            p {
                "This run was not judged: contention of the machine was not watched. What there is \
                 to go by is how exactly the engine kept its schedule, below."
            }
        }
    }
}
