//! Random early detection (Floyd & Jacobson 1993, "Random Early Detection Gateways for Congestion
//! Avoidance"), with Floyd's "gentle" region (2000) and ECN (RFC 3168). Beyond the curve, where
//! every arrival signals congestion, ECN-capable packets are marked too, as in Linux and as DCTCP
//! needs it (Alizadeh and others 2010, §3.1), unless `hard_drop` is set (RFC 3168, §7).

mod adaptation;
mod by_dscp;
mod law;

use netloom_units::{Probability, Rate, Size, Time};
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::{QueueLimit, Room};
use super::store::Store;
use crate::statistics::AqmState;
use crate::{DropReason, Frame, FrameInfo, Stream};
use adaptation::Adaptation;
use law::{Average, Curve, Signals, Verdict, typical_time};

pub use by_dscp::{ByDscp, RedThresholds};

/// Parameters of `red`. The defaults are those of ns-2, after Floyd's "RED: Discussions of Setting
/// Parameters" (1997).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedConfig {
    /// Average queue length below which nothing is dropped: packets, bytes or time at the current
    /// rate (default `5packets`).
    pub min: QueueLimit,
    /// Average queue length at which `max_p` is reached, in the same unit as `min` (default
    /// `15packets`).
    pub max: QueueLimit,
    /// Drop probability as the average reaches `max` (default `10%`).
    pub max_p: Probability,
    /// Weight of the current length in the average, above 0 and at most 1 (default `0.002`).
    pub weight: f64,
    /// Whether the probability rises from `max_p` to 1 between `max` and twice `max` (default
    /// `true`). Otherwise it is 1 from `max` on.
    pub gentle: bool,
    /// Size of a typical packet, which determines how fast the average falls while the line is idle
    /// (default `500B`).
    pub mean_packet: Size,
    /// Whether ECN-capable packets are marked instead of dropped (default `true`).
    pub ecn: bool,
    /// Whether ECN-capable packets are dropped, too, once the average is beyond the curve: from
    /// `max` on, or from twice `max` on if it is `gentle` (default `false`). Otherwise they are
    /// marked until the queue is full.
    #[serde(skip_serializing_if = "is_false")]
    pub hard_drop: bool,
    /// Whether packets that are not ECN-capable pass where others are marked, until the queue is
    /// full (default `false`: they are dropped).
    #[serde(skip_serializing_if = "is_false")]
    pub no_drop: bool,
    /// Whether `max_p` adapts itself every 500 ms, from 1 % to 50 %, so that the average stays in
    /// the middle fifth between `min` and `max` (Floyd, Gummadi & Shenker 2001; default `false`).
    #[serde(skip_serializing_if = "is_false")]
    pub adaptive: bool,
    /// Thresholds of packets by their DSCP, like
    /// `{af11: {min: 30packets, max: 60packets, max_p: 2%}}`. The thresholds above are for all
    /// other packets. There is one average for all packets.
    #[serde(skip_serializing_if = "ByDscp::is_empty")]
    pub by_dscp: ByDscp,
}

impl Default for RedConfig {
    fn default() -> Self {
        Self {
            min: QueueLimit::Packets(5),
            max: QueueLimit::Packets(15),
            max_p: Probability::new(0.1).expect("a tenth is a probability"),
            weight: 0.002,
            gentle: true,
            mean_packet: Size::from_bytes(500),
            ecn: true,
            hard_drop: false,
            no_drop: false,
            adaptive: false,
            by_dscp: ByDscp::default(),
        }
    }
}

/// Whether an option is off, as it is by default.
fn is_false(option: &bool) -> bool {
    !option
}

impl RedConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        self.curve().check()?;
        if !(self.weight > 0.0 && self.weight <= 1.0) {
            return Err(format!("`weight` of red is above 0 and at most 1, not {}", self.weight));
        }
        if self.no_drop && !self.ecn {
            return Err(
                "`no_drop` of red needs `ecn`; without it, nothing would be signalled".into()
            );
        }
        if self.no_drop && self.hard_drop {
            return Err("`no_drop` and `hard_drop` of red contradict each other; keep one".into());
        }
        if self.adaptive && !self.by_dscp.is_empty() {
            return Err(
                "`adaptive` of red has one `max_p`, but `by_dscp` has its own; keep one of \
                        them"
                    .into(),
            );
        }
        for (dscp, thresholds) in self.by_dscp.iter() {
            let (curve, dscp) = (self.curve_of(thresholds), dscp.value());
            curve.check().map_err(|error| format!("thresholds of DSCP {dscp}: {error}"))?;
            if curve.counts_packets() != self.counts_packets() {
                return Err(format!(
                    "thresholds of DSCP {dscp}: {} and the {} of all others do not count alike; \
                     write all in packets, or all in bytes or time, for the average is one",
                    curve.min, self.min
                ));
            }
        }
        Ok(())
    }

    /// Returns the curve for packets without thresholds of their own.
    fn curve(&self) -> Curve {
        Curve { min: self.min, max: self.max, max_p: self.max_p, gentle: self.gentle }
    }

    fn curve_of(&self, thresholds: &RedThresholds) -> Curve {
        let RedThresholds { min, max, max_p } = *thresholds;
        Curve { min, max, max_p, gentle: self.gentle }
    }

    fn counts_packets(&self) -> bool {
        self.curve().counts_packets()
    }

    /// Returns the length of the queue in the unit of the average.
    fn length(&self, backlog: Backlog) -> f64 {
        if self.counts_packets() { backlog.frames as f64 } else { backlog.line_bytes as f64 }
    }

    /// Returns the index of a frame's signals, and its curve. The index is 0 for all frames without
    /// thresholds of their own.
    fn profile_of(&self, frame: &impl Frame) -> (usize, Curve) {
        let own = (!self.by_dscp.is_empty())
            .then(|| frame.header())
            .flatten()
            .and_then(|header| self.by_dscp.find(header.dscp));
        match own {
            Some((place, thresholds)) => (place + 1, self.curve_of(thresholds)),
            None => (0, self.curve()),
        }
    }
}

