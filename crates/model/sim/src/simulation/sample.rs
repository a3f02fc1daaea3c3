//! Samples of a simulation for its results, taken at one time from the cells of one process. Those
//! of several processes are joined. Not here: how samples are written to files (`netloom-results`).

use std::ops::Range;

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{CapturedFrame, FrameEvent, PipeStatistics};
use netloom_medium::AssociationEvent;
use netloom_units::{Duration, Time};

use super::Simulation;
use crate::cell::{Cell, Work};
use crate::flow::FlowTotals;
use crate::hosts::NodeCounts;
use crate::network::{RouteChanged, RouteError};
use crate::plant::{MediumSample, in_order, pipes_of};
use crate::traffic::FlowInfo;

/// A sample of pipes and nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PipeSample {
    /// Statistics of each pipe.
    pub statistics: Vec<(PipeId, PipeStatistics)>,
    /// Events of frames on logged links since the last sample, by time and pipe.
    pub log: Vec<(PipeId, FrameEvent)>,
    /// Captured frames since the last sample, by time, each with the number of its capture.
    pub captured: Vec<(u32, CapturedFrame)>,
    /// The outcomes of the timeline's changes of routes so far, by the place of the change.
    pub routes: Vec<(u32, Result<RouteChanged, RouteError>)>,
    /// Samples of shared media, by their numbers.
    pub media: Vec<MediumSample>,
    /// Stations that joined or left access points since the last sample, by medium.
    pub associations: Vec<(u32, AssociationEvent)>,
}

/// A sample of flows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowSample {
    /// Counts of flows, for each cell that has an end of one.
    pub ends: Vec<(u32, FlowTotals)>,
    /// TCP_INFO of the sending ends of their connections.
    pub tcp: Vec<TcpTotals>,
    /// Time at which all of a flow had been delivered.
    pub delivered: Vec<(u32, Time)>,
}

/// The progress of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// Time at which the run is over, if it ends by itself ([`Simulation::done_at`]).
    pub done_at: Option<Time>,
    /// Work done so far.
    pub work: Work,
    /// Packets that its nodes did not pass on.
    pub nodes: NodeCounts,
    /// Flows that never began.
    pub not_begun: Vec<u32>,
}

/// TCP_INFO of all connections of a flow together, at the ends that send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpTotals {
    /// The flow.
    pub flow: u32,
    /// Node of the first connection.
    pub node: u32,
    /// Number of connections.
    pub connections: u32,
    /// Congestion window in packets.
    pub cwnd: u64,
    /// Slow-start threshold in packets. `None` before the first reduction.
    pub ssthresh: Option<u64>,
    /// Packets in flight.
    pub in_flight: u64,
    /// Smoothed round-trip time of the first connection.
    pub srtt: Duration,
    /// Deviation of that time.
    pub rttvar: Duration,
    /// Retransmission timeout of the first connection.
    pub rto: Duration,
    /// Least round-trip time of the first connection.
    pub min_rtt: Duration,
    /// The latest delivery rate in bytes per second.
    pub delivery_rate: u64,
    /// Bytes that the other end has acknowledged.
    pub bytes_acked: u64,
    /// Packets retransmitted.
    pub retransmitted: u64,
    /// Packets deemed lost.
    pub lost: u64,
    /// Packets delivered whose acknowledgement echoed a mark.
    pub delivered_ce: u64,
}

impl Simulation {
    /// Takes a sample of the pipes and nodes of this process.
    pub fn sample_pipes(&mut self) -> PipeSample {
        let links = (0..self.pipes() as u32 / 2).map(LinkId);
        let pipes = links.flat_map(pipes_of);
        let statistics = pipes.filter_map(|pipe| Some((pipe, self.statistics(pipe)?))).collect();
        let routes = self.routes_changed();
        let (log, captured) = (self.take_log(), self.take_captured());
        let mut media: Vec<_> = self.cells.iter_mut().flat_map(Cell::sample_media).collect();
        media.sort_by_key(|sample| sample.medium);
        let associations = self.cells.iter_mut().flat_map(Cell::take_associations).collect();
        PipeSample { statistics, log, captured, routes, associations, media }
    }

