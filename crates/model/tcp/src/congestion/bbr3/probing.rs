//! Probes for bandwidth, round by round, and for the round-trip time; and moves the long-term bound
//! of what is in flight, by the results of probes. Not here: the signals that these rules act on.

use netloom_units::Duration;

use super::{
    Bbr3, HEADROOM, LEAST_CWND, Mode, PROBE_RTT_CWND_GAIN, PROBE_RTT_INTERVAL, PROBE_RTT_TIME,
    Phase, RTT_WINDOW, UP_GAIN, is_too_lossy, kept,
};
use crate::congestion::Flow;
use crate::congestion::path::{ONE, product};
use crate::rate::RateSample;

impl Bbr3 {
    /// Begins ProbeBW_DOWN, the first phase of a cycle. The next probe comes after 2 to 3 s, or
    /// after as many rounds as Reno would take (§5.3.3.5).
    pub(super) fn begin_down(&mut self, flow: &Flow) {
        self.forget_short_term_probe();
        self.mode = Mode::Down;
        self.phase = Phase::Stopping;
        self.cycle_at = flow.now;
        self.rounds_since_probe = self.draw(2);
        self.wait = Duration::from_millis(2000 + u64::from(self.draw(1001)));
        self.round_end = flow.delivered;
    }

    fn forget_short_term_probe(&mut self) {
        self.up_per_packet = u32::MAX;
        self.samples_valid = false;
    }

    fn is_time_to_probe(&mut self, flow: &Flow) -> bool {
        let reno = product(flow, self.bandwidth(), self.rtt, ONE).min(flow.cwnd).min(63);
        let due = flow.now.since(self.cycle_at) > self.wait || self.rounds_since_probe >= reno;
        if due {
            self.begin_refill(flow);
        }
        due
    }

    fn begin_refill(&mut self, flow: &Flow) {
        self.forget_short_term();
        self.mode = Mode::Refill;
        self.phase = Phase::Refilling;
        self.up_rounds = 0;
        self.up_acked = 0;
        self.round_end = flow.delivered;
    }

    fn begin_up(&mut self, flow: &Flow) {
        self.mode = Mode::Up;
        self.phase = Phase::Starting;
        self.samples_valid = true;
        self.cycle_at = flow.now;
        self.full_bandwidth = self.greatest();
        self.round_end = flow.delivered;
        self.raise_slope(flow);
    }

    /// Doubles the growth of the bound for each round.
    fn raise_slope(&mut self, flow: &Flow) {
        let growth = 1u32 << self.up_rounds.min(30);
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_per_packet = (flow.cwnd / growth).max(1);
    }

    /// Advances the probing cycle (§5.3.3.6).
    pub(super) fn update_cycle(&mut self, flow: &Flow, sample: &RateSample) {
        if !self.full {
            return;
        }
        self.adapt_long_term(flow, sample);
        let bandwidth = self.bandwidth();
        match self.mode {
            Mode::Down => {
                if self.is_time_to_probe(flow) {
                    return;
                }
                let drained = flow.in_flight <= self.with_headroom()
                    && flow.in_flight <= self.inflight(flow, self.greatest(), ONE);
                if drained {
                    self.mode = Mode::Cruise;
                }
            }
            Mode::Cruise => {
                self.is_time_to_probe(flow);
            }
            Mode::Refill if self.round_start => self.begin_up(flow),
            Mode::Up => {
                let long = self.rtt.is_some_and(|rtt| flow.now.since(self.cycle_at) > rtt);
                let filled = sample.flight_before > self.inflight(flow, bandwidth, UP_GAIN);
                if long && filled {
                    self.begin_down(flow);
                }
            }
            Mode::Startup | Mode::Drain | Mode::Refill | Mode::ProbeRtt => {}
        }
    }

