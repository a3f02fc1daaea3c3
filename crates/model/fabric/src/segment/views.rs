//! What segments perceive of frames and links, and what others perceive of segments.

use std::fmt::Debug;

use netloom_link::{FrameInfo, PortVlans, VlanDrops};
use netloom_medium::{MediumConfig, NeighbourChange, NeighbourView, Point, StationId, StationView};
use netloom_spanning_tree::{BridgeId, PortView};
use netloom_units::Time;

use crate::{LinkId, SegmentId};

/// The stations that a station on a shared medium reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    /// The medium.
    pub medium: SegmentId,
    /// The station.
    pub station: StationId,
    /// The stations that it reaches, in the order of their numbers.
    pub reached: Vec<NeighbourView>,
}

/// A receiver of all transmissions on a shared medium.
pub trait Sniffer<F>: Debug + Send {
    /// Handles a transmission that is over; `frame` is the one that it carried. Returns `false` if
    /// the sniffer needs no more transmissions.
    fn receive(&mut self, sniffed: SniffedFrame, frame: Option<&F>) -> bool;
}

/// A transmission as a sniffer receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SniffedFrame {
    /// Time at which it began.
    pub at: Time,
    /// Bytes before those of the packet that it carries: radiotap, 802.11 and, if there is a
    /// packet, LLC and SNAP, up to the protocol's number.
    pub header: Vec<u8>,
    /// Offset in `header` at which 802.11 begins.
    pub mac_at: usize,
    /// Whether it was destroyed.
    pub is_damaged: bool,
}

/// News of shared media.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MediaNews {
    /// Pairs of stations that have come within reach of each other, or left it.
    pub changes: Vec<(SegmentId, NeighbourChange)>,
    /// Positions of stations, or `None` for one that is away. A station on several media has
    /// several entries.
    pub places: Vec<(StationId, Option<Point>)>,
}

/// A part of the air log of a shared medium: bytes that follow those of the previous part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AirLogPart {
    /// The medium.
    pub medium: SegmentId,
    /// The format is that of [`AirLogWriter`](netloom_medium::AirLogWriter).
    pub bytes: Vec<u8>,
}

/// The state of a shared medium.
#[derive(Debug, Clone)]
pub struct MediumView {
    /// Identity of the medium.
    pub id: SegmentId,
    /// Configuration of the medium.
    pub config: MediumConfig,
    /// Its stations, in the order of their numbers.
    pub stations: Vec<StationView>,
}

/// A frame that arrives by a port.
#[derive(Debug)]
pub struct Arrival<F> {
    /// Time of its release from the link. Because it is not the time of the call, the lateness of
    /// the driver does not add up from hop to hop.
    pub at: Time,
    /// The frame.
    pub frame: F,
    /// Size and kind of the frame on the wire.
    pub info: FrameInfo,
}

/// A link as the segment at its end perceives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkView {
    /// Whether both directions are down, or the interface at the other end.
    pub is_cut: bool,
    /// Rate of the pipe that leads out of the port, in bit/s; `None` if it has no limit.
    pub rate: Option<u64>,
    /// Whether another segment is at the far end.
    pub leads_to_segment: bool,
}

/// The state of a port of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PortStatus {
    /// VLAN configuration of the port and its drops, if the segment is VLAN-aware.
    pub vlan: Option<(PortVlans, VlanDrops)>,
    /// Role in a spanning tree, if the segment runs one.
    pub tree: Option<TreePort>,
}

/// Role of a port in a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreePort {
    /// Role, state and counters.
    pub port: PortView,
    /// The switch.
    pub bridge: BridgeId,
    /// The root that the switch has learned, and the cost of the path to it.
    pub root: (BridgeId, u32),
    /// Number of frames that were discarded on arrival because the port does not forward.
    pub discarded: u64,
}

/// The end of a link that is a port of a segment, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEnd {
    /// The link.
    pub link: LinkId,
    /// Index of the end.
    pub end: usize,
    /// The port's state.
    pub status: PortStatus,
}
