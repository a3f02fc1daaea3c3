//! Exchanges in, offset out.

use std::collections::VecDeque;

use crate::knot::{Knot, integral};
use crate::ratio::{evidence, integrate, ratio};
use crate::span::Span;
use crate::{Exchange, ExchangeError, Interval, Line, Steering};

/// What is assumed of clocks, and how much is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Greatest difference of the rates of two oscillators, in ppb. Crystals are within 100 ppm
    /// each; kernels may measure theirs wrongly at start.
    pub accuracy: u32,
    /// Most that this difference changes within twice `memory`, in ppb.
    pub wander: u32,
    /// How long an exchange says something of the rate, in ns.
    pub memory: u64,
    /// Greatest number of exchanges that are remembered.
    pub exchanges: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { accuracy: 500_000, wander: 5_000, memory: 15_000_000_000, exchanges: 256 }
    }
}

/// Why earlier answers of an estimator may have been wrong: those for times after `since`, and those
/// given after `since` for any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A kernel has changed how it steers its clock.
    Steered {
        /// Our time before which it cannot have been.
        since: i64,
        /// By how many ns more than their bound these answers may be wrong, if they were given
        /// before this exchange.
        by: u64,
    },
    /// A clock has jumped, or runs at a rate that was excluded. The estimator begins anew, with
    /// this exchange alone.
    Stepped {
        /// Our time before which it cannot have been. The answers may be wrong by any amount.
        since: i64,
        /// Least distance of what exchanges say before and after, in ns.
        by: u64,
    },
}

/// Estimates the offset of another machine's clock from exchanges with it.
///
/// Call [`add`](Self::add) for each exchange, and publish [`line`](Self::line) afterwards.
///
/// Each exchange limits the offset from below at `t4`, by `t3 − t4`, and from above at `t1`, by
/// `t2 − t1`: a way takes no negative time. Between exchanges both limits move apart as fast as the
/// rate may be away from what is known of it. What is left between the highest lower limit and the
/// lowest upper one is the answer.
///
/// # Assumptions
///
/// The true offset is inside the answer for any delays, in any direction, as long as
///
/// 1. clocks are monotonic, and stamps [err to the safe side](Exchange);
/// 2. oscillators differ in rate by [`Config::accuracy`] at most, and this difference changes by
///    [`Config::wander`] at most within twice [`Config::memory`];
/// 3. kernels steer as they report. Between two reports they steered like either, or between both.
///
/// Where exchanges contradict 2, the answer gets wider or the estimator begins anew. A change of
/// steering, and a jump, are known at the next exchange that shows them: an [`Event`] says then
/// which answers may have been wrong. A jump by less than the least delays of both ways together
/// may never show, since a path whose two delays have changed looks the same.
#[derive(Debug, Clone)]
pub struct Estimator {
    config: Config,
    /// What is remembered, oldest first.
    knots: VecDeque<Knot>,
    /// Offsets in `knots` are less this.
    base: i64,
    /// Range of the ratio of the oscillators now.
    ratio: Span,
    latest: Option<Report>,
}

/// What the kernels last reported.
#[derive(Debug, Clone, Copy)]
struct Report {
    /// When the other machine reported, by its clock.
    t3: i64,
    /// Our time before which neither report was made.
    since: i64,
    /// Ratio of both steering factors.
    steering: Span,
}

impl Estimator {
    /// Returns an estimator that knows nothing yet.
    pub const fn new(config: Config) -> Self {
        let knots = VecDeque::new();
        Self { config, knots, base: 0, ratio: Span::ZERO, latest: None }
    }

    /// Takes in an exchange. `ours` is what our kernel reported between `t1` and `t4`, `theirs`
    /// what theirs did between `t2` and `t3`. Exchanges may come in any order.
    ///
    /// # Errors
    /// Refuses stamps that contradict each other. Nothing has changed then.
    pub fn add(
        &mut self,
        exchange: Exchange,
        ours: Steering,
        theirs: Steering,
    ) -> Result<Option<Event>, ExchangeError> {
        exchange.check()?;
        let before = self.latest;
        let is_news = before.is_none_or(|before| exchange.t3 >= before.t3);
        let steering = Steering::ratio(ours, theirs);
        if is_news {
            self.latest = Some(Report { t3: exchange.t3, since: exchange.t1, steering });
        }
        let Some(before) = before else {
            self.begin(exchange, steering);
            return Ok(None);
        };
        let steering = if is_news { steering.hull(before.steering) } else { before.steering };
        let at = exchange.t4.max(self.knots.back().map_or(i64::MIN, |last| last.at));
        self.forget(at);
        self.knots.push_back(Knot::new(exchange, at, steering));
        let excess = before.steering.exceeded_by(steering);
        let first = if excess > 0.0 { self.widen(before.since, steering) } else { self.last() };
        for index in first..self.knots.len() {
            integrate(&mut self.knots, index);
            self.knots[index].evidence = evidence(&self.knots, index, self.config.memory);
        }
        self.ratio = ratio(&self.knots, at, &self.config);
        for index in first..self.knots.len() {
            self.settle(index);
        }
        if let Some((step, by)) = self.step() {
            let since = if excess > 0.0 { step.min(before.since) } else { step };
            let steering = self.latest.map_or(steering, |latest| latest.steering);
            self.begin(exchange, steering);
            return Ok(Some(Event::Stepped { since, by }));
        }
        let by = 2.0 * excess * self.ratio.high * (at - before.since) as f64;
        Ok((excess > 0.0).then(|| Event::Steered { since: before.since, by: by.ceil() as u64 }))
    }

