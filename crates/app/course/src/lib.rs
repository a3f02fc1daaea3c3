//! How a run goes, whatever carries its frames: the kernel's network stacks, a simulation, or both
//! at once.
//!
//! | module | contents |
//! |---|---|
//! | `carrier` | what a run asks of whatever carries frames: [`Carrier`] |
//! | `together` | several carriers as one: [`Together`] |
//! | `change` | changes of links at one instant, or not at all: [`change`] |
//! | `schedule` | when what is sampled: [`Schedule`] |
//! | `recorder` | the files that are written while a run lasts: [`Recorder`] |
//! | `live` | what a network does now, for those who watch: [`Look`], [`View`] |
//! | `frames` | frame logs and captures, for carriers that hand over frames |
//! | `timeline` | what an event of the timeline means: [`Event`] |
//! | `summary` | the facts that all summaries begin with: [`Facts`] |
//!
//! Not here: the carriers (`netloom-engine`, `netloom-simulate`), and the form of files
//! (`netloom-results`).

mod carrier;
mod change;
mod frames;
mod live;
mod recorder;
mod schedule;
mod summary;
mod timeline;
mod together;

pub use carrier::{Carrier, Frames, Prepared};
pub use change::{change, check_backgrounds, pipes};
pub use frames::{log_header, pipe_names};
pub use live::{Audience, DirectLook, Look, PipeLook, View, look_at};
pub use recorder::{Recorded, Recorder, Wanted};
pub use schedule::{Due, Schedule};
pub use summary::Facts;
pub use timeline::{Event, failures};
pub use together::Together;
