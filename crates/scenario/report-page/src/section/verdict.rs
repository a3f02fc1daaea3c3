//! Whether the results can be trusted: a word, and the reasons in sentences.

use maud::{Markup, html};
use netloom_api::summary::Summary;
use netloom_monitor::{Finding, Judgement};

use super::more;

/// So many findings are told, the gravest first.
const TOLD: usize = 12;

/// The verdict.
pub fn verdict(summary: &Summary) -> Markup {
    let Some(verdict) = &summary.verdict else { return none() };
    let (sign, class, meaning) = match verdict.judgement {
        Judgement::Valid => (
            "✓",
            "valid",
            "All that is needed to tell was observed, and nothing was contended: what was measured \
             is the network.",
        ),
        Judgement::Suspect => (
            "?",
            "suspect",
            "There was brief or marginal contention, or something needed was not observed: look at \
             what was measured at these times before you use it.",
        ),
        Judgement::Invalid => (
            "✗",
            "invalid",
            "The machine shows in the results: do not take them for the network's.",
        ),
    };
    html! {
        section class={ "verdict " (class) } {
            h2 { "Verdict" }
            p class="word" { span aria-hidden="true" { (sign) " " } (verdict.judgement) }
            p { (meaning) }
            @if !verdict.findings.is_empty() {
                ul { @for finding in verdict.findings.iter().take(TOLD) { (one(finding)) } }
                (more(verdict.findings.len().saturating_sub(TOLD), "findings",
                    "see Contention below, and summary.json for all"))
            }
        }
    }
}

fn one(finding: &Finding) -> Markup {
    html! { li { strong { (finding.judgement) } ": " (finding.why) } }
}

fn none() -> Markup {
    html! {
        section class="verdict none" {
            h2 { "Verdict" }
            p class="word" { "none" }
            p {
                "This run was not judged: contention of the machine was not watched. What there is \
                 to go by is how exactly the engine kept its schedule, below."
            }
        }
    }
}
