//! A series: the bits sent in each of equal bins.

use netloom_units::{Duration, Time};

use super::VariancePoint;
use crate::Emission;

/// Smallest number of sums of which a variance is computed.
const FEWEST: usize = 16;

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
    /// # Panics
    /// If `bin` is zero.
    pub fn new(frames: impl IntoIterator<Item = Emission>, bin: Duration, time: Duration) -> Self {
        assert!(bin > Duration::ZERO, "bins have a length");
        let count = (time.as_nanos() / bin.as_nanos()) as usize;
        let mut bits = vec![0.0; count];
        for Emission { at, bytes } in frames {
            let index = at.since(Time::ZERO).as_nanos() / bin.as_nanos();
            match bits.get_mut(usize::try_from(index).unwrap_or(usize::MAX)) {
                Some(sum) => *sum += f64::from(bytes) * 8.0,
                None => break,
            }
        }
        Self { bin, bits }
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
