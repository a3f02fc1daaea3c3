//! The counts of a simulation, in the API's types.

use std::collections::BTreeMap;

use netloom_api::event::What;
use netloom_api::flow::{FlowDelay, FlowStatus, TcpStatus, TransferStatus};
use netloom_api::medium::{MediumStatus, Neighbour, Neighbours, Position, StationStatus};
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_fabric::PipeId;
use netloom_link::PipeStatistics;
use netloom_medium::{Point, StationId};
use netloom_results::MediaSample;
use netloom_scenario::{Scenario, Transport};
use netloom_sim::{FlowSample, FlowTotals, MediumSample, NodeCounts, TcpTotals};
use netloom_units::{Duration, Time};

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

/// Shared media with their stations, and whom these reach. Media are by the numbers of their nodes
/// among those of `scenario`.
pub fn media(samples: &[MediumSample], scenario: &Scenario) -> MediaSample {
    let name = |number: u32| Some(scenario.nodes.get(number as usize)?.name.clone());
    let mut all = MediaSample::default();
    for sample in samples {
        let Some(node) = scenario.nodes.get(sample.medium.0 as usize) else { continue };
        let Some(medium) = &node.medium else { continue };
        let interface = |station: StationId| {
            let member = name(station.0)?;
            let ends = scenario.links.iter().map(|link| &link.endpoints);
            let found = { ends }.find(|[a, b]| a.node == member && b.node == node.name);
            found.map(|[interface, _]| interface.clone())
        };
        let stations = sample.stations.iter().filter_map(|station| {
            Some(StationStatus {
                interface: interface(station.station)?,
                position: station.position.map(|Point { x, y, z }| Position { x, y, z }),
                on: station.on,
                queued: station.queued,
                window: station.window,
                statistics: (&station.counters).into(),
            })
        });
        let stations = stations.collect();
        let config = medium.config.clone();
        all.media.push(MediumStatus { name: node.name.clone(), config, stations });
        let of_stations = sample.stations.iter().filter_map(|station| {
            let of = |view| Neighbour::new(view, &|id: StationId| name(id.0));
            Some(Neighbours {
                medium: node.name.clone(),
                node: name(station.station.0)?,
                neighbours: station.reached.iter().filter_map(of).collect(),
            })
        });
        all.neighbours.extend(of_stations);
    }
    all
}

/// Returns the pairs of stations that have come and gone, with the times.
pub fn neighbour_changes<'a>(
    samples: &'a [MediumSample],
    scenario: &'a Scenario,
) -> impl Iterator<Item = (Time, What)> + use<'a> {
    let name = |number: u32| Some(scenario.nodes.get(number as usize)?.name.clone());
    samples.iter().flat_map(move |sample| {
        sample.changes.iter().filter_map(move |change| {
            let (a, b) = change.pair;
            let what = What::Neighbour {
                medium: name(sample.medium.0)?,
                pair: [name(a.0)?, name(b.0)?],
                up: change.up,
            };
            Some((change.at, what))
        })
    })
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

/// Whether nothing of a flow is under way: all datagrams have come, or all of its connections have
/// ended. Lost datagrams are indistinguishable from those under way. Rates are never under way.
pub fn has_arrived(flow: &FlowStatus) -> bool {
    match &flow.tcp {
        _ if flow.protocol == Transport::Fluid.protocol() => true,
        Some(tcp) => flow.completed.is_some() || tcp.connections == 0,
        None => flow.received.frames >= flow.left(),
    }
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
        lost: Some(of.lost),
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
        began: Some(flow.start),
        over: over(flow, counts),
        delay: FlowDelay::of(&counts.delay),
        transfers: flow.has_transfers.then(|| TransferStatus {
            begun: counts.begun,
            completed: counts.completions.count(),
            mean_ns: counts.completions.mean_ns(),
            max_ns: counts.completions.extremes().map(|(_, most)| most.as_nanos()),
        }),
        ..FlowStatus::default()
    }
}

/// Returns when the last packet of a flow had arrived at the latest. Nobody times TCP's.
fn over(flow: &Flow, counts: &FlowTotals) -> Option<Time> {
    let longest = counts.delay.extremes().map_or(Duration::ZERO, |(_, longest)| longest);
    flow.until.filter(|_| flow.protocol != "tcp").map(|until| until + longest)
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
