//! Rate traces in Mahimahi's format (Netravali et al. 2015), which list when the line may send.

use std::sync::Arc;

use netloom_units::{DataError, DataFormat, Duration, Rate, Time, check_count, lines, quoted};
use serde::{Deserialize, Serialize};

/// Bytes of a packet, without its Ethernet header, that one opportunity carries.
pub const OPPORTUNITY_BYTES: u64 = 1500;

/// Opportunities to send. At each of these milliseconds, 1500 bytes may leave. After the last one
/// the trace starts again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<u64>"))]
pub struct RateTrace {
    milliseconds: Vec<u64>,
}

impl RateTrace {
    /// Creates a trace of opportunities at `milliseconds`, counted from the beginning of the trace.
    ///
    /// # Errors
    /// There are no opportunities, they go back in time, or the last one is at 0 or after
    /// [`u32::MAX`] ms. Also, there may be too many: more than [`MAX_VALUES`](crate::MAX_VALUES),
    /// or a mean above [`Rate::MAX`].
    pub fn new(milliseconds: Vec<u64>) -> Result<Self, String> {
        check_count(milliseconds.len(), "a trace")?;
        match milliseconds.last() {
            Some(0) => return Err("a trace's last opportunity must be after millisecond 0".into()),
            Some(last) if *last > u64::from(u32::MAX) => {
                return Err(format!("a trace is at most {} ms long", u32::MAX));
            }
            _ => {}
        }
        let trace = Self { milliseconds };
        if trace.mean_bits_per_second() > u128::from(Rate::MAX.bits_per_second()) {
            return Err(format!("a trace's mean is at most {}", Rate::MAX));
        }
        let milliseconds = &trace.milliseconds;
        match milliseconds.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(index) => Err(format!(
                "opportunity {} at {} ms is before the one in front of it at {} ms",
                index + 2,
                milliseconds[index + 1],
                milliseconds[index]
            )),
            None => Ok(trace),
        }
    }

    /// Times of the opportunities, in ms.
    pub fn milliseconds(&self) -> &[u64] {
        &self.milliseconds
    }

    /// Time after which the trace starts again, in ms.
    pub fn period_ms(&self) -> u64 {
        self.milliseconds.last().copied().unwrap_or(1)
    }

    /// The mean rate, counting the bits of packets without Ethernet headers.
    pub fn mean(&self) -> Rate {
        // `new` ensures that the mean is not above the largest rate.
        let bits = u64::try_from(self.mean_bits_per_second()).unwrap_or(u64::MAX).max(1);
        Rate::from_bits_per_second(bits).unwrap_or(Rate::MAX)
    }

    /// The rate of the second with most opportunities, counted as in [`Self::mean`], and never less
    /// than the mean.
    pub fn largest(&self) -> Rate {
        const SECOND: u64 = 1000;
        let times = &self.milliseconds;
        let (mut first, mut most) = (0, 0);
        // The trace repeats: a second may begin in one round and end in the next one.
        let next = times.iter().map(|ms| ms + self.period_ms());
        for (place, ms) in times.iter().copied().chain(next).enumerate() {
            while times[first] + SECOND <= ms {
                first += 1;
                if first == times.len() {
                    break;
                }
            }
            if first == times.len() {
                break;
            }
            most = most.max(place + 1 - first);
        }
        let bits = (most as u64).saturating_mul(OPPORTUNITY_BYTES).saturating_mul(8);
        Rate::from_bits_per_second(bits.max(1)).unwrap_or(Rate::MAX).max(self.mean())
    }

    fn mean_bits_per_second(&self) -> u128 {
        let bits = self.milliseconds.len() as u128 * u128::from(OPPORTUNITY_BYTES) * 8 * 1000;
        bits / u128::from(self.period_ms())
    }
}

/// A trace with its current position.
#[derive(Debug)]
pub(crate) struct TraceClock {
    trace: Arc<RateTrace>,
    /// Time at which the current round of the trace began.
    round: Time,
    /// Index of the current opportunity.
    index: usize,
    /// Bytes that are left of the current opportunity. They are lost once its time has passed.
    left: u64,
    mean: Rate,
}

impl TraceClock {
    pub fn new(trace: Arc<RateTrace>, start: Time) -> Self {
        let mean = trace.mean();
        Self { trace, round: start, index: 0, left: OPPORTUNITY_BYTES, mean }
    }

    pub fn mean(&self) -> Rate {
        self.mean
    }

    /// Sends `bytes` by the opportunities from `now` on. A packet may take the rest of one
    /// opportunity and the beginning of the next. Returns the time at which the last byte has left.
    pub fn send(&mut self, now: Time, bytes: u64) -> Time {
        self.skip_to(now);
        let mut bytes = bytes;
        while bytes > self.left {
            bytes -= self.left;
            self.next();
        }
        self.left -= bytes;
        self.at()
    }

    /// Time of the current opportunity.
    fn at(&self) -> Time {
        self.round + Duration::from_millis(self.trace.milliseconds[self.index])
    }

    fn next(&mut self) {
        self.left = OPPORTUNITY_BYTES;
        self.index += 1;
        if self.index == self.trace.milliseconds.len() {
            self.index = 0;
            self.round += Duration::from_millis(self.trace.period_ms());
        }
    }

    /// Skips the opportunities before `now`.
    fn skip_to(&mut self, now: Time) {
        if self.at() >= now {
            return;
        }
        self.next();
        let period = Duration::from_millis(self.trace.period_ms()).as_nanos();
        let rounds = now.since(self.round).as_nanos() / period;
        if rounds > 0 && self.at() < now {
            self.round += Duration::from_nanos((rounds - 1) * period);
            self.index = 0;
        }
        while self.at() < now {
            let elapsed = now.since(self.round).as_nanos().div_ceil(1_000_000);
            let later = &self.trace.milliseconds[self.index..];
            let skipped = later.partition_point(|at| *at < elapsed);
            if skipped == later.len() {
                self.index = 0;
                self.round += Duration::from_nanos(period);
            } else {
                self.index += skipped;
            }
        }
    }
}

impl TryFrom<Vec<u64>> for RateTrace {
    type Error = String;
    fn try_from(milliseconds: Vec<u64>) -> Result<Self, String> {
        Self::new(milliseconds)
    }
}

impl From<RateTrace> for Vec<u64> {
    fn from(trace: RateTrace) -> Self {
        trace.milliseconds
    }
}

impl DataFormat for RateTrace {
    const WHAT: &'static str = "Mahimahi trace";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut milliseconds = Vec::new();
        for (number, line) in lines(text) {
            let at = line.parse().map_err(|_| {
                let line = quoted(line);
                DataError::at(number, format!("{line} is not a whole number of milliseconds"))
            })?;
            if milliseconds.last().is_some_and(|last| at < *last) {
                return Err(DataError::at(number, format!("{at} ms is before the line above it")));
            }
            milliseconds.push(at);
        }
        Self::new(milliseconds).map_err(DataError::Whole)
    }
}