    /// Returns the offset as a function of time, or nothing before the first exchange.
    pub fn line(&self) -> Option<Line> {
        let (last, latest) = (self.knots.back()?, self.latest?);
        let rate = self.ratio * latest.steering - 1.0;
        Some(Line {
            at: last.at,
            offset: self.base.saturating_add(last.offset.middle().round() as i64),
            bound: (last.offset.half() + 1.0).ceil() as u64,
            rate: rate.middle(),
            growth: rate.half(),
        })
    }

    /// Returns the offset at our time `at`, or nothing if that is before what is remembered.
    ///
    /// At times before the last exchange, the answer uses those before and after it, and what was
    /// learned of steering since.
    pub fn offset(&self, at: i64) -> Option<Interval> {
        let line = self.line()?;
        if at >= line.at {
            return Some(line.offset(at));
        }
        let after = self.knots.partition_point(|knot| knot.at < at);
        let (before, after) = (&self.knots[after.checked_sub(1)?], &self.knots[after]);
        let forth = before.offset + after.rate.times((at - before.at) as f64);
        let drift = after.rate.times((after.at - at) as f64);
        let back = Span { low: after.offset.low - drift.high, high: after.offset.high - drift.low };
        let both = forth.and(back);
        let middle = self.base.saturating_add(both.middle().round() as i64);
        Some(Interval { middle, bound: (both.half().max(0.0) + 1.0).ceil() as u64 })
    }

    /// Number of exchanges that are remembered. Those before a step are not.
    pub fn exchanges(&self) -> usize {
        self.knots.len()
    }

    fn last(&self) -> usize {
        self.knots.len() - 1
    }

    /// Begins with this exchange alone.
    fn begin(&mut self, exchange: Exchange, steering: Span) {
        self.knots.clear();
        self.base = exchange.greatest();
        self.knots.push_back(Knot::new(exchange, exchange.t4, steering));
        self.ratio = ratio(&self.knots, exchange.t4, &self.config);
        integrate(&mut self.knots, 0);
        self.settle(0);
    }

    /// Forgets exchanges, but for the last one.
    fn forget(&mut self, now: i64) {
        let Config { memory, exchanges, .. } = self.config;
        let is_old = |knot: &Knot| now.abs_diff(knot.at) > memory;
        while self.knots.len() > 1
            && (self.knots.len() >= exchanges || self.knots.front().is_some_and(is_old))
        {
            self.knots.pop_front();
        }
    }

    /// Lets `steering` hold, in addition to what was reported, from the time `since` on. Returns
    /// the first knot that this concerns.
    fn widen(&mut self, since: i64, steering: Span) -> usize {
        let first = self.knots.partition_point(|knot| knot.at <= since).min(self.last());
        for knot in self.knots.range_mut(first..) {
            knot.steering = knot.steering.hull(steering);
        }
        first
    }

    /// Works out the offset at the knot `index`, from the knot before and its own exchange.
    fn settle(&mut self, index: usize) {
        let mut knot = self.knots[index];
        knot.rate = self.ratio * knot.steering - 1.0;
        self.knots[index].rate = knot.rate;
        let Exchange { t1, t4, .. } = knot.exchange;
        let drift = |from| integral(&self.knots, index, from, |knot| knot.rate);
        knot.offset = Span {
            low: (knot.exchange.least() - self.base) as f64 + drift(t4).low,
            high: (knot.exchange.greatest() - self.base) as f64 + drift(t1).high,
        };
        knot.limits = [t4, t1];
        if let Some(before) = index.checked_sub(1) {
            let before = self.knots[before];
            let moved = before.offset + knot.rate.times((knot.at - before.at) as f64);
            if moved.low >= knot.offset.low {
                (knot.offset.low, knot.limits[0]) = (moved.low, before.limits[0]);
            }
            if moved.high <= knot.offset.high {
                (knot.offset.high, knot.limits[1]) = (moved.high, before.limits[1]);
            }
        }
        self.knots[index] = knot;
    }

    /// If no offset fits all exchanges, returns since when one of them may be wrong, and by how
    /// much they are apart.
    fn step(&self) -> Option<(i64, u64)> {
        let Knot { offset, limits: [low, high], .. } = self.knots.back()?;
        let by = (offset.low - offset.high).floor() as u64;
        offset.is_empty().then_some((*low.min(high), by))
    }
}
