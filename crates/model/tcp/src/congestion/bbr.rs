//! BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00, 2017; Cardwell, Cheng, Gunn,
//! Yeganeh and Jacobson 2016, "BBR: Congestion-based congestion control", ACM Queue 14). BBR
//! measures the delivery rate of the bottleneck and the round-trip time of an empty path. It paces
//! by the former and bounds the data in flight by both. Not here: samples of the delivery rate
//! (`rate`), and the parts that both versions share (`path`).
//!
//! This file was written from the draft's pseudocode, whose names the comments give. Section
//! numbers are the draft's. Its text was not available, but that of its successor was,
//! draft-cardwell-ccwg-bbr-00, which keeps most of it (docs/tcp.md). Two rules are the successor's,
//! because a kernel's version 1 was recorded to follow them (benches/tcp/sockets.py): a pacing rate
//! 1 % below the bandwidth, and a window with room for packets that are acknowledged all at once.
//!
//! | constant | value | source |
//! |---|---|---|
//! | BBRHighGain | 2/ln 2 = 2.885 | §4.3.2; Queue: doubles the rate in each round trip |
//! | Drain's gain | 1/BBRHighGain = 0.347 | §4.3.3 |
//! | gain cycle | 5/4, 3/4, six times 1 | §4.3.4; Queue, "steady-state behavior" |
//! | cwnd_gain of ProbeBW | 2 | §4.3.4 |
//! | BtlBwFilterLen | 10 round trips | §4.1.1 |
//! | RTpropFilterLen, ProbeRTTDuration | 10 s, 200 ms | §4.1.2, §4.3.5 |
//! | BBRMinPipeCwnd | 4 packets | §4.2.3.3 |
//! | BBR.send_quantum | 1 ms of the pacing rate; least 1 packet below 1.2 Mbit/s, else 2 | §4.2.2 |
//! | BBRExtraAckedFilterLen | 10 round trips, 1 in Startup | successor, §4.5.9 |
//! | pacing margin | 1 % | successor, §4.6.2 |
//! | full pipe | three round trips without 25 % more | §4.3.2.2 |

use netloom_units::{Duration, Time};

use super::path::{
    Aggregation, BURSTS_IN_FLIGHT, ONE, burst, first_bandwidth, pacing_rate, product,
};
use super::{CongestionControl, CongestionEvent, Flow, RecoveryState};
use crate::rate::RateSample;
use crate::windowed::Greatest;

/// BBRHighGain.
const HIGH_GAIN: u64 = 2885;
const DRAIN_GAIN: u64 = 347;
/// BBR.pacing_gain_cycle.
const CYCLE: [u64; 8] = [5 * ONE / 4, 3 * ONE / 4, ONE, ONE, ONE, ONE, ONE, ONE];
const CWND_GAIN: u64 = 2 * ONE;
/// BtlBwFilterLen in round trips.
const BANDWIDTH_WINDOW: u64 = 10;
const RTT_WINDOW: Duration = Duration::from_secs(10);
const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// BBRMinPipeCwnd.
const LEAST_CWND: u32 = 4;
/// Below 1.2 Mbit/s, in bytes per second, a burst is a single packet.
const SINGLE_PACKET_RATE: u64 = 150_000;
/// BBRExtraAckedFilterLen in round trips: after the pipe has been filled, and before.
const AGGREGATION_WINDOW: u64 = 10;
const FIRST_AGGREGATION_WINDOW: u64 = 1;
/// Round trips without growth that show a full pipe.
const FULL_ROUNDS: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    /// ProbeBW, in the given phase of the cycle.
    ProbeBandwidth(usize),
    ProbeRtt,
}

