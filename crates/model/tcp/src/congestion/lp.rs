//! TCP-LP (Kuzmanovic and Knightly 2003, "TCP-LP: A distributed algorithm for low priority data
//! transfer"): one-way delays, measured by timestamps, that exceed 15 % of their range are early
//! congestion. The window is then halved, and an inference phase begins. A second sign of
//! congestion in that phase reduces the window to one packet.
//!
//! A one-way delay is the difference of two clocks that are not synchronised: timestamps start at a
//! random value in Linux. LP takes the magnitude of the difference, so a longer delay shortens it
//! for one connection in two: where the receiver's clock is behind. At each decision, Linux's LP
//! restarts the range, from the smoothed magnitude to twice that, so that 15 % of the range are
//! days. From then on it behaves like Reno. So does this one.

use netloom_units::{Duration, Time};

use super::{Acked, CongestionControl, Flow};

/// δ: the threshold's place in the range of one-way delays, in percent.
const THRESHOLD: u64 = 15;
/// Duration of the inference phase in round trips.
const INFERENCE_RTTS: u64 = 3;

/// TCP-LP's variables. One-way delays are in milliseconds: magnitudes of differences of two clocks
/// that are an unknown time apart.
#[derive(Debug, Default)]
pub(crate) struct Lp {
    /// Smoothed one-way delay in eighths, once there is a sample.
    smoothed8: Option<i64>,
    /// Least and largest one-way delay, once there are any.
    range: Option<(i64, i64)>,
    above: bool,
    inference_until: Option<Time>,
    /// Time at which the latest decision takes effect: everything in flight at the decision has
    /// then left the queue, and its acknowledgements have arrived.
    blind_until: Time,
}

impl Lp {
    fn sample(&mut self, delay: i64) {
        match &mut self.smoothed8 {
            None => self.smoothed8 = Some(delay * 8),
            Some(smoothed) => *smoothed += delay - *smoothed / 8,
        }
        let (least, most) = self.range.unwrap_or((delay, delay));
        let (least, most) = (least.min(delay), most.max(delay));
        self.range = Some((least, most));
        let range = (most - least) as u64;
        let over = self.smoothed8.unwrap_or(0) - least * 8;
        self.above = range > 0 && over > (8 * range * THRESHOLD / 100) as i64;
    }

    fn react(&mut self, flow: &mut Flow) {
        let round = flow.srtt.as_nanos();
        let inferring = self.inference_until.is_some_and(|until| flow.now < until);
        flow.cwnd = if inferring { 1 } else { (flow.cwnd / 2).max(1) };
        flow.ssthresh = flow.ssthresh.min(flow.cwnd.max(2));
        self.blind_until = flow.now + Duration::from_nanos(2 * round);
        self.range = self.smoothed8.map(|smoothed| (smoothed / 8, smoothed / 4));
        self.inference_until =
            Some(flow.now + Duration::from_nanos(INFERENCE_RTTS.saturating_mul(round)));
    }
}

impl CongestionControl for Lp {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        flow.half()
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        let inferring = self.inference_until.is_some_and(|until| flow.now < until);
        if flow.cwnd_limited && !inferring {
            flow.grow_as_reno(acked);
        }
    }

    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        // The acknowledgement of a single packet may have been delayed by the receiver, which is
        // not a delay of the path.
        if sample.packets < 2 || flow.now < self.blind_until {
            return;
        }
        // The delay is measured from the time at which the newest packet was sent to the receiver's
        // clock when it acknowledged it. The packet whose timestamp is echoed may have waited for
        // the newest one.
        let Some((rtt, value)) = sample.rtt.zip(flow.timestamp_value) else { return };
        let sent = flow.now.as_nanos().saturating_sub(rtt.as_nanos()) / 1_000_000;
        self.sample(i64::from(value.wrapping_sub(sent as u32).cast_signed().unsigned_abs()));
        // Slow start up to the first loss shows the range: it is the paper's initial estimate of
        // d_max.
        if self.above && flow.ssthresh != u32::MAX {
            self.react(flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of reactions to a delay that rises and falls by 53 ms, ten times in two
    /// minutes, after a loss. The receiver's clock is `apart` from the sender's.
    fn reactions(apart: u32) -> u32 {
        let mut lp = Lp::default();
        let mut flow = Flow::new(10, u64::MAX);
        (flow.ssthresh, flow.srtt) = (75, Duration::from_millis(128));
        let mut reactions = 0;
        for milli in 0..120_000u64 {
            let wave = milli % 12_000;
            let queue = wave.min(12_000 - wave) * 53 / 6000;
            let rtt = 128 + queue;
            flow.now = Time::from_nanos((1000 + milli) * 1_000_000);
            let sent = flow.now.as_nanos() / 1_000_000 - rtt;
            flow.timestamp_value = Some((sent as u32).wrapping_add(64 + queue as u32 + apart));
            flow.cwnd = 100;
            let rtt = Some(Duration::from_millis(rtt));
            lp.acked(&mut flow, &Acked { packets: 2, rtt, in_flight: 100 });
            reactions += u32::from(flow.cwnd < 100);
        }
        reactions
    }

    /// The distance of the two clocks is a random number, of which half are negative. Whatever it
    /// is, early congestion is detected once.
    #[test]
    fn early_congestion_is_detected_once_however_far_the_clocks_are_apart() {
        for apart in
            [1 << 20, 1 << 30, (1 << 31) - 200, (1 << 31) + 200, 3 << 30, u32::MAX - (1 << 20)]
        {
            assert_eq!(reactions(apart), 1, "{apart}");
        }
    }
}
