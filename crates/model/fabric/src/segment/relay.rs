//! Relays of switches: the trait, and the ports that a spanning tree leaves open.

use std::fmt::Debug;

use netloom_link::{PortVlans, VlanDrops};

use super::{Arrival, Outputs};
use crate::Memory;

/// Decides by which ports a frame leaves.
pub(super) trait Relay<M: Memory>: Debug + Send {
    /// Handles a frame that arrives by `port`: learns the location of its sender, and forwards it
    /// by the open ports that it is for.
    fn relay(
        &mut self,
        port: usize,
        arrival: Arrival<M::Frame>,
        gates: Gates<'_>,
        out: &mut Outputs<'_, M>,
    );

    /// Joins a link at `port`.
    fn add_port(&mut self, port: usize, vlans: Option<&PortVlans>);

    /// Forgets the addresses behind `port`.
    fn forget(&mut self, port: usize);

    /// Returns the VLAN configuration of `port` and its drops.
    fn vlan_port(&self, port: usize) -> Option<(PortVlans, VlanDrops)>;
}

/// The ports that take part in a spanning tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gates<'t> {
    /// All ports are open, because there is no tree.
    Open,
    /// The state of each port in a tree.
    Tree(&'t [Gate]),
}

/// The frames that a port of a spanning tree accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Gate {
    /// Whether the senders of arriving frames are learned.
    pub learns: bool,
    /// Whether frames may enter and leave.
    pub forwards: bool,
}

impl Gates<'_> {
    /// Returns whether frames may enter and leave by `port`.
    #[inline]
    pub fn is_open(&self, port: usize) -> bool {
        match self {
            Self::Open => true,
            Self::Tree(gates) => gates.get(port).is_some_and(|gate| gate.forwards),
        }
    }
}