/// BBR's variables (§2.6 to §2.9).
#[derive(Debug)]
pub(crate) struct Bbr {
    mode: Mode,
    /// BBR.BtlBw's filter over round trips.
    bandwidth: Greatest,
    /// BBR.RTprop, the time at which it was measured, and whether it is so old that it has to be
    /// measured again.
    rtt: Option<Duration>,
    rtt_at: Time,
    rtt_expired: bool,
    rounds: u64,
    round_start: bool,
    round_end: u64,
    filled: bool,
    full_bandwidth: u64,
    full_rounds: u32,
    /// Time at which the phase of the cycle began.
    phase_at: Time,
    /// BBR.probe_rtt_done_stamp, and whether a round trip has passed with the smallest window.
    probe_until: Option<Time>,
    probe_round: bool,
    idle_restart: bool,
    /// BBR.prior_cwnd: the window to restore after losses and ProbeRTT.
    saved_cwnd: u32,
    recovering: bool,
    /// BBR.packet_conservation: it lasts until packets that were sent when this many had been
    /// delivered are delivered themselves.
    conserves_until: Option<u64>,
    aggregation: Aggregation,
    random: u32,
}

impl Bbr {
    pub fn new(seed: u32) -> Self {
        Self {
            mode: Mode::Startup,
            bandwidth: Greatest::default(),
            rtt: None,
            rtt_at: Time::ZERO,
            rtt_expired: false,
            rounds: 0,
            round_start: false,
            round_end: 0,
            filled: false,
            full_bandwidth: 0,
            full_rounds: 0,
            phase_at: Time::ZERO,
            probe_until: None,
            probe_round: false,
            idle_restart: false,
            saved_cwnd: 0,
            recovering: false,
            conserves_until: None,
            aggregation: Aggregation::default(),
            random: seed | 1,
        }
    }

