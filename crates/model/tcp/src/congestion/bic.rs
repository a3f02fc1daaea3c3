//! BIC (Xu, Harfoush and Rhee 2004, "Binary increase congestion control (BIC) for fast
//! long-distance networks", INFOCOM, §III): binary search between the window that a loss left and
//! the one that it met, with steps of S_max packets at most and S_min at least in a round trip;
//! beyond it a slow start from there ("max probing") up to steps of S_max; fast convergence.
//! Constants are those of the paper, not those of any kernel, which differ.

use super::{CongestionControl, Flow, RecoveryState};

/// Steps are in hundredths of a packet for each round trip: S_max = 32, S_min = 0.01.
const ONE: u64 = 100;
const LARGEST_STEP: u64 = 32 * ONE;
const LEAST_STEP: u64 = 1;
/// low_window: BIC is Reno up to here.
const LOW_WINDOW: u32 = 14;
/// β = 1/8: a loss takes this part of the window.
const BETA: u32 = 8;

/// BIC's variables.
#[derive(Debug, Default)]
pub(crate) struct Bic {
    /// The window that the latest loss met, lowered by fast convergence (`prev_max`, `max_win`);
    /// 0 before the first.
    most: u32,
    /// Hundredths of a packet, times the window, beyond whole packets.
    credit: u64,
}

impl Bic {
    /// Hundredths of a packet by which a window of `cwnd` grows in a round trip.
    fn step(&self, cwnd: u32) -> u64 {
        if cwnd <= LOW_WINDOW {
            return ONE;
        }
        let step = if cwnd < self.most {
            // Half-way to the largest window.
            u64::from(self.most - cwnd) * ONE / 2
        } else {
            // Slow start from there: what is gained already doubles.
            u64::from(cwnd - self.most).max(1) * ONE
        };
        step.clamp(LEAST_STEP, LARGEST_STEP)
    }
}

impl CongestionControl for Bic {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let kept = flow.cwnd - flow.cwnd / BETA;
        // Fast convergence: a falling maximum leaves room to others.
        let falling = flow.cwnd < self.most;
        self.most = if falling { u32::midpoint(flow.cwnd, kept) } else { flow.cwnd };
        if flow.cwnd <= LOW_WINDOW { flow.half() } else { kept }
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left == 0 || flow.in_slow_start() {
            return;
        }
        let packet = u64::from(flow.cwnd) * ONE;
        self.credit += self.step(flow.cwnd) * u64::from(left);
        let more = (self.credit / packet) as u32;
        self.credit %= packet;
        flow.cwnd = flow.cwnd.saturating_add(more).min(flow.cwnd_clamp);
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            self.most = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_halve_the_distance_within_their_bounds_and_double_beyond() {
        let bic = Bic { most: 200, credit: 0 };
        let steps = [10, 100, 150, 198, 200, 204, 300].map(|cwnd| bic.step(cwnd));
        assert_eq!(steps, [100, 3200, 2500, 100, 100, 400, 3200]);
    }
}
