//! A series: the bits sent in each of equal bins.

use netloom_units::{Duration, Time};
use thiserror::Error;

use super::VariancePoint;
use crate::Emission;

/// Smallest number of sums of which a variance is computed.
const FEWEST: usize = 16;

/// Largest number of bins of a series: 128 MiB of memory.
pub const MOST_BINS: u64 = 1 << 24;

/// A time holds too many bins, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{time} hold {} bins of {bin}, not 1 to {MOST_BINS}", bins(*time, *bin))]
pub struct BinCount {
    /// The time that was to be divided.
    pub time: Duration,
    /// The length of a bin.
    pub bin: Duration,
}

impl BinCount {
    /// Returns the shortest bin that fits, rounded up to 1, 2 or 5 times a power of ten.
    pub fn fitting(&self) -> Duration {
        let least = self.time.as_nanos().div_ceil(MOST_BINS);
        let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(10));
        let mut lengths =
            powers.flat_map(|power| [1, 2, 5].map(|times| power.saturating_mul(times)));
        Duration::from_nanos(lengths.find(|length| *length >= least).unwrap_or(least))
    }
}

/// Returns the number of whole bins in a time. Bins of length 0 are not a number.
fn bins(time: Duration, bin: Duration) -> u64 {
    time.as_nanos().checked_div(bin.as_nanos()).unwrap_or(u64::MAX)
}

/// The bits that were sent in each of equal bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    bin: Duration,
    bits: Vec<f64>,
}

impl Series {
    /// Returns the bins of length `bin` that end within `time`, filled with `frames`, which must be
    /// in order.
    ///
    /// # Errors
    /// If `time` holds no bin, or more than [`MOST_BINS`]. Times come from files and may be
    /// anything, so they are no length of memory.
    pub fn new(
        frames: impl IntoIterator<Item = Emission>,
        bin: Duration,
        time: Duration,
    ) -> Result<Self, BinCount> {
        let count = bins(time, bin);
        if !(1..=MOST_BINS).contains(&count) {
            return Err(BinCount { time, bin });
        }
        let mut bits = vec![0.0; count as usize];
        for Emission { at, bytes } in frames {
            let index = at.since(Time::ZERO).as_nanos() / bin.as_nanos();
            match bits.get_mut(usize::try_from(index).unwrap_or(usize::MAX)) {
                Some(sum) => *sum += f64::from(bytes) * 8.0,
                None => break,
            }
        }
        Ok(Self { bin, bits })
    }

    /// Returns the length of a bin.
    pub fn bin(&self) -> Duration {
        self.bin
    }

    /// Returns the bits sent in each bin.
    pub fn bits(&self) -> &[f64] {
        &self.bits
    }

    /// Returns the mean rate in bit/s.
    pub fn mean(&self) -> f64 {
        mean(&self.bits) / self.bin.as_secs_f64()
    }

    /// Returns the rate of the fullest bin in bit/s.
    pub fn peak(&self) -> f64 {
        self.bits.iter().copied().fold(0.0, f64::max) / self.bin.as_secs_f64()
    }

    /// Returns the variances of the bits sent in 1, 2, 4 … bins, as long as there are 16 such
    /// periods. `known` is the mean rate in bit/s about which the variances are computed, if it is
    /// given. The mean of the series itself would explain too much if there are few long sums.
    pub fn variances(&self, known: Option<f64>) -> Vec<VariancePoint> {
        let mut points = Vec::new();
        let mut sums = self.bits.clone();
        let mut time = self.bin;
        while sums.len() >= FEWEST {
            let center = known.map_or_else(|| mean(&sums), |rate| rate * time.as_secs_f64());
            let square = |sum: &f64| (sum - center) * (sum - center);
            let variance = sums.iter().map(square).sum::<f64>() / sums.len() as f64;
            points.push(VariancePoint { time, variance, count: sums.len() });
            sums = sums.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
            time += time;
        }
        points
    }
}

/// Returns the mean, or 0 if there are no values.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_of_a_file_is_a_length_of_memory() {
        let second = Duration::from_secs(1);
        for (bin, time, fitting) in [
            (Duration::from_millis(10), Duration::from_secs(1 << 30), 100_000_000_000),
            (Duration::from_nanos(1), Duration::from_nanos(u64::MAX), 2_000_000_000_000),
            (Duration::from_nanos(1), Duration::from_nanos(MOST_BINS + 1), 2),
        ] {
            let error = Series::new([], bin, time).expect_err("too many");
            assert_eq!(error.fitting().as_nanos(), fitting, "{error}");
            assert!(Series::new([], error.fitting(), time).is_ok(), "{error}");
        }
        assert!(Series::new([], second, Duration::ZERO).is_err());
        assert!(Series::new([], Duration::ZERO, second).is_err());
        let most = Series::new([], Duration::from_nanos(1), Duration::from_nanos(MOST_BINS));
        assert_eq!(most.map(|series| series.bits().len() as u64), Ok(MOST_BINS));
    }
}
