//! One signal on one resource: its worst value, and the episodes in which contention held, with
//! their shares. A criterion decides when contention holds; this module collects the results.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use crate::names::{Names, ResourceId};
use crate::observation::Divided;
use crate::party::Party;
use crate::report::{Episode, SignalReport};
use crate::shares::Shares;
use crate::signal::{Change, SignalKind};

/// A change of a tracker that has to be reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Notice {
    pub signal: SignalKind,
    pub place: ResourceId,
    pub change: Change,
    pub at: Time,
    pub value: f64,
}

/// Notices in the order in which they came.
pub(crate) type Outbox = Vec<Notice>;

/// A party's use of a resource, which divides a part of the shares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub divides: Divided,
    pub from: Time,
    pub to: Time,
    pub party: Party,
    pub amount: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Tracker {
    pub signal: SignalKind,
    pub place: ResourceId,
    /// Values are compared with this; `None` if they are only measured.
    pub threshold: Option<f64>,
    /// The current value, if the signal is a state that lasts.
    current: Option<f64>,
    /// The worst value so far; `None` if nothing was measured.
    worst: Option<f64>,
    /// Since when contention has held; `None` if it does not hold.
    holding: Option<Time>,
    spans: Vec<Span>,
    /// The value that was last reported.
    last_reported: f64,
}

/// An episode that may still grow.
#[derive(Debug, Clone)]
struct Span {
    from: Time,
    to: Time,
    held: Duration,
    peak: f64,
    open: bool,
    warm_up: bool,
    shares: Shares,
    weights: BTreeMap<Divided, Shares>,
}

impl Span {
    fn new(from: Time) -> Self {
        Self {
            from,
            to: from,
            held: Duration::ZERO,
            peak: f64::NEG_INFINITY,
            open: true,
            warm_up: false,
            shares: Shares::default(),
            weights: BTreeMap::new(),
        }
    }

    fn weigh(&mut self, used: &Use) {
        let overlap = self.to.min(used.to).since(self.from.max(used.from));
        // Most uses do not overlap: thousands may be pending, and a short episode meets only a few.
        if overlap == Duration::ZERO {
            return;
        }
        let length = used.to.since(used.from);
        let whole = u128::from(used.amount) * u128::from(overlap.as_nanos());
        // At most the amount, because the overlap is a part of the length.
        let part = whole.checked_div(u128::from(length.as_nanos())).unwrap_or(0);
        self.weights.entry(used.divides).or_default().add(used.party, part as u64);
    }

    fn shares(&self) -> Shares {
        let divide = |shares: Shares, (divided, weights): (&Divided, &Shares)| {
            shares.divided(divided.party(), weights)
        };
        self.weights.iter().fold(self.shares.clone(), divide)
    }
}

impl Tracker {
    pub fn new(signal: SignalKind, place: ResourceId, threshold: Option<f64>) -> Self {
        Self {
            signal,
            place,
            threshold,
            current: None,
            worst: None,
            holding: None,
            spans: Vec::new(),
            last_reported: 0.0,
        }
    }

    /// Sets the current value: it holds from now on.
    #[inline]
    pub fn measure(&mut self, value: f64) {
        self.current = Some(value);
        self.saw(value);
    }

    /// Notes a value that held for a moment that is over.
    #[inline]
    pub fn saw(&mut self, value: f64) {
        self.worst = Some(self.worst.map_or(value, |worst| worst.max(value)));
    }

    /// The worst value of the open episode. An episode is open while contention holds, and for the
    /// length of the gap after that.
    pub fn open_peak(&self) -> Option<f64> {
        self.spans.last().filter(|span| span.open).map(|span| span.peak)
    }

    pub fn is_holding(&self) -> bool {
        self.holding.is_some()
    }

    /// The criterion has been met since `since`, and still is at `now`. Episodes do not overlap:
    /// contention that was reported too late to join the last episode begins after it.
    pub fn hold(&mut self, since: Time, now: Time, value: f64, out: &mut Outbox) {
        self.lapse(now, out);
        let since = self.spans.last().map_or(since, |span| since.max(span.to));
        self.holding.get_or_insert(since);
        let began = !self.spans.last().is_some_and(|span| span.open);
        if began {
            self.spans.push(Span::new(since));
        }
        let span = self.spans.last_mut().expect("one is open");
        span.to = span.to.max(now);
        span.peak = span.peak.max(value);
        if began || value >= 2.0 * self.last_reported {
            self.last_reported = value;
            let change = if began { Change::Began } else { Change::Grew };
            out.push(self.notice(change, now, value));
        }
    }

