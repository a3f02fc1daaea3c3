//! Segments, which join links. A segment takes a frame at one of its ports and decides by which
//! ports it leaves. A new kind of segment is a file in this directory, and an end of links in
//! `link`. `network` implements pipes and moves frames.
//!
//! | module | contents |
//! |---|---|
//! | `outputs` | output of a segment: [`Outputs`] |
//! | `kinds` | which segment a port belongs to |
//! | `switch`, `relay` | switches; what they ask of their relays |
//! | `learning`, `vlan` | relays, which choose the ports of a frame, without and with VLANs |
//! | `medium`, `dot11` | shared media, and their transmissions as frames of IEEE 802.11 |
//! | `late_frames` | how much later frames leave a shared medium because they were offered late |
//! | `distribution` | announcements of access points to the wire |
//! | `tree` | a spanning tree around a relay, which decides which ports take part |

mod distribution;
mod dot11;
mod kinds;
mod late_frames;
mod learning;
mod medium;
mod outputs;
mod relay;
mod switch;
mod tree;
mod vlan;

use std::fmt::Debug;

use netloom_link::{FrameInfo, MacKey, PortVlans, VlanDrops};
use netloom_medium::{
    AssociationEvent, Medium, MediumChange, MediumConfig, NeighbourChange, NeighbourView, Point,
    RadioError, StationId, StationView,
};
use netloom_spanning_tree::{BridgeId, PortView};
use netloom_units::Time;

use crate::{LinkId, Memory, SegmentId, SegmentPort};
pub(crate) use kinds::new_segment;
pub(crate) use outputs::Hop;
pub use outputs::Outputs;

/// A segment, which joins links. The network numbers its ports. When a link is removed, the number
/// of its port is used again.
///
/// A segment is a state machine in virtual time, as a pipe is: after every call, the network asks
/// for [`next_deadline`](Self::next_deadline).
pub trait Segment<M: Memory>: Debug + Send {
    /// Handles a frame that comes in by `port`.
    fn receive(&mut self, port: usize, arrival: Arrival<M::Frame>, out: &mut Outputs<'_, M>);

    /// Processes the events that are due at `now`.
    fn handle_timeout(&mut self, _now: Time, _out: &mut Outputs<'_, M>) {}

    /// Restarts at `now` everything that changes by itself with time.
    fn begin(&mut self, _now: Time, _out: &mut Outputs<'_, M>) {}

    /// Returns the time of the next event that does not depend on a frame.
    fn next_deadline(&self) -> Option<Time> {
        None
    }

    /// Joins a link at `port`, which has none.
    fn add_port(&mut self, now: Time, port: usize, settings: &SegmentPort);

    /// Handles a new or changed link at `port`.
    fn link_changed(&mut self, now: Time, port: usize, link: LinkView, out: &mut Outputs<'_, M>);

    /// Removes the link at `port`.
    fn remove_port(&mut self, now: Time, port: usize, out: &mut Outputs<'_, M>);

    /// Returns the state of `port`.
    fn port_status(&self, port: usize) -> PortStatus;

    /// Changes a shared medium. Has no effect on other segments.
    ///
    /// # Errors
    /// The channel cannot work with the new configuration.
    fn change_medium(
        &mut self,
        _now: Time,
        _change: &MediumChange,
        _out: &mut Outputs<'_, M>,
    ) -> Result<(), RadioError> {
        Ok(())
    }

    /// Returns the next association event of a shared medium.
    fn poll_association(&mut self) -> Option<AssociationEvent> {
        None
    }

    /// Returns the state of a shared medium at `now`, or `None` for other segments.
    fn medium(&mut self, _now: Time) -> Option<MediumView> {
        None
    }

    /// Returns the shared medium for queries, or `None` for other segments.
    fn shared_medium(&mut self) -> Option<(SegmentId, &mut Medium<M::Frame>)> {
        None
    }

    /// Attaches `sniffer` to a shared medium. Has no effect on other segments.
    fn sniff(&mut self, _sniffer: Box<dyn Sniffer<M::Frame>>) {}

    /// Returns the part of the air log of a shared medium up to `now` that is new since the last
    /// call, or `None` if there is no log.
    fn take_air_log(&mut self, _now: Time, _out: &mut Outputs<'_, M>) -> Option<AirLogPart> {
        None
    }
}

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

/// Returns source and destination of the frame whose Ethernet header is at the start of `bytes`.
#[inline]
fn addresses(bytes: &[u8]) -> (MacKey, MacKey) {
    let address = |at: usize| {
        let address = bytes[at..at + 6].try_into().expect("an address has six bytes");
        MacKey::new(address)
    };
    (address(6), address(0))
}
