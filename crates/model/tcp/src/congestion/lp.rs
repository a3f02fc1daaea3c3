//! TCP-LP (Kuzmanovic and Knightly 2003, "TCP-LP: A distributed algorithm for low priority data
//! transfer"): one-way delays, from timestamps, above 15 % of their range are early congestion: the
//! window halves, and an inference phase begins, in which a second sign takes it down to one
//! packet.
//!
//! A one-way delay is the difference of two clocks that nobody has set: timestamps begin at random
//! in Linux. Its LP begins the range anew with each decision, from the smoothed difference to twice
//! that, so that 15 % of it are days; from then on it is Reno. So is this one.

use netloom_units::{Duration, Time};

use super::{Acked, CongestionControl, Flow};

/// δ: the threshold's place in the range of one-way delays, in per cent.
const THRESHOLD: u64 = 15;
/// The inference phase lasts so many round trips.
const INFERENCE_RTTS: u64 = 3;
/// By how many milliseconds the clocks at both ends are apart: the order of what is drawn at random
/// from 32 bits.
const APART: i64 = 1 << 30;

/// TCP-LP's variables; one-way delays in milliseconds, with an unknown offset.
#[derive(Debug, Default)]
pub(crate) struct Lp {
    /// Smoothed one-way delay in eighths, once there is one.
    smoothed8: Option<i64>,
    /// The least and the largest, once there are any.
    range: Option<(i64, i64)>,
    above: bool,
    inference_until: Option<Time>,
    /// When the latest decision shows its effect: once what it found in flight has left the queue,
    /// and an acknowledgement says so.
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
        // The acknowledgement of one packet may have waited: that is no delay of the path.
        if sample.packets < 2 || flow.now < self.blind_until {
            return;
        }
        // From when the newest packet was sent to the receiver's clock, which it started: the one
        // whose timestamp is echoed may have waited for it.
        let Some((rtt, value)) = sample.rtt.zip(flow.timestamp_value) else { return };
        let sent = flow.now.as_nanos().saturating_sub(rtt.as_nanos()) / 1_000_000;
        self.sample(APART + i64::from(value.wrapping_sub(sent as u32) as i32));
        // Slow start up to the first loss shows the range: the paper's initial estimate of d_max.
        if self.above && flow.ssthresh != u32::MAX {
            self.react(flow);
        }
    }
}
