//! Charts as SVG in the page. All charts of a page share the time axis and the width, so
//! simultaneous events are at the same horizontal position.
//!
//! | file | contents |
//! |---|---|
//! | `axis` | ticks and units of axes |
//! | `frame` | positions of times, and sizes |
//! | `marks` | times to be left out and ticks of events, drawn once and used by every chart |
//! | `strip` | panels of curves above each other |
//! | `lanes` | contention over time, one lane for each signal |
//! | `bar` | a bar for a share |

mod axis;
mod bar;
mod frame;
mod lanes;
mod marks;
mod strip;

pub use axis::{Axis, COUNTS, DELAYS, DROPS, PACKETS, PLAIN, RATES, Units};
pub use bar::bar;
pub use frame::{TimeAxis, px};
pub use lanes::lanes;
pub use marks::marks;
pub use strip::{Line, Panel, strip};