    fn pacing_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth(phase) => CYCLE[phase],
            Mode::ProbeRtt => ONE,
        }
    }

    fn cwnd_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBandwidth(_) => CWND_GAIN,
            Mode::ProbeRtt => ONE,
        }
    }

    /// BBRInflight (§4.2.3.2).
    fn inflight(&self, flow: &Flow, gain: u64) -> u32 {
        let packets = product(flow, self.bandwidth.value(), self.rtt, gain);
        if self.rtt.is_none() {
            return packets;
        }
        packets.saturating_add(BURSTS_IN_FLIGHT * burst(flow, least_burst(flow)))
    }

    /// BBRUpdateRound and BBRUpdateBtlBw (§4.1.1).
    fn update_bandwidth(&mut self, flow: &Flow, sample: &RateSample) {
        self.round_start = false;
        let Some(rate) = sample.bytes_per_second(flow.mss) else { return };
        if sample.prior_delivered >= self.round_end {
            self.round_end = flow.delivered;
            self.rounds += 1;
            self.round_start = true;
        }
        if rate >= self.bandwidth.value() || !sample.app_limited {
            self.bandwidth.update(BANDWIDTH_WINDOW, self.rounds, rate);
        }
    }

    fn update_aggregation(&mut self, flow: &Flow, sample: &RateSample) {
        if sample.newly_delivered > 0 {
            let (acked, round) = (sample.newly_delivered, self.round_start);
            let window = if self.filled { AGGREGATION_WINDOW } else { FIRST_AGGREGATION_WINDOW };
            self.aggregation.update(flow, acked, self.bandwidth.value(), round, window);
        }
    }

    /// BBRCheckCyclePhase (§4.3.4.3). A phase lasts one round trip of an empty path. The phase with
    /// a gain above 1 also lasts until it has as much in flight as it aims at. The phase with a
    /// gain below 1 ends early when its queue is gone.
    fn check_cycle(&mut self, flow: &Flow, sample: &RateSample) {
        let Mode::ProbeBandwidth(phase) = self.mode else { return };
        let whole = self.rtt.is_some_and(|rtt| flow.now.since(self.phase_at) > rtt);
        let gain = CYCLE[phase];
        let before = sample.flight_before;
        let over = match gain {
            ONE => whole,
            _ if gain > ONE => {
                whole && (sample.newly_lost > 0 || before >= self.inflight(flow, gain))
            }
            _ => whole || before <= self.inflight(flow, ONE),
        };
        if over {
            self.enter_phase(flow, (phase + 1) % CYCLE.len());
        }
    }

    fn enter_phase(&mut self, flow: &Flow, phase: usize) {
        self.mode = Mode::ProbeBandwidth(phase);
        self.phase_at = flow.now;
    }

    /// BBREnterProbeBW (§4.3.4.2): starts in a randomly drawn phase, but never in the one with a
    /// gain below 1.
    fn enter_probe_bandwidth(&mut self, flow: &Flow) {
        let drawn = self.draw(CYCLE.len() as u32 - 1) as usize;
        self.enter_phase(flow, (CYCLE.len() - drawn) % CYCLE.len());
    }

    /// Draws the next random number below `below` (Marsaglia 2003, "Xorshift RNGs").
    fn draw(&mut self, below: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random % below
    }

    /// BBRCheckFullPipe (§4.3.2.2).
    fn check_full(&mut self, sample: &RateSample) {
        if self.filled || !self.round_start || sample.app_limited {
            return;
        }
        let bandwidth = self.bandwidth.value();
        if u128::from(bandwidth) * 4 >= u128::from(self.full_bandwidth) * 5 {
            self.full_bandwidth = bandwidth;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= FULL_ROUNDS;
    }

    /// BBRCheckDrain (§4.3.3).
    fn check_drain(&mut self, flow: &Flow) {
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && flow.in_flight <= self.inflight(flow, ONE) {
            self.enter_probe_bandwidth(flow);
        }
    }

    /// BBRUpdateRTprop (§4.1.2). A sample that equals the estimate does not renew it, as in the
    /// successor's ProbeRTT (draft-cardwell-ccwg-bbr-00 §4.3.4.3). Otherwise, in a path without
    /// noise, any empty queue would postpone ProbeRTT for ever.
    fn update_rtt(&mut self, flow: &Flow, sample: &RateSample) {
        self.rtt_expired = flow.now > self.rtt_at + RTT_WINDOW;
        let Some(rtt) = sample.rtt else { return };
        if self.rtt_expired || self.rtt.is_none_or(|known| rtt < known) {
            self.rtt = Some(rtt);
            self.rtt_at = flow.now;
        }
    }

    /// BBRCheckProbeRTT (§4.3.5).
    fn check_probe_rtt(&mut self, flow: &mut Flow, sample: &RateSample) {
        if self.rtt_expired && self.mode != Mode::ProbeRtt && !self.idle_restart {
            self.save_cwnd(flow);
            self.mode = Mode::ProbeRtt;
            self.probe_until = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(flow);
        }
        if sample.delivered.is_some() {
            self.idle_restart = false;
        }
    }

    /// BBRHandleProbeRTT: keeps the smallest window for 200 ms and a round trip. Samples taken
    /// meanwhile do not measure the path.
    fn probe_rtt(&mut self, flow: &mut Flow) {
        flow.sampling_limited = true;
        let Some(until) = self.probe_until else {
            if flow.in_flight <= LEAST_CWND {
                self.probe_until = Some(flow.now + PROBE_RTT_TIME);
                self.probe_round = false;
                self.round_end = flow.delivered;
            }
            return;
        };
        self.probe_round |= self.round_start;
        if self.probe_round && flow.now > until {
            self.rtt_at = flow.now;
            self.restore_cwnd(flow);
            if self.filled {
                self.enter_probe_bandwidth(flow);
            } else {
                self.mode = Mode::Startup;
            }
        }
    }

    /// BBRSaveCwnd (§4.2.3.4).
    fn save_cwnd(&mut self, flow: &Flow) {
        let untouched = flow.state < RecoveryState::Recovery && self.mode != Mode::ProbeRtt;
        self.saved_cwnd = if untouched { flow.cwnd } else { self.saved_cwnd.max(flow.cwnd) };
    }

    fn restore_cwnd(&self, flow: &mut Flow) {
        flow.cwnd = flow.cwnd.max(self.saved_cwnd);
    }

    /// BBRSetPacingRate (§4.2.1). Until the pipe has been filled, the rate only rises.
    fn set_pacing_rate(&self, flow: &mut Flow, gain: u64) {
        if self.bandwidth.value() == 0 {
            return;
        }
        let rate = pacing_rate(flow, self.bandwidth.value(), gain);
        if self.filled || rate > flow.pacing_rate {
            flow.pacing_rate = rate;
        }
    }

    /// BBRModulateCwndForRecovery (§4.2.3.4): in the first round trip of a recovery, as much is
    /// sent as is delivered. Returns `true` if that sets the window.
    fn conserve(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        let recovering = flow.state == RecoveryState::Recovery;
        if recovering && !self.recovering {
            flow.cwnd = flow.in_flight + sample.newly_delivered.max(1);
            self.conserves_until = Some(flow.delivered);
        }
        self.recovering = recovering;
        let over = |until| sample.delivered.is_some() && sample.prior_delivered >= until;
        if !recovering || self.conserves_until.is_some_and(over) {
            self.conserves_until = None;
        }
        flow.cwnd = flow.cwnd.saturating_sub(sample.newly_lost).max(1);
        if self.conserves_until.is_none() {
            return false;
        }
        flow.cwnd = flow.cwnd.max(flow.in_flight + sample.newly_delivered);
        true
    }

    /// BBRSetCwnd (§4.2.3.6).
    fn set_cwnd(&mut self, flow: &mut Flow, sample: &RateSample) {
        let extra = if self.filled { self.aggregation.packets() } else { 0 };
        let target = self.inflight(flow, self.cwnd_gain()).saturating_add(extra);
        if !self.conserve(flow, sample) {
            let more = flow.cwnd.saturating_add(sample.newly_delivered);
            if self.filled {
                flow.cwnd = more.min(target);
            } else if flow.cwnd < target || flow.delivered < u64::from(flow.initial_cwnd) {
                flow.cwnd = more;
            }
            flow.cwnd = flow.cwnd.max(LEAST_CWND);
        }
        if self.mode == Mode::ProbeRtt {
            flow.cwnd = flow.cwnd.min(LEAST_CWND);
        }
        flow.cwnd = flow.cwnd.min(flow.cwnd_clamp);
    }
}

