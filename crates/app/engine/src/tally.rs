//! How late frames were that the data plane did not carry: those that a simulation delivered to
//! real nodes, and data that passed published ports (`waits`).

pub mod waits;

use std::collections::BTreeMap;

use netloom_units::Duration;

/// The counts of one pipe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipeTally {
    late: BTreeMap<Duration, u64>,
    at_most: BTreeMap<Duration, u64>,
}

/// Number of frames by the upper bound of their lateness, and the number that were later than
/// needed.
pub type Counted = (Vec<(Duration, u64)>, u64);

impl PipeTally {
    /// Adds a frame with lateness `late`. It may be up to `arrival_uncertainty` later, since
    /// earlier frames may have waited unread.
    pub fn count(&mut self, late: Duration, arrival_uncertainty: Duration) {
        *self.late.entry(rounded(late)).or_default() += 1;
        *self.at_most.entry(rounded(late + arrival_uncertainty)).or_default() += 1;
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.late.is_empty()
    }

    /// Returns the lateness of frames.
    pub fn late(&self, needed: Duration) -> Counted {
        counted(&self.late, needed)
    }

    /// Returns the upper bounds of their lateness.
    pub fn at_most(&self, needed: Duration) -> Counted {
        counted(&self.at_most, needed)
    }
}

fn counted(tally: &BTreeMap<Duration, u64>, needed: Duration) -> Counted {
    let by = tally.iter().map(|(late, frames)| (*late, *frames)).collect();
    let beyond = tally.iter().filter(|(late, _)| **late > needed).map(|(_, frames)| frames).sum();
    (by, beyond)
}

/// Rounds up to the next eighth of an octave, from a microsecond on.
fn rounded(late: Duration) -> Duration {
    let nanos = late.as_nanos().max(1000);
    let step = 1_u64 << nanos.ilog2().saturating_sub(3);
    Duration::from_nanos(nanos.div_ceil(step).saturating_mul(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_rounded_up_by_little() {
        for nanos in [1, 999, 1000, 1001, 12_345, 1 << 40, (1 << 40) - 1] {
            let up = rounded(Duration::from_nanos(nanos)).as_nanos();
            assert!(up >= nanos && up <= (nanos.max(1000) * 9).div_ceil(8), "{nanos} {up}");
        }
    }

    #[test]
    fn what_is_later_than_needed_is_beyond() {
        let mut tally = PipeTally::default();
        let millis = Duration::from_millis;
        tally.count(millis(1), millis(3));
        tally.count(millis(5), Duration::ZERO);
        let ((by, beyond), (_, at_most)) = (tally.late(millis(2)), tally.at_most(millis(2)));
        assert_eq!((by.len(), beyond, at_most), (2, 1, 2));
    }
}
