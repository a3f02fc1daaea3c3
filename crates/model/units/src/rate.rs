//! Bit rates.

use std::fmt;
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{Duration, Size, UnitError, text_quantity};

/// A bit rate in bit/s, greater than zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

const RATE: Quantity = Quantity {
    name: "rate",
    base: "bit/s",
    example: "10Mbit/s",
    units: &[
        ("Tbit/s", 1_000_000_000_000),
        ("Gbit/s", 1_000_000_000),
        ("Mbit/s", 1_000_000),
        ("kbit/s", 1000),
        ("bit/s", 1),
    ],
    aliases: &[],
    ambiguous: &[
        ("Mbps", "tc reads it as megabytes, others as megabits: write `Mbit/s`"),
        ("mbps", "tc reads it as megabytes, others as megabits: write `Mbit/s`"),
        ("Gbps", "tc reads it as gigabytes, others as gigabits: write `Gbit/s`"),
        ("gbps", "tc reads it as gigabytes, others as gigabits: write `Gbit/s`"),
        ("kbps", "tc reads it as kilobytes, others as kilobits: write `kbit/s`"),
        ("bps", "tc reads it as bytes, others as bits: write `bit/s`"),
        ("mbit", "write `Mbit/s`"),
        ("Mbit", "write `Mbit/s`"),
        ("gbit", "write `Gbit/s`"),
        ("Gbit", "write `Gbit/s`"),
        ("kbit", "write `kbit/s`"),
        ("M", "write `Mbit/s`"),
        ("G", "write `Gbit/s`"),
        ("k", "write `kbit/s`"),
        ("MB/s", "rates are in bits: 1 MB/s is `8Mbit/s`"),
        ("B/s", "rates are in bits: 1 B/s is `8bit/s`"),
    ],
};

impl Rate {
    /// The largest rate: 10 Tbit/s. Bit counts times 10⁹ then stay far below 128 bits.
    pub const MAX: Rate = Rate(10_000_000_000_000);

    /// Returns a rate of `bits` per second. `None` for zero and above [`Rate::MAX`].
    pub const fn from_bits_per_second(bits: u64) -> Option<Self> {
        if bits == 0 || bits > Self::MAX.0 { None } else { Some(Self(bits)) }
    }

    /// Returns the rate in bit/s.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Returns the time that `size` takes at this rate, in whole nanoseconds, rounded down.
    pub fn time_for(self, size: Size) -> Duration {
        let bits = u128::from(size.bytes()) * 8;
        let nanos = bits * 1_000_000_000 / u128::from(self.0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Returns the whole bytes that pass in `time` at this rate, rounded down.
    pub fn bytes_in(self, time: Duration) -> Size {
        let bytes = u128::from(self.0) * u128::from(time.as_nanos()) / 8_000_000_000;
        Size::from_bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bits = RATE.parse(text)?;
        Self::from_bits_per_second(bits).ok_or_else(|| UnitError::OutOfRange {
            text: text.into(),
            range: "a rate is at least 1bit/s and at most 10Tbit/s; \
                    for no limit write `unlimited`, for no traffic `state: down`",
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&RATE.print(self.0))
    }
}

text_quantity!(
    Rate,
    "rate",
    r"^[0-9]+(\.[0-9]+)? *(bit/s|kbit/s|Mbit/s|Gbit/s|Tbit/s)$",
    "A bit rate with its unit: bit/s, kbit/s, Mbit/s, Gbit/s or Tbit/s.",
    "10Mbit/s"
);
