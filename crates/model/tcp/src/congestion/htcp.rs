//! H-TCP (Leith and Shorten 2004; draft-leith-tcp-htcp-06): the increase α grows with the time
//! since the latest loss, and the decrease β follows the ratio of round-trip times.

use netloom_units::Time;

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// Fractions of β have 128 parts, of α too.
const ONE: u64 = 128;
const BETA_MIN: u64 = ONE / 2;
const BETA_MAX: u64 = 102; // 0.8

/// H-TCP's variables.
#[derive(Debug)]
pub(crate) struct Htcp {
    alpha: u64,
    beta: u64,
    /// The latest congestion event (Δ counts from here).
    last_event: Time,
    /// Round-trip times of this congestion epoch in ns; 0 before any.
    least_rtt: u64,
    most_rtt: u64,
    /// Throughput: packets since when, its latest estimate and the extremes of the epoch
    /// (packets/s).
    packets: u64,
    since: Time,
    rate: u64,
    most_rate: u64,
    before_rate: u64,
}

impl Default for Htcp {
    fn default() -> Self {
        Self {
            alpha: ONE,
            beta: BETA_MIN,
            last_event: Time::ZERO,
            least_rtt: 0,
            most_rtt: 0,
            packets: 0,
            since: Time::ZERO,
            rate: 0,
            most_rate: 0,
            before_rate: 0,
        }
    }
}

impl Htcp {
    /// α(Δ) = 1 + 10(Δ − 1) + ((Δ − 1)/2)², from Δ = 1 s on, scaled by the round-trip time to a
    /// reference of 100 ms and by 2(1 − β) (draft §3).
    fn update_alpha(&mut self, flow: &Flow) {
        let millis = flow.now.since(self.last_event).as_nanos() / 1_000_000;
        let over = millis.saturating_sub(1000);
        let factor = ONE + over * 10 * ONE / 1000 + (over / 2) * (over / 2) * ONE / 1_000_000;
        let reference = (self.least_rtt * ONE / 100_000_000).clamp(ONE / 10, 2 * ONE);
        let scaled = if self.least_rtt > 0 { factor * reference / ONE } else { factor };
        self.alpha = (2 * scaled.max(ONE) * (ONE - self.beta) / ONE).max(ONE);
    }

    /// β = RTTmin/RTTmax, at least 0.5, at most 0.8; 0.5 if the throughput changed by a fifth
    /// (draft §4).
    fn update_beta(&mut self) {
        let changed = self.most_rate.abs_diff(self.before_rate) * 5 > self.before_rate;
        self.before_rate = self.most_rate;
        self.most_rate = 0;
        self.beta = match (self.least_rtt * ONE).checked_div(self.most_rtt) {
            Some(ratio) if !changed && self.least_rtt > 10_000_000 => {
                ratio.clamp(BETA_MIN, BETA_MAX)
            }
            _ => BETA_MIN,
        };
    }

    fn measure(&mut self, flow: &Flow, packets: u32) {
        self.packets += u64::from(packets);
        let passed = flow.now.since(self.since).as_nanos();
        if self.packets >= u64::from(flow.cwnd) && passed >= self.least_rtt.max(1) {
            let rate = self.packets * 1_000_000_000 / passed.max(1);
            self.rate = if self.rate == 0 { rate } else { (3 * self.rate + rate) / 4 };
            self.most_rate = self.most_rate.max(self.rate);
            self.packets = 0;
            self.since = flow.now;
        }
    }
}

impl CongestionControl for Htcp {
    fn start(&mut self, flow: &mut Flow) {
        self.last_event = flow.now;
        self.since = flow.now;
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.update_beta();
        self.update_alpha(flow);
        if self.least_rtt > 0 && self.most_rtt > self.least_rtt {
            // The largest round-trip time is forgotten slowly.
            self.most_rtt = self.least_rtt + (self.most_rtt - self.least_rtt) * 95 / 100;
        }
        ((u64::from(flow.cwnd) * self.beta / ONE) as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        if flow.in_slow_start() {
            flow.slow_start(acked);
            return;
        }
        // α packets for a window of acknowledged ones.
        let credit = u64::from(acked) * self.alpha / ONE;
        let rest = u64::from(flow.cwnd_count) + credit.max(u64::from(acked));
        flow.cwnd_count = (rest % u64::from(flow.cwnd)) as u32;
        let more = (rest / u64::from(flow.cwnd)) as u32;
        if more > 0 {
            flow.cwnd = flow.cwnd.saturating_add(more).min(flow.cwnd_clamp);
            self.update_alpha(flow);
        }
    }

    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) {
            if self.least_rtt == 0 || rtt < self.least_rtt {
                self.least_rtt = rtt;
            }
            // A sudden rise (over 20 ms) is no queue of this flow's.
            if flow.state == RecoveryState::Open && !flow.in_slow_start() {
                self.most_rtt = self.most_rtt.max(self.least_rtt);
                if rtt > self.most_rtt && rtt <= self.most_rtt + 20_000_000 {
                    self.most_rtt = rtt;
                }
            }
        }
        if flow.state == RecoveryState::Open {
            self.measure(flow, sample.packets);
        }
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        match state {
            RecoveryState::Reduced | RecoveryState::Recovery | RecoveryState::Loss => {
                self.last_event = flow.now;
                self.packets = 0;
                self.since = flow.now;
            }
            RecoveryState::Open | RecoveryState::Disorder => {}
        }
    }
}
