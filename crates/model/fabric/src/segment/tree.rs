//! A spanning tree around a relay: passes BPDUs between links and the protocol, and tracks which
//! ports take part. `netloom-spanning-tree` has the protocol, and the relay forwards frames that a
//! port accepts.

use netloom_spanning_tree::{Bridge, BridgeConfig, PathCost, is_bpdu};
use netloom_units::{Duration, Time};

use super::relay::{Gate, Gates, Relay};
use super::{Arrival, LinkView, Outputs, PortStatus, Segment, TreePort};
use crate::{Frame as _, Memory, SegmentPort, TreeSettings};

/// Group addresses, without their last four bits, that a bridge of a spanning tree does not forward
/// (IEEE 802.1D-2004, table 7-10).
const RESERVED: [u8; 5] = [0x01, 0x80, 0xc2, 0x00, 0x00];

/// A switch that runs a spanning tree.
#[derive(Debug)]
pub(super) struct SpanningTree<R> {
    relay: R,
    bridge: Bridge,
    ports: Vec<TreeMember>,
    gates: Vec<Gate>,
    /// Time up to which the bridge has been driven. Frames of two links may arrive slightly out of
    /// order.
    driven: Time,
}

#[derive(Debug, Clone, Copy, Default)]
struct TreeMember {
    settings: TreeSettings,
    /// Whether the port has been added to the bridge.
    is_added: bool,
    discarded: u64,
}

impl<R> SpanningTree<R> {
    /// Creates a switch without ports.
    pub fn new(config: BridgeConfig, relay: R) -> Self {
        let bridge = Bridge::new(config);
        Self { relay, bridge, ports: Vec::new(), gates: Vec::new(), driven: Time::ZERO }
    }

    /// Advances the time to `at`, unless it is later already.
    fn advance(&mut self, at: Time) -> Time {
        self.driven = self.driven.max(at);
        self.driven
    }

    /// Carries out the requests of the bridge at `at`: forgets addresses, sends BPDUs, opens and
    /// closes ports.
    fn follow<M: Memory>(&mut self, at: Time, out: &mut Outputs<'_, M>)
    where
        R: Relay<M>,
    {
        while let Some(port) = self.bridge.poll_flush() {
            self.relay.forget(port);
        }
        while let Some((port, bytes)) = self.bridge.poll_transmit() {
            match out.memory.frame_of(&bytes) {
                Some(frame) => out.originate(port, at, frame),
                None => out.lose(port),
            }
        }
        for (port, gate) in self.gates.iter_mut().enumerate() {
            let (learns, forwards) = (self.bridge.learns(port), self.bridge.forwards(port));
            *gate = Gate { learns, forwards };
        }
    }
}

impl<M: Memory, R: Relay<M>> Segment<M> for SpanningTree<R> {
    fn receive(&mut self, port: usize, arrival: Arrival<M::Frame>, out: &mut Outputs<'_, M>) {
        let start = arrival.frame.start();
        if start.starts_with(&RESERVED) && start[RESERVED.len()] < 0x10 {
            let at = self.advance(arrival.at);
            if is_bpdu(start) {
                self.bridge.receive(at, port, start);
                self.follow(at, out);
            }
            return out.memory.recycle(arrival.frame);
        }
        let Gate { learns, forwards } = self.gates[port];
        if !forwards {
            self.ports[port].discarded += u64::from(arrival.info.frames());
            if !learns {
                return out.memory.recycle(arrival.frame);
            }
        }
        self.relay.relay(port, arrival, Gates::Tree(&self.gates), out);
    }

    fn handle_timeout(&mut self, now: Time, out: &mut Outputs<'_, M>) {
        let at = self.advance(now);
        self.bridge.handle_timeout(at);
        self.follow(at, out);
    }

    fn next_deadline(&self) -> Option<Time> {
        // The deadline is always in the future, so that no fault in the bridge can hang the
        // network.
        let soonest = self.driven + Duration::from_nanos(1);
        self.bridge.next_deadline().map(|deadline| deadline.max(soonest))
    }

    fn add_port(&mut self, _: Time, port: usize, settings: &SegmentPort) {
        let SegmentPort::Switch(settings) = settings else { return };
        self.relay.add_port(port, settings.vlans.as_ref());
        if self.ports.len() <= port {
            self.ports.resize(port + 1, TreeMember::default());
            self.gates.resize(port + 1, Gate::default());
        }
        self.ports[port] = TreeMember { settings: settings.tree, ..TreeMember::default() };
    }

    fn link_changed(&mut self, now: Time, port: usize, link: LinkView, out: &mut Outputs<'_, M>) {
        if link.is_cut {
            self.relay.forget(port);
        }
        let at = self.advance(now);
        let TreeSettings { cost, priority } = self.ports[port].settings;
        let cost = cost.unwrap_or_else(|| PathCost::of_rate(link.rate));
        if !std::mem::replace(&mut self.ports[port].is_added, true) {
            // The scenario limits the number of ports to the maximum of a bridge.
            let _ = self.bridge.add_port(at, port, cost, priority, !link.leads_to_segment);
        } else if self.bridge.port(port).is_some_and(|known| known.cost != cost) {
            self.bridge.set_cost(at, port, cost);
        }
        self.bridge.enable(at, port, !link.is_cut);
        self.follow(at, out);
    }

    fn remove_port(&mut self, now: Time, port: usize, out: &mut Outputs<'_, M>) {
        self.relay.forget(port);
        let at = self.advance(now);
        self.ports[port] = TreeMember::default();
        self.bridge.remove_port(at, port);
        self.follow(at, out);
    }

    fn port_status(&self, port: usize) -> PortStatus {
        let (root, cost, _) = self.bridge.root();
        let tree = self.bridge.port(port).map(|view| TreePort {
            port: view,
            bridge: self.bridge.id(),
            root: (root, cost),
            discarded: self.ports[port].discarded,
        });
        PortStatus { vlan: self.relay.vlan_port(port), tree }
    }
}
