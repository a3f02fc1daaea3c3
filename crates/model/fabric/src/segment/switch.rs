//! Switches: a relay, which decides where frames go, alone or in a spanning tree. `learning` and
//! `vlan` have the relays, and `tree` has the spanning tree.

use std::fmt::Debug;

use netloom_link::{PortVlans, VlanDrops};
use netloom_units::Time;

use super::learning::LearningRelay;
use super::tree::SpanningTree;
use super::vlan::VlanRelay;
use super::{Arrival, LinkView, Outputs, PortStatus, Segment};
use crate::{Memory, SegmentPort, SwitchKind};

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

/// A switch without a spanning tree.
#[derive(Debug)]
struct Switch<R> {
    relay: R,
}

/// Creates a switch of this kind, without ports.
pub(super) fn new_switch<M: Memory + 'static>(kind: SwitchKind) -> Box<dyn Segment<M>> {
    let SwitchKind { knows_vlans, bridge } = kind;
    match (knows_vlans, bridge) {
        (false, None) => Box::new(Switch { relay: LearningRelay::default() }),
        (true, None) => Box::new(Switch { relay: VlanRelay::default() }),
        (false, Some(bridge)) => Box::new(SpanningTree::new(bridge, LearningRelay::default())),
        (true, Some(bridge)) => Box::new(SpanningTree::new(bridge, VlanRelay::default())),
    }
}

impl<M: Memory, R: Relay<M>> Segment<M> for Switch<R> {
    #[inline]
    fn receive(&mut self, port: usize, arrival: Arrival<M::Frame>, out: &mut Outputs<'_, M>) {
        self.relay.relay(port, arrival, Gates::Open, out);
    }

    fn add_port(&mut self, _: Time, port: usize, settings: &SegmentPort) {
        let SegmentPort::Switch(settings) = settings else { return };
        self.relay.add_port(port, settings.vlans.as_ref());
    }

    fn link_changed(&mut self, _: Time, port: usize, link: LinkView, _: &mut Outputs<'_, M>) {
        if link.is_cut {
            self.relay.forget(port);
        }
    }

    fn remove_port(&mut self, _: Time, port: usize, _: &mut Outputs<'_, M>) {
        self.relay.forget(port);
    }

    fn port_status(&self, port: usize) -> PortStatus {
        PortStatus { vlan: self.relay.vlan_port(port), tree: None }
    }
}
