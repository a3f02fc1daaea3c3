//! Quantities of the link model: exact, unit-carrying, parsed from and printed as text.
//!
//! | type | base unit | text |
//! |---|---|---|
//! | [`Rate`] | bit/s | `10Mbit/s`, `1.5GB/s` |
//! | [`Size`] | byte | `1500B`, `64KiB` |
//! | [`Duration`] | nanosecond | `10ms`, `250us` |
//! | [`Offset`] | signed nanosecond | `-1.5ms` |
//! | [`Time`] | nanosecond since the experiment's zero | – |
//! | [`Probability`] | 0 to 1 | `1%`, `0.001%` |
//! | [`Quantity`] | any | for the units of other tools |
//!
//! [`readable`] has numbers as people like them: rounded, and never read back.
//!
//! Parsing never rounds: a value that is not a whole number of base units is an error.
//! Not here: clocks, randomness, anything that reads the world.

mod decimal;
mod duration;
mod error;
mod offset;
mod probability;
mod rate;
pub mod readable;
mod size;
#[macro_use]
mod text;

pub use decimal::Quantity;
pub use duration::{Duration, Time};
pub use error::UnitError;
pub use offset::Offset;
pub use probability::Probability;
pub use rate::Rate;
pub use size::Size;
