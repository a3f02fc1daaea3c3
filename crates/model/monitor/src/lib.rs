//! Contention monitor: is what a run measured the network, or the machine?
//!
//! Pure: [`Observation`]s with their time go in, [`Signal`]s come out, and a [`Verdict`] at the end.
//! Not here: how things are observed (`netloom-probes`, the engine), and what is done about it.
//!
//! | module | what |
//! |---|---|
//! | `observation`, `party` | what is seen, and whom it concerns |
//! | `trust` | what a run is needed for |
//! | `bound` | by how much it may be wrong |
//! | `criteria`, `problems` | thresholds and windows, and those that make no sense |
//! | `signal` | what is told while a run lasts |
//! | `monitor` | takes the one and tells the other |
//! | `criterion` | when contention holds, a file for each signal; made of `window`, `stretch`, `tracker` |
//! | `shares`, `uses`, `names` | through whom |
//! | `watched` | which signals are watched, what cannot be seen, and where thresholds come from |
//! | `verdict` | what is told of a run, and the rules by which it is judged |
//! | `warnings` | how often people are warned |
//! | `trace` | observations as a file, to be judged again |

mod bound;
mod criteria;
mod criterion;
mod monitor;
mod names;
mod observation;
mod party;
mod problems;
mod shares;
mod signal;
mod stretch;
pub mod trace;
mod tracker;
mod trust;
mod uses;
mod verdict;
mod warnings;
mod watched;
mod window;

pub use bound::{
    Bound, LateFrames, Lateness, Losses, Marks, NodeBound, PipeBound, PipeFrames, RateError, Span,
    TimelineBound, WaitBound,
};
pub use criteria::{Busy, Criteria, Delays, Pages, Part, Punctuality, Traffic};
pub use criterion::MOST_DIVERGENCE;
pub use monitor::{Monitor, PIPES_LOOKED, Work};
pub use observation::{BusyStretch, Direction, Divided, Observation, PageCause, Route, Subject};
pub use party::{Party, Who};
pub use signal::{Buffer, Change, DropCause, Pressure, Resource, Share, Signal, SignalKind};
pub use trust::Trust;
pub use verdict::words::quantity;
pub use verdict::{
    Concern, Coverage, Episode, Finding, Judgement, Overhead, SignalReport, Verdict,
};
pub use warnings::Warnings;
