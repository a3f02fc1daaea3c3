//! A whole network in virtual time: pipes, the segments that join them, and ports through which
//! frames enter and leave.
//!
//! A [`Network`] is a state machine, as a pipe is: the caller passes frames and `now`, and gets
//! frames and deadlines. The data plane drives it from the machine's clock, and a simulation from
//! its event queue. Both run this code, so both behave alike. A link may join two networks: each
//! has one end of it, and the other end is [away](LinkEnd::Away).
//!
//! | module | contents |
//! |---|---|
//! | `ids` | identities that never change: [`LinkId`], [`PipeId`], [`PortId`], [`SegmentId`] |
//! | `link` | a link as it is inserted and removed: [`Link`], [`LinkEnd`], [`SegmentPort`] |
//! | `network` | the network, which joins the other modules: [`Network`] |
//! | `segment` | one trait for everything that joins links: [`Segment`]; switches, VLANs, spanning
//! trees, media |
//! | `frame` | requirements on frames and their memory: [`Frame`], [`Memory`] |
//! | `observer` | notification of observers: [`Observer`] |
//! | `timers` | the next deadlines |
//! | [`testing`] | frames and memory for tests and examples |
//!
//! This crate has no clocks, threads, devices or kinds of frames. `netloom-plan` has addresses and
//! routes.

mod frame;
mod ids;
mod link;
mod network;
mod observer;
mod segment;
pub mod testing;
mod timers;

pub use frame::{Frame, Malformed, Memory, Misdirected};
pub use ids::{LinkId, PipeId, PortId, SegmentId};
pub use link::{
    Link, LinkEnd, SegmentKind, SegmentPort, StationPort, SwitchKind, SwitchPort, TreeSettings,
    receiver_mtus,
};
pub use netloom_medium::{AssociationChange, AssociationEvent, StationView};
pub use network::{Delivered, Network};
pub use observer::{Loss, Observer, PipeSlot};
pub use segment::{
    AirLogPart, Arrival, LinkView, MediaNews, MediumView, Neighbourhood, Outputs, PortStatus,
    Segment, SegmentEnd, SniffedFrame, Sniffer, TreePort,
};
