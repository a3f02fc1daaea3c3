//! The network as a drawing.

use maud::{Markup, PreEscaped, html};
use netloom_scenario::{Scenario, graph};
use netloom_units::readable::counted;

/// Networks up to this many nodes are drawn; nobody could read a larger drawing on a page.
const NODES: usize = 150;

/// And up to this many links.
const LINKS: usize = 400;

/// The topology.
pub fn topology(scenario: Option<&Scenario>) -> Markup {
    html! {
        @if let Some(scenario) = scenario {
            section {
                h2 { "Topology" }
                p { (sizes(scenario)) }
                @if scenario.nodes.len() <= NODES && scenario.links.len() <= LINKS {
                    // The drawing escapes what it is given.
                    figure id="topology" { (PreEscaped(graph::svg(scenario))) }
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
