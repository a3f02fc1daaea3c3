//! Intervals of a run's time.

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

/// An interval of a run's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// Its beginning.
    pub from: Time,
    /// Its end.
    pub to: Time,
}

impl Span {
    /// Whether `at` is in the interval.
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at <= self.to
    }

    /// Whether the two intervals have a moment in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// The union of all spans, in rising order. Spans that touch become one.
pub(crate) fn merged(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.into_iter().collect();
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.from <= last.to => last.to = last.to.max(span.to),
            _ => merged.push(span),
        }
    }
    merged
}

/// Total length of merged spans.
pub(crate) fn length(spans: &[Span]) -> Duration {
    spans.iter().fold(Duration::ZERO, |sum, span| sum + span.to.since(span.from))
}

/// Whether any span of the first list meets any of the second.
pub(crate) fn overlap(some: &[Span], others: &[Span]) -> bool {
    some.iter().any(|span| others.iter().any(|other| span.meets(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: u64, to: u64) -> Span {
        Span { from: Time::from_nanos(from), to: Time::from_nanos(to) }
    }

    #[test]
    fn spans_that_touch_or_overlap_are_merged() {
        let all = merged([span(5, 7), span(0, 2), span(2, 3), span(6, 6)]);
        assert_eq!(all, [span(0, 3), span(5, 7)]);
        assert_eq!(length(&all), Duration::from_nanos(5));
        assert!(overlap(&all, &[span(7, 9)]) && !overlap(&all, &[span(4, 4)]));
    }
}