    /// Returns the outcomes of the timeline's changes of routes so far, by the place of the change.
    pub fn routes_changed(&self) -> Vec<(u32, Result<RouteChanged, RouteError>)> {
        let routes = self.cells.iter().flat_map(Cell::routes_changed);
        // A timeline has fewer changes than `u32` can number.
        routes.map(|(change, outcome)| (change as u32, outcome.clone())).collect()
    }

    /// Takes a sample of `flows`, as far as they are in this process.
    pub fn sample_flows(&self, flows: Range<u32>) -> FlowSample {
        let mut sample = FlowSample::default();
        for flow in flows.clone() {
            sample.ends.extend(self.counts(flow).map(|counts| (flow, counts)));
            sample.delivered.extend(self.delivered_at(flow).map(|at| (flow, at)));
        }
        for info in self.connections().into_iter().filter(|info| flows.contains(&info.flow)) {
            match sample.tcp.last_mut() {
                Some(sum) if sum.flow == info.flow => sum.add(&TcpTotals::of(&info)),
                _ => sample.tcp.push(TcpTotals::of(&info)),
            }
        }
        sample
    }

    /// Returns the progress of the simulation.
    pub fn standing(&self) -> Standing {
        Standing {
            done_at: self.done_at(),
            work: self.work(),
            nodes: self.node_counts(),
            not_begun: self.not_begun(),
        }
    }
}

impl PipeSample {
    /// Adds the sample that another process took at the same time.
    pub fn join(&mut self, mut other: Self) {
        self.statistics.append(&mut other.statistics);
        self.statistics.sort_by_key(|(pipe, _)| *pipe);
        self.log.append(&mut other.log);
        // The sort is stable: simultaneous events of one pipe stay in order.
        self.log.sort_by_key(|(pipe, event)| (event.at, *pipe));
        self.captured.append(&mut other.captured);
        in_order(&mut self.captured);
        self.routes.append(&mut other.routes);
        self.media.append(&mut other.media);
        self.media.sort_by_key(|sample| sample.medium);
        self.associations.append(&mut other.associations);
    }
}

impl FlowSample {
    /// Adds the sample that another process took at the same time.
    pub fn join(&mut self, mut other: Self) {
        self.ends.append(&mut other.ends);
        self.tcp.append(&mut other.tcp);
        self.delivered.append(&mut other.delivered);
    }
}

impl Standing {
    /// Adds the progress of another process.
    pub fn join(&mut self, mut other: Self) {
        self.done_at = self.done_at.zip(other.done_at).map(|(one, other)| one.max(other));
        self.work = [self.work, other.work].into_iter().sum();
        self.nodes += other.nodes;
        self.not_begun.append(&mut other.not_begun);
        self.not_begun.sort_unstable();
    }
}

impl TcpTotals {
    fn of(FlowInfo { flow, node, connections, info }: &FlowInfo) -> Self {
        Self {
            flow: *flow,
            node: *node,
            connections: *connections,
            cwnd: info.cwnd.into(),
            ssthresh: info.ssthresh.map(u64::from),
            in_flight: info.in_flight.into(),
            srtt: info.srtt,
            rttvar: info.rttvar,
            rto: info.rto,
            min_rtt: info.min_rtt,
            delivery_rate: info.delivery_rate,
            bytes_acked: info.bytes_acked,
            retransmitted: info.retransmitted,
            lost: info.lost,
            delivered_ce: info.delivered_ce,
        }
    }

    /// Adds other connections of the flow. Times are those of the connection at the first node.
    pub fn add(&mut self, other: &Self) {
        if other.node < self.node {
            let Self { node, srtt, rttvar, rto, min_rtt, .. } = *other;
            *self = Self { node, srtt, rttvar, rto, min_rtt, ..*self };
        }
        self.connections += other.connections;
        self.cwnd += other.cwnd;
        if let Some(ssthresh) = other.ssthresh {
            *self.ssthresh.get_or_insert(0) += ssthresh;
        }
        self.in_flight += other.in_flight;
        self.delivery_rate += other.delivery_rate;
        self.bytes_acked += other.bytes_acked;
        self.retransmitted += other.retransmitted;
        self.lost += other.lost;
        self.delivered_ce += other.delivered_ce;
    }
}
