//! A drawing of the network, with what its links carried.

use std::collections::HashMap;

use maud::{Markup, PreEscaped, html};
use netloom_api::state::LinkStatus;
use netloom_api::summary::Summary;
use netloom_drawing::{Carried, svg_of_run};
use netloom_link::LinkState;
use netloom_scenario::Scenario;
use netloom_units::readable::counted;

/// Largest number of nodes in a drawing. Nobody could read a larger one on a page.
const NODES: usize = 150;

/// Largest number of links in a drawing.
const LINKS: usize = 400;

/// Returns the section about the topology.
pub fn topology(scenario: Option<&Scenario>, summary: &Summary) -> Markup {
    let links: &[LinkStatus] = &summary.links;
    let by_name: HashMap<&str, &LinkStatus> =
        links.iter().map(|link| (link.name.as_str(), link)).collect();
    html! {
        @if let Some(scenario) = scenario {
            section {
                h2 { "Topology" }
                @if scenario.nodes.len() <= NODES && scenario.links.len() <= LINKS {
                    p {
                        (sizes(scenario)) @if !links.is_empty() { " " (key()) }
                        @if !summary.placement.is_empty() {
                            " Frames are machines; links between them are dashed."
                        }
                    }
                    // The drawing escapes its texts.
                    figure id="topology" {
                        (PreEscaped(svg_of_run(scenario, &summary.placement, |link| {
                            by_name.get(link.name.as_str()).map_or_else(Carried::default, carried)
                        })))
                    }
                } @else {
                    p { (sizes(scenario)) }
                    p class="note" {
                        "Too large for a drawing here; " code { "netloom graph --format svg" }
                        " makes one."
                    }
                }
            }
        }
    }
}

/// Explains the lines of links.
fn key() -> Markup {
    let percent = |least: f64| format!("{:.0} %", least * 100.0);
    html! {
        span class="key" {
            "Links by the busier direction: "
            @for (class, least) in (1..).zip(Carried::LOADS) {
                svg class="swatch netloom-graph" width="26" height="10" aria-hidden="true" {
                    g class={ "load-" (class) } { line x1="0" x2="26" y1="5" y2="5" {} }
                }
                " from " (percent(least)) " of the time "
            }
            svg class="swatch netloom-graph" width="26" height="10" aria-hidden="true" {
                g class="down" { line x1="0" x2="26" y1="5" y2="5" {} }
            }
            " down at the end"
        }
    }
}

fn carried(link: &&LinkStatus) -> Carried {
    let pipes = || [&link.forward, &link.reverse].into_iter().filter_map(|pipe| pipe.modelled());
    let load = pipes().map(|pipe| pipe.statistics.load).reduce(f64::max);
    let down = pipes().any(|pipe| pipe.config.state == LinkState::Down);
    Carried { load, down }
}

fn sizes(scenario: &Scenario) -> String {
    format!(
        "{} and {}.",
        counted(scenario.nodes.len(), "node"),
        counted(scenario.links.len(), "link")
    )
}
