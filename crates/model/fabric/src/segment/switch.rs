//! Switches: a relay, which knows where frames go, by itself or in a spanning tree. Not here: the
//! relays (`learning`, `vlan`), and the tree (`tree`).

use std::fmt::Debug;

use netloom_link::{PortVlans, VlanDrops};
use netloom_units::Time;

use super::learning::LearningRelay;
use super::tree::SpanningTree;
use super::vlan::VlanRelay;
use super::{Arrival, LinkView, Outputs, PortStatus, Segment};
use crate::{Memory, SegmentPort, SwitchKind};

/// Which ports a frame leaves by.
pub(super) trait Relay<M: Memory>: Debug + Send {
    /// A frame comes in by `port`: learns where its sender is, and sends it on by the ports that it
    /// is for and that are open.
    fn relay(
        &mut self,
        port: usize,
        arrival: Arrival<M::Frame>,
        gates: Gates<'_>,
        out: &mut Outputs<'_, M>,
    );

    /// A link is joined at `port`.
    fn add_port(&mut self, port: usize, vlans: Option<&PortVlans>);

    /// Forgets what is behind `port`.
    fn forget(&mut self, port: usize);

    /// What `port` does with VLAN tags, and what it refused.
    fn vlan_port(&self, port: usize) -> Option<(PortVlans, VlanDrops)>;
}

/// Which ports take part in a spanning tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gates<'t> {
    /// There is no tree: all ports are open.
    Open,
    /// The ports of a tree.
    Tree(&'t [Gate]),
}

/// What a port of a spanning tree lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Gate {
    /// Whether senders of frames that come in are learned.
    pub learns: bool,
    /// Whether frames go in and out.
    pub forwards: bool,
}

impl Gates<'_> {
    /// Whether frames go in and out by `port`.
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

/// A switch of this kind without ports.
pub(super) fn new_switch<M: Memory + 'static>(kind: SwitchKind) -> Box<dyn Segment<M>> {
    let SwitchKind { knows_vlans, bridge } = kind;
    match (knows_vlans, bridge) {
        (false, None) => Box::new(Switch { relay: LearningRelay::default() }),
        (true, None) => Box::new(Switch { relay: VlanRelay::default() }),
        (false, Some(id)) => Box::new(SpanningTree::new(id, LearningRelay::default())),
        (true, Some(id)) => Box::new(SpanningTree::new(id, VlanRelay::default())),
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
