//! Wires: pipes between two nodes, which the event core drives directly. Not here: pipes of
//! switched networks (`island`).

use netloom_fabric::PipeId;
use netloom_link::{Delivery, FrameEvent, FrameSlots, LeanPipe, Rejected};
use netloom_units::Time;

use super::capture::{Captured, WireTaps};
use super::meter::WireMeter;
use crate::Packet;
use crate::network::InterfaceId;

/// A pipe between two nodes, and where it leads. What each packet needs comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Wire {
    pub pipe: LeanPipe<Packet>,
    pub to: InterfaceId,
    /// The cell that the pipe leads to, if it is another cell.
    pub crosses: Option<u32>,
    /// Whether the pipe leads to another cell and was used since its frames were last announced.
    pub is_used: bool,
    /// Time at which the next frame leaves the line to another cell, as of then.
    pub leaves: Option<Time>,
    pub id: PipeId,
    /// Captures at the ends of the pipe.
    pub taps: Option<Box<WireTaps>>,
    /// Counts what the pipe does to twins.
    pub meter: Option<Box<WireMeter>>,
}

const _: () = assert!(size_of::<Wire>() <= 448, "half a million wires are a usual size");

impl Wire {
    /// Whether packets that enter or leave the pipe are captured or counted.
    #[inline]
    pub fn is_tapped(&self) -> bool {
        self.taps.is_some() || self.meter.is_some()
    }

    /// Whether each frame of the pipe is logged or captured.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.pipe.records_events() || self.taps.is_some()
    }

    /// Offers a packet to a wire that is captured or metered.
    #[cold]
    pub fn offer_watched(
        &mut self,
        frames: &mut FrameSlots<Packet>,
        now: Time,
        packet: Packet,
        captured: &mut Vec<Captured>,
    ) {
        if let Some(taps) = &self.taps {
            taps.entered(now, &packet, captured);
        }
        let offered = match &mut self.meter {
            None => self.pipe.offer(frames, now, packet.info(), packet),
            Some(meter) => meter.offer(self.pipe.general(frames), now, packet),
        };
        if let (Err(Rejected { reason, frame, .. }), Some(taps)) = (offered, &self.taps) {
            taps.dropped(now, reason, &frame, captured);
        }
    }

    /// Captures and counts a packet that leaves the wire.
    pub fn watch_left(
        &mut self,
        now: Time,
        delivery: &Delivery<Packet>,
        captured: &mut Vec<Captured>,
    ) {
        if let Some(taps) = &self.taps {
            taps.left(now, &delivery.passage, &delivery.frame, captured);
        }
        if let Some(meter) = self.meter.as_mut().filter(|_| self.crosses.is_none()) {
            meter.left(&delivery.frame);
        }
    }

    /// Takes back the packets that the wire has dropped.
    #[inline]
    pub fn collect_dropped(&mut self, captured: &mut Vec<Captured>) {
        while let Some(dropped) = self.pipe.poll_dropped() {
            if let Some(meter) = &mut self.meter {
                meter.lost(&dropped.frame);
            }
            if let Some(taps) = &self.taps {
                taps.dropped(dropped.at, dropped.reason, &dropped.frame, captured);
            }
        }
    }

    /// Counts the frames that have left a wire to another cell by `until`.
    pub fn settle(&mut self, frames: &mut FrameSlots<Packet>, until: Time) {
        if self.crosses.is_some() && !self.is_watched() {
            while self.pipe.poll(frames, until).is_some() {}
        }
    }

    /// Moves events of frames into the log.
    #[inline]
    pub fn log(&mut self, log: &mut Vec<(PipeId, FrameEvent)>) {
        if self.pipe.records_events() {
            while let Some(event) = self.pipe.poll_event() {
                log.push((self.id, event));
            }
        }
    }
}
