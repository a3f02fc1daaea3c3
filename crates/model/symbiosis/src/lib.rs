//! Symbiosis: a large simulated network sets the links of a small network, in which real programs
//! run.
//!
//! The simulation carries *twins* of the real flows among all its other traffic. Every period it
//! reports what its pipes did to the twins. Each pipe of the small network is then calibrated to do
//! the same (Erazo 2013, ch. 5; equations have the thesis's numbers).
//!
//! | module | contents |
//! |---|---|
//! | [`formula`] | the equations |
//! | `graph` | pipes that real traffic can meet, and small pipes for them: [`Graph`], [`Small`] |
//! | `report` | reports of a simulated pipe for a period: [`Meter`], [`PipeReport`] |
//! | `positions` | the frames that a small pipe loses |
//! | `calibration` | settings of a small pipe, from reports: [`Calibrator`], [`Calibration`] |
//! | `divergence` | compares real flows with their twins: [`Comparison`] |
//! | `ghosts` | the other traffic of a pipe, encoded to be repeated: [`Ghosts`] |
//! | [`rehearsal`] | the whole loop in virtual time, for tests and benches |
//!
//! Not here: the simulation, the data plane, the observation of real programs, and the source of
//! routes.

pub mod formula;
pub mod rehearsal;

mod calibration;
mod divergence;
mod ghosts;
mod graph;
mod positions;
mod report;

pub use calibration::{Calibration, Calibrator, LossMethod, Setting};
pub use divergence::{Comparison, Difference, Received};
pub use ghosts::Ghosts;
pub use graph::{Graph, GraphLink, Small, SmallLink, SmallPipe, prune};
pub use positions::on_the_path;
pub use report::{Meter, PipeReport, transmission};
