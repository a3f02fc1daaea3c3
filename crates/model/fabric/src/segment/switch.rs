//! Switches: a relay, which decides where frames go, alone or in a spanning tree. `learning` and
//! `vlan` have the relays, and `tree` has the spanning tree.

use netloom_units::Time;

use super::learning::LearningRelay;
use super::relay::{Gates, Relay};
use super::tree::SpanningTree;
use super::vlan::VlanRelay;
use super::{Arrival, LinkView, Outputs, PortStatus, Segment};
use crate::{Memory, SegmentPort, SwitchKind};

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
