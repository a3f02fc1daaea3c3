//! CDG (Hayes and Armitage 2011, "Revisiting TCP congestion control using delay gradients"): a
//! rising round-trip time makes a back-off likely, P = 1 − e^(−g/G). Losses count little while the
//! queue is not deemed full. A shadow window regains what delay-based back-offs have lost to other
//! connections.

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// Number of rounds over which gradients are averaged.
const WINDOW: usize = 8;
/// β of a delay-based back-off, in 1024ths: 0.7.
const BETA: u64 = 717;
/// G, the scale of the probability: 3 ms, as in the paper's experiments.
const SCALE_US: u64 = 3000;
/// Number of back-offs without effect after which the other connections are deemed loss-based.
const INEFFECTUAL: u32 = 5;

/// CDG's variables. Times are in µs.
#[derive(Debug)]
pub(crate) struct Cdg {
    random: u64,
    round_end: u64,
    least: u64,
    most: u64,
    before: Option<(u64, u64)>,
    gradients: [(i64, i64); WINDOW],
    filled: usize,
    at: usize,
    sums: (i64, i64),
    backoffs: u32,
    /// The window as it would be without delay-based back-offs.
    shadow: u32,
    full: bool,
    delay_backoff: bool,
}

impl Cdg {
    pub fn new(seed: u32) -> Self {
        Self {
            random: u64::from(seed) << 1 | 1,
            round_end: 0,
            least: 0,
            most: 0,
            before: None,
            gradients: [(0, 0); WINDOW],
            filled: 0,
            at: 0,
            sums: (0, 0),
            backoffs: 0,
            shadow: 0,
            full: false,
            delay_backoff: false,
        }
    }

    /// Draws the next random number below 2³² (SplitMix64; Steele, Lea, Flood 2014).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)) >> 32
    }

    /// Returns the moving averages of the gradients of the least and of the largest round-trip
    /// time.
    fn gradient(&mut self) -> Option<(i64, i64)> {
        let (least, most) = self.before.replace((self.least, self.most))?;
        let new = (self.least as i64 - least as i64, self.most as i64 - most as i64);
        let old = std::mem::replace(&mut self.gradients[self.at], new);
        self.at = (self.at + 1) % WINDOW;
        self.filled = (self.filled + 1).min(WINDOW);
        self.sums = (self.sums.0 + new.0 - old.0, self.sums.1 + new.1 - old.1);
        let count = self.filled as i64;
        Some((self.sums.0 / count, self.sums.1 / count))
    }

    fn end_round(&mut self, flow: &mut Flow) {
        if self.least > 0
            && let Some((least, most)) = self.gradient()
        {
            self.full = most <= 0 && least > 0 || self.full && least >= 0;
            if least < 0 {
                self.backoffs = 0;
            }
            if least > 0 && self.draws_backoff(least as u64) {
                self.back_off(flow);
            }
        }
        self.least = 0;
        self.most = 0;
        self.round_end = flow.nxt;
    }

    fn draws_backoff(&mut self, gradient: u64) -> bool {
        let drawn = self.draw();
        drawn < (1 << 32) - falling_exponential(gradient, SCALE_US)
    }

    fn back_off(&mut self, flow: &mut Flow) {
        self.backoffs += 1;
        if self.backoffs > INEFFECTUAL {
            if self.backoffs >= 2 * INEFFECTUAL {
                self.backoffs = 0;
            }
            return;
        }
        self.shadow = self.shadow.max(flow.cwnd);
        flow.ssthresh = ((u64::from(flow.cwnd) * BETA / 1024) as u32).max(2);
        flow.cwnd = flow.ssthresh;
        self.delay_backoff = true;
    }
}

/// Returns e^(−x/scale) in units of 2⁻³², by repeated factors of e⁻¹ and a series. It is exact to a
/// part in a thousand.
pub(crate) fn falling_exponential(x: u64, scale: u64) -> u64 {
    const ONE: u128 = 1 << 32;
    let whole = (x / scale).min(40);
    let rest = u128::from(x % scale) * ONE / u128::from(scale.max(1));
    // 1 − r + r²/2 − r³/6 + r⁴/24 − r⁵/120
    let mut term = ONE;
    let mut sum = ONE as i128;
    for n in 1..=7u128 {
        term = term * rest / ONE / n;
        sum += if n % 2 == 1 { -(term as i128) } else { term as i128 };
    }
    // e⁻¹ · 2³²
    let each = 1_580_030_168u128;
    (0..whole).fold(sum as u128, |value, _| value * each / ONE) as u64
}

impl CongestionControl for Cdg {
    fn start(&mut self, flow: &mut Flow) {
        self.round_end = flow.nxt;
        self.shadow = flow.cwnd;
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        if self.backoffs > 0 && !self.full {
            // The queue is not full, so congestion did not cause the loss.
            return flow.cwnd.max(2);
        }
        self.shadow = (self.shadow >> 1).max(2);
        self.full = false;
        self.shadow.max(flow.cwnd >> 1).min(flow.cwnd).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if flow.una > self.round_end {
            self.end_round(flow);
        }
        if self.delay_backoff {
            self.delay_backoff = false;
            return;
        }
        if !flow.cwnd_limited {
            return;
        }
        let before = flow.cwnd;
        flow.grow_as_reno(acked);
        self.shadow = self.shadow.saturating_add(flow.cwnd - before).max(flow.cwnd);
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        let Some(rtt) = sample.rtt.map(|rtt| (rtt.as_nanos() / 1000).max(1)) else { return };
        if self.least == 0 || rtt < self.least {
            self.least = rtt;
        }
        self.most = self.most.max(rtt);
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            self.before = None;
            self.gradients = [(0, 0); WINDOW];
            self.sums = (0, 0);
            self.filled = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_a_thousandth() {
        for x in [0u64, 1, 900, 3000, 4500, 9000, 30_000] {
            let exact = (-(x as f64) / 3000.0).exp();
            let ours = falling_exponential(x, 3000) as f64 / 4_294_967_296.0;
            assert!((ours - exact).abs() < 0.001, "{x}: {ours} {exact}");
        }
    }
}
