//! The relay of a VLAN-aware switch. `netloom-link` has the rules of IEEE 802.1Q, and the memory
//! changes tags in frames.

use netloom_link::{Classified, Forward, Frame as _, PortVlans, VlanBridge, VlanDrops};

use super::addresses::addresses;
use super::relay::{Gates, Relay};
use super::{Arrival, Outputs};
use crate::{Frame as _, Memory};

/// Learns addresses in each VLAN, and keeps every frame in its VLAN.
#[derive(Debug, Default)]
pub(super) struct VlanRelay {
    bridge: VlanBridge,
    /// Frames that each port refused.
    refused: Vec<VlanDrops>,
}

impl<M: Memory> Relay<M> for VlanRelay {
    fn relay(
        &mut self,
        port: usize,
        Arrival { at, frame, info }: Arrival<M::Frame>,
        gates: Gates<'_>,
        out: &mut Outputs<'_, M>,
    ) {
        let addresses = addresses(frame.start());
        match self.bridge.receive(at, port, frame.tag(), addresses) {
            Err(reason) => {
                self.refused[port].add(reason, &info);
                out.memory.recycle(frame);
            }
            Ok(_) if !gates.is_open(port) => out.memory.recycle(frame),
            Ok((class, Forward::Port(to))) if gates.is_open(to) => {
                let tag = self.bridge.tag_out(to, class);
                match out.memory.set_tag(frame, tag) {
                    Some(frame) => out.send(to, frame),
                    None => out.lose(to),
                }
            }
            Ok((class, Forward::Flood)) => self.flood(port, class, frame, gates, out),
            Ok((_, Forward::Port(_) | Forward::Filter)) => out.memory.recycle(frame),
        }
    }

    fn add_port(&mut self, port: usize, vlans: Option<&PortVlans>) {
        let Some(vlans) = vlans else { return };
        while self.refused.len() <= port {
            self.refused.push(VlanDrops::default());
            self.bridge.add_port(vlans.clone());
        }
        self.refused[port] = VlanDrops::default();
        self.bridge.replace_port(port, vlans.clone());
    }

    fn forget(&mut self, port: usize) {
        self.bridge.forget_port(port);
    }

    fn vlan_port(&self, port: usize) -> Option<(PortVlans, VlanDrops)> {
        Some((self.bridge.ports().get(port)?.clone(), *self.refused.get(port)?))
    }
}

impl VlanRelay {
    /// Sends a frame that arrived by `port` out of all other ports that carry its VLAN. Copies with
    /// equal tags, or without tags, share their memory.
    fn flood<M: Memory>(
        &mut self,
        port: usize,
        class: Classified,
        frame: M::Frame,
        gates: Gates<'_>,
        out: &mut Outputs<'_, M>,
    ) {
        let mut forms: [Option<M::Frame>; 2] = [None, None];
        for to in out.ports() {
            if to == port || !self.bridge.carries(to, class.vlan) || !gates.is_open(to) {
                continue;
            }
            let tag = self.bridge.tag_out(to, class);
            let form = &mut forms[usize::from(tag.is_some())];
            if form.is_none() {
                *form = out.memory.with_tag(&frame, tag);
            }
            match form.as_ref().map(M::Frame::duplicate) {
                Some(copy) => out.send(to, copy),
                None => out.lose(to),
            }
        }
        forms.into_iter().flatten().for_each(|form| out.memory.recycle(form));
        out.memory.recycle(frame);
    }
}
