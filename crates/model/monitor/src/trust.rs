//! Exactness that a run needs: how much of the machine may show in its results. It follows from the
//! purpose of the run, as far as nothing else is said. Not here: when a signal counts as contention
//! (`criteria`), and how a run is judged by these needs (`verdict`).

use netloom_units::{Duration, Probability};
use serde::{Deserialize, Serialize};

use crate::criteria::Criteria;

/// What a run is for, which decides how exact it has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Whether programs and protocols do what they should: events in order, nothing lost outside
    /// the model.
    Functional,
    /// How much gets through: rates, goodputs, losses.
    Throughput,
    /// How long packets take: delays, jitter, anything in milliseconds.
    #[default]
    Delay,
}

/// The needs of a purpose.
struct Needs {
    /// Smallest and largest default of the tolerance of lateness.
    delay: (Duration, Duration),
    /// The part of the smallest link delay that the default is between these: one in so many.
    part: u64,
    share: f64,
    stall: Duration,
    timeline: Duration,
    waits: f64,
}

impl Purpose {
    /// All purposes, from the least exact to the most exact.
    pub const ALL: [Self; 3] = [Self::Functional, Self::Throughput, Self::Delay];

    /// The name of the purpose in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Functional => "functional",
            Self::Throughput => "throughput",
            Self::Delay => "delay",
        }
    }

    const fn needs(self) -> Needs {
        const fn ms(millis: u64) -> Duration {
            Duration::from_millis(millis)
        }
        match self {
            // Half of the shortest time after which protocols give a neighbour up, 1 s.
            Self::Functional => Needs {
                delay: (ms(50), ms(50)),
                part: 1,
                share: 0.05,
                stall: ms(500),
                timeline: ms(500),
                waits: 0.25,
            },
            // Below the kernel's shortest timeout for a retransmission, 200 ms.
            Self::Throughput => Needs {
                delay: (ms(5), ms(20)),
                part: 10,
                share: 0.01,
                stall: ms(200),
                timeline: ms(100),
                waits: 0.1,
            },
            Self::Delay => Needs {
                delay: (ms(1), ms(2)),
                part: 100,
                share: 0.01,
                stall: ms(50),
                timeline: ms(10),
                waits: 0.05,
            },
        }
    }

    /// The tolerance of a scenario that sets none: a part of the smallest link delay, within
    /// limits.
    pub fn delay_for(self, smallest_delay: Option<Duration>) -> Duration {
        let Needs { delay: (least, most), part, .. } = self.needs();
        let part = smallest_delay.map_or(0, |delay| delay.as_nanos() / part);
        Duration::from_nanos(part).clamp(least, most)
    }
}

impl std::fmt::Display for Purpose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// How exact a run has to be, as a scenario says it. What it leaves out follows from the purpose.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct GivenTrust {
    /// What the run is for, which decides the other values: `functional` (do programs and protocols
    /// do what they should?), `throughput` (how much gets through?) or `delay` (how long does it
    /// take?). By default `functional` if the scenario expects something and has no `traffic`,
    /// `throughput` if all its `traffic` is TCP's, and `delay` otherwise.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// How late a frame may be. By default `monitor.criteria.lateness.tolerance`, and if that is
    /// not set either, for `delay` 1 % of the smallest link delay, but at least 1 ms and at most 2
    /// ms; for `throughput` 10 % of it, but at least 5 ms and at most 20 ms; for `functional` 50
    /// ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// The part of a pipe's frames that may be later than `delay`, and the part of its rate that a
    /// busy line may lack (default `1%`, for `functional` `5%`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Probability>,
    /// How late a single frame may be, and how long the engine may stand still, however rarely
    /// (default `50ms`, for `throughput` `200ms`, for `functional` `500ms`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall: Option<Duration>,
    /// How many frames may be lost outside the model (default 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<u64>,
    /// How late an event of the timeline may happen (default `10ms`, for `throughput` `100ms`, for
    /// `functional` `500ms`; or `monitor.criteria.timeline.tolerance`, if that is set).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Duration>,
    /// The part of the run that a node's programs may have waited for a CPU, for memory or for a
    /// disk (default `5%`, for `throughput` `10%`, for `functional` `25%`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<Probability>,
}

