//! A drawing of the network.

use maud::{Markup, PreEscaped, html};
use netloom_scenario::Scenario;
use netloom_units::readable::counted;

/// Largest number of nodes in a drawing. Nobody could read a larger one on a page.
const NODES: usize = 150;

/// Largest number of links in a drawing.
const LINKS: usize = 400;

/// Returns the section about the topology.
pub fn topology(scenario: Option<&Scenario>) -> Markup {
    html! {
        @if let Some(scenario) = scenario {
            section {
                h2 { "Topology" }
                p { (sizes(scenario)) }
                @if scenario.nodes.len() <= NODES && scenario.links.len() <= LINKS {
                    // The drawing escapes its texts.
                    figure id="topology" { (PreEscaped(netloom_drawing::svg(scenario))) }
                } @else {
                    p class="note" {
                        "Too large for a drawing here; " code { "netloom graph --format svg" }
                        " makes one."
                    }
                }
            }
        }
    }
}

fn sizes(scenario: &Scenario) -> String {
    format!(
        "{} and {}.",
        counted(scenario.nodes.len(), "node"),
        counted(scenario.links.len(), "link")
    )
}
