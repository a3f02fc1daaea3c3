//! The report of a run as one HTML page that needs nothing else: no script, no font, no network. It
//! is readable in print, in light and in dark, and no meaning is in colour alone.
//!
//! Pure: [`Run`] is what was read of a run, [`page`] gives the text. Not here: reading results and
//! writing the file (`cli`), and judging (`monitor`).
//!
//! | module | what |
//! |---|---|
//! | `run` | what is known of a run: [`Run`] |
//! | `curves` | samples of pipes, thinned to what a page can show: [`Curves`] |
//! | `happened` | events, as far as the page tells of them: [`Happened`] |
//! | `metrics` | what applications reported, thinned in the same way: [`Metrics`] |
//! | `radio` | shared media, thinned in the same way: [`Radio`] |
//! | `busiest` | which links are drawn |
//! | `contended` | the contentions of the verdict, with the letters they have on the page |
//! | `chart` | axes, curves and bands as SVG |
//! | `section` | the parts of the page, a file each |
//! | `page` | the page as a whole |

mod busiest;
mod chart;
mod contended;
mod curves;
mod happened;
mod metrics;
mod page;
mod radio;
mod run;
mod section;

pub use busiest::drawn;
pub use curves::{Curves, Sample, Way};
pub use happened::Happened;
pub use metrics::Metrics;
pub use page::page;
pub use radio::{Radio, StationTotals};
pub use run::Run;