impl GivenTrust {
    /// Fills in what is not given: from the purpose (`by_default`, if none is given), the
    /// scenario's criteria, and its smallest link delay.
    pub fn resolved(
        self,
        by_default: Purpose,
        criteria: &Criteria,
        smallest_delay: Option<Duration>,
    ) -> Trust {
        let purpose = self.purpose.unwrap_or(by_default);
        let needs = purpose.needs();
        let part = |value: f64| Probability::new(value).expect("between 0 and 1");
        let delay = self.delay.or(criteria.lateness.tolerance);
        let is_set = criteria.timeline != Criteria::default().timeline;
        let timeline = is_set.then_some(criteria.timeline.tolerance);
        Trust {
            purpose,
            delay: delay.unwrap_or_else(|| purpose.delay_for(smallest_delay)),
            share: self.share.unwrap_or(part(needs.share)),
            stall: self.stall.unwrap_or(needs.stall),
            losses: self.losses.unwrap_or(0),
            timeline: self.timeline.or(timeline).unwrap_or(needs.timeline),
            waits: self.waits.unwrap_or(part(needs.waits)),
        }
    }
}

/// How exact a run has to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Trust {
    /// What the run is for.
    #[serde(rename = "for")]
    pub purpose: Purpose,
    /// How late a frame may be.
    pub delay: Duration,
    /// The part of a pipe's frames that may be later than `delay`, and the part of its rate that a
    /// busy line may lack.
    pub share: Probability,
    /// How late a single frame may be, and how long the engine may stand still, however rarely.
    pub stall: Duration,
    /// How many frames may be lost outside the model.
    pub losses: u64,
    /// How late an event of the timeline may happen.
    pub timeline: Duration,
    /// The part of the run that a node's programs may have waited for a CPU, for memory or for a
    /// disk.
    pub waits: Probability,
}

impl Default for Trust {
    fn default() -> Self {
        GivenTrust::default().resolved(Purpose::default(), &Criteria::default(), None)
    }
}

impl Trust {
    /// All needs in one line.
    pub fn in_words(&self) -> String {
        format!(
            "needed for {}: delay {}, share {}, stall {}, losses {}, timeline {}, waits {}",
            self.purpose,
            self.delay,
            self.share,
            self.stall,
            self.losses,
            self.timeline,
            self.waits,
        )
    }
}

impl Criteria {
    /// Fills in both tolerances from what the run needs, if they are not set. An event that is
    /// later than needed never counts as punctual.
    #[must_use]
    pub fn resolved(mut self, trust: &Trust) -> Self {
        self.lateness.tolerance.get_or_insert(trust.delay);
        self.run_queue.tolerance.get_or_insert(trust.delay);
        self.timeline.tolerance = self.timeline.tolerance.min(trust.timeline);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerance_does_not_grow_with_the_delay() {
        let delay = |ms| Purpose::Delay.delay_for(Some(Duration::from_millis(ms)));
        assert_eq!(Purpose::Delay.delay_for(None), Duration::from_millis(1));
        assert_eq!(delay(5), Duration::from_millis(1));
        assert_eq!(delay(150), Duration::from_micros(1500));
        assert_eq!(delay(10_000), Duration::from_millis(2));
    }

    #[test]
    fn a_less_exact_purpose_needs_no_more_than_a_more_exact_one() {
        for smallest in [None, Some(Duration::from_millis(5)), Some(Duration::from_secs(1))] {
            let trust = |purpose: Purpose| {
                GivenTrust::default().resolved(purpose, &Criteria::default(), smallest)
            };
            for pair in Purpose::ALL.windows(2) {
                let (less, more) = (trust(pair[0]), trust(pair[1]));
                assert!(less.delay >= more.delay && less.share >= more.share, "{pair:?}");
                assert!(less.stall >= more.stall && less.timeline >= more.timeline, "{pair:?}");
                assert!(less.waits >= more.waits && less.losses == more.losses, "{pair:?}");
            }
        }
    }

    #[test]
    fn what_is_given_counts_and_the_rest_follows_from_the_purpose() {
        let given = GivenTrust {
            purpose: Some(Purpose::Functional),
            stall: Some(Duration::from_millis(7)),
            ..GivenTrust::default()
        };
        let trust = given.resolved(Purpose::Delay, &Criteria::default(), None);
        assert_eq!(trust.stall, Duration::from_millis(7));
        assert_eq!(trust.delay, Duration::from_millis(50));
        assert_eq!(trust.purpose, Purpose::Functional);
    }
}
