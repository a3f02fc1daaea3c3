//! What joins links: anything that takes a frame at one of its ports and says by which ports it
//! leaves. A new kind of segment is a file below this
//! one, and an end of links in `link`. Not here: pipes, and moving the frame.
//!
//! | module | what lives there |
//! |---|---|
//! | `outputs` | where a segment puts what leaves it: [`Outputs`] |
//! | `switch` | switches: a relay by itself, and the choice of the kind |
//! | `learning`, `vlan` | relays: which ports a frame leaves by, with and without VLANs |
//! | `medium`, `dot11` | shared media; what is on the air as frames of IEEE 802.11 |
//! | `distribution` | what access points make known to the wire |
//! | `tree` | a spanning tree around a relay: which ports take part |

mod distribution;
mod dot11;
mod learning;
mod medium;
mod outputs;
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
use medium::SharedMedium;
pub(crate) use outputs::Hop;
pub use outputs::Outputs;
use switch::new_switch;

/// What joins links. Ports are numbered by the network; when a link goes, the number of its port is
/// used again.
///
/// A segment is a state machine in virtual time, as a pipe is: after every call, the network asks
/// for [`next_deadline`](Self::next_deadline).
pub trait Segment<M: Memory>: Debug + Send {
    /// A frame comes in by `port`.
    fn receive(&mut self, port: usize, arrival: Arrival<M::Frame>, out: &mut Outputs<'_, M>);

    /// Does what is due at `now`.
    fn handle_timeout(&mut self, _now: Time, _out: &mut Outputs<'_, M>) {}

    /// What changes by itself with time begins anew at `now`.
    fn begin(&mut self, _now: Time, _out: &mut Outputs<'_, M>) {}

    /// When something is due next without a frame.
    fn next_deadline(&self) -> Option<Time> {
        None
    }

    /// A link is joined at `port`, where none is.
    fn add_port(&mut self, now: Time, port: usize, settings: &SegmentPort);

    /// The link at `port` has come, or has changed.
    fn link_changed(&mut self, now: Time, port: usize, link: LinkView, out: &mut Outputs<'_, M>);

    /// The link at `port` goes.
    fn remove_port(&mut self, now: Time, port: usize, out: &mut Outputs<'_, M>);

    /// The state of `port`.
    fn port_status(&self, port: usize) -> PortStatus;

    /// Changes a shared medium; anything else stays as it is.
    ///
    /// # Errors
    /// The channel cannot work as it is changed.
    fn change_medium(
        &mut self,
        _now: Time,
        _change: &MediumChange,
        _out: &mut Outputs<'_, M>,
    ) -> Result<(), RadioError> {
        Ok(())
    }

    /// The next station of a shared medium that came to an access point or left one.
    fn poll_association(&mut self) -> Option<AssociationEvent> {
        None
    }

    /// A shared medium as it is at `now`; `None` of anything else.
    fn medium(&mut self, _now: Time) -> Option<MediumView> {
        None
    }

    /// The shared medium that it is, to be asked; `None` of anything else.
    fn shared_medium(&mut self) -> Option<(SegmentId, &mut Medium<M::Frame>)> {
        None
    }

    /// From now on `sniffer` hears all that is on a shared medium; nothing of anything else.
    fn sniff(&mut self, _sniffer: Box<dyn Sniffer<M::Frame>>) {}

    /// What the air log of a shared medium has got up to `now` since this was last called; `None`
    /// where none is kept.
    fn take_air_log(&mut self, _now: Time, _out: &mut Outputs<'_, M>) -> Option<AirLogPart> {
        None
    }
}

/// Those that a station on a shared medium reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    /// The medium.
    pub medium: SegmentId,
    /// The station.
    pub station: StationId,
    /// Those that it reaches, in the order of their numbers.
    pub reached: Vec<NeighbourView>,
}

/// Somebody who hears everything on a shared medium.
pub trait Sniffer<F>: Debug + Send {
    /// A transmission is over. `frame` is the one that it carried; `false` if nobody listens any
    /// more.
    fn hear(&mut self, heard: Heard, frame: Option<&F>) -> bool;
}

/// A transmission as a sniffer hears it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// When it began.
    pub at: Time,
    /// Its bytes before those of the packet that it carries: radiotap, 802.11, and of a frame with
    /// a packet LLC and SNAP, up to the protocol's number.
    pub header: Vec<u8>,
    /// Where 802.11 begins in that.
    pub mac_at: usize,
    /// Whether it was destroyed.
    pub is_damaged: bool,
}

/// What is new on shared media.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MediaNews {
    /// Pairs of stations that have come within reach of each other, or left it.
    pub changes: Vec<(SegmentId, NeighbourChange)>,
    /// Where stations are; nothing where one is away. One that is on several media is there several
    /// times.
    pub places: Vec<(StationId, Option<Point>)>,
}

/// A part of the air log of a shared medium: bytes that follow those of the part before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AirLogPart {
    /// Which medium's.
    pub medium: SegmentId,
    /// As [`AirLogWriter`](netloom_medium::AirLogWriter) writes them.
    pub bytes: Vec<u8>,
}

/// A shared medium as it is.
#[derive(Debug, Clone)]
pub struct MediumView {
    /// Which one.
    pub id: SegmentId,
    /// What it runs on.
    pub config: MediumConfig,
    /// Its stations, in the order of their numbers.
    pub stations: Vec<StationView>,
}

/// A frame that comes in by a port.
#[derive(Debug)]
pub struct Arrival<F> {
    /// When: the time of its release from the link, so that the lateness of whoever drives the
    /// network does not add up from hop to hop.
    pub at: Time,
    /// The frame.
    pub frame: F,
    /// What it is on the wire.
    pub info: FrameInfo,
}

/// A link as the segment at its end sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkView {
    /// Whether both directions are down.
    pub is_cut: bool,
    /// The rate of the pipe that leads out of the port, in bit/s; `None` if it has no limit.
    pub rate: Option<u64>,
    /// Whether another segment is at the far end.
    pub leads_to_segment: bool,
}

/// The state of a port of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PortStatus {
    /// What the port does with VLAN tags and what it refused, if the segment knows VLANs.
    pub vlan: Option<(PortVlans, VlanDrops)>,
    /// Its part in a spanning tree, if the segment runs one.
    pub tree: Option<TreePort>,
}

/// A port's part in a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreePort {
    /// Role, state and counters.
    pub port: PortView,
    /// The switch.
    pub bridge: BridgeId,
    /// The root as far as the switch knows, and the cost of the way there.
    pub root: (BridgeId, u32),
    /// Frames that came in and were discarded because the port does not forward.
    pub discarded: u64,
}

/// The end of a link that is a port of a segment, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEnd {
    /// The link.
    pub link: LinkId,
    /// Which of its ends.
    pub end: usize,
    /// The port's state.
    pub status: PortStatus,
}

/// The segment that `port` is at, without ports.
pub(crate) fn new_segment<M: Memory + 'static>(
    port: &SegmentPort,
    now: Time,
) -> Box<dyn Segment<M>> {
    match port {
        SegmentPort::Switch(port) => new_switch(port.kind()),
        SegmentPort::Station(port) => Box::new(SharedMedium::new(port, now)),
    }
}

/// Source and destination of the frame whose Ethernet header is at the start of `bytes`.
#[inline]
fn addresses(bytes: &[u8]) -> (MacKey, MacKey) {
    let address = |at: usize| {
        let address = bytes[at..at + 6].try_into().expect("an address has six bytes");
        MacKey::new(address)
    };
    (address(6), address(0))
}
