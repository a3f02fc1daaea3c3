//! The relay of a switch that is not VLAN-aware. The cost of a frame to one receiver does not
//! depend on the number of ports. `netloom-link` has the table of addresses.

use netloom_link::{Forward, Frame as _, LearningTable, PortVlans, VlanDrops};

use super::addresses::addresses;
use super::relay::{Gates, Relay};
use super::{Arrival, Outputs};
use crate::{Frame as _, Memory};

/// Learns addresses and forwards frames by them.
#[derive(Debug, Default)]
pub(super) struct LearningRelay {
    table: LearningTable,
}

impl<M: Memory> Relay<M> for LearningRelay {
    #[inline]
    fn relay(
        &mut self,
        port: usize,
        Arrival { at, frame, .. }: Arrival<M::Frame>,
        gates: Gates<'_>,
        out: &mut Outputs<'_, M>,
    ) {
        let (source, destination) = addresses(frame.start());
        let forward = self.table.forward(at, port, source, destination);
        match forward {
            _ if !gates.is_open(port) => out.memory.recycle(frame),
            Forward::Port(to) if gates.is_open(to) => out.send(to, frame),
            Forward::Flood => {
                for to in out.ports().filter(|to| *to != port && gates.is_open(*to)) {
                    out.send(to, frame.duplicate());
                }
                out.memory.recycle(frame);
            }
            Forward::Port(_) | Forward::Filter => out.memory.recycle(frame),
        }
    }

    fn add_port(&mut self, port: usize, _: Option<&PortVlans>) {
        self.table.forget_port(port);
    }

    fn forget(&mut self, port: usize) {
        self.table.forget_port(port);
    }

    fn vlan_port(&self, _: usize) -> Option<(PortVlans, VlanDrops)> {
        None
    }
}
