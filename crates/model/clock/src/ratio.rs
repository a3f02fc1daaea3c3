//! How fast one machine's oscillator runs by the other's.
//!
//! The kernels' steering is known and taken out, so what is left is a ratio of two oscillators: it
//! is near one, and wanders slowly with their temperatures.

use std::collections::VecDeque;

use crate::Config;
use crate::exchange::RESOLUTION;
use crate::knot::{Knot, integral};
use crate::span::Span;

/// Fills in the integrals of steering up to the knot `index`, whose predecessor has them.
pub(crate) fn integrate(knots: &mut VecDeque<Knot>, index: usize) {
    let steering = |knot: &Knot| knot.steering;
    let knot = knots[index];
    let before = match index.checked_sub(1) {
        Some(before) => {
            let before = &knots[before];
            before.steered.at + knot.steering.times((knot.at - before.at) as f64)
        }
        None => knot.steered.at,
    };
    let up_to = |time| {
        let Span { low, high } = integral(knots, index, time, steering);
        Span { low: before.low - low, high: before.high - high }
    };
    let (t1, t4) = (up_to(knot.exchange.t1), up_to(knot.exchange.t4));
    let steered = &mut knots[index].steered;
    (steered.at, steered.t1, steered.t4) = (before, t1, t4);
}

/// Returns the range of the mean ratio between earlier exchanges and that of the knot `index`.
///
/// From `t4` of one exchange to `t1` of a later one, their clock advances by `t2 − t3` at most;
/// from `t1` to `t4`, by `t3 − t2` at least. This is so for any delays. Divided by the integral of
/// the steering, it is a mean of the ratio.
pub(crate) fn evidence(knots: &VecDeque<Knot>, index: usize, memory: u64) -> Span {
    let last = &knots[index];
    let mut range = Span::ALL;
    for first in knots.range(..index) {
        if last.exchange.t4.abs_diff(first.exchange.t1) > memory {
            continue;
        }
        let least = last.steered.t1.low - first.steered.t4.low;
        if least > 0.0 {
            let advance = last.exchange.t2 - first.exchange.t3 + RESOLUTION;
            range.high = range.high.min(advance as f64 / least);
        }
        let most = last.steered.t4.high - first.steered.t1.high;
        if most > 0.0 {
            let advance = last.exchange.t3 - first.exchange.t2 - RESOLUTION;
            range.low = range.low.max(advance as f64 / most);
        }
    }
    range
}

/// Returns the range of the ratio now, from the evidence of the knots of the last `memory`.
///
/// Where evidence contradicts itself, the ratio has changed by the gap at least: twice the gap is
/// allowed for then, if that is more than the configured wander. What does not fit the configured
/// accuracy is believed up to a factor of two.
pub(crate) fn ratio(knots: &VecDeque<Knot>, now: i64, config: &Config) -> Span {
    let recent = knots.iter().filter(|knot| now.abs_diff(knot.at) <= config.memory);
    let evidence = recent.fold(Span::ALL, |range, knot| range.and(knot.evidence));
    let gap = evidence.low - evidence.high;
    let wander = (f64::from(config.wander) * 1e-9).max(2.0 * gap);
    let range = Span { low: evidence.low - wander, high: evidence.high + wander };
    let possible = range.and(Span::around(1.0, f64::from(config.accuracy) * 1e-9));
    if possible.is_empty() { range.clamp(0.5, 2.0) } else { possible }
}
