//! CUBIC (RFC 9438; Ha, Rhee and Xu 2008, "CUBIC: A new TCP-friendly high-speed TCP variant"), with
//! fast convergence, and HyStart before it. The Reno-friendly window grows by α = 3(1 − β)/(1 + β)
//! above its old maximum too, as in the paper (equation 4); RFC 9438 §4.3 sets α to 1 there. The
//! time of the cubic function does not advance while the application sends nothing (RFC 9438 §5.8):
//! from the last payload sent before a pause to the first one after it, whatever arrives meanwhile.

use netloom_units::Time;

use super::hystart::Exit;
use super::{Acked, CongestionControl, CongestionEvent, Flow, HyStart, RecoveryState};

/// β in 1024ths: 0.7 (RFC 9438 §4.6). Recorded: parameter `beta` of Linux's module
/// (benches/tcp/parameters.py).
const BETA: u64 = 717;
const SCALE: u64 = 1024;
/// Before the first loss, the window grows by at least one packet for this many acknowledged.
/// Recorded (benches/tcp/growth.py): Linux grows this way after HyStart, when it has no old maximum
/// to grow to.
const BEFORE_LOSS: u32 = 20;
/// C = 0.4 (RFC 9438 §5.1), as 2/5.
const C_NUMERATOR: u64 = 2;
const C_DENOMINATOR: u64 = 5;
/// Cubic milliseconds in a cubic second.
const CUBED: u64 = 1_000_000_000;

/// CUBIC's variables (RFC 9438 §4.1.2).
#[derive(Debug)]
pub(crate) struct Cubic {
    exit: Exit,
    /// The window before the latest reduction, lowered by fast convergence. 0 before the first
    /// reduction.
    last_max: u32,
    epoch: Option<Epoch>,
    /// Least round-trip time of the connection in ns. 0 before the first sample.
    least_rtt: u64,
}

/// A period of congestion avoidance.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Time,
    /// K in milliseconds.
    k: u64,
    /// The window at K.
    origin: u32,
    /// Reno-friendly window, and the packets acknowledged towards its next packet.
    friendly: u32,
    friendly_count: u64,
}

impl Cubic {
    pub fn new(hystart: HyStart) -> Self {
        Self { exit: Exit::new(hystart), last_max: 0, epoch: None, least_rtt: 0 }
    }

    fn begin(&mut self, flow: &Flow) -> Epoch {
        let below = self.last_max.saturating_sub(flow.cwnd);
        Epoch {
            start: flow.now,
            k: cube_root(u64::from(below) * C_DENOMINATOR * CUBED / C_NUMERATOR),
            origin: self.last_max.max(flow.cwnd),
            friendly: flow.cwnd,
            friendly_count: 0,
        }
    }

    /// Returns the number of packets acknowledged per packet of growth (RFC 9438 §4.2 to 4.5).
    fn acks_per_packet(&mut self, flow: &Flow, acked: u32) -> u32 {
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(flow));
        let cwnd = flow.cwnd;
        let t = (flow.now.since(epoch.start).as_nanos() + self.least_rtt) / 1_000_000;
        let target = cubic_window(t, epoch.k, epoch.origin);
        // The window hardly grows at the plateau: Ha, Rhee and Xu 2008, algorithm 1.
        let mut count = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if self.last_max == 0 {
            count = count.min(BEFORE_LOSS);
        }
        let count = count.min(grow_friendly(&mut epoch, cwnd, acked));
        self.epoch = Some(epoch);
        // The window grows by at most half in a round trip (RFC 9438 §4.2).
        count.max(2)
    }
}

/// Returns W_cubic(t), with t and K in milliseconds (RFC 9438, equation 1).
pub(crate) fn cubic_window(t: u64, k: u64, origin: u32) -> u32 {
    // Limited to ten minutes, which give 40 million packets.
    let distance = t.abs_diff(k).min(600_000);
    let cubed = u128::from(distance).pow(3) * u128::from(C_NUMERATOR);
    let delta = (cubed / u128::from(C_DENOMINATOR * CUBED)) as u64;
    let origin = u64::from(origin);
    let window = if t < k { origin.saturating_sub(delta) } else { origin + delta };
    window.min(u64::from(u32::MAX)) as u32
}

/// Grows the Reno-friendly window (RFC 9438 §4.3). Returns the number of packets acknowledged per
/// packet of growth if it is above `cwnd`.
fn grow_friendly(epoch: &mut Epoch, cwnd: u32, acked: u32) -> u32 {
    // cwnd/α packets per packet of growth: (1 + β)/(3 (1 − β)) of the window.
    let per_packet = (u64::from(cwnd) * (SCALE + BETA) / (3 * (SCALE - BETA))).max(1);
    epoch.friendly_count += u64::from(acked);
    let more = epoch.friendly_count / per_packet;
    epoch.friendly_count %= per_packet;
    epoch.friendly = epoch.friendly.saturating_add(more as u32);
    match epoch.friendly.checked_sub(cwnd) {
        Some(above) if above > 0 => cwnd / above,
        _ => u32::MAX,
    }
}

/// Returns the integer cube root, by Newton's method.
pub(crate) fn cube_root(value: u64) -> u64 {
    if value == 0 {
        return 0;
    }
    let mut root = 1u64 << (u64::BITS - value.leading_zeros()).div_ceil(3);
    loop {
        let next = (2 * root + value / (root * root)) / 3;
        if next >= root {
            return root;
        }
        root = next;
    }
}

impl CongestionControl for Cubic {
    fn start(&mut self, flow: &mut Flow) {
        self.exit.reset(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.epoch = None;
        let cwnd = u64::from(flow.cwnd);
        // Fast convergence (RFC 9438 §4.7).
        let max =
            if flow.cwnd < self.last_max { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
        self.last_max = max as u32;
        ((cwnd * BETA / SCALE) as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let mut left = acked;
        if flow.in_slow_start() {
            left = self.exit.grow(flow, acked);
        }
        if left > 0 && !flow.in_slow_start() {
            let per_packet = self.acks_per_packet(flow, left);
            flow.avoid(per_packet, left);
        }
    }

    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) else { return };
        if self.least_rtt == 0 || rtt < self.least_rtt {
            self.least_rtt = rtt;
        }
        if flow.in_slow_start() {
            self.exit.sample(flow, rtt, self.least_rtt);
        }
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            // After a timeout, everything is measured anew (RFC 9438 §4.8).
            self.epoch = None;
            self.last_max = 0;
            self.least_rtt = 0;
            self.exit.reset(flow);
        }
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        if event == CongestionEvent::TransmitStart
            && let Some(epoch) = &mut self.epoch
        {
            epoch.start += flow.now.since(flow.sent_at.max(epoch.start));
        }
    }
}
