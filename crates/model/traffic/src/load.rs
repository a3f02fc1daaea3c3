//! The mean rate of traffic: absolute, or as a share of a line.

use std::fmt;
use std::str::FromStr;

use netloom_units::Framing;
use netloom_units::{Quantity, Rate, UnitError};

use crate::{SizeLaw, TrafficError};

/// The line that traffic is sent over. A load in percent is a share of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Rate of the line.
    pub rate: Rate,
    /// The bytes that each frame takes on it in addition to its own.
    pub framing: Framing,
}

/// A mean rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// This many bits of frames per second.
    Rate(Rate),
    /// A share of a line's rate in millionths, including framing. It may exceed the whole rate.
    Share(u64),
}

const SHARE: Quantity = Quantity {
    name: "load",
    base: "millionths",
    example: "40%",
    units: &[("%", 10_000), ("ppm", 1)],
    aliases: &[],
    ambiguous: &[],
};

impl Load {
    /// Returns the mean rate in bit/s of frames with `sizes`, without framing.
    ///
    /// # Errors
    /// If the load is a share and there is no `line`.
    pub fn bits_per_second(
        &self,
        sizes: &SizeLaw,
        line: Option<&Line>,
    ) -> Result<f64, TrafficError> {
        match (self, line) {
            (Self::Rate(rate), _) => Ok(rate.bits_per_second() as f64),
            (Self::Share(_), None) => Err(TrafficError::ShareOfNothing(self.to_string())),
            (Self::Share(millionths), Some(Line { rate, framing })) => {
                let on_line = rate.bits_per_second() as f64 * *millionths as f64 / 1e6;
                Ok(on_line * sizes.mean() / sizes.mean_on_line(*framing))
            }
        }
    }
}

impl FromStr for Load {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        if !text.trim_end().ends_with(['%', 'm']) {
            return text.parse().map(Self::Rate);
        }
        match SHARE.parse(text)? {
            0 => Err(UnitError::OutOfRange {
                text: text.into(),
                range: "a load is above 0%; for no traffic leave the entry out",
            }),
            millionths @ 1..=1_000_000_000 => Ok(Self::Share(millionths)),
            _ => {
                Err(UnitError::OutOfRange { text: text.into(), range: "a load is at most 100000%" })
            }
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => rate.fmt(f),
            Self::Share(millionths) => f.pad(&SHARE.print(*millionths)),
        }
    }
}

netloom_units::text_quantity!(
    Load,
    "load",
    r"^[0-9]+(\.[0-9]+)? *(%|ppm|bit/s|kbit/s|Mbit/s|Gbit/s|Tbit/s)$",
    "A mean rate: a share of the line's rate like `40%`, or a rate with its unit.",
    "40%"
);