    /// BBRAdaptLongTermModel: adapts the long-term bound of what is in flight.
    fn adapt_long_term(&mut self, flow: &Flow, sample: &RateSample) {
        if self.phase == Phase::Starting && self.round_start {
            self.phase = Phase::Probing;
        }
        if self.phase == Phase::Stopping && self.round_start {
            self.samples_valid = false;
            self.phase = Phase::Starting;
            if self.probes_bandwidth() && !sample.app_limited {
                // A cycle has ended: its bandwidth becomes that of the previous cycle.
                self.bandwidths = [self.bandwidths[1], 0];
            }
        }
        if is_too_lossy(sample) {
            if self.samples_valid {
                self.samples_valid = false;
                if !sample.app_limited {
                    let product = product(flow, self.greatest(), self.rtt, ONE);
                    let kept = kept(product.min(flow.cwnd).into()) as u32;
                    self.long_flight = sample.prior_in_flight.max(kept);
                }
                if self.mode == Mode::Up {
                    self.begin_down(flow);
                }
            }
            return;
        }
        if self.long_flight == u32::MAX {
            return;
        }
        self.long_flight = self.long_flight.max(sample.prior_in_flight);
        if self.mode == Mode::Up && flow.cwnd >= self.long_flight {
            self.up_acked += sample.newly_delivered;
            let more = self.up_acked / self.up_per_packet;
            self.up_acked %= self.up_per_packet;
            self.long_flight = self.long_flight.saturating_add(more);
            if self.round_start {
                self.raise_slope(flow);
            }
        }
    }

    pub(super) fn with_headroom(&self) -> u32 {
        if self.long_flight == u32::MAX {
            return u32::MAX;
        }
        let free = (u64::from(self.long_flight) * HEADROOM / ONE).max(1) as u32;
        self.long_flight.saturating_sub(free).max(LEAST_CWND)
    }

    /// Updates the round-trip time (§5.3.4.3 and §5.5.7).
    pub(super) fn update_rtt(&mut self, flow: &mut Flow, sample: &RateSample) {
        let probe = flow.now > self.probed_rtt_at + PROBE_RTT_INTERVAL;
        if let Some(rtt) = sample.rtt
            && (self.probed_rtt.is_none_or(|known| rtt < known) || probe)
        {
            self.probed_rtt = Some(rtt);
            self.probed_rtt_at = flow.now;
        }
        let expired = flow.now > self.rtt_at + RTT_WINDOW;
        if let Some(rtt) = self.probed_rtt
            && (self.rtt.is_none_or(|known| rtt < known) || expired)
        {
            self.rtt = Some(rtt);
            self.rtt_at = self.probed_rtt_at;
        }
        if probe && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.saved_cwnd = flow.cwnd.max(self.saved_cwnd);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_until = None;
            self.phase = Phase::Stopping;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(flow);
        }
        if sample.delivered.is_some() {
            self.idle_restart = false;
        }
    }

    fn probe_rtt(&mut self, flow: &mut Flow) {
        flow.sampling_limited = true;
        match self.probe_rtt_until {
            None if flow.in_flight <= self.probe_rtt_cwnd(flow) => {
                self.probe_rtt_until = Some(flow.now + PROBE_RTT_TIME);
                self.probe_rtt_round = false;
                self.round_end = flow.delivered;
            }
            Some(until) => {
                self.probe_rtt_round |= self.round_start;
                if self.probe_rtt_round && flow.now > until {
                    self.probed_rtt_at = flow.now;
                    flow.cwnd = flow.cwnd.max(self.saved_cwnd);
                    self.saved_cwnd = 0;
                    self.forget_short_term();
                    if self.full {
                        self.begin_down(flow);
                        self.mode = Mode::Cruise;
                    } else {
                        self.mode = Mode::Startup;
                    }
                }
            }
            None => {}
        }
    }

    pub(super) fn probe_rtt_cwnd(&self, flow: &Flow) -> u32 {
        product(flow, self.bandwidth(), self.rtt, PROBE_RTT_CWND_GAIN).max(LEAST_CWND)
    }
}