    /// The criterion is still met at `now`, if it was before.
    pub fn extend(&mut self, now: Time) {
        if let Some(span) = self.spans.last_mut().filter(|_| self.holding.is_some()) {
            span.to = span.to.max(now);
        }
    }

    /// The criterion has not been met since `at`.
    pub fn release(&mut self, at: Time) {
        if let (Some(since), Some(span)) = (self.holding.take(), self.spans.last_mut()) {
            span.held += at.since(since);
            span.to = span.to.max(at);
        }
    }

    /// The criterion was met from `from` to `to`, and no longer is.
    pub fn held(&mut self, from: Time, to: Time, value: f64, out: &mut Outbox) {
        self.saw(value);
        let holding = self.is_holding();
        self.hold(from, to, value, out);
        if !holding {
            self.release(to);
        }
    }

    /// Adds to a party's share of the last episode.
    #[inline]
    pub fn add(&mut self, party: Party, amount: u64) {
        if let Some(span) = self.spans.last_mut() {
            span.shares.add(party, amount);
        }
    }

    pub fn add_all(&mut self, shares: &Shares) {
        if let Some(span) = self.spans.last_mut() {
            span.shares.add_all(shares);
        }
    }

    /// Ends an episode whose gap has passed.
    pub fn lapse(&mut self, now: Time, out: &mut Outbox) {
        if self.next_lapse().is_some_and(|at| at <= now) {
            self.end(out);
        }
    }

    fn end(&mut self, out: &mut Outbox) {
        let holding = self.is_holding();
        let Some(span) = self.spans.last_mut().filter(|span| span.open && !holding) else { return };
        span.open = false;
        let (to, peak) = (span.to, span.peak);
        out.push(self.notice(Change::Ended, to, peak));
    }

    /// When [`Tracker::lapse`] will next have an effect.
    pub fn next_lapse(&self) -> Option<Time> {
        let span = self.spans.last().filter(|span| span.open && !self.is_holding())?;
        Some(span.to + Episode::GAP)
    }

    /// Ends the warm-up: episodes that are over no longer count, one that goes on counts in full.
    pub fn settle(&mut self, out: &mut Outbox) {
        self.end(out);
        for span in self.spans.iter_mut().filter(|span| !span.open) {
            span.warm_up = true;
        }
        self.worst = self.current;
    }

    /// Weighs the episodes that `uses` overlap.
    pub fn weigh(&mut self, uses: &[Use]) {
        let Some(from) = uses.iter().map(|used| used.from).min() else { return };
        let overlapping = |span: &&mut Span| span.open || span.to > from;
        for span in self.spans.iter_mut().rev().take_while(overlapping) {
            uses.iter().for_each(|used| span.weigh(used));
        }
    }

    /// The shares of the last episode, including uses that have not been weighed yet.
    pub fn shares(&self, uses: impl Iterator<Item = Use>) -> Shares {
        let Some(mut span) = self.spans.last().cloned() else { return Shares::default() };
        uses.for_each(|used| span.weigh(&used));
        span.shares()
    }

    fn counted(&self) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(|span| !span.warm_up)
    }

    pub fn report(&self, names: &Names) -> SignalReport {
        let mut ended = self.clone();
        if let Some(span) = self.spans.last() {
            ended.release(span.to);
        }
        let mut shares = Shares::default();
        ended.counted().for_each(|span| shares.add_all(&span.shares()));
        SignalReport {
            signal: self.signal,
            on: names.resource(self.place),
            machine: None,
            threshold: self.threshold,
            worst: self.worst,
            margin: self
                .worst
                .zip(self.threshold)
                .map(|(worst, threshold)| margin(worst, threshold)),
            held: ended.counted().fold(Duration::ZERO, |sum, span| sum + span.held),
            episodes: ended.spans.iter().map(|span| span.report(names)).collect(),
            shares: shares.reported(names, Episode::PARTIES),
        }
    }

    fn notice(&self, change: Change, at: Time, value: f64) -> Notice {
        Notice { signal: self.signal, place: self.place, change, at, value }
    }
}

impl Span {
    fn report(&self, names: &Names) -> Episode {
        Episode {
            from: self.from,
            to: self.to,
            held: self.held,
            peak: self.peak,
            warm_up: self.warm_up,
            shares: self.shares().reported(names, Episode::PARTIES),
        }
    }
}

/// Distance of the worst value below the threshold, as a share of the threshold. If the threshold
/// is zero, the margin is 1 as long as nothing above zero was measured, and -1 afterwards.
fn margin(worst: f64, threshold: f64) -> f64 {
    match threshold > 0.0 {
        true => 1.0 - worst / threshold,
        false if worst > 0.0 => -1.0,
        false => 1.0,
    }
}
