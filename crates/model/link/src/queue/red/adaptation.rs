//! The adaptation of `max_p` (Floyd, Gummadi and Shenker 2001, "Adaptive RED: An Algorithm for
//! Increasing the Robustness of RED's Active Queue Management", figure 1): every 500 ms, an average
//! above the middle fifth between the thresholds raises `max_p`, and one below lowers it.

use netloom_units::{Probability, Time};

/// Time between two steps in ns, which happen at whole multiples of it.
const STEP: u64 = 500_000_000;
/// Bounds between which `max_p` is changed.
const LEAST: f64 = 0.01;
const MOST: f64 = 0.5;
/// Longest row of steps that is carried out one by one: with 0.9 to the power of 100, every `max_p`
/// has come to its bound.
const MOST_STEPS: u64 = 200;

/// `max_p`, and the number of the latest step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Adaptation {
    max_p: f64,
    /// `None` before the first arrival.
    stepped: Option<u64>,
}

impl Adaptation {
    /// Begins with the configured `max_p`.
    pub fn new(max_p: Probability) -> Self {
        Self { max_p: max_p.value(), stepped: None }
    }

    /// The present `max_p`.
    pub fn max_p(&self) -> Probability {
        Probability::new(self.max_p).expect("steps keep it between 0 and 1")
    }

    /// Performs the steps up to `now`. `average` returns the average at the time of a step.
    pub fn catch_up(&mut self, now: Time, thresholds: (f64, f64), average: impl Fn(Time) -> f64) {
        let current = now.as_nanos() / STEP;
        let stepped = self.stepped.replace(current).unwrap_or(current);
        for step in stepped.max(current.saturating_sub(MOST_STEPS))..current {
            self.step(average(Time::from_nanos((step + 1) * STEP)), thresholds);
        }
    }

    fn step(&mut self, average: f64, (min, max): (f64, f64)) {
        let within = |share: f64| min + share * (max - min);
        if average > within(0.6) && self.max_p <= MOST {
            self.max_p += (self.max_p / 4.0).min(0.01);
        } else if average < within(0.4) && self.max_p >= LEAST {
            self.max_p *= 0.9;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(max_p: f64, seconds: u64, average: f64) -> f64 {
        let mut adaptation = Adaptation::new(Probability::new(max_p).unwrap());
        adaptation.catch_up(Time::ZERO, (10.0, 20.0), |_| average);
        let now = Time::from_nanos(seconds * 1_000_000_000);
        adaptation.catch_up(now, (10.0, 20.0), |_| average);
        adaptation.max_p().value()
    }

    #[test]
    fn the_probability_rises_above_the_middle_and_falls_below_it() {
        let about = |value: f64, expected: f64| (value - expected).abs() < 1e-12;
        // Two steps of 0.01, or of a quarter where that is less.
        assert!(about(after(0.1, 1, 16.1), 0.12));
        assert!(about(after(0.02, 1, 16.1), 0.02 * 1.25 * 1.25));
        assert!(about(after(0.1, 1, 13.9), 0.1 * 0.81));
        for inside in [14.0, 15.0, 16.0] {
            assert!(about(after(0.1, 1, inside), 0.1));
        }
    }

    #[test]
    fn the_probability_has_its_bounds() {
        let (most, least) = (after(0.1, 10_000, 100.0), after(0.1, 10_000, 0.0));
        assert!(most > 0.5 && most <= 0.51, "{most}");
        assert!((0.009..0.01).contains(&least), "{least}");
    }
}
