//! What a way through a port costs. Not here: sums of costs (`vector`).

use std::fmt;

/// The largest cost of a port.
const MAX: u32 = 200_000_000;

/// What a link of 1 bit/s would cost (table 17-3).
const COST_TIMES_RATE: u64 = 20_000_000_000_000;

/// What a way to the root through a port costs, 1 to 200,000,000; the cheapest wins (§17.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathCost(u32);

/// A number that is no path cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a path cost; write a number from 1 to 200000000, like `20000`")]
pub struct PathCostError(u32);

impl PathCost {
    /// The recommended cost of a link of this rate in bit/s (table 17-3): 20,000 at 1 Gbit/s. A
    /// link without a rate costs what one of 10 Tbit/s does: 2.
    pub fn of_rate(bits_per_second: Option<u64>) -> Self {
        let cost = bits_per_second.map_or(2, |rate| COST_TIMES_RATE / rate.max(1));
        Self(u32::try_from(cost).unwrap_or(MAX).clamp(1, MAX))
    }

    /// Its number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for PathCost {
    type Error = PathCostError;
    fn try_from(number: u32) -> Result<Self, PathCostError> {
        if (1..=MAX).contains(&number) { Ok(Self(number)) } else { Err(PathCostError(number)) }
    }
}

impl fmt::Display for PathCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
