//! Veno (Fu and Liew 2003, "TCP Veno: TCP enhancement for transmission over wireless access
//! networks"): an estimate of the queue like that of Vegas distinguishes congestion from random
//! losses. With few packets queued, a loss costs a fifth of the window. With many, it costs half of
//! it, and growth is halved.

use super::vegas::Delays;
use super::{Acked, CongestionControl, CongestionEvent, Flow, RecoveryState};

/// Number of packets in the queue that means congestion: β = 3 of the paper.
const BETA: u64 = 3;
/// Number of samples of the round-trip time before which it is Reno.
const SAMPLES: u32 = 2;

/// Veno's variables.
#[derive(Debug, Default)]
pub(crate) struct Veno {
    /// The least round-trip time of all, and that since the window last grew.
    delays: Delays,
    samples: u32,
    /// Twice the number of packets that queue.
    queued: u64,
    /// Whether the next increase is left out: every second one is.
    skip: bool,
    /// Whether the queue is estimated: not while losses are likely.
    enabled: bool,
}

impl CongestionControl for Veno {
    fn start(&mut self, _: &mut Flow) {
        self.enable();
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        if self.queued < 2 * BETA { (flow.cwnd * 4 / 5).max(2) } else { flow.half() }
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        if !self.enabled {
            return flow.grow_as_reno(acked);
        }
        if self.samples <= SAMPLES {
            flow.grow_as_reno(acked);
        } else {
            self.queued = self.twice_queued(flow.cwnd);
            let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
            if left > 0 && self.queued < 2 * BETA {
                flow.avoid(flow.cwnd, left);
            } else if left > 0 {
                self.grow_slowly(flow, left);
            }
        }
        self.delays.begin_round();
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt {
            self.delays.sample(rtt.as_nanos());
            self.samples = self.samples.saturating_add(1);
        }
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        match state {
            RecoveryState::Open => self.enable(),
            _ => self.enabled = false,
        }
    }

    fn event(&mut self, _: &mut Flow, event: CongestionEvent) {
        if matches!(event, CongestionEvent::WindowRestart | CongestionEvent::TransmitStart) {
            self.delays.base = 0;
            self.enable();
        }
    }
}

impl Veno {
    fn enable(&mut self) {
        self.enabled = true;
        self.delays.begin_round();
    }

    /// Returns 2 N, where N = cwnd − cwnd · baseRTT / RTT is the number of packets that queue. All
    /// of the window counts as queued if nothing was measured since the last growth.
    fn twice_queued(&self, cwnd: u32) -> u64 {
        let (twice, Delays { base, least, .. }) = (2 * u64::from(cwnd), &self.delays);
        let moving = (u128::from(twice) * u128::from(*base)).checked_div(u128::from(*least));
        twice.saturating_sub(moving.map_or(0, |moving| moving as u64))
    }

    /// Grows the window by one packet in two round trips.
    fn grow_slowly(&mut self, flow: &mut Flow, acked: u32) {
        if flow.cwnd_count < flow.cwnd {
            flow.cwnd_count += acked;
            return;
        }
        flow.cwnd_count = 0;
        if !self.skip && flow.cwnd < flow.cwnd_clamp {
            flow.cwnd += 1;
        }
        self.skip = !self.skip;
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;

    fn acked(veno: &mut Veno, flow: &mut Flow, millis: u64) {
        let rtt = Some(Duration::from_millis(millis));
        veno.acked(flow, &Acked { packets: 1, rtt, in_flight: flow.cwnd });
        veno.grow(flow, 1);
    }

    #[test]
    fn a_loss_with_a_queue_costs_half_of_the_window_however_long_nothing_was_measured() {
        let mut flow = Flow::new(100, u64::MAX);
        (flow.ssthresh, flow.cwnd_limited) = (50, true);
        let mut veno = Veno::default();
        veno.start(&mut flow);
        for _ in 0..4 {
            acked(&mut veno, &mut flow, 100);
        }
        assert_eq!(veno.reduce(&mut flow), 80);
        // 4 of 100 packets queue.
        acked(&mut veno, &mut flow, 104);
        acked(&mut veno, &mut flow, 104);
        assert_eq!(veno.reduce(&mut flow), 50);
        veno.state_changes(&mut flow, RecoveryState::Disorder);
        veno.grow(&mut flow, 1);
        assert_eq!(veno.reduce(&mut flow), 50);
        veno.state_changes(&mut flow, RecoveryState::Open);
        veno.grow(&mut flow, 1);
        assert_eq!(veno.reduce(&mut flow), 50);
    }
}
