//! Connections of hosts, each an endpoint of `netloom-tcp` with the application behind it. Not
//! here: how they send and receive (`tcp`), and what TCP does.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use netloom_tcp::{Endpoint, Info};
use netloom_units::Time;

use super::application::Application;
use crate::AddressId;
use crate::hosts::Peer;

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub node: u32,
    pub local: AddressId,
    pub peer: Peer,
    pub v6: bool,
    pub traffic_class: u8,
    pub flow: u32,
    /// Time at which it began.
    pub begun: Time,
    /// Whether it is one of many, which are forgotten when they end.
    pub is_many: bool,
    /// Whether its end has been reported to its flow.
    pub left: bool,
    pub application: Application,
    pub endpoint: Box<Endpoint>,
}

/// TCP_INFO of connections of a flow, at an end that sends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowInfo {
    /// The flow.
    pub flow: u32,
    /// The node that sends.
    pub node: u32,
    /// Number of connections: one, or all of those that have ended and were forgotten.
    pub connections: u32,
    /// TCP_INFO. For several connections, their counters are summed.
    pub info: Info,
}

impl Connection {
    /// Returns TCP_INFO if this end sends.
    pub fn sender_info(&self) -> Option<FlowInfo> {
        let Self { flow, node, .. } = *self;
        let info = || FlowInfo { flow, node, connections: 1, info: self.endpoint.info() };
        self.application.sends().then(info)
    }
}

impl FlowInfo {
    /// Adds the counters of a connection that has ended.
    fn add(&mut self, over: &Self) {
        self.connections += over.connections;
        let Info { bytes_acked, retransmitted, lost, delivered_ce, .. } = over.info;
        self.info.bytes_acked += bytes_acked;
        self.info.retransmitted += retransmitted;
        self.info.lost += lost;
        self.info.delivered_ce += delivered_ce;
    }
}

/// The connections of a cell.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// By number. A connection that has ended and is not kept leaves `None`.
    all: Vec<Option<Box<Connection>>>,
    /// Counts of connections that were not kept, by flow and node.
    gone: BTreeMap<(u32, u32), FlowInfo>,
}

impl Connections {
    /// Adds a connection. Returns its number.
    pub fn add(&mut self, connection: Connection) -> u32 {
        // There are fewer connections than `u32` can number.
        let number = self.all.len() as u32;
        self.all.push(Some(Box::new(connection)));
        number
    }

    /// Returns a connection, unless it has been forgotten.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Connection> {
        self.all.get(number as usize)?.as_deref()
    }

    /// Returns a connection to be changed, unless it has been forgotten.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut Connection> {
        self.all.get_mut(number as usize)?.as_deref_mut()
    }

    /// Numbers of all connections so far, forgotten ones included.
    pub fn numbers(&self) -> std::ops::Range<u32> {
        0..self.all.len() as u32
    }

    /// Forgets a connection that has ended, except for its counts, and returns it.
    pub fn forget(&mut self, number: u32) -> Option<Box<Connection>> {
        let gone = self.all[number as usize].take()?;
        if let Some(info) = gone.sender_info() {
            match self.gone.entry((info.flow, info.node)) {
                Entry::Vacant(place) => {
                    // A connection that has ended has nothing in flight and no window.
                    let now = Info { cwnd: 0, ssthresh: None, in_flight: 0, ..info.info };
                    place.insert(FlowInfo { info: Info { delivery_rate: 0, ..now }, ..info });
                }
                Entry::Occupied(mut sum) => sum.get_mut().add(&info),
            }
        }
        Some(gone)
    }

    /// Returns TCP_INFO of all connections at the ends that send. The counts of connections that
    /// were forgotten come last.
    pub fn infos(&self) -> impl Iterator<Item = FlowInfo> {
        let kept = self.all.iter().flatten();
        kept.filter_map(|one| one.sender_info()).chain(self.gone.values().copied())
    }
}
