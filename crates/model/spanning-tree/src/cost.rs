//! The cost of a path through a port. Not here: sums of costs (`vector`).

use std::fmt;

/// The largest cost of a port.
const MAX: u32 = 200_000_000;

/// Cost of a link of 1 bit/s (table 17-3).
const COST_TIMES_RATE: u64 = 20_000_000_000_000;

/// The cost of a path to the root through a port, from 1 to 200,000,000. The cheapest path wins
/// (§17.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathCost(u32);

/// The number is not a path cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a path cost; write a number from 1 to 200000000, like `20000`")]
pub struct PathCostError(u32);

impl PathCost {
    /// Returns the recommended cost of a link with this rate in bit/s (table 17-3): 20,000 at 1
    /// Gbit/s. A link without a rate has the cost of one of 10 Tbit/s: 2.
    pub fn of_rate(bits_per_second: Option<u64>) -> Self {
        let cost = bits_per_second.map_or(2, |rate| COST_TIMES_RATE / rate.max(1));
        Self(u32::try_from(cost).unwrap_or(MAX).clamp(1, MAX))
    }

    /// Returns the cost as a number.
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
