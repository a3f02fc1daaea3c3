//! Switches: the port by which a frame leaves, and its VLAN tag there. These are pure decisions on
//! addresses and tags. Not here: frames, devices, the pipes between switches.
//!
//! | module | what lives there |
//! |---|---|
//! | `table` | learned addresses: [`LearningTable`] |
//! | `vid`, `tag` | VLAN numbers, sets of them, and the tag that carries one |
//! | `port` | the treatment of tags at a port: [`PortVlans`] |
//! | `joined` | sets of joined switches: [`JoinedSwitches`] |
//! | `bridge` | a VLAN-aware switch: [`VlanBridge`] |

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
