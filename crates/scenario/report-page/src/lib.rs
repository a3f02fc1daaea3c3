//! The report of a run as one self-contained HTML page: no script, no font, no network. It is
//! readable in print, in light and in dark mode, and colour alone never carries meaning.
//!
//! This crate is pure: [`Run`] holds the data of a run, and [`page`] returns the text. `cli` reads
//! results and writes the file, and `monitor` judges runs.
//!
//! | module | contents |
//! |---|---|
//! | `run` | the data of a run: [`Run`] |
//! | `curves` | samples of pipes, reduced to what a page can show: [`Curves`] |
//! | `flow_curves` | samples of flows, reduced in the same way: [`FlowCurves`] |
//! | `happened` | events that the page shows: [`Happened`] |
//! | `metrics` | metrics that applications reported, reduced in the same way: [`Metrics`] |
//! | `radio` | shared media, reduced in the same way: [`Radio`] |
//! | `busiest` | choice of the links that are drawn |
//! | `contended` | contentions of the verdict, with their letters on the page |
//! | `chart` | axes, curves and bands as SVG |
//! | `section` | the sections of the page, one in each file |
//! | `page` | the page as a whole |
//! | `sweep` | the report of a sweep: [`sweep_page`] |

mod busiest;
mod chart;
mod contended;
mod curves;
mod flow_curves;
mod happened;
mod metrics;
mod page;
mod radio;
mod run;
mod section;
mod sweep;

pub use busiest::drawn;
pub use curves::{Curves, Sample, Way};
pub use flow_curves::{FlowCurves, FlowSample};
pub use happened::{Happened, Life};
pub use metrics::Metrics;
pub use page::page;
pub use radio::{Radio, StationTotals};
pub use run::Run;
pub use sweep::{SweepLine, SweepPage, SweepPlot, SweepPoint, sweep_page};
