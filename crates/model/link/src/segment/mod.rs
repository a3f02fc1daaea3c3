//! Switches: which port a frame leaves by, and with which VLAN tag. Pure decisions over addresses and
//! tags. Not here: frames, devices, the pipes between switches.
//!
//! | module | what lives there |
//! |---|---|
//! | `table` | learned addresses: [`LearningTable`] |
//! | `vid`, `tag` | VLAN numbers, sets of them, and the tag that carries one |
//! | `port` | what a port does with tags: [`PortVlans`] |
//! | `joined` | which switches are joined: [`JoinedSwitches`] |
//! | `bridge` | a switch that knows VLANs: [`VlanBridge`] |

mod bridge;
mod joined;
mod port;
mod table;
mod tag;
mod vid;

pub use bridge::{Classified, VlanBridge};
pub use joined::JoinedSwitches;
pub use port::{PortVlans, Trunk, VlanDrop, VlanDrops};
pub use table::{AGEING, Forward, LearningTable, MacKey};
pub use tag::Tag;
pub use vid::{Vid, VlanSet};
