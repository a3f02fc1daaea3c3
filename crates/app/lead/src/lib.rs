//! An experiment on several machines, for its lead: which machine carries what, when all begin, and
//! one result of what the machines leave. Not here: speaking with members (`cli`), and what a
//! member does (`engine`).
//!
//! | module | contents |
//! |---|---|
//! | [`dialled`] | machines that dial their lead: the nodes of a Ray cluster |
//! | [`files`] | files that go to a machine and come back |
//! | `preamble` | what a command prints before its member speaks: [`Preamble`] |
//! | `placed` | the nodes on their machines: [`Placed`] |
//! | `merging` | one result of several: [`merge`] |

#[cfg_attr(not(feature = "ray"), path = "dialled/absent.rs")]
pub mod dialled;
pub mod files;
mod merging;
mod placed;
mod preamble;

use netloom_units::Duration;

pub use merging::{PartOfResults, merge};
pub use placed::{Placed, Secrets, commands, frames_address, start_command};
pub use preamble::Preamble;

/// Shortest time from the moment at which zero is picked to zero: until then it is known what was
/// lost before machines had met, which counts every 100 ms show.
const SHORTEST: Duration = Duration::from_millis(500);
/// Time that it takes at least, in round trips between machines.
const ROUND_TRIPS: u64 = 20;

/// Returns how far in the future zero is to be, so that all machines hear of it before: 500 ms, or
/// 20 round trips between the two machines that are farthest apart, `round_trip` ns.
pub fn ahead(round_trip: Option<u64>) -> Duration {
    let trips = Duration::from_nanos(round_trip.unwrap_or(0).saturating_mul(ROUND_TRIPS));
    SHORTEST.max(trips)
}
