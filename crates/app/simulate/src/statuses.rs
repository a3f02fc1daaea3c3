//! What was counted in a simulation, in the API's words.

use std::collections::BTreeMap;

use netloom_api::flow::{FlowDelay, FlowStatus, TcpStatus};
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_scenario::Scenario;
use netloom_sim::{Cell, FlowCounts, FlowKind, NodeCounts};
use netloom_tcp::Info;

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
    let mut tcp: Vec<Option<TcpStatus>> = vec![None; flows.len()];
    for (flow, info) in cell.connections() {
        add(tcp[flow].get_or_insert_default(), &info);
    }
    let all = flows.iter().enumerate().zip(tcp);
    let statuses = all.map(|((number, flow), tcp)| {
        let ends = matches!(cell.flows()[number].kind, FlowKind::Tcp(_));
        let completed = cell.delivered_at(number).filter(|_| ends);
        FlowStatus { completed, tcp, ..status(flow, cell.counts(number)) }
    });
    statuses.collect()
}

fn add(sum: &mut TcpStatus, info: &Info) {
    if sum.connections == 0 {
        sum.srtt_ns = info.srtt.as_nanos();
        sum.rttvar_ns = info.rttvar.as_nanos();
        sum.rto_ns = info.rto.as_nanos();
        sum.min_rtt_ns = info.min_rtt.as_nanos();
    }
    sum.connections += 1;
    sum.cwnd += u64::from(info.cwnd);
    if let Some(ssthresh) = info.ssthresh {
        *sum.ssthresh.get_or_insert(0) += u64::from(ssthresh);
    }
    sum.in_flight += u64::from(info.in_flight);
    sum.delivery_rate += info.delivery_rate;
    sum.acked_bytes += info.bytes_acked;
    sum.retransmitted += info.retransmitted;
    sum.lost += info.lost;
    sum.marked += info.delivered_ce;
}

fn status(flow: &Flow, counts: &FlowCounts) -> FlowStatus {
    let received = counts.received.frames;
    let delay = counts.delay.extremes().map(|(least, most)| {
        let quantile =
            |share| counts.delay.quantile(share, received).unwrap_or_default().as_nanos();
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
        completed: None,
        tcp: None,
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
