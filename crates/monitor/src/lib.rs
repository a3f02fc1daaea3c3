//! Contention monitor: is what a run measured the network, or the machine?
//!
//! Pure: [`Observation`]s with their time go in, [`Signal`]s come out, and a [`Verdict`] at the end.
//! Not here: how things are observed (`netloom-probes`, the engine), and what is done about it.
//!
//! | module | what |
//! |---|---|
//! | `observation`, `party` | what is seen, and whom it concerns |
//! | `criteria` | thresholds and windows |
//! | `signal` | what is told while a run lasts |
//! | `verdict` | what is told of a run |

mod criteria;
mod observation;
mod party;
mod signal;
mod verdict;

pub use criteria::{Busy, Criteria, Delays, Pages, Part, Traffic};
pub use observation::{Direction, Observation, PageCause, Route, Subject};
pub use party::{Party, Who};
pub use signal::{Change, DropCause, Pressure, Resource, Share, Signal, SignalKind};
pub use verdict::{Coverage, Episode, Finding, Judgement, Overhead, SignalReport, Verdict};
