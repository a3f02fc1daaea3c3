//! What an [`Estimator`](crate::Estimator) remembers of an exchange, and the course of both clocks
//! between exchanges.

use std::collections::VecDeque;

use crate::Exchange;
use crate::span::Span;

/// One exchange, and what was known once it had been added.
///
/// A *segment* is the time from one knot to the next. What is named "of the segment" holds for the
/// segment that ends at this knot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Knot {
    pub exchange: Exchange,
    /// Our time: `t4`, or that of the knot before if that is later.
    pub at: i64,
    /// Range of the ratio of both steering factors in the segment.
    pub steering: Span,
    /// Range of the rate of the offset in the segment.
    pub rate: Span,
    /// Integral of `steering` up to `at`, `t1` and `t4`. Only differences count.
    pub steered: Steered,
    /// Range of the mean ratio of the oscillators between earlier exchanges and this one.
    pub evidence: Span,
    /// Range of the offset at `at`, less the estimator's base.
    pub offset: Span,
    /// Our times of the exchanges that limit the offset, from below and from above.
    pub limits: [i64; 2],
}

/// Integrals of the ratio of both steering factors up to three times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steered {
    pub at: Span,
    pub t1: Span,
    pub t4: Span,
}

impl Knot {
    pub fn new(exchange: Exchange, at: i64, steering: Span) -> Self {
        let steered = Steered { at: Span::ZERO, t1: Span::ZERO, t4: Span::ZERO };
        let Exchange { t1, t4, .. } = exchange;
        let (rate, evidence, offset) = (Span::ZERO, Span::ALL, Span::ALL);
        Self { exchange, at, steering, rate, steered, evidence, offset, limits: [t4, t1] }
    }
}

/// Returns the integral of `value` of the segments from `from` to the knot `index`. Before the
/// first knot, its segment goes on.
pub(crate) fn integral(
    knots: &VecDeque<Knot>,
    index: usize,
    from: i64,
    value: impl Fn(&Knot) -> Span,
) -> Span {
    let mut sum = Span::ZERO;
    for number in (0..=index).rev() {
        let knot = &knots[number];
        let begins = if number == 0 { from } else { knots[number - 1].at.max(from) };
        sum = sum + value(knot).times((knot.at - begins).max(0) as f64);
        if begins == from {
            break;
        }
    }
    sum
}
