//! What a remote clock shows, from timed exchanges: an interval with a bound.
//!
//! Two machines send each other probes. Each [`Exchange`] limits how far apart their clocks are,
//! whatever the delays of its two ways; what the kernels report of how they steer their clocks
//! ([`Steering`]) limits how fast that changes. The [`Estimator`] intersects these limits. The true
//! offset is inside the resulting [`Interval`] as long as its [assumptions](Estimator#assumptions)
//! hold.
//!
//! Times are nanoseconds of `CLOCK_MONOTONIC`, of the machine that asks (*ours*) or of the other
//! one (*theirs*). An offset is theirs − ours.
//!
//! | module | contents |
//! |---|---|
//! | `exchange` | four stamps of one probe and its reply |
//! | `steering` | how fast a kernel makes its clock run |
//! | `line` | offset as a linear function of time, which threads copy: [`Line`], [`Reading`] |
//! | `estimator` | exchanges → line; steps: [`Estimator`], [`Event`] |
//! | `knot` | what is remembered of an exchange |
//! | `ratio` | how fast one oscillator runs by the other |
//! | `span` | arithmetic of ranges |
//!
//! Not here: sockets, stamps, `adjtimex`, and when probes are sent.

mod estimator;
mod exchange;
mod knot;
mod line;
mod ratio;
mod span;
mod steering;

pub use estimator::{Config, Estimator, Event};
pub use exchange::{Exchange, ExchangeError};
pub use line::{Interval, Line, Reading};
pub use steering::{Kernel, Steering};
