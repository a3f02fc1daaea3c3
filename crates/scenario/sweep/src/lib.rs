//! Sweeps: many runs of one scenario over parameters and seeds, and what they say together.
//!
//! | module | contents |
//! |---|---|
//! | `file` | sweep files: from text to a [`Sweep`] |
//! | `raw` | their keys, the source of the JSON Schema |
//! | `points` | points: the product of the parameters; settings of each |
//! | `order` | order of the runs |
//! | `key` | keys of runs: what a result depends on |
//! | `metric` | metrics of a run, and the machine's part in them |
//! | `measures` | measures of flows and pipes |
//! | `record` | a finished run, as a line of JSON |
//! | `outcome` | means of each point, with intervals and differences |
//! | `stop` | when a point has enough runs |
//! | `interval`, `student` | means of repeated runs, with confidence intervals |
//!
//! Pure: it starts no run. Not here: files, processes, clocks (`netloom-cli`).

mod file;
mod interval;
mod key;
mod measures;
mod metric;
mod order;
mod outcome;
mod points;
mod raw;
mod record;
mod stop;
mod student;

pub use file::{Compare, Keep, Mode, Parameter, Source, Stop, Sweep};
pub use interval::{Interval, P95};
pub use key::RunKeys;
pub use measures::{Measure, Measured, Tolerance, all, measured};
pub use metric::{Metric, Of, error_bound};
pub use order::order;
pub use outcome::{Difference, Outcome, Rule, outcomes};
pub use points::{Point, numbers};
#[cfg(feature = "schema")]
pub use raw::json_schema;
pub use record::{Record, Value};
pub use stop::Looks;
