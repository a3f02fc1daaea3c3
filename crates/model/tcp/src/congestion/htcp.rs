//! H-TCP (Leith and Shorten 2004, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet;
//! draft-leith-tcp-htcp-06): the increase α grows with the time since the latest loss, and the
//! factor β that a loss leaves follows the ratio of round-trip times. Not here: scaling of α by the
//! round-trip time, which the paper leaves open and FreeBSD's cc_htcp(4) documents as off.

use netloom_units::Time;

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// α and β are in thousandths.
const ONE: u64 = 1000;
/// β stays between 0.5 and 0.8 (adaptive backoff).
const BETA_LEAST: u64 = ONE / 2;
const BETA_MOST: u64 = 4 * ONE / 5;
/// Δ_L: for so long after a loss H-TCP grows as Reno does.
const RENO_MILLIS: u64 = 1000;
/// The throughput before a loss changed too much for an adaptive β if by more than 1 in so many.
const CHANGE: u64 = 5;

/// H-TCP's variables.
#[derive(Debug)]
pub(crate) struct Htcp {
    beta: u64,
    /// The latest congestion event (Δ counts from here).
    last_event: Time,
    /// RTTmin of the connection and RTTmax of this congestion epoch, in ns; 0 before any.
    least_rtt: u64,
    most_rtt: u64,
    /// B⁻(k) in packets per second: of a round trip, since when and how many packets so far; the
    /// most of this epoch; that of the epoch before.
    packets: u64,
    since: Time,
    most_rate: u64,
    before_rate: u64,
    /// Thousandths of a packet that the window has grown by beyond whole packets, times the window.
    credit: u64,
}

impl Default for Htcp {
    fn default() -> Self {
        Self {
            beta: BETA_LEAST,
            last_event: Time::ZERO,
            least_rtt: 0,
            most_rtt: 0,
            packets: 0,
            since: Time::ZERO,
            most_rate: 0,
            before_rate: 0,
            credit: 0,
        }
    }
}

/// α(Δ) = 1 + 10(Δ − Δ_L) + ((Δ − Δ_L)/2)² from Δ_L on, 1 before, with Δ in milliseconds.
fn alpha(millis: u64) -> u64 {
    let over = u128::from(millis.saturating_sub(RENO_MILLIS));
    // In thousandths, a millisecond is a thousandth of a second: over = 1000 (Δ − Δ_L).
    let value = 1000 + 10 * over + over * over / 4000;
    u64::try_from(value).unwrap_or(u64::MAX)
}

impl Htcp {
    /// 2(1 − β) α(Δ), which makes flows with different β share alike; Reno's 1 at least.
    fn increase(&self, flow: &Flow) -> u64 {
        let millis = flow.now.since(self.last_event).as_nanos() / 1_000_000;
        (2 * (ONE - self.beta)).saturating_mul(alpha(millis)).div_euclid(ONE).max(ONE)
    }

    /// β = RTTmin/RTTmax within its bounds; 0.5 if the throughput before this loss differs by more
    /// than a fifth from that before the previous one.
    fn adapt_backoff(&mut self) {
        let changed = self.most_rate.abs_diff(self.before_rate) * CHANGE > self.before_rate;
        self.before_rate = self.most_rate;
        self.most_rate = 0;
        let ratio = (u128::from(self.least_rtt) * u128::from(ONE))
            .checked_div(u128::from(self.most_rtt))
            .and_then(|ratio| u64::try_from(ratio).ok());
        self.beta = match ratio {
            Some(ratio) if !changed => ratio.clamp(BETA_LEAST, BETA_MOST),
            _ => BETA_LEAST,
        };
        self.most_rtt = 0;
    }

    /// The throughput of a round trip.
    fn measure(&mut self, flow: &Flow, packets: u32) {
        self.packets += u64::from(packets);
        let passed = flow.now.since(self.since).as_nanos();
        if passed > 0 && passed >= flow.srtt.as_nanos() {
            self.most_rate = self.most_rate.max(self.packets * 1_000_000_000 / passed);
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
        self.adapt_backoff();
        ((u64::from(flow.cwnd) * self.beta / ONE) as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left == 0 || flow.in_slow_start() {
            return;
        }
        // α/cwnd for each acknowledged packet.
        let packet = u64::from(flow.cwnd) * ONE;
        self.credit = self.credit.saturating_add(self.increase(flow).saturating_mul(left.into()));
        let more = (self.credit / packet).min(u64::from(u32::MAX)) as u32;
        self.credit %= packet;
        flow.cwnd = flow.cwnd.saturating_add(more).min(flow.cwnd_clamp);
    }

    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) {
            if self.least_rtt == 0 || rtt < self.least_rtt {
                self.least_rtt = rtt;
            }
            self.most_rtt = self.most_rtt.max(rtt);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_is_renos_for_a_second_and_quadratic_then() {
        assert_eq!([0, 1000, 2000, 3000].map(alpha), [1000, 1000, 11_250, 22_000]);
    }
}
