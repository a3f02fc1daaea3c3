//! Round-trip times and the retransmission timeout: RFC 6298 with Linux's estimator, as Sarolahti
//! and Kuznetsov describe it ("Congestion Control in Linux TCP", USENIX 2002, §3.1). The deviation
//! is the largest within a round trip, it falls slowly, and a falling round-trip time hardly raises
//! it. Not here: when the timer runs.

use netloom_units::{Duration, Time};

use crate::windowed::Least;

/// The RTO before any sample (RFC 6298 §2.1), and once a SYN was lost (§5.7), in microseconds.
const FIRST_RTO: u64 = 1_000_000;
const FIRST_RTO_AFTER_LOSS: u64 = 3_000_000;
/// Divisor of a deviation that a falling round-trip time causes (the paper's §3.1).
const FALLING_DIVISOR: i64 = 8;

/// The estimator's state, in microseconds. The smoothed time is multiplied by eight and the
/// deviations by four, as RFC 6298 §2 with α = 1/8 and β = 1/4 suggests for integers.
#[derive(Debug, Clone)]
pub(crate) struct RttEstimator {
    srtt8: u64,
    deviation4: u64,
    /// The largest deviation in this round trip.
    peak4: u64,
    /// The deviation from which the timeout is computed.
    rttvar4: u64,
    /// Position at whose acknowledgement the round trip ends.
    round_end: u64,
    least: Least,
    floor: u64,
    ceiling: u64,
    /// The RTO before any sample.
    initial: u64,
}

impl RttEstimator {
    pub fn new(rto_min: Duration, rto_max: Duration, least_window: Duration) -> Self {
        Self {
            srtt8: 0,
            deviation4: 0,
            peak4: 0,
            rttvar4: 0,
            round_end: 0,
            least: Least::new(least_window),
            floor: rto_min.as_nanos() / 1000,
            ceiling: rto_max.as_nanos() / 1000,
            initial: FIRST_RTO,
        }
    }

    /// Makes the timeout without a sample longer after a SYN was lost (RFC 6298 §5.7).
    pub fn syn_was_lost(&mut self) {
        self.initial = FIRST_RTO_AFTER_LOSS;
    }

    /// Takes a sample for the least round-trip time only. It must not include the wait of a delayed
    /// acknowledgement.
    pub fn sample_least(&mut self, now: Time, rtt: Duration) {
        self.least.update(now, rtt);
    }

    /// Takes a sample of `rtt`. Everything before `una` is acknowledged, and `nxt` is sent next.
    pub fn sample(&mut self, rtt: Duration, una: u64, nxt: u64) {
        let micros = (rtt.as_nanos() / 1000).max(1);
        if self.srtt8 == 0 {
            // SRTT = R, RTTVAR = R/2 (RFC 6298 §2.2).
            self.srtt8 = micros * 8;
            self.deviation4 = micros * 2;
            self.rttvar4 = self.deviation4.max(self.floor);
            self.peak4 = self.rttvar4;
            self.round_end = nxt;
            return;
        }
        self.smooth(micros);
        if self.deviation4 > self.peak4 {
            self.peak4 = self.deviation4;
            self.rttvar4 = self.rttvar4.max(self.peak4);
        }
        // The deviation in use rises at once. Once per round trip, it falls by a quarter of the way
        // to the largest one of that round trip (the paper's §3.1). It is never below the least
        // RTO, so RTO − SRTT is not either: recorded, `rto` and `rtt` of ss
        // (benches/tcp/sockets.py).
        if una > self.round_end {
            if self.peak4 < self.rttvar4 {
                self.rttvar4 -= (self.rttvar4 - self.peak4) / 4;
            }
            self.round_end = nxt;
            self.peak4 = self.floor;
        }
    }

    fn smooth(&mut self, micros: u64) {
        let error = micros as i64 - (self.srtt8 / 8) as i64;
        self.srtt8 = self.srtt8.saturating_add_signed(error).max(1);
        let off = error.unsigned_abs() as i64 - (self.deviation4 / 4) as i64;
        // A falling round-trip time says little about how late an answer may be.
        let step = if error < 0 && off > 0 { off / FALLING_DIVISOR } else { off };
        self.deviation4 = self.deviation4.saturating_add_signed(step);
    }

    /// Whether there is any sample.
    pub const fn measured(&self) -> bool {
        self.srtt8 != 0
    }

    /// Returns the smoothed round-trip time. Zero before the first sample.
    pub const fn smoothed(&self) -> Duration {
        Duration::from_nanos(self.srtt8 * 1000 / 8)
    }

    /// Returns the mean deviation, as TCP_INFO shows it.
    pub const fn deviation(&self) -> Duration {
        Duration::from_micros(self.deviation4 / 4)
    }

    /// Returns the least sample of the window. `None` before the first.
    pub fn least(&self) -> Option<Duration> {
        self.least.value()
    }

    /// Returns the timeout after `backoff` timeouts in a row: SRTT + 4 RTTVAR (RFC 6298 §2.3),
    /// doubled for each (§5.5), bounded (§2.5).
    pub fn timeout(&self, backoff: u32) -> Duration {
        let base = if self.measured() { self.srtt8 / 8 + self.rttvar4 } else { self.initial };
        let doubled = base.min(self.ceiling) << backoff.min(30);
        Duration::from_micros(doubled.min(self.ceiling))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator() -> RttEstimator {
        RttEstimator::new(
            Duration::from_millis(200),
            Duration::from_secs(120),
            Duration::from_secs(300),
        )
    }

    #[test]
    fn a_steady_path_times_out_200_ms_after_its_round_trip() {
        let mut rtt = estimator();
        assert_eq!(rtt.timeout(0), Duration::from_secs(1));
        for n in 0..100 {
            rtt.sample(Duration::from_millis(64), n * 1000, n * 1000 + 900);
        }
        assert_eq!(rtt.smoothed(), Duration::from_millis(64));
        assert_eq!(rtt.timeout(0), Duration::from_millis(264));
        assert_eq!(rtt.timeout(1), Duration::from_millis(528));
        assert_eq!(rtt.timeout(20), Duration::from_secs(120));
    }

    #[test]
    fn the_first_sample_leaves_three_round_trips() {
        let mut rtt = estimator();
        rtt.sample(Duration::from_millis(300), 0, 1);
        assert_eq!(rtt.timeout(0), Duration::from_millis(900));
    }

    #[test]
    fn a_sudden_rise_counts_at_once_and_a_fall_little() {
        let (mut up, mut down) = (estimator(), estimator());
        for n in 0..200 {
            up.sample(Duration::from_millis(500), n, n + 1);
            down.sample(Duration::from_millis(500), n, n + 1);
        }
        up.sample(Duration::from_millis(1500), 300, 301);
        down.sample(Duration::from_millis(100), 300, 301);
        assert!(up.timeout(0) > Duration::from_millis(1600), "{}", up.timeout(0));
        assert!(down.timeout(0) < Duration::from_millis(700), "{}", down.timeout(0));
    }
}
