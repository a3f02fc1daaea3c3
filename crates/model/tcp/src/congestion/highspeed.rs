//! HighSpeed TCP (RFC 3649): the window grows by a(w)/w packets for each acknowledgement and
//! shrinks by the fraction b(w) at a loss. Above 38 packets, both follow from a straight response
//! function. The steps of a(w) are those of RFC 3649's appendix B. With receivers that delay
//! acknowledgements, windows grow by half of a(w) in a round trip, as Linux's do.

use super::{CongestionControl, Flow};

/// The largest windows at which a(w) is 1, 2, 3 … (appendix B).
pub(crate) const STEPS: [u32; 73] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778,
    4177, 4596, 5036, 5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082,
    12834, 13614, 14424, 15265, 16137, 17042, 17981, 18955, 19965, 21013, 22101, 23230, 24402,
    25618, 26881, 28193, 29557, 30975, 32450, 33986, 35586, 37253, 38992, 40808, 42707, 44694,
    46776, 48961, 51258, 53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401, 79517, 84035,
    89053, 94717,
];

/// b of each step, in 100ths (appendix B).
pub(crate) const DECREASES: [u32; 73] = [
    50, 44, 41, 38, 37, 35, 34, 33, 32, 31, 30, 29, 28, 28, 27, 27, 26, 26, 25, 25, 24, 24, 23, 23,
    22, 22, 22, 21, 21, 21, 20, 20, 20, 19, 19, 19, 19, 18, 18, 18, 17, 17, 17, 17, 16, 16, 16, 16,
    15, 15, 15, 15, 14, 14, 14, 14, 13, 13, 13, 13, 13, 12, 12, 12, 12, 11, 11, 11, 10, 10, 10, 10,
    9,
];

/// HighSpeed TCP has no state: a(w) and b(w) depend on the window only.
#[derive(Debug)]
pub(crate) struct HighSpeed;

/// Returns the step of a window: a(w) − 1.
pub(crate) fn step(cwnd: u32) -> usize {
    STEPS.partition_point(|bound| *bound < cwnd).min(STEPS.len() - 1)
}

impl CongestionControl for HighSpeed {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let less = u64::from(flow.cwnd) * u64::from(DECREASES[step(flow.cwnd)]) / 100;
        (flow.cwnd - less as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        if flow.in_slow_start() {
            flow.slow_start(acked);
            return;
        }
        // "In response to a single acknowledgment": a(w)/w, however many packets it acknowledges
        // (§5).
        flow.cwnd_count = flow.cwnd_count.saturating_add(step(flow.cwnd) as u32 + 1);
        if flow.cwnd_count >= flow.cwnd && flow.cwnd < flow.cwnd_clamp {
            flow.cwnd_count -= flow.cwnd;
            flow.cwnd += 1;
        }
    }
}
