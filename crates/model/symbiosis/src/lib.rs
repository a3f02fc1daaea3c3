//! Symbiosis: a large simulated network sets the links of a small one, in which real programs run.
//!
//! The simulation carries *twins* of the real flows among all its other traffic. Every period it
//! reports what its pipes did to them, and each pipe of the small network is calibrated to do the
//! same (Erazo 2013, ch. 5; equations have the thesis's numbers).
//!
//! | module | what lives there |
//! |---|---|
//! | [`formula`] | the equations |
//! | `graph` | which pipes real traffic can meet, and which of them one small pipe stands for: [`Graph`], [`Small`] |
//! | `report` | what a simulated pipe did in a period: [`Meter`], [`PipeReport`] |
//! | `positions` | which frames a small pipe loses |
//! | `calibration` | from reports to what a small pipe does next: [`Calibrator`], [`Calibration`] |
//! | `divergence` | real flows beside their twins: [`Comparison`] |
//! | `ghosts` | the other traffic of a pipe, to be repeated: [`Ghosts`] |
//! | [`rehearsal`] | the whole loop in virtual time, for tests and benches |
//!
//! Not here: the simulation, the data plane, and who watches real programs; where routes come from.

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
