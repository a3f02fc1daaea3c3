//! H-TCP (Leith and Shorten 2004, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet;
//! draft-leith-tcp-htcp-06): the window grows faster the longer ago the latest congestion was, and
//! a loss shrinks it by what the path's queue held. This file was written from memory of the
//! paper's equations. They have to be checked against its text (docs/tcp.md).
//!
//! | this file | the paper |
//! |---|---|
//! | α(Δ) = 1 for Δ ≤ Δ_L, else 1 + 10 (Δ − Δ_L) + ((Δ − Δ_L)/2)² | increase function, Δ_L = 1 s |
//! | α ← 2 (1 − β) α | keeps the fairness to Reno, whatever β is |
//! | β = RTT_min/RTT_max, from 0.5 to 0.8 | adaptive back-off |
//! | β = 0.5 where the throughput changed by more than 20 % | adaptive reset, Δ_B = 0.2 |
//!
//! Two choices are ours, because the paper leaves them open. The throughput before a congestion is
//! the greatest of an epoch's round trips. RTT_max is that of the epoch, and RTT_min that of the
//! connection. The draft's scaling of α by the round-trip time is optional there, and is not done
//! here.

use netloom_units::Time;

use super::{Acked, CongestionControl, CongestionEvent, Flow};

/// Unit of fractions and of α: a thousandth.
const ONE: u64 = 1000;
/// Δ_L: time after a congestion, in milliseconds, during which growth is Reno's.
const LOW_SPEED: u64 = 1000;
/// Bounds of β.
const LEAST_BETA: u64 = 500;
const MOST_BETA: u64 = 800;
/// Δ_B: a larger relative change of throughput shows that the path has changed.
const CHANGE: u64 = 200;

/// H-TCP's variables.
#[derive(Debug)]
pub(crate) struct Htcp {
    epoch: Epoch,
    /// The epoch before the latest reduction. It goes on if the reduction is undone.
    before: Epoch,
    /// Least round-trip time of the connection in ns. 0 before the first sample.
    least_rtt: u64,
    /// The round trip that is being measured: its start, and the packets delivered before it.
    round_at: Time,
    round_delivered: u64,
    /// Growth that the window has not taken yet, in thousandths of a packet times the window.
    credit: u64,
}

/// The period between two congestion events.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    start: Time,
    beta: u64,
    /// Largest round-trip time in ns.
    most_rtt: u64,
    /// Greatest throughput in packets per second, and that of the epoch before. 0 for none.
    throughput: u64,
    previous: u64,
}

impl Default for Htcp {
    fn default() -> Self {
        let epoch =
            Epoch { start: Time::ZERO, beta: LEAST_BETA, most_rtt: 0, throughput: 0, previous: 0 };
        Self {
            epoch,
            before: epoch,
            least_rtt: 0,
            round_at: Time::ZERO,
            round_delivered: 0,
            credit: 0,
        }
    }
}

impl Htcp {
    /// Returns α in thousandths of a packet per round trip.
    fn alpha(&self, now: Time) -> u64 {
        let since = now.since(self.epoch.start).as_nanos() / 1_000_000;
        2 * (ONE - self.epoch.beta) * increase(since) / ONE
    }

    /// Returns β for the congestion that ends the epoch.
    fn backoff(&self) -> u64 {
        let Epoch { most_rtt, throughput, previous, .. } = self.epoch;
        let changed = throughput.abs_diff(previous) * ONE > previous * CHANGE;
        if changed || most_rtt == 0 {
            return LEAST_BETA;
        }
        let ratio = u128::from(self.least_rtt) * u128::from(ONE) / u128::from(most_rtt);
        (ratio as u64).clamp(LEAST_BETA, MOST_BETA)
    }

    fn measure_throughput(&mut self, flow: &Flow) {
        let passed = flow.now.since(self.round_at).as_nanos();
        if flow.srtt.as_nanos() == 0 || passed < flow.srtt.as_nanos() {
            return;
        }
        let packets = u128::from(flow.delivered - self.round_delivered);
        let rate = (packets * 1_000_000_000 / u128::from(passed)) as u64;
        self.epoch.throughput = self.epoch.throughput.max(rate);
        self.begin_round(flow);
    }

    fn begin_round(&mut self, flow: &Flow) {
        self.round_at = flow.now;
        self.round_delivered = flow.delivered;
    }
}

/// Returns α(Δ) in thousandths, `since` ms after the latest congestion.
fn increase(since: u64) -> u64 {
    // Limited to an hour, which makes α 3.3 million packets.
    let late = since.saturating_sub(LOW_SPEED).min(3_600_000);
    ONE + 10 * late + late * late / (4 * ONE)
}

impl CongestionControl for Htcp {
    fn start(&mut self, flow: &mut Flow) {
        self.epoch.start = flow.now;
        self.begin_round(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let beta = self.backoff();
        self.before = self.epoch;
        self.epoch = Epoch {
            start: flow.now,
            beta,
            most_rtt: 0,
            throughput: 0,
            previous: self.epoch.throughput,
        };
        self.begin_round(flow);
        ((u64::from(flow.cwnd) * beta / ONE) as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            let alpha = self.alpha(flow.now);
            flow.avoid_by(&mut self.credit, alpha, left);
        }
    }

    fn undo(&mut self, flow: &mut Flow) -> u32 {
        self.epoch = self.before;
        flow.cwnd.max(flow.prior_cwnd)
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) else { return };
        if self.least_rtt == 0 || rtt < self.least_rtt {
            self.least_rtt = rtt;
        }
        self.epoch.most_rtt = self.epoch.most_rtt.max(rtt);
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        if let CongestionEvent::Acknowledged { .. } = event {
            self.measure_throughput(flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_renos_for_a_second_and_then_quadratic() {
        assert_eq!(increase(0), ONE);
        assert_eq!(increase(1000), ONE);
        // 1 + 10 + 1/4, and 1 + 10 · 4 + 4.
        assert_eq!(increase(2000), 11_250);
        assert_eq!(increase(5000), 45_000);
    }

    #[test]
    fn a_loss_takes_what_the_queue_held_unless_the_throughput_changed() {
        let with = |least: u64, most: u64, throughput: u64| {
            let mut htcp = Htcp { least_rtt: least, ..Htcp::default() };
            htcp.epoch.most_rtt = most;
            htcp.epoch.throughput = throughput;
            htcp.epoch.previous = 1000;
            htcp.backoff()
        };
        assert_eq!(with(70, 100, 1000), 700);
        assert_eq!(with(70, 100, 1200), 700);
        assert_eq!(with(70, 100, 1201), 500);
        assert_eq!(with(70, 100, 799), 500);
        assert_eq!(with(30, 100, 1000), 500);
        assert_eq!(with(90, 100, 1000), 800);
    }
}
