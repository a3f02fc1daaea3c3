//! BIC (Xu, Harfoush and Rhee 2004, "Binary increase congestion control for fast long-distance
//! networks"): additive increase up to a largest step, binary search for the window of the latest
//! loss, then a slow start beyond it. Constants as Linux is known to have them: β = 0.8 of the
//! window is kept, steps of 16 packets at most, Reno below 14 packets.

use super::{CongestionControl, Flow, RecoveryState};

/// The part of the window that is kept, in 1024ths.
const BETA: u64 = 819;
const SCALE: u64 = 1024;
/// S_max: the largest step in a round trip.
const LARGEST_STEP: u32 = 16;
/// Below this window BIC is Reno.
const LOW_WINDOW: u32 = 14;
/// The search goes a quarter of the way in a round trip (B).
const SEARCH: u32 = 4;
/// Close to the target, and shortly beyond it, a packet takes so many round trips (divided by B).
const SMOOTH: u32 = 20;

/// BIC's variables.
#[derive(Debug, Default)]
pub(crate) struct Bic {
    /// The window before the latest reduction; 0 before the first.
    last_max: u32,
}

impl Bic {
    /// Packets to be acknowledged for one more.
    fn acks_per_packet(&self, cwnd: u32) -> u32 {
        if cwnd <= LOW_WINDOW {
            return cwnd;
        }
        let count = if cwnd < self.last_max {
            let step = (self.last_max - cwnd) / SEARCH;
            match step {
                0 | 1 => cwnd * SMOOTH / SEARCH,
                step => cwnd / step.min(LARGEST_STEP),
            }
        } else {
            let beyond = cwnd - self.last_max;
            if beyond < SEARCH {
                cwnd * SMOOTH / SEARCH
            } else if beyond < LARGEST_STEP * (SEARCH - 1) {
                cwnd * (SEARCH - 1) / beyond
            } else {
                cwnd / LARGEST_STEP
            }
        };
        // Before any loss: 5 % in a round trip at least.
        if self.last_max == 0 { count.min(20) } else { count }.max(1)
    }
}

impl CongestionControl for Bic {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let cwnd = u64::from(flow.cwnd);
        // Fast convergence: a falling maximum leaves room to others.
        let falling = flow.cwnd < self.last_max;
        let max = if falling { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
        self.last_max = max as u32;
        if flow.cwnd <= LOW_WINDOW { flow.half() } else { ((cwnd * BETA / SCALE) as u32).max(2) }
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            flow.avoid(self.acks_per_packet(flow.cwnd), left);
        }
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            self.last_max = 0;
        }
    }
}
