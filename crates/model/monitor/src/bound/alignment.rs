//! Times of one machine's clock in those of another.

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::{Span, merged};

/// How the clock of one of several machines reads in **cluster time**, the clock of the first
/// machine. Both count from the experiment's zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alignment {
    /// Cluster time when the machine's clock shows zero, in ns.
    pub offset_ns: i64,
    /// How much faster cluster time passes than this clock shows, in 10⁻⁹.
    pub drift_ppb: i64,
    /// The greatest error of a time that is converted so.
    pub bound: Duration,
}

impl Alignment {
    /// Converts a time of the machine to cluster time, rounded down to 1 ns.
    pub fn to_cluster(&self, at: Time) -> Time {
        let at = i128::from(at.signed_nanos());
        let drifted = (at * i128::from(self.drift_ppb)).div_euclid(1_000_000_000);
        let time = at + i128::from(self.offset_ns) + drifted;
        let limited = time.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
        Time::from_signed_nanos(limited as i64)
    }

    /// Converts spans to cluster time. Each is longer by the bound at both ends, so that it
    /// contains the true times; those that touch then become one.
    pub(crate) fn widened(&self, spans: &[Span]) -> Vec<Span> {
        merged(spans.iter().map(|span| Span {
            from: self.to_cluster(span.from) - self.bound,
            to: self.to_cluster(span.to) + self.bound,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_converted_by_offset_and_drift_and_spans_keep_the_truth() {
        let clock =
            Alignment { offset_ns: -2_000, drift_ppb: 40_000, bound: Duration::from_nanos(10) };
        let at = |nanos| Time::from_signed_nanos(nanos);
        // 40 ppm of a second are 40 µs.
        assert_eq!(clock.to_cluster(at(1_000_000_000)), at(1_000_038_000));
        assert_eq!(clock.to_cluster(at(-1)), at(-2_002));
        assert_eq!(clock.to_cluster(Time::MAX), Time::MAX);
        let span = |from, to| Span { from: at(from), to: at(to) };
        let widened = clock.widened(&[span(5_000, 6_000), span(6_015, 7_000), span(9_000, 9_000)]);
        assert_eq!(widened, [span(2_990, 5_010), span(6_990, 7_010)]);
    }
}
