//! The Rapid Spanning Tree Protocol (IEEE 802.1D-2004, clause 17) of one bridge.
//!
//! A [`Bridge`] is a state machine in virtual time: BPDUs, the state of links and `now` go in;
//! BPDUs, states of ports and deadlines come out. Clauses in the comments are those of IEEE
//! 802.1D-2004.
//!
//! | module | what lives there |
//! |---|---|
//! | `bridge` | the bridge, which joins the rest: [`Bridge`] |
//! | `bpdu` | what bridges say to each other, and its wire format: [`Bpdu`] |
//! | `identifier`, `cost` | what a bridge is told: [`BridgeId`], [`Priority`], [`PathCost`] |
//! | `vector`, `timer` | priority vectors and times that are compared and recorded |
//! | `port` | what a port knows, and what it shows: [`PortView`] |
//! | `roles` | which role each port has |
//! | `information`, `transitions`, `topology`, `transmission` | the machines of a port |
//!
//! Where it is not the standard to the letter: timers end at their time instead of at the next
//! second; hellos of all ports fall together; a notification goes to a legacy root only while there
//! is a change to notify; an agreement counts only if it can answer what the port says now; and a
//! port that hears itself is disputed. As in any RSTP, information on a root that is lost can go
//! round until it is too old (20 hops), and frames with it for moments.
//!
//! Not here: clocks, threads, devices, learned addresses (`netloom-link` has a table of them),
//! shared media (every link is point-to-point), several trees (MSTP).

mod bpdu;
mod bridge;
mod cost;
mod identifier;
mod information;
mod port;
mod roles;
mod timer;
mod topology;
mod transitions;
mod transmission;
mod vector;

pub use bpdu::{Bpdu, BpduError, Config, FRAME_BYTES, Flags, GROUP_ADDRESS, MessageRole, is_bpdu};
pub use bridge::{Bridge, PortError};
pub use cost::{PathCost, PathCostError};
pub use identifier::{BridgeId, PortPriority, PortPriorityError, Priority, PriorityError};
pub use port::{PortCounters, PortState, PortView, Role};
pub use vector::{Times, Vector};
