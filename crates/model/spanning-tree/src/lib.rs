//! The Rapid Spanning Tree Protocol (IEEE 802.1D-2004, clause 17) of one bridge.
//!
//! A [`Bridge`] is a state machine in virtual time. Its inputs are BPDUs, the states of links, and
//! `now`; its outputs are BPDUs, states of ports, and deadlines. Clauses in the comments are those
//! of IEEE 802.1D-2004.
//!
//! | module | contents |
//! |---|---|
//! | `bridge` | the bridge, which joins the rest: [`Bridge`] |
//! | `bpdu` | the messages between bridges, and their wire format: [`Bpdu`] |
//! | `config`, `identifier`, `cost` | a bridge's configuration: [`BridgeConfig`], [`BridgeId`], [`Priority`], [`PathCost`] |
//! | `vector`, `timer` | priority vectors and times that are compared and recorded |
//! | `port` | the state of a port, and the part that is observable: [`PortView`] |
//! | `roles` | selects the role of each port |
//! | `information`, `transitions`, `topology`, `transmission` | the state machines of a port |
//! | `budget` | the rate limit of the BPDUs that it sends |
//!
//! Deviations from the letter of the standard: timers end at their exact time, not at the next
//! second. All ports send hellos at the same time. A notification is sent to a legacy root only
//! while there is a change to report. An agreement counts only if it can be an answer to the port's
//! current information. A port that receives its own BPDUs is disputed. As in any RSTP, information
//! about a lost root can go round until it is too old (20 hops by default), and for moments frames
//! can do so, too.
//!
//! Two bridges, joined by two links: the one with the higher identifier blocks the second link.
//!
//! ```
//! use netloom_spanning_tree::{Bridge, BridgeId, PathCost, PortPriority, Priority};
//! use netloom_units::{Duration, Time};
//!
//! let id = |last| BridgeId::new(Priority::default(), [2, 0, 0, 0, 0, last]);
//! let mut bridges = [Bridge::new(id(1)), Bridge::new(id(2))];
//! for bridge in &mut bridges {
//!     for port in 0..2 {
//!         let (cost, priority) = (PathCost::of_rate(None), PortPriority::default());
//!         bridge.add_port(Time::ZERO, port, cost, priority, false).unwrap();
//!     }
//! }
//! for second in 0..10 {
//!     let now = Time::ZERO + Duration::from_secs(second);
//!     for (from, to) in [(0, 1), (1, 0)] {
//!         bridges[from].handle_timeout(now);
//!         while let Some((port, frame)) = bridges[from].poll_transmit() {
//!             bridges[to].receive(now, port, &frame);
//!         }
//!     }
//! }
//! let forwards = bridges.each_ref().map(|bridge| [0, 1].map(|port| bridge.forwards(port)));
//! assert_eq!(forwards, [[true, true], [true, false]]);
//! ```
//!
//! Not here: clocks, threads, devices, learned addresses (`netloom-link` has a table of them),
//! shared media (every link is point-to-point), several trees (MSTP).

mod bpdu;
mod bridge;
mod budget;
mod config;
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
pub use config::{BridgeConfig, BridgeTimes, BridgeTimesError};
pub use cost::{PathCost, PathCostError};
pub use identifier::{BridgeId, PortPriority, PortPriorityError, Priority, PriorityError};
pub use port::{PortCounters, PortState, PortView, Role};
pub use vector::{Times, Vector};
