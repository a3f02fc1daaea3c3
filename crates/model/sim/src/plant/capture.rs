//! Captures of frames at the ends of a pipe. Not here: the bytes that a capture shows (`bytes`),
//! and files.

use netloom_link::{CaptureDirection, CaptureNote, CapturedFrame, DropReason, Passage};
use netloom_units::Time;

use super::ethernet::EthernetFrame;
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
    frame: Content,
}

/// A captured frame.
#[derive(Debug, Clone)]
enum Content {
    Frame(EthernetFrame),
    /// A bare packet, and the Ethernet addresses of its sender and receiver.
    Packet([[u8; 6]; 2], Packet),
}

impl Captured {
    /// Returns the frame as a capture file shows it: its headers and its length.
    pub(crate) fn shown(&self, book: &AddressBook) -> CapturedFrame {
        let Self { at, direction, note, ref frame, .. } = *self;
        let shown = |frame: &EthernetFrame| (frame.headers(book), frame.bytes());
        let (bytes, original_length) = match frame {
            Content::Frame(frame) => shown(frame),
            Content::Packet([from, to], packet) => {
                let ends = [packet.source, packet.destination].map(|id| book.address(id));
                shown(&EthernetFrame::new(*from, *to, packet.clone(), ends))
            }
        };
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
        self.show_entered(at, || Content::Frame(frame.clone()), shown);
    }

    /// Captures a frame that leaves the pipe.
    pub fn left(
        &self,
        at: Time,
        passage: &Passage,
        frame: &EthernetFrame,
        shown: &mut Vec<Captured>,
    ) {
        self.show_left(at, passage, || Content::Frame(frame.clone()), shown);
    }

    /// Captures a frame that the pipe drops.
    pub fn dropped(
        &self,
        at: Time,
        reason: DropReason,
        frame: &EthernetFrame,
        shown: &mut Vec<Captured>,
    ) {
        self.show_dropped(at, reason, || Content::Frame(frame.clone()), shown);
    }

    fn show_entered(&self, at: Time, frame: impl Fn() -> Content, shown: &mut Vec<Captured>) {
        show(&self.entry, at, CaptureDirection::Outbound, CaptureNote::None, &frame, shown);
    }

    fn show_left(
        &self,
        at: Time,
        passage: &Passage,
        frame: impl Fn() -> Content,
        shown: &mut Vec<Captured>,
    ) {
        let note = if passage.marked { CaptureNote::Marked } else { CaptureNote::None };
        show(&self.exit, at, CaptureDirection::Inbound, note, &frame, shown);
    }

    fn show_dropped(
        &self,
        at: Time,
        reason: DropReason,
        frame: impl Fn() -> Content,
        shown: &mut Vec<Captured>,
    ) {
        let note = CaptureNote::Dropped(reason);
        show(&self.entry, at, CaptureDirection::Outbound, note, &frame, shown);
        show(&self.exit, at, CaptureDirection::Inbound, note, &frame, shown);
    }
}

/// The captures of a pipe that carries bare packets.
#[derive(Debug)]
pub(crate) struct WireTaps {
    taps: Taps,
    /// The Ethernet addresses of the sender and the receiver.
    macs: [[u8; 6]; 2],
}

impl WireTaps {
    /// Returns the captures of a pipe between two Ethernet addresses.
    pub fn new(taps: Taps, macs: [[u8; 6]; 2]) -> Self {
        Self { taps, macs }
    }

    /// Captures a packet that arrives at the beginning of the pipe.
    #[cold]
    pub fn entered(&self, at: Time, packet: &Packet, shown: &mut Vec<Captured>) {
        self.taps.show_entered(at, || self.frame(packet), shown);
    }

    /// Captures a packet that leaves the pipe.
    #[cold]
    pub fn left(&self, at: Time, passage: &Passage, packet: &Packet, shown: &mut Vec<Captured>) {
        self.taps.show_left(at, passage, || self.frame(packet), shown);
    }

    /// Captures a packet that the pipe drops.
    #[cold]
    pub fn dropped(
        &self,
        at: Time,
        reason: DropReason,
        packet: &Packet,
        shown: &mut Vec<Captured>,
    ) {
        self.taps.show_dropped(at, reason, || self.frame(packet), shown);
    }

    fn frame(&self, packet: &Packet) -> Content {
        Content::Packet(self.macs, packet.clone())
    }
}

fn show(
    taps: &[Tap],
    at: Time,
    direction: CaptureDirection,
    note: CaptureNote,
    frame: &impl Fn() -> Content,
    shown: &mut Vec<Captured>,
) {
    let is_dropped = matches!(note, CaptureNote::Dropped(_));
    for Tap { capture, .. } in taps.iter().filter(|tap| tap.drops || !is_dropped) {
        shown.push(Captured { capture: *capture, at, direction, note, frame: frame() });
    }
}

/// Sorts the frames that several cells have captured by time, then by capture and direction,
/// incoming frames first.
pub(crate) fn in_order(captured: &mut [(u32, CapturedFrame)]) {
    // The sort is stable: frames that one pipe shows at the same time stay in their order.
    captured.sort_by_key(|(capture, frame)| (frame.time, *capture, frame.direction));
}
