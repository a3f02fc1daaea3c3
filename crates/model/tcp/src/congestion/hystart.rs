//! Leaving slow start before the queue overflows: HyStart (Ha and Rhee 2011, "Taming the elephants:
//! New TCP slow start", Computer Networks 55) with the parameters that Linux's module shows, and
//! HyStart++ (RFC 9406). Not here: congestion avoidance.

use netloom_units::{Duration, Time};

use super::{Flow, HyStart};

/// No exit below this window (packets). Recorded: `hystart_low_window` (benches/tcp/parameters.py).
const LOW_WINDOW: u32 = 16;
/// Samples of the round-trip time in a round (RFC 9406's N_RTT_SAMPLE).
const SAMPLES: u32 = 8;
/// Acknowledgements that follow each other this closely are a train. Recorded:
/// `hystart_ack_delta_us` (benches/tcp/parameters.py).
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// Bounds of the rise of delay that counts (RFC 9406: MIN_RTT_THRESH, MAX_RTT_THRESH).
const LEAST_RISE: u64 = 4_000_000;
const MOST_RISE: u64 = 16_000_000;
/// Conservative slow start grows this much more slowly, for so many rounds (RFC 9406 §4.3).
const CSS_GROWTH_DIVISOR: u32 = 4;
const CSS_ROUNDS: u32 = 5;
/// A burst of acknowledgements counts as so many packets at most (RFC 9406: L without pacing).
const MOST_ACKED: u32 = 8;

/// The state of either form.
#[derive(Debug)]
pub(crate) struct Exit {
    kind: HyStart,
    /// The round ends when this position is acknowledged.
    round_end: u64,
    round_start: Time,
    last_ack: Time,
    /// The least round-trip time of this round and of the previous one; zero before any.
    round_least: u64,
    previous_least: u64,
    samples: u32,
    /// HyStart++: in conservative slow start, since so many rounds, from this delay.
    conservative: Option<(u32, u64)>,
    css_count: u32,
}

/// The rise of delay over `least` (ns) that shows a queue.
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

    /// Slow start begins anew.
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

    /// An acknowledgement while the window is below its threshold (in a recovery, too): a round may
    /// begin, and with HyStart++ end slow start.
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

    /// Growth of slow start for `acked` packets: what is left of them.
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

    /// A sample of the round-trip time in slow start, with the least one known, `least` (both ns).
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
            // Half of the least round trip stands for the delay of one way.
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

    /// RFC 9406 §4.2.
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
            // The rise was jitter: back to slow start.
            Some((_, baseline)) if self.round_least < baseline => self.conservative = None,
            Some(_) => {}
        }
    }
}
