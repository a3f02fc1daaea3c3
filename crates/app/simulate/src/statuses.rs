//! The counts of a simulation, in the API's types.

use std::collections::BTreeMap;

use netloom_api::flow::{FlowDelay, FlowStatus, TcpStatus, TransferStatus};
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_fabric::PipeId;
use netloom_link::PipeStatistics;
use netloom_scenario::Scenario;
use netloom_sim::{Delays, FlowSample, FlowTotals, NodeCounts, TcpTotals};

use crate::configs::Configs;
use crate::traffic::Flow;

/// Returns all links with their totals. `pipes` must hold all pipes, in order.
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

/// Returns all flows with their totals.
pub fn flows(sample: FlowSample, flows: &[Flow]) -> Vec<FlowStatus> {
    flows_from(sample, flows, 0)
}

/// Returns some flows with their totals. They start at number `first`, and `sample` has no others.
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
    let mut totals = vec![FlowTotals::default(); flows.len()];
    ends.iter().for_each(|(flow, end)| totals[place(*flow)].add(end));
    let all = flows.iter().zip(totals).zip(connections);
    let statuses = all.map(|((flow, totals), connections)| FlowStatus {
        tcp: connections.as_ref().map(tcp_status),
        ..counted(flow, &totals)
    });
    let mut statuses: Vec<FlowStatus> = statuses.collect();
    for (flow, at) in delivered {
        statuses[place(flow)].completed = (flows[place(flow)].protocol == "tcp").then_some(at);
    }
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

/// Returns a flow with the counts of its packets and transfers.
fn counted(flow: &Flow, counts: &FlowTotals) -> FlowStatus {
    let FlowTotals { sent, refused, received, duplicated, reordered, errors, .. } = *counts;
    FlowStatus {
        name: flow.name.clone(),
        from: flow.from.clone(),
        to: flow.to.clone(),
        protocol: flow.protocol.into(),
        sent,
        received,
        duplicated,
        reordered,
        refused,
        errors,
        jitter_ns: counts.jitter_ns,
        delay: delay(&counts.delay),
        transfers: flow.has_transfers.then(|| TransferStatus {
            begun: counts.begun,
            completed: counts.completions.count(),
            mean_ns: counts.completions.mean_ns(),
            max_ns: counts.completions.extremes().map(|(_, most)| most.as_nanos()),
        }),
        ..FlowStatus::default()
    }
}

fn delay(delays: &Delays) -> Option<FlowDelay> {
    let (least, most) = delays.extremes()?;
    Some(FlowDelay {
        min_ns: least.as_nanos(),
        mean_ns: delays.mean_ns()?,
        max_ns: most.as_nanos(),
        p50_ns: delays.quantile(0.5)?.as_nanos(),
        p99_ns: delays.quantile(0.99)?.as_nanos(),
    })
}

/// Returns the packets that nodes did not pass on or take, by reason. Reasons without packets are
/// left out.
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
