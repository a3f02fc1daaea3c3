//! Captures of frames at the ends of a pipe. Not here: the bytes that a capture shows (`bytes`),
//! and files.

use netloom_link::{CaptureDirection, CaptureNote, CapturedFrame, Delivery, DropReason, Passage};
use netloom_units::Time;

use crate::cell::Cell;
use crate::ethernet::EthernetFrame;
use crate::network::Tap;
use crate::{AddressBook, Packet};

/// A frame at a captured interface.
#[derive(Debug)]
pub(crate) struct Captured {
    /// The number of the capture ([`Tap::capture`]).
    pub capture: u32,
    /// Time at which the frame passed, or was dropped.
    pub at: Time,
    /// Direction, relative to the interface.
    pub direction: CaptureDirection,
    /// The link's treatment of the frame.
    pub note: CaptureNote,
    frame: EthernetFrame,
}

impl Captured {
    /// Returns the frame as a capture file shows it: its headers and its length.
    pub(crate) fn shown(&self, book: &AddressBook) -> CapturedFrame {
        let Self { at, direction, note, ref frame, .. } = *self;
        let (bytes, original_length) = (frame.headers(book), frame.bytes());
        CapturedFrame { time: at, direction, note, bytes, original_length }
    }
}

/// The captures at the two ends of a pipe.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taps {
    entry: Vec<Tap>,
    exit: Vec<Tap>,
}

impl Taps {
    /// Returns the captures of a pipe that leads from `entry` to `exit`, or `None` if there are
    /// none.
    pub fn new(entry: &[Tap], exit: &[Tap]) -> Option<Self> {
        let taps = Self { entry: entry.to_vec(), exit: exit.to_vec() };
        (!entry.is_empty() || !exit.is_empty()).then_some(taps)
    }

    /// Captures a frame that arrives at the beginning of the pipe.
    pub fn entered(&self, at: Time, frame: &EthernetFrame, shown: &mut Vec<Captured>) {
        show(&self.entry, at, CaptureDirection::Outbound, CaptureNote::None, frame, shown);
    }

    /// Captures a frame that leaves the pipe.
    pub fn left(
        &self,
        at: Time,
        passage: &Passage,
        frame: &EthernetFrame,
        shown: &mut Vec<Captured>,
    ) {
        let note = if passage.marked { CaptureNote::Marked } else { CaptureNote::None };
        show(&self.exit, at, CaptureDirection::Inbound, note, frame, shown);
    }

    /// Captures a frame that the pipe drops.
    pub fn dropped(
        &self,
        at: Time,
        reason: DropReason,
        frame: &EthernetFrame,
        shown: &mut Vec<Captured>,
    ) {
        let note = CaptureNote::Dropped(reason);
        show(&self.entry, at, CaptureDirection::Outbound, note, frame, shown);
        show(&self.exit, at, CaptureDirection::Inbound, note, frame, shown);
    }
}

/// The captures of a pipe that carries bare packets.
#[derive(Debug)]
pub(crate) struct WireTaps {
    pub taps: Taps,
    /// The Ethernet addresses of the sender and the receiver.
    pub macs: [[u8; 6]; 2],
}

impl WireTaps {
    fn frame(&self, packet: &Packet, book: &AddressBook) -> EthernetFrame {
        let ends = [packet.source, packet.destination].map(|id| book.address(id));
        EthernetFrame::new(self.macs[0], self.macs[1], packet.clone(), ends)
    }
}

impl Cell {
    /// Offers a packet to a wire that is captured or metered.
    #[cold]
    pub(crate) fn transmit_watched(&mut self, wire: u32, packet: Packet) {
        let now = self.now;
        if let Some(taps) = &self.wires[wire].taps {
            taps.taps.entered(now, &taps.frame(&packet, &self.book), &mut self.captured);
        }
        if let Err(rejected) = self.wires[wire].offer(now, packet) {
            self.show_dropped(wire, now, rejected.reason, &rejected.frame);
        }
        self.finish(wire);
    }

    /// Captures a packet that leaves a wire.
    #[cold]
    pub(crate) fn show_left(&mut self, wire: u32, delivery: &Delivery<Packet>) {
        if let Some(taps) = &self.wires[wire].taps {
            let frame = taps.frame(&delivery.frame, &self.book);
            taps.taps.left(self.now, &delivery.passage, &frame, &mut self.captured);
        }
    }

    /// Captures a packet that a wire drops.
    #[cold]
    fn show_dropped(&mut self, wire: u32, at: Time, reason: DropReason, packet: &Packet) {
        if let Some(taps) = &self.wires[wire].taps {
            let frame = taps.frame(packet, &self.book);
            taps.taps.dropped(at, reason, &frame, &mut self.captured);
        }
    }

    /// Takes back the packets that a wire has dropped.
    #[inline]
    pub(crate) fn collect_dropped(&mut self, wire: u32) {
        while let Some(dropped) = self.wires[wire].pipe.poll_dropped() {
            if let Some(meter) = &mut self.wires[wire].meter {
                meter.lost(&dropped.frame);
            }
            if self.wires[wire].taps.is_some() {
                self.show_dropped(wire, dropped.at, dropped.reason, &dropped.frame);
            }
        }
    }
}

fn show(
    taps: &[Tap],
    at: Time,
    direction: CaptureDirection,
    note: CaptureNote,
    frame: &EthernetFrame,
    shown: &mut Vec<Captured>,
) {
    let is_dropped = matches!(note, CaptureNote::Dropped(_));
    for Tap { capture, .. } in taps.iter().filter(|tap| tap.drops || !is_dropped) {
        shown.push(Captured { capture: *capture, at, direction, note, frame: frame.clone() });
    }
}

/// Sorts the frames that several cells have captured by time, then by capture and direction,
/// incoming frames first.
pub(crate) fn in_order(captured: &mut [(u32, CapturedFrame)]) {
    // The sort is stable: frames that one pipe shows at the same time stay in their order.
    captured.sort_by_key(|(capture, frame)| (frame.time, *capture, frame.direction));
}
