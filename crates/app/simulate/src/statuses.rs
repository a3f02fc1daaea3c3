//! What was counted in a simulation, in the API's words.

use std::collections::BTreeMap;

use netloom_api::flow::{FlowDelay, FlowStatus};
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_scenario::Scenario;
use netloom_sim::{Cell, FlowCounts, NodeCounts};

use crate::traffic::Flow;

/// All links with their totals.
pub fn links(cell: &mut Cell, scenario: &Scenario) -> Vec<LinkStatus> {
    let mut pipe = |number, direction| {
        let (config, statistics) = cell.statistics(PipeId { link: LinkId(number), direction });
        PipeStatus::Modelled(Box::new(ModelledPipe { config, statistics }))
    };
    let links = (0..).zip(&scenario.links).map(|(number, link)| LinkStatus {
        name: link.name.clone(),
        endpoints: link.endpoints.clone(),
        forward: pipe(number, Direction::Forward),
        reverse: pipe(number, Direction::Reverse),
    });
    links.collect()
}

/// All flows with their totals.
pub fn flows(cell: &Cell, flows: &[Flow]) -> Vec<FlowStatus> {
    flows.iter().enumerate().map(|(number, flow)| status(flow, cell.counts(number))).collect()
}

fn status(flow: &Flow, counts: &FlowCounts) -> FlowStatus {
    let received = counts.received.frames;
    let delay = counts.delay.extremes().map(|(least, most)| {
        let quantile = |share| {
            counts.delay.quantile(share, received).unwrap_or_default().as_nanos()
        };
        FlowDelay {
            min_ns: least.as_nanos(),
            mean_ns: counts.delay.sum_ns() as f64 / received as f64,
            max_ns: most.as_nanos(),
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
        }
    });
    FlowStatus {
        name: flow.name.clone(),
        from: flow.from.clone(),
        to: flow.to.clone(),
        protocol: flow.protocol.into(),
        sent: counts.sent,
        received: counts.received,
        duplicated: counts.duplicated,
        reordered: counts.reordered,
        refused: counts.refused,
        errors: counts.errors,
        delay,
        jitter_ns: counts.jitter_ns,
    }
}

/// What nodes did not pass on or take, by reason; only what there was.
pub fn not_forwarded(counts: NodeCounts) -> BTreeMap<String, u64> {
    let NodeCounts {
        time_exceeded,
        unreachable,
        too_big,
        not_forwarded,
        no_port,
        damaged,
        no_link,
    } = counts;
    let all = [
        ("time_exceeded", time_exceeded),
        ("unreachable", unreachable),
        ("too_big", too_big),
        ("not_forwarded", not_forwarded),
        ("no_port", no_port),
        ("damaged", damaged),
        ("no_link", no_link),
    ];
    let some = all.into_iter().filter(|(_, packets)| *packets > 0);
    some.map(|(reason, packets)| (reason.to_owned(), packets)).collect()
}
