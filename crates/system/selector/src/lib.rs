//! Selection of the frames of a device that go through a claim's link.
//!
//! Programs in the kernel are attached at a device, in front of all other tc programs, in both
//! directions. They redirect the frames of a claim to one of the claim's two TAPs, whose other ends
//! an engine holds. Frames that the engine writes to the other TAP continue as if they had never
//! left. All other frames pass. All frames pass once the engine has been silent for [`SILENCE`].
//!
//! | module | contents |
//! |---|---|
//! | `selector` | the programs at one device: [`Selector`] |
//! | `tables` | tables in which the programs look frames up |
//! | `encoding` | keys and values in the format of the programs |
//! | `deadline` | deadlines of redirection: [`Deadlines`] |
//! | `hook` | attachment of programs: tcx links, or filters of an older kernel |
//! | `taps` | the two TAPs of a claim: [`Taps`] |
//! | `network` | other network namespaces: [`Network`] |
//! | `device` | properties of devices, asked of the kernel by name |
//! | `reservations` | local ports that are kept for one user: [`Reservations`] |
//! | `cgroup` | where programs about sockets are attached |
//! | `loopback` | settings of a loopback device |
//! | `missing` | missing requirements of a machine, and restrictions |
//!
//! The sources of the programs and their compiled form are in `bpf/` of this crate. `netloom-shape`
//! decides who may claim what, and `netloom-dataplane` runs the links.

mod cgroup;
mod deadline;
mod device;
mod encoding;
mod error;
mod hook;
mod loopback;
mod missing;
mod network;
mod reservations;
mod selector;
mod tables;
mod taps;

pub use deadline::{Beat, Deadlines, SILENCE};
pub use error::SelectorError;
pub use hook::HookKind;
pub use loopback::Loopback;
pub use missing::{missing, restrictions};
pub use network::{Network, NetworkName, own_network};
pub use reservations::{Reservations, ReservedPorts};
pub use selector::{Loaded, Selector, forget_filters, mtu};
pub use tables::{Chosen, MAX_CLAIMS};
pub use taps::Taps;
