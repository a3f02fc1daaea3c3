//! BBR, version 3 (draft-ietf-ccwg-bbr; section numbers are those of -01). It is not validated,
//! because no kernel has it without patches. Losses are judged once per acknowledgement, by the
//! sample that it gives, and not for each lost packet. ECN marks count as losses do, as in RFC
//! 3168.

mod probing;

use netloom_units::{Duration, Time};

use super::path::{
    Aggregation, BURSTS_IN_FLIGHT, ONE, burst, first_bandwidth, pacing_rate, product,
};
use super::{CongestionControl, CongestionEvent, Flow, RecoveryState};
use crate::rate::RateSample;

/// Gains (§5.1): 4 ln 2, 0.35, 0.9, 1.25. Windows have a gain of 2, and of 2.25 while probing up.
const STARTUP_GAIN: u64 = 2773;
const DRAIN_GAIN: u64 = 350;
const DOWN_GAIN: u64 = 900;
const UP_GAIN: u64 = 5 * ONE / 4;
const CWND_GAIN: u64 = 2 * ONE;
const UP_CWND_GAIN: u64 = 9 * ONE / 4;
const PROBE_RTT_CWND_GAIN: u64 = ONE / 2;
/// Loss rate in percent above which losses are too many (BBR.LossThresh).
const LOSS_PERCENT: u64 = 2;
/// Factor by which losses lower a bound (BBR.Beta).
const BETA: u64 = 7 * ONE / 10;
/// Share of the long-term bound that is left free (BBR.Headroom).
const HEADROOM: u64 = 15 * ONE / 100;
/// BBRMinPipeCwnd, and the smallest burst of BBRSetSendQuantum.
const LEAST_CWND: u32 = 4;
const LEAST_BURST: u32 = 2;
/// BBR.MinRTTFilterLen, BBR.ProbeRTTInterval, BBR.ProbeRTTDuration.
const RTT_WINDOW: Duration = Duration::from_secs(10);
const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// Number of rounds with less than a quarter more bandwidth that ends Startup.
const FULL_ROUNDS: u32 = 3;
const AGGREGATION_ROUNDS: u64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// The relation of current acknowledgements to a probe (§5.3.3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The acknowledgements are for packets sent before the probe.
    Starting,
    Probing,
    Stopping,
    Refilling,
}

/// BBR's variables (§2).
#[derive(Debug)]
pub(crate) struct Bbr3 {
    mode: Mode,
    phase: Phase,
    /// Greatest bandwidth of the previous and of the current probing cycle.
    bandwidths: [u64; 2],
    short_bandwidth: u64,
    round_bandwidth: u64,
    long_flight: u32,
    short_flight: u32,
    round_flight: u32,
    rtt: Option<Duration>,
    rtt_at: Time,
    probed_rtt: Option<Duration>,
    probed_rtt_at: Time,
    probe_rtt_until: Option<Time>,
    probe_rtt_round: bool,
    round_end: u64,
    round_start: bool,
    loss_round_end: u64,
    loss_in_round: bool,
    full_bandwidth: u64,
    full_rounds: u32,
    full: bool,
    lossy_rounds: u32,
    /// Probing: the start of the cycle, its duration, and its duration so far in rounds.
    cycle_at: Time,
    wait: Duration,
    rounds_since_probe: u32,
    samples_valid: bool,
    up_rounds: u32,
    up_acked: u32,
    up_per_packet: u32,
    idle_restart: bool,
    saved_cwnd: u32,
    aggregation: Aggregation,
    random: u32,
}

impl Bbr3 {
    pub fn new(seed: u32) -> Self {
        Self {
            mode: Mode::Startup,
            phase: Phase::Starting,
            bandwidths: [0; 2],
            short_bandwidth: u64::MAX,
            round_bandwidth: 0,
            long_flight: u32::MAX,
            short_flight: u32::MAX,
            round_flight: 0,
            rtt: None,
            rtt_at: Time::ZERO,
            probed_rtt: None,
            probed_rtt_at: Time::ZERO,
            probe_rtt_until: None,
            probe_rtt_round: false,
            round_end: 0,
            round_start: false,
            loss_round_end: 0,
            loss_in_round: false,
            full_bandwidth: 0,
            full_rounds: 0,
            full: false,
            lossy_rounds: 0,
            cycle_at: Time::ZERO,
            wait: Duration::from_secs(2),
            rounds_since_probe: 0,
            samples_valid: false,
            up_rounds: 0,
            up_acked: 0,
            up_per_packet: u32::MAX,
            idle_restart: false,
            saved_cwnd: 0,
            aggregation: Aggregation::default(),
            random: seed | 1,
        }
    }

