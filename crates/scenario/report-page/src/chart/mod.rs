//! Charts as SVG in the page. All of a page have the same time axis and the same width, so that
//! what happened at one time lies at one place.
//!
//! | file | what |
//! |---|---|
//! | `axis` | which ticks, in which unit |
//! | `frame` | the place of a time; sizes |
//! | `marks` | bands of contention and ticks of events, drawn once and used by every chart |
//! | `strip` | panels of curves above each other |
//! | `lanes` | contention over time, a lane for each signal |
//! | `bar` | a part of a whole |

mod axis;
mod bar;
mod frame;
mod lanes;
mod marks;
mod strip;

pub use axis::{COUNTS, DELAYS, DROPS, PLAIN, RATES};
pub use bar::bar;
pub use frame::{TimeAxis, px};
pub use lanes::lanes;
pub use marks::marks;
pub use strip::{Line, Panel, strip};
