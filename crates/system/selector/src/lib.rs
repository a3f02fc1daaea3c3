//! Which frames of a device go through a claim's link.
//!
//! Programs in the kernel stand at a device: in front of all other tc programs, where the host
//! sends and where it gets frames. What a claim has, they redirect to one of the claim's two TAPs,
//! whose other ends an engine holds; what the engine writes to the other TAP goes on as if it had
//! never been away. All else passes, and so does everything once the engine has been silent for
//! [`SILENCE`].
//!
//! | module | what |
//! |---|---|
//! | `selector` | the programs at one device: [`Selector`] |
//! | `tables` | what they look frames up in |
//! | `encoding` | keys and values as the programs have them |
//! | `deadline` | until when frames are redirected: [`Deadlines`] |
//! | `hook` | where programs are attached: tcx links, or filters of an older kernel |
//! | `taps` | the two TAPs of a claim: [`Taps`] |
//! | `loopback` | what a loopback device needs |
//! | `missing` | what a machine lacks |
//!
//! The programs are in `bpf/` of this crate, and beside them what a compiler made of them. Not
//! here: who may claim what (`netloom-shape`), and the links (`netloom-dataplane`).

mod deadline;
mod encoding;
mod error;
mod hook;
mod loopback;
mod missing;
mod selector;
mod tables;
mod taps;

pub use deadline::{Beat, Deadlines, SILENCE};
pub use error::SelectorError;
pub use hook::HookKind;
pub use loopback::Loopback;
pub use missing::missing;
pub use selector::{Selector, forget_filters};
pub use tables::{Chosen, MAX_CLAIMS};
pub use taps::Taps;
