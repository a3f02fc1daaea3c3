//! Links: curves of the busiest ones, and a table of the others. `pipe` has the content for one
//! direction of a link.

use std::collections::BTreeMap;

use maud::{Markup, html};
use netloom_api::state::{LinkStatus, PipeStatus, VlanPortStatus};
use netloom_api::summary::Summary;
use netloom_units::readable::{bit_rate, count, micros};

use super::pipe::{LEAST_QUEUE, drops, in_words, panels, properties};
use super::{more, table};
use crate::busiest::{by_traffic, drawn};
use crate::chart::{TimeAxis, strip};
use crate::curves::{Curves, Way};
use crate::run::Run;

/// Largest number of links in the table.
const LISTED: usize = 200;

/// Returns the section about links.
pub fn links(run: &Run, time: &TimeAxis) -> Markup {
    let (shown, all) = (drawn(&run.summary), by_traffic(&run.summary));
    let rest: Vec<&LinkStatus> =
        all.into_iter().filter(|link| shown.iter().all(|drawn| drawn.name != link.name)).collect();
    html! {
        section {
            h2 { "Links" }
            @if !rest.is_empty() && !shown.is_empty() {
                p {
                    "The " (shown.len()) " that carried most are drawn; the other " (rest.len())
                    " are in the " a href="#other-links" { "table below" } "."
                }
            }
            @if let Some(curves) = run.curves.as_ref().filter(|_| !shown.is_empty()) {
                (key(run, curves))
            }
            @for link in &shown { (one(link, run, time)) }
            @if !rest.is_empty() { (others(&rest, &run.summary)) }
            (refused(&run.summary.vlan_ports))
        }
    }
}

/// Explains the charts.
fn key(run: &Run, curves: &Curves) -> Markup {
    let interval = run.scenario.as_ref().map(|scenario| scenario.measure.interval);
    html! {
        p class="note" {
            "Curves are means from sample to sample"
            @if let Some(interval) = interval {
                " (every " (interval) "; in a long run several are one step)"
            }
            ", and begin at the moment the network was ready. Bytes are those of frames with their \
             Ethernet header. A bar at the upper edge marks times to be left out; dotted lines \
             with a number are events of the timeline. What has nothing to show is left out, and \
             so is a queue of less than " (LEAST_QUEUE) " frames."
            @if curves.only_traffic() {
                " The version of NetLoom that wrote these results did not record delay, queue and \
                 drops over time."
            }
        }
    }
}

fn one(link: &LinkStatus, run: &Run, time: &TimeAxis) -> Markup {
    let before = run.scenario.as_ref().and_then(|scenario| scenario.link(&link.name));
    let at_first = [before.map(|link| &link.forward), before.map(|link| &link.reverse)];
    let ways = [Way::Forward, Way::Reverse].into_iter().zip(link.arrows()).zip(at_first);
    html! {
        article class="link" {
            h3 { (link.name) }
            @for ((way, (name, pipe)), at_first) in ways {
                @let curves = run.curves.as_ref();
                @let panels = curves.map_or(Vec::new(), |all| panels(all, &link.name, way));
                figure class="pipe" {
                    figcaption {
                        strong { (name) }
                        " " span class="note" { (properties(pipe, at_first)) }
                        br;
                        (in_words(pipe))
                    }
                    @if !panels.is_empty() { (strip(&panels, time, &format!("{name} over time"))) }
                }
            }
        }
    }
}

/// Returns a table of the links that are not drawn.
fn others(links: &[&LinkStatus], summary: &Summary) -> Markup {
    let rows = html! {
        @for (name, pipe) in links.iter().take(LISTED).flat_map(|link| link.arrows()) {
            (row(&name, pipe))
        }
    };
    html! {
        h3 id="other-links" {
            @if links.len() == summary.links.len() { "All links" } @else { "Other links" }
        }
        (table(
            &["pipe", "offered", "delivered", "mean rate", "delay p50", "p99", "dropped"],
            &rows,
        ))
        (more(links.len().saturating_sub(LISTED), "links", "see summary.json and pipes.parquet"))
    }
}

/// Returns a table of frames that ports of switches dropped because of their VLAN. The links that
/// lead there count them as delivered.
fn refused(ports: &BTreeMap<String, VlanPortStatus>) -> Markup {
    let refusing: Vec<_> =
        ports.iter().filter(|(_, port)| port.dropped.total().frames > 0).collect();
    let rows = html! {
        @for (name, VlanPortStatus { vlans, dropped }) in refusing.iter().take(LISTED) {
            tr {
                td { (name) }
                td { (vlans) }
                td class="number" { (count(dropped.foreign.frames)) }
                td class="number" { (count(dropped.untagged.frames)) }
            }
        }
    };
    html! {
        @if !refusing.is_empty() {
            h3 { "Switch ports that refused frames" }
            (table(&["port", "VLANs", "of other VLANs", "without a tag"], &rows))
            (more(refusing.len().saturating_sub(LISTED), "ports", "see summary.json"))
        }
    }
}

fn row(name: &str, pipe: &PipeStatus) -> Markup {
    let or_unknown = |frames: Option<u64>| frames.map_or("–".into(), count);
    let delays = pipe.modelled().and_then(|pipe| pipe.statistics.delay.as_ref());
    let delay = |ns: Option<u64>| ns.map_or("–".into(), |ns| micros(ns as f64 / 1000.0));
    html! {
        tr {
            td { (name) @if pipe.modelled().is_none() { " (direct)" } }
            td class="number" { (or_unknown(pipe.offered().map(|offered| offered.frames))) }
            td class="number" { (or_unknown(pipe.delivered().map(|delivered| delivered.frames))) }
            td class="number" { (pipe.mean_rate().map_or("–".into(), bit_rate)) }
            td class="number" { (delay(delays.map(|delays| delays.p50_ns))) }
            td class="number" { (delay(delays.map(|delays| delays.p99_ns))) }
            td { @match drops(pipe) { drops if drops.is_empty() => "–", drops => (drops), } }
        }
    }
}
