//! What was counted in a simulation, in the API's words.

use std::collections::BTreeMap;

use netloom_api::flow::{FlowDelay, FlowStatus, TcpStatus, TransferStatus};
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_scenario::Scenario;
use netloom_sim::{FlowCounts, FlowInfo, NodeCounts, Simulation};

use crate::traffic::Flow;

/// All links with their totals.
pub fn links(simulation: &mut Simulation, scenario: &Scenario) -> Vec<LinkStatus> {
    let mut pipe = |number, direction| {
        let (config, statistics) =
            simulation.statistics(PipeId { link: LinkId(number), direction });
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
pub fn flows(simulation: &Simulation, flows: &[Flow]) -> Vec<FlowStatus> {
    flows_from(simulation, flows, 0)
}

/// Some flows with their totals: those from number `first` on.
pub fn flows_from(simulation: &Simulation, flows: &[Flow], first: u32) -> Vec<FlowStatus> {
    let mut tcp: Vec<Option<TcpStatus>> = vec![None; flows.len()];
    for info in simulation.connections() {
        let place = info.flow.checked_sub(first).map(|place| place as usize);
        if let Some(tcp) = place.and_then(|place| tcp.get_mut(place)) {
            add(tcp.get_or_insert_default(), &info);
        }
    }
    let all = (first..).zip(flows).zip(tcp);
    let statuses = all.map(|((number, flow), tcp)| {
        let completed = simulation.delivered_at(number).filter(|_| flow.protocol == "tcp");
        let transfers = flow.has_transfers.then(TransferStatus::default);
        let mut whole = FlowStatus { completed, transfers, tcp, ..empty(flow) };
        simulation.counts(number).for_each(|counts| count(&mut whole, counts));
        whole
    });
    statuses.collect()
}

fn add(sum: &mut TcpStatus, FlowInfo { connections, info, .. }: &FlowInfo) {
    if sum.connections == 0 {
        sum.srtt_ns = info.srtt.as_nanos();
        sum.rttvar_ns = info.rttvar.as_nanos();
        sum.rto_ns = info.rto.as_nanos();
        sum.min_rtt_ns = info.min_rtt.as_nanos();
    }
    sum.connections += connections;
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

/// A flow of which nothing was counted.
fn empty(flow: &Flow) -> FlowStatus {
    FlowStatus {
        name: flow.name.clone(),
        from: flow.from.clone(),
        to: flow.to.clone(),
        protocol: flow.protocol.into(),
        ..FlowStatus::default()
    }
}

/// Adds what was counted at an end, or both, of a flow. Delays are those of one end only.
fn count(flow: &mut FlowStatus, counts: &FlowCounts) {
    flow.sent = flow.sent + counts.sent;
    flow.received = flow.received + counts.received;
    flow.duplicated += counts.duplicated;
    flow.reordered += counts.reordered;
    flow.refused += counts.refused;
    flow.errors += counts.errors;
    if let Some(transfers) = &mut flow.transfers {
        transfers.begun += counts.begun;
        transfers.completed += counts.completions.count();
        if let Some((_, most)) = counts.completions.extremes() {
            transfers.mean_ns = counts.completions.mean_ns();
            transfers.max_ns = Some(most.as_nanos());
        }
    }
    let Some((least, most)) = counts.delay.extremes() else { return };
    let quantile = |share| counts.delay.quantile(share).unwrap_or_default().as_nanos();
    flow.jitter_ns = counts.jitter_ns;
    flow.delay = Some(FlowDelay {
        min_ns: least.as_nanos(),
        mean_ns: counts.delay.mean_ns().unwrap_or_default(),
        max_ns: most.as_nanos(),
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
    });
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
