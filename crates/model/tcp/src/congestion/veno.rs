//! Veno (Fu and Liew 2003, "TCP Veno: TCP enhancement for transmission over wireless access
//! networks"): Vegas' estimate of the queue distinguishes congestion from random losses. With few
//! packets queued, a loss costs a fifth of the window. With many, it costs half of it, and growth
//! is halved.

use super::vegas::Delays;
use super::{Acked, CongestionControl, Flow, RecoveryState};

/// Number of packets in the queue that means congestion: β = 3 of the paper.
const BETA: u64 = 3;

/// Veno's variables.
#[derive(Debug, Default)]
pub(crate) struct Veno {
    delays: Delays,
    /// Number of packets that queue.
    queued: u64,
    /// Whether the next increase is left out: every second one is.
    skip: bool,
}

impl CongestionControl for Veno {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        if self.queued < BETA { (flow.cwnd * 4 / 5).max(2) } else { flow.half() }
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        self.queued = self.delays.queued(flow.cwnd);
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            if self.queued < BETA {
                flow.avoid(flow.cwnd, left);
            } else {
                self.grow_slowly(flow, left);
            }
        }
        self.delays.begin_round();
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt {
            self.delays.sample(rtt.as_nanos());
        }
    }

    fn state_changes(&mut self, _: &mut Flow, _: RecoveryState) {
        self.delays.begin_round();
    }
}

impl Veno {
    /// Grows the window by one packet in two round trips.
    fn grow_slowly(&mut self, flow: &mut Flow, acked: u32) {
        flow.cwnd_count += acked;
        if flow.cwnd_count >= flow.cwnd {
            flow.cwnd_count = 0;
            if !self.skip && flow.cwnd < flow.cwnd_clamp {
                flow.cwnd += 1;
            }
            self.skip = !self.skip;
        }
    }
}