    fn draw(&mut self, below: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random % below
    }

    fn greatest(&self) -> u64 {
        self.bandwidths[0].max(self.bandwidths[1])
    }

    /// BBR.bw.
    fn bandwidth(&self) -> u64 {
        self.greatest().min(self.short_bandwidth)
    }

    fn probes_bandwidth(&self) -> bool {
        matches!(self.mode, Mode::Down | Mode::Cruise | Mode::Refill | Mode::Up)
    }

    fn pacing_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup => STARTUP_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::Down => DOWN_GAIN,
            Mode::Up => UP_GAIN,
            Mode::Cruise | Mode::Refill | Mode::ProbeRtt => ONE,
        }
    }

    fn cwnd_gain(&self) -> u64 {
        match self.mode {
            Mode::Up => UP_CWND_GAIN,
            Mode::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => CWND_GAIN,
        }
    }

    /// BBRInflight: the bandwidth-delay product with room for bursts.
    fn inflight(&self, flow: &Flow, bandwidth: u64, gain: u64) -> u32 {
        let packets = product(flow, bandwidth, self.rtt, gain);
        let packets = packets.max(BURSTS_IN_FLIGHT * burst(flow, LEAST_BURST)).max(LEAST_CWND);
        packets.saturating_add(if self.mode == Mode::Up { 2 } else { 0 })
    }

    /// Updates rounds, bandwidth and signals of congestion (§5.5.1 and §5.5.10).
    fn update_signals(&mut self, flow: &Flow, sample: &RateSample) {
        self.round_start = false;
        let Some(rate) = sample.bytes_per_second(flow.mss) else { return };
        let delivered = sample.delivered.unwrap_or(0);
        if sample.prior_delivered >= self.round_end {
            self.round_end = flow.delivered;
            self.round_start = true;
            self.rounds_since_probe += 1;
        }
        self.round_bandwidth = self.round_bandwidth.max(rate);
        self.round_flight = self.round_flight.max(delivered);
        if !sample.app_limited || rate >= self.greatest() {
            self.bandwidths[1] = self.bandwidths[1].max(rate);
        }
        self.loss_in_round |= sample.newly_lost > 0;
        if sample.prior_delivered >= self.loss_round_end {
            self.loss_round_end = flow.delivered;
            self.end_loss_round(flow);
            self.round_bandwidth = rate;
            self.round_flight = delivered;
            self.loss_in_round = false;
        }
    }

    /// BBRAdaptLowerBoundsFromCongestion, once per round trip.
    fn end_loss_round(&mut self, flow: &Flow) {
        let probing = matches!(self.mode, Mode::Refill | Mode::Up | Mode::Startup);
        if probing || !self.loss_in_round {
            return;
        }
        if self.short_bandwidth == u64::MAX {
            self.short_bandwidth = self.greatest();
        }
        if self.short_flight == u32::MAX {
            self.short_flight = flow.cwnd;
        }
        self.short_bandwidth = self.round_bandwidth.max(kept(self.short_bandwidth));
        self.short_flight = self.round_flight.max(kept(self.short_flight.into()) as u32);
    }

    fn forget_short_term(&mut self) {
        self.short_bandwidth = u64::MAX;
        self.short_flight = u32::MAX;
        self.round_bandwidth = 0;
        self.round_flight = 0;
    }

    /// Ends Startup when the bandwidth stops growing or losses are too many (§5.3.1.2, §5.3.1.3).
    fn check_startup(&mut self, flow: &Flow, sample: &RateSample) {
        if !self.full && self.round_start && !sample.app_limited {
            if self.greatest() >= self.full_bandwidth * 5 / 4 {
                self.full_bandwidth = self.greatest();
                self.full_rounds = 0;
            } else {
                self.full_rounds += 1;
                self.full = self.full_rounds >= FULL_ROUNDS;
            }
            let lossy = flow.state == RecoveryState::Recovery && is_too_lossy(sample);
            self.lossy_rounds = if lossy { self.lossy_rounds + 1 } else { 0 };
            if self.mode == Mode::Startup && self.lossy_rounds >= 1 {
                self.full = true;
                let product = product(flow, self.greatest(), self.rtt, ONE);
                self.long_flight = product.max(self.round_flight);
            }
        }
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && flow.in_flight <= self.inflight(flow, self.bandwidth(), ONE)
        {
            self.begin_down(flow);
        }
    }

    /// Sets the window (§5.6.4).
    fn set_cwnd(&self, flow: &mut Flow, sample: &RateSample) {
        let acked = sample.newly_delivered;
        let aggregated = if self.full { self.aggregation.packets() } else { 0 };
        let most = self.inflight(flow, self.bandwidth(), self.cwnd_gain());
        let most = most.saturating_add(aggregated);
        if self.full {
            flow.cwnd = flow.cwnd.saturating_add(acked).min(most);
        } else if flow.cwnd < most || flow.delivered < 2 * u64::from(flow.initial_cwnd) {
            flow.cwnd = flow.cwnd.saturating_add(acked);
        }
        flow.cwnd = flow.cwnd.max(LEAST_CWND);
        if self.mode == Mode::ProbeRtt {
            flow.cwnd = flow.cwnd.min(self.probe_rtt_cwnd(flow));
        }
        let bound = match self.mode {
            Mode::Down | Mode::Refill | Mode::Up => self.long_flight,
            Mode::Cruise | Mode::ProbeRtt => self.with_headroom(),
            Mode::Startup | Mode::Drain => u32::MAX,
        };
        flow.cwnd = flow.cwnd.min(bound.min(self.short_flight).max(LEAST_CWND));
        flow.cwnd = flow.cwnd.min(flow.cwnd_clamp);
    }
}

