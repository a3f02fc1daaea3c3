//! The basis of all models: exact quantities with units, which are parsed from text and printed as
//! text; values that come from files; and random streams.
//!
//! | type | base unit | text |
//! |---|---|---|
//! | [`Rate`] | bit/s | `10Mbit/s`, `1.5GB/s` |
//! | [`Size`] | byte | `1500B`, `64KiB` |
//! | [`Duration`] | nanosecond | `10ms`, `250us` |
//! | [`Offset`] | signed nanosecond | `-1.5ms` |
//! | [`Time`] | nanosecond since the experiment's zero, negative before it | – |
//! | [`Dilation`] | millionth | `10`, `0.25` |
//! | [`Probability`] | 0 to 1 | `1%`, `0.001%` |
//! | [`Framing`] | byte on a line | `ethernet`, `38B` |
//! | [`Length`] | micrometre | `250m`, `1.5km` |
//! | [`Coordinate`] | signed micrometre | `-12.5m` |
//! | [`Speed`] | µm/s | `5m/s` |
//! | [`Angle`] | signed millionth of a degree | `25deg` |
//! | [`Frequency`] | Hz | `2.412GHz` |
//! | [`Gain`], [`Loss`] | millionth of a dB | `-3dB`, `9dB` |
//! | [`Attenuation`] | millionth of a dB/m | `0.4dB/m` |
//! | [`Power`] | millionth of a dBm | `16dBm` |
//! | [`Quantity`] | any | for the units of other tools |
//!
//! [`readable`] prints numbers for people: rounded, and never parsed again.
//!
//! Parsing never rounds: a value that is not a whole number of base units is an error.
//!
//! [`Data`] are values that are in a scenario or come from a file. [`RateSchedule`] is a rate that
//! changes at given times. A [`Stream`] is a sequence of random numbers that is determined by a
//! seed and a name. [`text_quantity!`] and [`text_or_table!`] give the types of other crates their
//! notation, and [`variants!`] tables of configurations.
//!
//! ```
//! use netloom_units::{Duration, Rate, Size};
//!
//! let rate: Rate = "10Mbit/s".parse()?;
//! let frame: Size = "1500B".parse()?;
//! assert_eq!(rate.time_for(frame), "1200us".parse::<Duration>()?);
//! assert!("5".parse::<Rate>().is_err(), "a number without a unit is no rate");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not here: clocks, ambient randomness, and anything that reads from outside the program.

mod angle;
mod data;
mod decibel;
mod decimal;
mod dilation;
mod duration;
mod error;
mod framing;
mod frequency;
mod length;
#[macro_use]
mod notation;
mod offset;
mod probability;
mod random;
mod rate;
pub mod readable;
mod schedule;
mod size;
mod speed;
#[macro_use]
mod text;
mod variants;

pub use angle::Angle;
pub use data::{
    Data, DataError, DataFile, DataFormat, FileError, FileFault, MAX_VALUES, SharedData,
    check_count, lines, load_files, quoted,
};
pub use decibel::{Attenuation, Gain, Loss, Power};
pub use decimal::Quantity;
pub use dilation::Dilation;
pub use duration::{Duration, Time};
pub use error::UnitError;
pub use framing::Framing;
pub use frequency::Frequency;
pub use length::{Coordinate, Length};
pub use offset::Offset;
pub use probability::Probability;
pub use random::{Stream, mix};
pub use rate::Rate;
pub use schedule::{RateSchedule, ScheduleStep};
pub use size::Size;
pub use speed::Speed;
