//! Parts that the versions of BBR share: units of gains and bandwidths, the bandwidth-delay
//! product, the pacing rate, bursts, and the estimate of aggregation. Section numbers are those of
//! draft-cardwell-iccrg-bbr-congestion-control-00 ("v1") and of its successor
//! draft-cardwell-ccwg-bbr-00 ("v3"). Not here: how either version uses these.
//!
//! The drafts compute with real numbers. Here a gain is a whole number of thousandths, which keeps
//! every digit that the drafts give. A bandwidth is a whole number of payload bytes per second.

use netloom_units::{Duration, Time};

use super::Flow;
use crate::windowed::Greatest;

/// A gain of 1.
pub(super) const ONE: u64 = 1000;
/// BBRPacingMarginPercent (v3 §4.6.2): percentage by which the pacing rate is below the bandwidth.
/// v1's draft has no such margin.
const PACING_MARGIN: u64 = 1;
/// The longest burst: 64 KBytes (v1 §4.2.2, v3 §4.6.3).
const LONGEST_BURST: u64 = 65_536;
/// Number of bursts in flight at once: the sender's, the offload's and the receiver's (v1 §4.2.3.2,
/// v3 §4.5.8).
pub(super) const BURSTS_IN_FLIGHT: u32 = 3;
/// Round-trip time that the first pacing rate assumes if there is no sample (v1 §4.2.1, v3 §4.6.2).
const FIRST_RTT: Duration = Duration::from_millis(1);

/// Returns the bytes that `bandwidth` delivers in `time`.
fn delivers(bandwidth: u64, time: Duration) -> u128 {
    u128::from(bandwidth) * u128::from(time.as_nanos()) / 1_000_000_000
}

/// Returns `gain` bandwidth-delay products in packets, rounded up, or the initial window if there
/// is no round-trip time (BBRInflight of v1 §4.2.3.2 without its bursts, BBRBDPMultiple of v3
/// §4.6.4.2).
pub(super) fn product(flow: &Flow, bandwidth: u64, rtt: Option<Duration>, gain: u64) -> u32 {
    let Some(rtt) = rtt else { return flow.initial_cwnd };
    let bytes = delivers(bandwidth, rtt) * u128::from(gain);
    let packets = bytes.div_ceil(u128::from(ONE) * u128::from(flow.mss.max(1)));
    u32::try_from(packets).unwrap_or(u32::MAX)
}

/// Returns the pacing rate at `gain` in bytes per second (v1 §4.2.1, v3 §4.6.2).
pub(super) fn pacing_rate(flow: &Flow, bandwidth: u64, gain: u64) -> u64 {
    let rate = u128::from(bandwidth) * u128::from(gain) * u128::from(100 - PACING_MARGIN);
    let rate = rate / (100 * u128::from(ONE));
    // With a rate of zero, nothing would ever be sent again.
    u64::try_from(rate).unwrap_or(u64::MAX).clamp(1, flow.max_pacing_rate)
}

/// Returns the bandwidth before any sample: the initial window per round trip (BBRInitPacingRate).
pub(super) fn first_bandwidth(flow: &Flow) -> u64 {
    let rtt = if flow.srtt == Duration::ZERO { FIRST_RTT } else { flow.srtt };
    let bytes = u64::from(flow.initial_cwnd) * u64::from(flow.mss);
    bytes.saturating_mul(1_000_000_000) / rtt.as_nanos().max(1)
}

/// Returns the packets of a burst: those of a millisecond at the pacing rate, but at least `least`
/// (v1 §4.2.2, v3 §4.6.3).
pub(super) fn burst(flow: &Flow, least: u32) -> u32 {
    let bytes = (flow.pacing_rate / 1000).min(LONGEST_BURST);
    ((bytes / u64::from(flow.mss.max(1))) as u32).max(least)
}

/// Estimate of aggregation: how many more packets are acknowledged at once than the bandwidth
/// explains (BBR.extra_acked, v3 §4.5.9).
#[derive(Debug, Default)]
pub(super) struct Aggregation {
    since: Time,
    acked: u32,
    rounds: u64,
    most: Greatest,
}

impl Aggregation {
    /// Begins an interval.
    pub fn restart(&mut self, now: Time) {
        self.since = now;
        self.acked = 0;
    }

    /// BBRUpdateACKAggregation, after `acked` packets were acknowledged. `round` is whether a round
    /// trip begins with them. The estimate is the greatest of the last `window` round trips.
    pub fn update(&mut self, flow: &Flow, acked: u32, bandwidth: u64, round: bool, window: u64) {
        self.rounds += u64::from(round);
        let bytes = delivers(bandwidth, flow.now.since(self.since));
        let mut expected = u32::try_from(bytes / u128::from(flow.mss.max(1))).unwrap_or(u32::MAX);
        if self.acked <= expected {
            self.restart(flow.now);
            expected = 0;
        }
        self.acked = self.acked.saturating_add(acked);
        let extra = self.acked.saturating_sub(expected).min(flow.cwnd);
        self.most.update(window, self.rounds, extra.into());
    }

    /// Returns the packets to allow in flight beside the bandwidth-delay product.
    pub const fn packets(&self) -> u32 {
        self.most.value() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> Flow {
        let mut flow = Flow::new(10, u64::MAX);
        flow.mss = 1000;
        flow
    }

    #[test]
    fn the_product_is_bandwidth_times_round_trip() {
        // 1 MB/s and 100 ms hold 100 packets. A part of a packet counts as a whole one.
        let rtt = Some(Duration::from_millis(100));
        assert_eq!(product(&flow(), 1_000_000, rtt, 2 * ONE), 200);
        assert_eq!(product(&flow(), 1_005_000, rtt, ONE), 101);
        assert_eq!(product(&flow(), 1_000_000, None, ONE), 10);
    }

    #[test]
    fn the_pacing_rate_leaves_a_hundredth() {
        assert_eq!(pacing_rate(&flow(), 1_000_000, 1250), 1_237_500);
        let bounded = Flow { max_pacing_rate: 5000, ..flow() };
        assert_eq!(pacing_rate(&bounded, 1_000_000, ONE), 5000);
    }

    #[test]
    fn bursts_grow_with_the_pacing_rate() {
        let of = |pacing_rate| burst(&Flow { pacing_rate, ..flow() }, 2);
        assert_eq!([of(150_000), of(3_000_000)], [2, 3]);
        assert_eq!(of(u64::MAX), 65);
    }

    #[test]
    fn what_comes_at_once_is_extra() {
        let mut aggregation = Aggregation::default();
        let mut flow = Flow { cwnd: 100, ..flow() };
        aggregation.restart(flow.now);
        for step in 1..=20u64 {
            // 100 packets per second on average, in groups of ten.
            flow.now = Time::from_nanos(step * 100_000_000);
            aggregation.update(&flow, 10, 100_000, false, 10);
        }
        assert_eq!(aggregation.packets(), 10);
        // After a pause and ten round trips without aggregation, the estimate is forgotten.
        for step in 1..=1200u64 {
            flow.now = Time::from_nanos(3_000_000_000 + step * 10_000_000);
            aggregation.update(&flow, 1, 100_000, step % 100 == 0, 10);
        }
        assert_eq!(aggregation.packets(), 1);
    }
}
