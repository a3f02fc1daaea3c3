//! BBR, version 1 (Cardwell, Cheng, Yeganeh and Jacobson,
//! draft-cardwell-iccrg-bbr-congestion-control-00; "BBR: Congestion-based congestion control", ACM
//! Queue 14(5), 2016), with two later additions of its authors, as draft-ietf-ccwg-bbr has them:
//! the allowance for aggregated acknowledgements (BBR.extra_acked) and the pacing margin
//! (BBR.PacingMarginPercent). Not here: the detection of policers.

use netloom_units::{Duration, Time};

use super::{CongestionControl, CongestionEvent, Flow, RecoveryState};
use crate::rate::RateSample;
use crate::windowed::Greatest;

/// Bandwidths are in packets per µs, with this many binary places.
pub(super) const BW_SHIFT: u32 = 24;
/// Gains have 256 parts.
pub(super) const ONE: u64 = 256;
/// 2/ln 2: doubles the rate in each round trip.
const HIGH_GAIN: u64 = 739;
/// ln 2/2, the inverse (§4.3.3).
const DRAIN_GAIN: u64 = 89;
const CWND_GAIN: u64 = 2 * ONE;
/// The gain cycle of ProbeBW (§4.3.4.1).
const CYCLE: [u64; 8] = [5 * ONE / 4, 3 * ONE / 4, ONE, ONE, ONE, ONE, ONE, ONE];
/// BtlBwFilterLen, in round trips.
const BANDWIDTH_ROUNDS: u64 = 10;
/// RTpropFilterLen and ProbeRTTDuration.
const RTT_WINDOW: Duration = Duration::from_secs(10);
const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
const LEAST_CWND: u32 = 4;
/// The pipe is full after so many rounds without a quarter more bandwidth.
const FULL_ROUNDS: u32 = 3;
/// BBR.PacingMarginPercent of draft-ietf-ccwg-bbr.
const PACING_MARGIN: u64 = 1;
/// Rounds of each of two windows, together BBR.ExtraAckedFilterLen = 10 of draft-ietf-ccwg-bbr.
const AGGREGATION_ROUNDS: u32 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

/// Acknowledgements that come in bursts: how many more than the bandwidth explains.
#[derive(Debug, Default)]
pub(super) struct Aggregation {
    most: [u32; 2],
    at: usize,
    rounds: u32,
    since: Time,
    acked: u64,
}

impl Aggregation {
    /// A new count begins.
    pub fn restart(&mut self, now: Time) {
        self.since = now;
        self.acked = 0;
    }

    /// `acked` packets were acknowledged, at a `bandwidth` of which more than `cwnd` cannot be kept
    /// back. The windows of the maximum last `rounds` rounds.
    pub fn update(&mut self, flow: &Flow, acked: u32, bandwidth: u64, round: bool, rounds: u32) {
        if round {
            self.rounds += 1;
            if self.rounds >= rounds {
                self.rounds = 0;
                self.at = 1 - self.at;
                self.most[self.at] = 0;
            }
        }
        let micros = flow.now.since(self.since).as_nanos() / 1000;
        let expected = (u128::from(bandwidth) * u128::from(micros)) >> BW_SHIFT;
        let mut expected = u64::try_from(expected).unwrap_or(u64::MAX);
        if self.acked <= expected {
            self.restart(flow.now);
            expected = 0;
        }
        self.acked += u64::from(acked);
        let extra = self.acked.saturating_sub(expected).min(u64::from(flow.cwnd)) as u32;
        self.most[self.at] = self.most[self.at].max(extra);
    }

    /// Packets that aggregation keeps from being acknowledged.
    pub fn packets(&self) -> u32 {
        self.most[0].max(self.most[1])
    }
}

/// Bytes per second of `gain` times `bandwidth`, below it by the margin.
pub(super) fn pacing_rate(flow: &Flow, bandwidth: u64, gain: u64) -> u64 {
    let bandwidth = u128::from(bandwidth) * u128::from(flow.mss) * 1_000_000 / (1 << BW_SHIFT);
    let rate = bandwidth * u128::from(gain * (100 - PACING_MARGIN)) / u128::from(100 * ONE);
    u64::try_from(rate).unwrap_or(u64::MAX).min(flow.max_pacing_rate)
}

