//! Amounts of data.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{UnitError, text_quantity};

/// An amount of data in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Size(u64);

const SIZE: Quantity = Quantity {
    name: "size",
    base: "bytes",
    example: "64KiB",
    units: &[
        ("GiB", 1 << 30),
        ("GB", 1_000_000_000),
        ("MiB", 1 << 20),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("kB", 1000),
        ("B", 1),
    ],
    aliases: &[("bytes", "B"), ("byte", "B")],
    ambiguous: &[
        ("KB", "write `kB` (1000 bytes) or `KiB` (1024 bytes)"),
        ("K", "write `kB` (1000 bytes) or `KiB` (1024 bytes)"),
        ("k", "write `kB` (1000 bytes) or `KiB` (1024 bytes)"),
        ("M", "write `MB` (1000² bytes) or `MiB` (1024² bytes)"),
        ("G", "write `GB` (1000³ bytes) or `GiB` (1024³ bytes)"),
        ("b", "bits or bytes? write `B` for bytes"),
    ],
};

impl Size {
    /// Returns an amount of `bytes` bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Returns the amount in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for Size {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        SIZE.parse(text).map(Self)
    }
}

impl Add for Size {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Size {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Size {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&SIZE.print(self.0))
    }
}

text_quantity!(
    Size,
    "size",
    r"^[0-9]+(\.[0-9]+)? *(B|bytes?|kB|KiB|MB|MiB|GB|GiB)$",
    "An amount of data with its unit: B, kB, KiB, MB, MiB, GB or GiB.",
    "64KiB"
);
