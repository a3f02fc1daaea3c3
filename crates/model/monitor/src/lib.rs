//! Contention monitor: did a run measure the network, or the machine?
//!
//! Pure: [`Observation`]s with their times go in, [`Signal`]s come out, and a [`Verdict`] at the
//! end. Not here: how things are observed (`netloom-probes`, the engine), and what is done about
//! contention.
//!
//! ```
//! use netloom_monitor::{Criteria, Judgement, Monitor, Trust};
//! use netloom_units::{Duration, Time};
//!
//! let monitor = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
//! // Nobody watched anything, so nobody can say that the run is valid.
//! let verdict = monitor.verdict(Time::ZERO + Duration::from_secs(1));
//! assert_eq!(verdict.judgement, Judgement::Suspect);
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `observation`, `party` | what is observed, and whom it concerns |
//! | `trust` | how exact a run has to be |
//! | `bound` | by how much a run may be wrong |
//! | `criteria`, `problems` | thresholds and windows; checks that they make sense |
//! | `signal` | what is reported during a run |
//! | `monitor` | takes observations, returns signals and the verdict |
//! | `criterion` | when contention holds, a file for each signal; made of `window`, `stretch`, `tracker` |
//! | `shares`, `uses`, `names` | who caused contention |
//! | `watched` | which signals are watched, what cannot be observed, where thresholds come from |
//! | `report` | when a signal showed contention, and through whom; `words` names values and parties |
//! | `verdict` | the result of a run, and the rules by which it is judged |
//! | `warnings` | how often people are warned |
//! | `trace` | observations as a file, from which a run can be judged again |

mod bound;
mod criteria;
mod criterion;
mod monitor;
mod names;
mod observation;
mod party;
mod problems;
mod report;
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
mod words;

pub use bound::{
    Alignment, Bound, LateFrames, Lateness, Losses, MachineBound, Marks, NodeBound, PipeBound,
    PipeFrames, RateError, Span, TimelineBound, WaitBound,
};
pub use criteria::{Busy, Criteria, Delays, Pages, Part, Punctuality, Traffic};
pub use criterion::MOST_DIVERGENCE;
pub use monitor::{Monitor, PIPES_LOOKED, Work};
pub use observation::{BusyStretch, Direction, Divided, Observation, PageCause, Route, Subject};
pub use party::{Party, Who};
pub use report::{Episode, SignalReport};
pub use signal::{Buffer, Change, DropCause, Pressure, Resource, Share, Signal, SignalKind};
pub use trust::{GivenTrust, Purpose, Trust};
pub use verdict::{Concern, Coverage, Finding, Judgement, MachinePart, Overhead, Verdict};
pub use warnings::Warnings;
pub use words::quantity;
