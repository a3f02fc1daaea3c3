//! What was counted in a simulation, in the API's words.

use std::collections::BTreeMap;

use netloom_api::flow::{FlowDelay, FlowStatus, TcpStatus, TransferStatus};
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_fabric::PipeId;
use netloom_link::PipeStatistics;
use netloom_scenario::Scenario;
use netloom_sim::{FlowSample, FlowTotals, NodeCounts, TcpTotals};

use crate::configs::Configs;
use crate::traffic::Flow;

/// All links with their totals: of all pipes, in their order.
pub fn links(
    pipes: Vec<(PipeId, PipeStatistics)>,
    configs: &Configs,
    scenario: &Scenario,
) -> Vec<LinkStatus> {
    let mut pipes = pipes.into_iter().map(|(pipe, statistics)| {
        let config = configs.of(pipe).clone();
        PipeStatus::Modelled(Box::new(ModelledPipe { config, statistics }))
    });
    let links = scenario.links.iter().map_while(|link| {
        let (name, endpoints) = (link.name.clone(), link.endpoints.clone());
        Some(LinkStatus { name, endpoints, forward: pipes.next()?, reverse: pipes.next()? })
    });
    links.collect()
}

/// All flows with their totals.
pub fn flows(sample: FlowSample, flows: &[Flow]) -> Vec<FlowStatus> {
    flows_from(sample, flows, 0)
}

/// Some flows with their totals: those from number `first` on, which are all that `sample` is of.
pub fn flows_from(sample: FlowSample, flows: &[Flow], first: u32) -> Vec<FlowStatus> {
    let FlowSample { ends, tcp, delivered } = sample;
    let place = |flow: u32| (flow - first) as usize;
    let mut connections: Vec<Option<TcpTotals>> = vec![None; flows.len()];
    for of in tcp {
        match &mut connections[place(of.flow)] {
            Some(sum) => sum.add(&of),
            none => *none = Some(of),
        }
    }
    let statuses = flows.iter().zip(connections).map(|(flow, connections)| FlowStatus {
        transfers: flow.has_transfers.then(TransferStatus::default),
        tcp: connections.as_ref().map(tcp_status),
        ..empty(flow)
    });
    let mut statuses: Vec<FlowStatus> = statuses.collect();
    for (flow, at) in delivered {
        statuses[place(flow)].completed = (flows[place(flow)].protocol == "tcp").then_some(at);
    }
    ends.iter().for_each(|(flow, end)| count(&mut statuses[place(*flow)], end));
    statuses
}

fn tcp_status(of: &TcpTotals) -> TcpStatus {
    TcpStatus {
        connections: of.connections,
        cwnd: of.cwnd,
        ssthresh: of.ssthresh,
        in_flight: of.in_flight,
        srtt_ns: of.srtt.as_nanos(),
        rttvar_ns: of.rttvar.as_nanos(),
        rto_ns: of.rto.as_nanos(),
        min_rtt_ns: of.min_rtt.as_nanos(),
        delivery_rate: of.delivery_rate,
        acked_bytes: of.bytes_acked,
        retransmitted: of.retransmitted,
        lost: of.lost,
        marked: of.delivered_ce,
    }
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
fn count(flow: &mut FlowStatus, counts: &FlowTotals) {
    flow.sent = flow.sent + counts.sent;
    flow.received = flow.received + counts.received;
    flow.duplicated += counts.duplicated;
    flow.reordered += counts.reordered;
    flow.refused += counts.refused;
    flow.errors += counts.errors;
    if let Some(transfers) = &mut flow.transfers {
        transfers.begun += counts.begun;
        if let Some(completions) = &counts.completions {
            transfers.completed += completions.count;
            transfers.mean_ns = Some(completions.mean_ns);
            transfers.max_ns = Some(completions.most.as_nanos());
        }
    }
    let Some(delay) = &counts.delay else { return };
    flow.jitter_ns = counts.jitter_ns;
    flow.delay = Some(FlowDelay {
        min_ns: delay.least.as_nanos(),
        mean_ns: delay.mean_ns,
        max_ns: delay.most.as_nanos(),
        p50_ns: delay.p50.as_nanos(),
        p99_ns: delay.p99.as_nanos(),
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
