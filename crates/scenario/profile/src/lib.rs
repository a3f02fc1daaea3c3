//! The profile of a machine: the load that it can bear, as `netloom calibrate` measured it.
//!
//! | module | contents |
//! |---|---|
//! | `profile` | the whole profile, and the threshold of traffic that follows |
//! | `forwarding` | how much traffic nodes of the machine may send each other |
//! | `shaping` | how much traffic of a real host goes through a claim |
//! | `costs` | its timers, disk and memory |
//! | `stale` | whether it still is the machine that was measured |
//! | `text` | profiles as JSON |
//! | [`search`] | search for the highest load that a machine bears |
//!
//! Pure. Not here: how anything is measured, and where profiles are kept (`netloom-gauge`,
//! `netloom-cli`).

mod costs;
mod forwarding;
mod profile;
pub mod search;
mod shaping;
mod stale;
mod text;

pub use costs::{Crossing, Disk, DiskWrites, Memory, MemoryCost, SmallWrites, WakeUps};
pub use forwarding::{Edge, Forwarding, NotBorne, Shape, Traffic};
pub use netloom_api::timing::Scheduling;
pub use profile::{FORMAT, Profile, Thoroughness};
pub use shaping::{ShapedEdge, Shaping};
pub use text::ProfileError;
#[cfg(feature = "schema")]
pub use text::json_schema;