/// The bandwidth of the initial window in a round trip, a millisecond without a sample of that.
pub(super) fn first_bandwidth(flow: &Flow) -> u64 {
    let measured = flow.srtt > Duration::ZERO;
    let micros = if measured { (flow.srtt.as_nanos() / 1000).max(1) } else { 1000 };
    (u64::from(flow.cwnd) << BW_SHIFT) / micros
}

/// Packets in flight at `gain` times the product of `bandwidth` and `rtt` (§4.2.3.2).
pub(super) fn product(flow: &Flow, bandwidth: u64, rtt: Option<Duration>, gain: u64) -> u32 {
    let Some(rtt) = rtt else { return flow.initial_cwnd };
    let micros = rtt.as_nanos() / 1000;
    let scaled = u128::from(bandwidth) * u128::from(micros) * u128::from(gain);
    (scaled / u128::from(ONE)).div_ceil(1 << BW_SHIFT).min(u128::from(u32::MAX)) as u32
}

/// Packets of a burst: what the pacing rate sends in a millisecond, 64 KB at most (§4.2.2,
/// BBRSetSendQuantum).
pub(super) fn burst(flow: &Flow) -> u32 {
    let bytes = (flow.pacing_rate / 1000).min(65_536);
    let packets = (bytes / u64::from(flow.mss.max(1))) as u32;
    packets.max(least_burst(flow))
}