/// The queue of the discipline.
#[derive(Debug)]
pub(super) struct Red<F> {
    config: RedConfig,
    store: Store<F>,
    average: Average,
    /// Signals of packets without thresholds of their own, followed by those of each DSCP that has
    /// some.
    signals: Vec<Signals>,
    adaptation: Adaptation,
    stream: Stream,
}

impl<F: Frame> Red<F> {
    pub fn new(config: RedConfig, stream: &Stream) -> Self {
        let (store, average) = (Store::default(), Average::default());
        let signals = vec![Signals::default(); 1 + config.by_dscp.len()];
        let adaptation = Adaptation::new(config.max_p);
        Self { config, store, average, signals, adaptation, stream: stream.fork("red") }
    }

    /// Updates the average for an arrival at `now`.
    fn follow(&mut self, now: Time, room: Room) {
        let RedConfig { weight, mean_packet, .. } = self.config;
        if self.config.adaptive {
            let (curve, average) = (self.config.curve(), self.average);
            let typical = typical_time(mean_packet, room.rate);
            self.adaptation.catch_up(now, curve.thresholds(room.rate), |at| {
                if room.idle { average.decayed(at, weight, typical) } else { average.value }
            });
        }
        if room.idle {
            self.average.decay(now, weight, typical_time(mean_packet, room.rate));
        }
        self.average.update(self.config.length(self.store.backlog()), weight);
    }
}

impl<F: Frame> QueueDiscipline<F> for Red<F> {
    fn enqueue(
        &mut self,
        now: Time,
        mut waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        self.follow(now, room);
        let (place, mut curve) = self.config.profile_of(&waiting.frame);
        if self.config.adaptive {
            curve.max_p = self.adaptation.max_p();
        }
        let signals = &mut self.signals[place];
        if !room.admits(self.store.backlog(), &waiting) {
            signals.begin_anew();
            return Err((waiting, DropReason::QueueFull));
        }
        let base = curve.base_probability(self.average.value, room.rate);
        match signals.judge(base, || self.stream.uniform()) {
            Verdict::Pass => {}
            verdict => {
                let may_mark = verdict == Verdict::Signal || !self.config.hard_drop;
                let marked = self.config.ecn && may_mark && effects.mark(&mut waiting);
                if !marked && !self.config.no_drop {
                    return Err((waiting, DropReason::Aqm));
                }
            }
        }
        self.store.push(waiting);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _effects: &mut Effects<F>) -> Option<Queued<F>> {
        let next = self.store.pop();
        if next.is_none() {
            self.average.idle_since = now;
        }
        next
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    fn state(&self, _now: Time, rate: Option<Rate>) -> Option<AqmState> {
        let mut curve = self.config.curve();
        if self.config.adaptive {
            curve.max_p = self.adaptation.max_p();
        }
        let average = self.average.value;
        let probability = curve.base_probability(average, rate).unwrap_or(1.0);
        let (probability, average) = (Some(probability), Some(average));
        Some(AqmState { probability, average, ..AqmState::default() })
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.store.drain(into);
    }

    fn adopt(&mut self, _now: Time, waiting: Queued<F>) {
        self.store.push(waiting);
    }

    /// If the unit changes, the average starts again from zero, because an average in packets has
    /// no meaning in bytes.
    fn configure(&mut self, _now: Time, discipline: &Discipline) -> bool {
        let Discipline::Red(config) = discipline else { return false };
        let same_unit = config.counts_packets() == self.config.counts_packets();
        if !same_unit {
            self.average = Average::default();
        }
        if !same_unit || config.by_dscp != self.config.by_dscp {
            self.signals = vec![Signals::default(); 1 + config.by_dscp.len()];
        }
        if config.max_p != self.config.max_p || !config.adaptive {
            self.adaptation = Adaptation::new(config.max_p);
        }
        self.config.clone_from(config);
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

impl<F: Frame> InClass<F> for Red<F> {
    fn head_line_bytes(&self) -> Option<u64> {
        self.store.head_line_bytes()
    }

    fn give_up(&mut self) -> Option<Queued<F>> {
        self.store.pop_newest()
    }
}
