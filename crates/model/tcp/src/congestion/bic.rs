//! BIC (Xu, Harfoush and Rhee 2004, "Binary increase congestion control (BIC) for fast
//! long-distance networks", INFOCOM, §III): a binary search between the window after a loss and the
//! window at which it occurred; beyond that window, a slow start from there ("max probing"); fast
//! convergence.
//!
//! Bounds and parameters are those of Linux's module (`modinfo tcp_bic`), not those of the paper:
//! `beta` = 819/1024, `max_increment` = 16, `low_window` = 14, `smooth_part` = 20. A step goes a
//! quarter of the way, not half of it. Windows grow by packets acknowledged, by a rule that takes
//! each acknowledgement to be for one packet. With receivers that delay acknowledgements, they
//! therefore grow twice as fast.

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// A step goes this fraction of the way to the largest window.
const PART: u32 = 4;
/// Largest growth of a window in a round trip, in packets: `max_increment`.
const LARGEST_STEP: u32 = 16;
/// Round trips in which a window grows by [`PART`] packets near the largest one: `smooth_part`.
const SMOOTH: u32 = 20;
/// Largest number of packets acknowledged per packet of growth while no loss has occurred: 5 %
/// growth in a round trip.
const UNTRIED: u32 = 20;
/// Up to this window BIC behaves like Reno: `low_window`.
const LOW_WINDOW: u32 = 14;
/// Fraction of the window that remains after a loss, in 1024ths: `beta`.
const BETA: u64 = 819;
/// Assumed packets per acknowledgement before any is received, in sixteenths.
const DELAYED: u32 = 2 * 16;

/// BIC's variables.
#[derive(Debug)]
pub(crate) struct Bic {
    /// The window at which the latest loss occurred, lowered by fast convergence (`prev_max`,
    /// `max_win`). 0 before the first loss.
    most: u32,
    /// Packets per acknowledgement, smoothed, in sixteenths.
    delayed16: u32,
}

impl Default for Bic {
    fn default() -> Self {
        Self { most: 0, delayed16: DELAYED }
    }
}

impl Bic {
    /// Returns the number of packets acknowledged per packet of growth, if each acknowledgement is
    /// for one packet.
    fn spacing(&self, cwnd: u32) -> u32 {
        if cwnd <= LOW_WINDOW {
            return cwnd;
        }
        let slow = cwnd * SMOOTH / PART;
        let fast = cwnd / LARGEST_STEP;
        let spacing = if cwnd < self.most {
            match (self.most - cwnd) / PART {
                0 | 1 => slow,
                step if step > LARGEST_STEP => fast,
                step => cwnd / step,
            }
        } else {
            match cwnd - self.most {
                over if over < PART => slow,
                over if over < LARGEST_STEP * (PART - 1) => cwnd * (PART - 1) / over,
                _ => fast,
            }
        };
        if self.most == 0 { spacing.min(UNTRIED) } else { spacing }
    }
}

impl CongestionControl for Bic {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let cwnd = u64::from(flow.cwnd);
        // Fast convergence: a falling maximum leaves room to other connections.
        let falling = flow.cwnd < self.most;
        self.most = if falling { (cwnd * (1024 + BETA) / 2048) as u32 } else { flow.cwnd };
        if flow.cwnd <= LOW_WINDOW { flow.half() } else { ((cwnd * BETA / 1024) as u32).max(2) }
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            let spacing = self.spacing(flow.cwnd) * 16 / self.delayed16.max(1);
            flow.avoid(spacing, left);
        }
    }

    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        if flow.state == RecoveryState::Open && sample.packets > 0 {
            self.delayed16 = self.delayed16 - self.delayed16 / 16 + sample.packets;
        }
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_a_part_of_the_distance_within_their_bounds() {
        let bic = Bic { most: 200, ..Bic::default() };
        let spacings = [10, 100, 160, 198, 202, 212, 300].map(|cwnd| bic.spacing(cwnd));
        // One packet per round trip; 16; a quarter of 40; 4 in 20 round trips, on both sides; 12 /
        // 3; 16.
        assert_eq!(spacings, [10, 100 / 16, 16, 990, 1010, 53, 300 / 16]);
        assert_eq!(Bic::default().spacing(15), 3, "as if it were that far above the largest one");
        assert_eq!(Bic::default().spacing(600), 20, "5 % in a round trip");
    }
}
