//! Delays of packets: their extremes, their mean and their distribution.

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::Histogram;

/// Delays of packets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Delays {
    extremes: Option<(Duration, Duration)>,
    sum_ns: u128,
    distribution: Histogram,
    count: u64,
}

impl Delays {
    /// Counts one delay.
    pub fn record(&mut self, delay: Duration) {
        let (least, most) = self.extremes.unwrap_or((delay, delay));
        self.extremes = Some((least.min(delay), most.max(delay)));
        self.sum_ns += u128::from(delay.as_nanos());
        self.distribution.record(delay.as_nanos(), 1);
        self.count += 1;
    }

    /// Adds the delays that `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        let all = [self.extremes, other.extremes].into_iter().flatten();
        self.extremes = all.reduce(|(least, most), one| (least.min(one.0), most.max(one.1)));
        self.sum_ns += other.sum_ns;
        self.distribution.merge(&other.distribution);
        self.count += other.count;
    }

    /// Returns delays with these extremes, sum and distribution.
    pub fn from_parts(
        extremes: Option<(Duration, Duration)>,
        sum_ns: u128,
        distribution: Histogram,
    ) -> Self {
        let count = distribution.buckets().map(|(_, times)| times).sum();
        Self { extremes, sum_ns, distribution, count }
    }

    /// Returns the number of delays in each bucket.
    pub fn distribution(&self) -> &Histogram {
        &self.distribution
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of delays.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the shortest and the longest delay.
    pub fn extremes(&self) -> Option<(Duration, Duration)> {
        self.extremes
    }

    /// Sum of all delays, in ns.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Mean delay in ns. `None` if there are no delays.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// Returns the delay that `share` (0 to 1) of all delays do not exceed, within 1 %.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let (least, most) = self.extremes?;
        let found = Duration::from_nanos(self.distribution.quantile(share, self.count));
        Some(found.clamp(least, most))
    }
}

/// Delays as they are written: the number of delays in each bucket that has some.
#[derive(Serialize, Deserialize)]
struct Written {
    extremes: Option<(Duration, Duration)>,
    sum_ns: u64,
    buckets: Vec<(u16, u64)>,
}

impl From<Delays> for Written {
    fn from(delays: Delays) -> Self {
        Self {
            extremes: delays.extremes,
            // The delays of 500 years.
            sum_ns: u64::try_from(delays.sum_ns).unwrap_or(u64::MAX),
            buckets: delays.distribution.buckets().collect(),
        }
    }
}

impl TryFrom<Written> for Delays {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let mut distribution = Histogram::default();
        for (bucket, times) in written.buckets {
            if !distribution.record_in(bucket, times) {
                return Err(format!("there is no bucket {bucket}"));
            }
        }
        Ok(Self::from_parts(written.extremes, written.sum_ns.into(), distribution))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_can_be_written_and_read() {
        let mut delays = Delays::default();
        for ms in [1, 2, 3, 500] {
            delays.record(Duration::from_millis(ms));
        }
        let text = serde_json::to_string(&delays).unwrap();
        assert_eq!(serde_json::from_str::<Delays>(&text).unwrap(), delays);
        let none = text.replace("[[", "[[60000,1],[");
        assert!(serde_json::from_str::<Delays>(&none).is_err(), "{none}");
    }
}
