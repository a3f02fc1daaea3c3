//! A whole network in virtual time: pipes, the segments that join them, and ports where frames come
//! and go.
//!
//! A [`Network`] is a state machine, as a pipe is: frames and `now` go in, frames and deadlines
//! come out. The data plane drives it from the machine's clock, a simulation from its event queue;
//! both run this code, so that both do the same.
//!
//! | module | what lives there |
//! |---|---|
//! | `ids` | identities that never change: [`LinkId`], [`PipeId`], [`PortId`], [`SegmentId`] |
//! | `link` | a link as it is given and taken back: [`Link`], [`LinkEnd`], [`SegmentPort`] |
//! | `network` | the network, which joins the rest: [`Network`] |
//! | `segment` | what joins links, behind one trait: [`Segment`]; switches, VLANs, spanning trees, media |
//! | `frame` | what is asked of frames and their memory: [`Frame`], [`Memory`] |
//! | `observer` | who watches: [`Observer`] |
//! | `timers` | what is due next |
//! | [`testing`] | frames and memory for tests and examples |
//!
//! Not here: clocks, threads, devices, kinds of frames; addresses and routes (`netloom-plan`).

mod frame;
mod ids;
mod link;
mod network;
mod observer;
mod segment;
pub mod testing;
mod timers;

pub use frame::{Frame, Malformed, Memory};
pub use ids::{LinkId, PipeId, PortId, SegmentId};
pub use link::{
    Link, LinkEnd, SegmentKind, SegmentPort, StationPort, SwitchKind, SwitchPort, TreeSettings,
};
pub use netloom_medium::{AssociationChange, AssociationEvent, StationView};
pub use network::{Delivered, Network};
pub use observer::{Loss, Observer, PipeSlot};
pub use segment::{
    AirLogPart, Arrival, Heard, LinkView, MediaNews, MediumView, Neighbourhood, Outputs,
    PortStatus, Segment, SegmentEnd, Sniffer, TreePort,
};