/// BBR's variables (§3).
#[derive(Debug)]
pub(crate) struct Bbr {
    mode: Mode,
    bandwidth: Greatest,
    rtt: Option<Duration>,
    rtt_at: Time,
    probe_rtt_until: Option<Time>,
    probe_rtt_round: bool,
    rounds: u64,
    round_end: u64,
    round_start: bool,
    cycle: usize,
    cycle_at: Time,
    full_bandwidth: u64,
    full_rounds: u32,
    full: bool,
    idle_restart: bool,
    conserving: bool,
    before_state: RecoveryState,
    saved_cwnd: u32,
    paced: bool,
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
            probe_rtt_until: None,
            probe_rtt_round: false,
            rounds: 0,
            round_end: 0,
            round_start: false,
            cycle: 0,
            cycle_at: Time::ZERO,
            full_bandwidth: 0,
            full_rounds: 0,
            full: false,
            idle_restart: false,
            conserving: false,
            before_state: RecoveryState::Open,
            saved_cwnd: 0,
            paced: false,
            aggregation: Aggregation::default(),
            random: seed | 1,
        }
    }

    /// The phase in which ProbeBW begins: any but the one that drains.
    fn draw_phase(&mut self) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        CYCLE.len() - 1 - (self.random % 7) as usize
    }

    fn pacing_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth => CYCLE[self.cycle],
            Mode::ProbeRtt => ONE,
        }
    }

    fn cwnd_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBandwidth => CWND_GAIN,
            Mode::ProbeRtt => ONE,
        }
    }

    /// The rate before there is a sample: the initial window in a round trip (§4.2.1).
    fn set_first_rate(&mut self, flow: &mut Flow) {
        self.paced = flow.srtt > Duration::ZERO;
        let bandwidth = first_bandwidth(flow);
        flow.pacing_rate = pacing_rate(flow, bandwidth, HIGH_GAIN);
    }

    fn set_rate(&mut self, flow: &mut Flow) {
        if !self.paced && flow.srtt > Duration::ZERO {
            self.set_first_rate(flow);
        }
        let rate = pacing_rate(flow, self.bandwidth.value(), self.pacing_gain());
        if self.full || rate > flow.pacing_rate {
            flow.pacing_rate = rate;
        }
    }

    fn product(&self, flow: &Flow, gain: u64) -> u32 {
        product(flow, self.bandwidth.value(), self.rtt, gain)
    }

    /// The product of bandwidth and delay, with room for bursts in sender and receiver: three of
    /// them (BBR.offload_budget of draft-ietf-ccwg-bbr).
    fn target(&self, flow: &Flow, gain: u64) -> u32 {
        let mut packets = self.product(flow, gain).saturating_add(3 * burst(flow));
        if self.mode == Mode::ProbeBandwidth && self.cycle == 0 {
            packets = packets.saturating_add(2);
        }
        packets
    }

    fn update_bandwidth(&mut self, flow: &Flow, sample: &RateSample) {
        self.round_start = false;
        let Some(rate) = sample.packets_per_round(BW_SHIFT) else { return };
        if sample.prior_delivered >= self.round_end {
            self.round_end = flow.delivered;
            self.rounds += 1;
            self.round_start = true;
            self.conserving = false;
        }
        if !sample.app_limited || rate >= self.bandwidth.value() {
            self.bandwidth.update(BANDWIDTH_ROUNDS, self.rounds, rate);
        }
    }

    /// Packets that aggregation keeps from being acknowledged.
    fn aggregated(&self) -> u32 {
        if !self.full {
            return 0;
        }
        self.aggregation.packets()
    }

    /// §4.3.4.3.
    fn update_cycle(&mut self, flow: &Flow, sample: &RateSample) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let long = self.rtt.is_some_and(|rtt| flow.now.since(self.cycle_at) > rtt);
        let before = sample.flight_before;
        let gain = self.pacing_gain();
        let next = if gain == ONE {
            long
        } else if gain > ONE {
            long && (sample.newly_lost > 0 || before >= self.target(flow, gain))
        } else {
            long || before <= self.target(flow, ONE)
        };
        if next {
            self.cycle = (self.cycle + 1) % CYCLE.len();
            self.cycle_at = flow.now;
        }
    }

    /// §4.3.2.2.
    fn check_full(&mut self, sample: &RateSample) {
        if self.full || !self.round_start || sample.app_limited {
            return;
        }
        if self.bandwidth.value() >= self.full_bandwidth * 5 / 4 {
            self.full_bandwidth = self.bandwidth.value();
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.full = self.full_rounds >= FULL_ROUNDS;
    }

    /// §4.3.3.
    fn check_drain(&mut self, flow: &mut Flow) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
            flow.ssthresh = self.target(flow, ONE);
        }
        if self.mode == Mode::Drain && flow.in_flight <= self.target(flow, ONE) {
            self.probe_bandwidth(flow);
        }
    }

    fn probe_bandwidth(&mut self, flow: &Flow) {
        self.mode = Mode::ProbeBandwidth;
        self.cycle = (self.draw_phase() + 1) % CYCLE.len();
        self.cycle_at = flow.now;
    }

    /// §4.1.2.2 and §4.3.5.
    fn update_rtt(&mut self, flow: &mut Flow, sample: &RateSample) {
        let expired = flow.now > self.rtt_at + RTT_WINDOW;
        if let Some(rtt) = sample.rtt {
            // The draft also renews an equal sample; in virtual time these come to the nanosecond
            // whenever the queue is empty, and ProbeRTT would hardly ever come.
            let less = self.rtt.is_none_or(|known| rtt < known);
            if less || expired {
                self.rtt = Some(rtt);
                self.rtt_at = flow.now;
            }
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(flow);
            self.probe_rtt_until = None;
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
            None if flow.in_flight <= LEAST_CWND => {
                self.probe_rtt_until = Some(flow.now + PROBE_RTT_TIME);
                self.probe_rtt_round = false;
                self.round_end = flow.delivered;
            }
            Some(until) => {
                self.probe_rtt_round |= self.round_start;
                if self.probe_rtt_round && flow.now > until {
                    self.rtt_at = flow.now;
                    flow.cwnd = flow.cwnd.max(self.saved_cwnd);
                    if self.full {
                        self.probe_bandwidth(flow);
                    } else {
                        self.mode = Mode::Startup;
                    }
                }
            }
            None => {}
        }
    }

    fn save_cwnd(&mut self, flow: &Flow) {
        let disturbed = self.before_state >= RecoveryState::Recovery || self.mode == Mode::ProbeRtt;
        self.saved_cwnd = if disturbed { self.saved_cwnd.max(flow.cwnd) } else { flow.cwnd };
    }

    /// §4.2.3.4: in recovery, first what is delivered may be sent again, then slow start. `true` if
    /// the window is set.
    fn set_recovery_cwnd(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        let (before, state) = (self.before_state, flow.state);
        let acked = sample.newly_delivered;
        let mut cwnd = flow.cwnd;
        if sample.newly_lost > 0 {
            cwnd = cwnd.saturating_sub(sample.newly_lost).max(1);
        }
        if state == RecoveryState::Recovery && before != RecoveryState::Recovery {
            self.conserving = true;
            self.round_end = flow.delivered;
            cwnd = flow.in_flight + acked;
        } else if before >= RecoveryState::Recovery && state < RecoveryState::Recovery {
            cwnd = cwnd.max(self.saved_cwnd);
            self.conserving = false;
        }
        self.before_state = state;
        if self.conserving {
            cwnd = cwnd.max(flow.in_flight + acked);
        }
        flow.cwnd = cwnd;
        self.conserving
    }

    /// §4.2.3.5.
    fn set_cwnd(&mut self, flow: &mut Flow, sample: &RateSample) {
        let acked = sample.newly_delivered;
        if acked > 0 && !self.set_recovery_cwnd(flow, sample) {
            let mut target = self.product(flow, self.cwnd_gain()).saturating_add(self.aggregated());
            target = target.saturating_add(3 * burst(flow));
            if self.mode == Mode::ProbeBandwidth && self.cycle == 0 {
                target = target.saturating_add(2);
            }
            if self.full {
                flow.cwnd = flow.cwnd.saturating_add(acked).min(target);
            } else if flow.cwnd < target || flow.delivered < u64::from(flow.initial_cwnd) {
                flow.cwnd = flow.cwnd.saturating_add(acked);
            }
            flow.cwnd = flow.cwnd.max(LEAST_CWND);
        }
        flow.cwnd = flow.cwnd.min(flow.cwnd_clamp);
        if self.mode == Mode::ProbeRtt {
            flow.cwnd = flow.cwnd.min(LEAST_CWND);
        }
    }
}

