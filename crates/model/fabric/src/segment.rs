//! Segments, which join links. A segment takes a frame at one of its ports and decides by which
//! ports it leaves. A new kind of segment is a file in this directory, and an end of links in
//! `link`. `network` implements pipes and moves frames.
//!
//! | module | contents |
//! |---|---|
//! | `kind` | what every segment does: [`Segment`] |
//! | `views` | frames that arrive, links and ports as segments and their users perceive them |
//! | `outputs` | output of a segment: [`Outputs`] |
//! | `switch` | switches: a relay on its own, and the choice of the kind |
//! | `relay` | what every relay does |
//! | `addresses` | source and destination of a frame |
//! | `learning`, `vlan` | relays, which choose the ports of a frame, without and with VLANs |
//! | `medium`, `dot11` | shared media, and their transmissions as frames of IEEE 802.11 |
//! | `late_frames` | how much later frames leave a shared medium because they were offered late |
//! | `distribution` | announcements of access points to the wire |
//! | `tree` | a spanning tree around a relay, which decides which ports take part |

mod addresses;
mod distribution;
mod dot11;
mod kind;
mod late_frames;
mod learning;
mod medium;
mod outputs;
mod relay;
mod switch;
mod tree;
mod views;
mod vlan;

use netloom_units::Time;

use crate::{Memory, SegmentPort};
pub use kind::Segment;
use medium::SharedMedium;
pub(crate) use outputs::Hop;
pub use outputs::Outputs;
use switch::new_switch;
pub use views::{
    AirLogPart, Arrival, LinkView, MediaNews, MediumView, Neighbourhood, PortStatus, SegmentEnd,
    SniffedFrame, Sniffer, TreePort,
};

/// Creates the segment of `port`, without ports.
pub(crate) fn new_segment<M: Memory + 'static>(
    port: &SegmentPort,
    now: Time,
) -> Box<dyn Segment<M>> {
    match port {
        SegmentPort::Switch(port) => new_switch(port.kind()),
        SegmentPort::Station(port) => Box::new(SharedMedium::new(port, now)),
    }
}
