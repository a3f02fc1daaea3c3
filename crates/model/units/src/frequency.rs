//! Frequencies, of carriers and as bandwidths, in whole hertz.

use std::fmt;
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{UnitError, text_quantity};

/// A frequency in whole Hz, greater than zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(u64);

const FREQUENCY: Quantity = Quantity {
    name: "frequency",
    base: "Hz",
    example: "2.412GHz",
    units: &[("GHz", 1_000_000_000), ("MHz", 1_000_000), ("kHz", 1000), ("Hz", 1)],
    aliases: &[],
    ambiguous: &[("M", "write `MHz`"), ("G", "write `GHz`"), ("k", "write `kHz`")],
};

impl Frequency {
    /// The largest frequency: 10 THz.
    pub const MAX: Frequency = Frequency(10_000_000_000_000);

    /// Returns a frequency of `hertz` Hz. `None` for zero and above [`Frequency::MAX`].
    pub const fn from_hertz(hertz: u64) -> Option<Self> {
        if hertz == 0 || hertz > Self::MAX.0 { None } else { Some(Self(hertz)) }
    }

    /// Returns a frequency of `kilohertz` kHz, which must not be zero.
    pub const fn from_kilohertz(kilohertz: u32) -> Self {
        assert!(kilohertz > 0, "a frequency is more than zero");
        Self(kilohertz as u64 * 1000)
    }

    /// Returns the frequency in Hz.
    pub const fn hertz(self) -> u64 {
        self.0
    }
}

impl FromStr for Frequency {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::from_hertz(FREQUENCY.parse(text)?).ok_or_else(|| UnitError::OutOfRange {
            text: text.into(),
            range: "a frequency is at least 1Hz and at most 10000GHz",
        })
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&FREQUENCY.print(self.0))
    }
}

text_quantity!(
    Frequency,
    "frequency",
    r"^[0-9]+(\.[0-9]+)? *(Hz|kHz|MHz|GHz)$",
    "A frequency with its unit: Hz, kHz, MHz or GHz.",
    "2.412GHz"
);
