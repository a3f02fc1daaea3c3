//! Leaves slow start before the queue overflows: HyStart (Ha and Rhee 2011, "Taming the elephants:
//! New TCP slow start", Computer Networks 55) with the parameters that Linux's module shows, and
//! HyStart++ (RFC 9406). Not here: congestion avoidance.

use netloom_units::{Duration, Time};

use super::{Flow, HyStart};

/// Below this window, in packets, slow start is never left. Recorded: `hystart_low_window`
/// (benches/tcp/parameters.py).
const LOW_WINDOW: u32 = 16;
/// Number of samples of the round-trip time in a round (RFC 9406's N_RTT_SAMPLE).
const SAMPLES: u32 = 8;
/// Acknowledgements that follow each other within this time are a train. Recorded:
/// `hystart_ack_delta_us` (benches/tcp/parameters.py).
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// Bounds of the rise of delay that shows a queue (RFC 9406: MIN_RTT_THRESH, MAX_RTT_THRESH).
const LEAST_RISE: u64 = 4_000_000;
const MOST_RISE: u64 = 16_000_000;
/// Conservative slow start grows more slowly by this factor, for this many rounds (RFC 9406 §4.3).
const CSS_GROWTH_DIVISOR: u32 = 4;
const CSS_ROUNDS: u32 = 5;
/// Largest number of packets that a burst of acknowledgements counts for (RFC 9406: L without
/// pacing).
const MOST_ACKED: u32 = 8;

/// The state of either form of HyStart.
#[derive(Debug)]
pub(crate) struct Exit {
    kind: HyStart,
    /// The round ends when this position is acknowledged.
    round_end: u64,
    round_start: Time,
    last_ack: Time,
    /// Least round-trip time of this round and of the previous one. Zero before any sample.
    round_least: u64,
    previous_least: u64,
    samples: u32,
    /// HyStart++: `Some` in conservative slow start, with the number of its rounds and the delay at
    /// its start.
    conservative: Option<(u32, u64)>,
    css_count: u32,
}

/// Returns the rise of delay over `least` (both in ns) that shows a queue.
fn rise(least: u64) -> u64 {
    (least / 8).clamp(LEAST_RISE, MOST_RISE)
}

impl Exit {
    pub fn new(kind: HyStart) -> Self {
        Self {
            kind,
            round_end: 0,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            round_least: 0,
            previous_least: 0,
            samples: 0,
            conservative: None,
            css_count: 0,
        }
    }

    /// Begins slow start anew.
    pub fn reset(&mut self, flow: &Flow) {
        self.conservative = None;
        self.previous_least = 0;
        self.begin_round(flow);
    }

    fn begin_round(&mut self, flow: &Flow) {
        self.round_start = flow.now;
        self.last_ack = flow.now;
        self.round_end = flow.nxt;
        self.round_least = 0;
        self.samples = 0;
    }

    /// Handles an acknowledgement while the window is below its threshold, even in a recovery. A
    /// new round may begin, which with HyStart++ may end slow start.
    fn acknowledged(&mut self, flow: &mut Flow) {
        if self.kind == HyStart::Off || flow.una <= self.round_end {
            return;
        }
        if self.kind == HyStart::PlusPlus
            && let Some((rounds, _)) = &mut self.conservative
        {
            *rounds += 1;
            if *rounds >= CSS_ROUNDS {
                flow.ssthresh = flow.cwnd;
            }
        }
        self.previous_least = self.round_least;
        self.begin_round(flow);
    }

    /// Grows the window in slow start for `acked` packets. Returns the rest of them.
    pub fn grow(&mut self, flow: &mut Flow, acked: u32) -> u32 {
        if self.kind != HyStart::PlusPlus {
            return flow.slow_start(acked);
        }
        let acked = acked.min(MOST_ACKED);
        if self.conservative.is_none() {
            return flow.slow_start(acked);
        }
        self.css_count += acked;
        let packets = self.css_count / CSS_GROWTH_DIVISOR;
        self.css_count %= CSS_GROWTH_DIVISOR;
        flow.slow_start(packets);
        0
    }

    /// Takes a sample of the round-trip time in slow start. `least` is the least one so far (both
    /// in ns).
    pub fn sample(&mut self, flow: &mut Flow, rtt: u64, least: u64) {
        self.acknowledged(flow);
        match self.kind {
            HyStart::Off => {}
            HyStart::Linux if flow.cwnd < LOW_WINDOW => {}
            HyStart::Linux => self.sample_linux(flow, rtt, least),
            HyStart::PlusPlus => self.sample_plus_plus(rtt),
        }
    }

    fn sample_linux(&mut self, flow: &mut Flow, rtt: u64, least: u64) {
        if flow.now.since(self.last_ack) <= TRAIN_GAP {
            self.last_ack = flow.now;
            let train = flow.now.since(self.round_start).as_nanos();
            // Half of the least round trip stands for the one-way delay.
            if train > least / 2 {
                flow.ssthresh = flow.cwnd;
                return;
            }
        }
        if self.round_least == 0 || rtt < self.round_least {
            self.round_least = rtt;
        }
        if self.samples < SAMPLES {
            self.samples += 1;
        } else if self.round_least > least + rise(least) {
            flow.ssthresh = flow.cwnd;
        }
    }

    /// Takes a sample for HyStart++ (RFC 9406 §4.2).
    fn sample_plus_plus(&mut self, rtt: u64) {
        if self.round_least == 0 || rtt < self.round_least {
            self.round_least = rtt;
        }
        self.samples += 1;
        if self.samples < SAMPLES || self.previous_least == 0 {
            return;
        }
        match self.conservative {
            None => {
                if self.round_least >= self.previous_least + rise(self.previous_least) {
                    self.conservative = Some((0, self.round_least));
                }
            }
            // The rise was jitter: return to normal slow start.
            Some((_, baseline)) if self.round_least < baseline => self.conservative = None,
            Some(_) => {}
        }
    }
}