/// Returns the smallest burst in packets (BBRSetSendQuantum, §4.2.2).
const fn least_burst(flow: &Flow) -> u32 {
    if flow.pacing_rate < SINGLE_PACKET_RATE { 1 } else { 2 }
}

impl CongestionControl for Bbr {
    fn start(&mut self, flow: &mut Flow) {
        self.rtt = (flow.srtt > Duration::ZERO).then_some(flow.srtt);
        self.rtt_at = flow.now;
        self.round_end = flow.delivered;
        self.aggregation.restart(flow.now);
        flow.pacing_rate = pacing_rate(flow, first_bandwidth(flow), HIGH_GAIN);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.save_cwnd(flow);
        flow.ssthresh
    }

    fn grow(&mut self, _: &mut Flow, _: u32) {}

    fn undo(&mut self, flow: &mut Flow) -> u32 {
        flow.cwnd.max(self.saved_cwnd)
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if flow.state >= RecoveryState::Recovery && state < RecoveryState::Recovery {
            self.restore_cwnd(flow);
        }
    }

    /// BBRHandleRestartFromIdle (§4.3.4.4).
    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        if event == CongestionEvent::TransmitStart && flow.app_limited {
            self.idle_restart = true;
            self.aggregation.restart(flow.now);
            if let Mode::ProbeBandwidth(_) = self.mode {
                self.set_pacing_rate(flow, ONE);
            }
        }
    }

    /// BBRUpdateOnACK (§4).
    fn control(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        self.update_bandwidth(flow, sample);
        self.update_aggregation(flow, sample);
        self.check_cycle(flow, sample);
        self.check_full(sample);
        self.check_drain(flow);
        self.update_rtt(flow, sample);
        self.check_probe_rtt(flow, sample);
        self.set_pacing_rate(flow, self.pacing_gain());
        self.set_cwnd(flow, sample);
        true
    }

    fn sets_window(&self) -> bool {
        true
    }

    fn paces(&self) -> bool {
        true
    }

    fn min_burst(&self, flow: &Flow) -> Option<u32> {
        Some(least_burst(flow))
    }

    /// Recorded (benches/tcp/loopback.py).
    fn send_buffer_windows(&self) -> u32 {
        3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(delivered: u32, prior: u64) -> RateSample {
        RateSample {
            delivered: Some(delivered),
            interval: Duration::from_millis(100),
            prior_delivered: prior,
            newly_delivered: delivered,
            rtt: Some(Duration::from_millis(100)),
            ..RateSample::default()
        }
    }

    fn flow() -> Flow {
        let mut flow = Flow::new(10, u64::MAX);
        flow.mss = 1000;
        flow.srtt = Duration::from_millis(100);
        flow
    }

    #[test]
    fn startup_ends_after_three_rounds_without_a_quarter_more() {
        let (mut bbr, mut flow) = (Bbr::new(1), flow());
        bbr.start(&mut flow);
        // 2.885 initial windows in a round trip, minus one percent.
        assert_eq!(flow.pacing_rate, 285_615);
        let mut ends = None;
        for (round, packets) in [10, 20, 40, 80, 90, 95, 99, 99].into_iter().enumerate() {
            let prior = flow.delivered;
            flow.delivered += u64::from(packets);
            flow.in_flight = 200;
            flow.now += Duration::from_millis(100);
            bbr.control(&mut flow, &sample(packets, prior));
            if ends.is_none() && bbr.mode == Mode::Drain {
                ends = Some(round);
            }
        }
        // 90, 95 and 99 are less than a quarter above 80.
        assert_eq!(ends, Some(6));
        assert_eq!(bbr.bandwidth.value(), 990_000);
        assert_eq!(flow.pacing_rate, 990_000 * 347 / 1000 * 99 / 100);
        flow.in_flight = 99;
        bbr.control(&mut flow, &sample(1, 0));
        assert!(matches!(bbr.mode, Mode::ProbeBandwidth(_)), "{bbr:?}");
    }

    #[test]
    fn probing_never_begins_below_the_bandwidth() {
        let mut seen = [0; CYCLE.len()];
        for seed in 0..1000 {
            let mut bbr = Bbr::new(seed * 7919);
            bbr.enter_probe_bandwidth(&flow());
            let Mode::ProbeBandwidth(phase) = bbr.mode else { panic!("{bbr:?}") };
            seen[phase] += 1;
        }
        assert_eq!(seen[1], 0, "{seen:?}");
        assert!(
            seen.iter().enumerate().all(|(phase, count)| phase == 1 || *count > 50),
            "{seen:?}"
        );
    }

    #[test]
    fn a_recovery_conserves_packets_for_a_round_trip_and_restores_the_window() {
        let (mut bbr, mut flow) = (Bbr::new(1), flow());
        bbr.start(&mut flow);
        bbr.bandwidth.reset(0, 10_000_000);
        flow.cwnd = 100;
        flow.delivered = 500;
        flow.in_flight = 60;
        bbr.reduce(&mut flow);
        flow.state = RecoveryState::Recovery;
        bbr.control(&mut flow, &RateSample { newly_lost: 3, ..sample(2, 400) });
        assert_eq!(flow.cwnd, 62);
        flow.in_flight = 50;
        bbr.control(&mut flow, &RateSample { newly_lost: 20, ..sample(1, 450) });
        assert_eq!(flow.cwnd, 51);
        // Packets sent after the recovery began are delivered: the window may grow again.
        flow.delivered = 600;
        bbr.control(&mut flow, &sample(5, 500));
        assert_eq!(flow.cwnd, 56);
        bbr.state_changes(&mut flow, RecoveryState::Open);
        assert_eq!(flow.cwnd, 100);
    }
}
