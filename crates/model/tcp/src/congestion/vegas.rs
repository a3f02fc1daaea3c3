//! Vegas (Brakmo and Peterson 1995, "TCP Vegas: End to end congestion avoidance on a global
//! Internet"): once per round trip, the number of packets that queue (cwnd − cwnd·baseRTT/RTT) is
//! kept between α = 2 and β = 4. Slow start ends when more than γ = 1 packets queue.

use super::{Acked, CongestionControl, Flow, RecoveryState};

const ALPHA: u64 = 2;
const BETA: u64 = 4;
const GAMMA: u64 = 1;

/// Delay measurements of Vegas. YeAH, NV and Veno measure similarly.
#[derive(Debug, Default)]
pub(crate) struct Delays {
    /// Least round-trip time in ns. 0 before any sample.
    pub base: u64,
    /// Least round-trip time of this round.
    pub least: u64,
    /// Number of samples in this round.
    pub samples: u32,
}

impl Delays {
    pub fn sample(&mut self, rtt: u64) {
        let rtt = rtt.max(1);
        if self.base == 0 || rtt < self.base {
            self.base = rtt;
        }
        if self.least == 0 || rtt < self.least {
            self.least = rtt;
        }
        self.samples += 1;
    }

    pub fn begin_round(&mut self) {
        self.least = 0;
        self.samples = 0;
    }

    /// Returns how many packets of a window of `cwnd` queue, according to this round's least
    /// round-trip time.
    pub fn queued(&self, cwnd: u32) -> u64 {
        let over = self.least.saturating_sub(self.base);
        (u128::from(cwnd) * u128::from(over)).checked_div(u128::from(self.base)).unwrap_or(0) as u64
    }
}

/// Vegas' variables.
#[derive(Debug, Default)]
pub(crate) struct Vegas {
    delays: Delays,
    round_end: u64,
    enabled: bool,
}

impl Vegas {
    fn enable(&mut self, flow: &Flow) {
        self.enabled = true;
        self.round_end = flow.nxt;
        self.delays.begin_round();
    }

    /// Adjusts the window at the end of a round.
    fn adjust(&mut self, flow: &mut Flow) {
        let queued = self.delays.queued(flow.cwnd);
        let target = u128::from(flow.cwnd) * u128::from(self.delays.base)
            / u128::from(self.delays.least.max(1));
        if flow.in_slow_start() {
            if queued > GAMMA {
                flow.cwnd = flow.cwnd.min(target as u32 + 1);
                flow.ssthresh = flow.ssthresh.min(flow.cwnd.saturating_sub(1));
            } else {
                return;
            }
        } else if queued > BETA {
            flow.cwnd -= 1;
            flow.ssthresh = flow.ssthresh.min(flow.cwnd.saturating_sub(1));
        } else if queued < ALPHA {
            flow.cwnd += 1;
        }
        flow.cwnd = flow.cwnd.max(2).min(flow.cwnd_clamp);
    }
}

impl CongestionControl for Vegas {
    fn start(&mut self, flow: &mut Flow) {
        self.enable(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        flow.half()
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !self.enabled {
            if flow.cwnd_limited {
                flow.grow_as_reno(acked);
            }
            return;
        }
        if flow.una > self.round_end {
            self.round_end = flow.nxt;
            if self.delays.samples == 0 {
                if flow.cwnd_limited {
                    flow.grow_as_reno(acked);
                }
            } else {
                let slow = flow.in_slow_start();
                self.adjust(flow);
                if slow && flow.in_slow_start() {
                    flow.slow_start(acked);
                }
            }
            self.delays.begin_round();
        } else if flow.in_slow_start() && flow.cwnd_limited {
            flow.slow_start(acked);
        }
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt {
            self.delays.sample(rtt.as_nanos());
        }
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Open {
            self.enable(flow);
        } else {
            self.enabled = false;
        }
    }

    fn event(&mut self, flow: &mut Flow, event: super::CongestionEvent) {
        use super::CongestionEvent::{TransmitStart, WindowRestart};
        if matches!(event, WindowRestart | TransmitStart) {
            self.enable(flow);
        }
    }
}