/// Slow paths get single packets (§4.2.2: below 1.2 Mbit/s).
pub(super) fn least_burst(flow: &Flow) -> u32 {
    if flow.pacing_rate < 150_000 { 1 } else { 2 }
}

impl CongestionControl for Bbr {
    fn start(&mut self, flow: &mut Flow) {
        self.rtt = flow.least_rtt;
        self.rtt_at = flow.now;
        self.cycle_at = flow.now;
        self.aggregation.restart(flow.now);
        self.round_end = flow.delivered;
        self.set_first_rate(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.save_cwnd(flow);
        flow.ssthresh
    }

    fn grow(&mut self, _: &mut Flow, _: u32) {}

    fn undo(&mut self, flow: &mut Flow) -> u32 {
        // The losses that ended Startup may not have been any.
        self.full_bandwidth = 0;
        self.full_rounds = 0;
        flow.cwnd
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            self.before_state = RecoveryState::Loss;
            self.full_bandwidth = 0;
            self.round_start = true;
        }
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        if event == CongestionEvent::TransmitStart && flow.app_limited {
            self.idle_restart = true;
            self.aggregation.restart(flow.now);
            // After idle time, the pipe is empty: no need to probe or drain (§4.2.1).
            if self.mode == Mode::ProbeBandwidth {
                flow.pacing_rate = pacing_rate(flow, self.bandwidth.value(), ONE);
            }
        }
    }

    fn control(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        self.update_bandwidth(flow, sample);
        if sample.delivered.is_some() && sample.newly_delivered > 0 {
            let (acked, bandwidth) = (sample.newly_delivered, self.bandwidth.value());
            let round = self.round_start;
            self.aggregation.update(flow, acked, bandwidth, round, AGGREGATION_ROUNDS);
        }
        self.update_cycle(flow, sample);
        self.check_full(sample);
        self.check_drain(flow);
        self.update_rtt(flow, sample);
        self.set_rate(flow);
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

    fn send_buffer_windows(&self) -> u32 {
        3
    }
}