/// Returns `value` lowered by the factor β.
fn kept(value: u64) -> u64 {
    (u128::from(value) * u128::from(BETA) / u128::from(ONE)) as u64
}

/// IsInflightTooHigh: whether more than 2 % of the packets in flight were lost.
fn is_too_lossy(sample: &RateSample) -> bool {
    u64::from(sample.lost_since) * 100 > u64::from(sample.prior_in_flight) * LOSS_PERCENT
}

impl CongestionControl for Bbr3 {
    fn start(&mut self, flow: &mut Flow) {
        self.rtt = flow.least_rtt;
        self.probed_rtt = flow.least_rtt;
        self.rtt_at = flow.now;
        self.probed_rtt_at = flow.now;
        self.cycle_at = flow.now;
        self.aggregation.restart(flow.now);
        self.round_end = flow.delivered;
        flow.pacing_rate = pacing_rate(flow, first_bandwidth(flow), STARTUP_GAIN);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.saved_cwnd = self.saved_cwnd.max(flow.cwnd);
        flow.ssthresh
    }

    fn grow(&mut self, _: &mut Flow, _: u32) {}

    fn undo(&mut self, flow: &mut Flow) -> u32 {
        self.full_rounds = 0;
        self.forget_short_term();
        flow.cwnd.max(self.saved_cwnd)
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if flow.state >= RecoveryState::Recovery && state < RecoveryState::Recovery {
            flow.cwnd = flow.cwnd.max(self.saved_cwnd);
            self.saved_cwnd = 0;
        }
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        if event == CongestionEvent::TransmitStart && flow.app_limited {
            self.idle_restart = true;
            self.aggregation.restart(flow.now);
            if self.probes_bandwidth() {
                flow.pacing_rate = pacing_rate(flow, self.bandwidth(), ONE);
            }
        }
    }

    fn control(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        self.update_signals(flow, sample);
        if sample.newly_delivered > 0 {
            let (acked, round) = (sample.newly_delivered, self.round_start);
            let bandwidth = self.bandwidth();
            self.aggregation.update(flow, acked, bandwidth, round, AGGREGATION_ROUNDS);
        }
        self.check_startup(flow, sample);
        self.update_cycle(flow, sample);
        self.update_rtt(flow, sample);
        let rate = pacing_rate(flow, self.bandwidth(), self.pacing_gain());
        if self.full || rate > flow.pacing_rate {
            flow.pacing_rate = rate;
        }
        self.set_cwnd(flow, sample);
        true
    }

    fn sets_window(&self) -> bool {
        true
    }

    fn paces(&self) -> bool {
        true
    }

    fn min_burst(&self, _: &Flow) -> Option<u32> {
        Some(LEAST_BURST)
    }

    /// The value is that of version 1, which is recorded (benches/tcp/loopback.py).
    fn send_buffer_windows(&self) -> u32 {
        3
    }
}
