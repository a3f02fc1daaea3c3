//! The traffic of a cell: flows, their connections, and what hosts do with packets that are for
//! them. Not here: the network that carries it (`hosts`), and models of traffic
//! (`netloom-traffic`).
//!
//! | module | contents |
//! |---|---|
//! | `flows`, `sender`, `workload` | what flows send: [`Flow`], [`Sender`]; work over TCP |
//! | `connection`, `application` | one end of a connection, and the application behind it |
//! | `guest` | applications behind connections with real nodes |
//! | `sockets`, `twins` | what real programs do: [`SocketEvent`], [`Sent`] |
//! | `segments` | TCP segments in packets |
//! | `sending`, `working` | flows send packets; flows over TCP begin connections |
//! | `delivery` | hosts receive packets: echo, UDP, error messages, real nodes |
//! | `opening`, `tcp`, `outcomes` | connections begin, send and receive, and end |
//! | `mirroring` | twins of packets and connections are sent, and counted |

mod application;
mod connection;
mod delivery;
mod flows;
mod guest;
mod mirroring;
mod opening;
mod outcomes;
mod segments;
mod sender;
mod sending;
mod sockets;
mod tcp;
mod twins;
mod working;
mod workload;

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_symbiosis::Received;
use netloom_units::Time;

use crate::AddressId;
use crate::flow::{FlowCounts, FlowTotals};
use crate::own::Own;

use connection::Connections;
pub use connection::FlowInfo;
pub(crate) use flows::{Flow, Kind};
pub(crate) use sender::{Sender, described};
use sockets::TwinSocket;
pub use sockets::{RealSegment, SocketAction, SocketEnds, SocketEvent, SocketTotals};
pub use twins::Sent;
pub(crate) use twins::TwinQueue;

/// The traffic of a cell.
#[derive(Debug)]
pub(crate) struct Traffic {
    flows: Arc<Vec<Flow>>,
    /// Seed of all random streams.
    seed: u64,
    senders: Own<Sender>,
    counts: Own<FlowCounts>,
    connections: Connections,
    /// Flows whose node had failed when they were due to begin.
    not_begun: Vec<u32>,
    /// Twins that have arrived, by their source and destination.
    received: BTreeMap<[AddressId; 2], Received>,
    /// Twins of connections, by the flow of their host and their number.
    sockets: BTreeMap<(u32, u32), TwinSocket>,
}

impl Traffic {
    /// Returns traffic without senders.
    pub fn new(flows: Arc<Vec<Flow>>, seed: u64) -> Self {
        Self {
            flows,
            seed,
            senders: Own::default(),
            counts: Own::default(),
            connections: Connections::default(),
            not_begun: Vec::new(),
            received: BTreeMap::new(),
            sockets: BTreeMap::new(),
        }
    }

    /// Adds the sender of a flow.
    pub fn add_sender(&mut self, flow: u32, sender: Sender) {
        self.senders.put(flow, sender);
    }

    /// Whether a flow is sent from this cell.
    pub fn sends(&self, flow: u32) -> bool {
        self.senders.get(flow).is_some()
    }

    /// Number of flows, in all cells.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Returns the time after which no foreground traffic is under way. `None` while some of it
    /// remains to be sent.
    pub fn over(&self) -> Option<Time> {
        let foreground =
            self.senders.iter().filter(|(flow, _)| !self.flows[*flow as usize].background);
        foreground
            .map(|(_, sender)| sender.over())
            .try_fold(Time::ZERO, |over, one| Some(over.max(one?)))
    }

    /// Returns the counts of those ends of a flow that are in this cell.
    pub fn counts(&self, flow: u32) -> Option<FlowTotals> {
        self.counts.get(flow).map(FlowCounts::read)
    }

    /// Returns what TCP_INFO shows of the connections of each flow, at the ends that send. The
    /// counts of connections that have ended come last.
    pub fn connections(&self) -> impl Iterator<Item = FlowInfo> {
        self.connections.infos()
    }

    /// Returns the flows that were due to begin here while their node had failed, and never began.
    pub fn not_begun(&self) -> impl Iterator<Item = u32> {
        self.not_begun.iter().copied()
    }

    /// Returns the time at which all that a flow sends from here had been delivered, if the flow
    /// has an end and has reached it.
    pub fn delivered_at(&self, flow: u32) -> Option<Time> {
        self.senders.get(flow)?.ended()
    }
}
