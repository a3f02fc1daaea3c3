//! Asks an estimator at random times, and compares what it answers with the truth.

use netloom_clock::{Config, Estimator, Event, Interval};
use netloom_units::Stream;

use super::clock::{SECOND, True};
use super::world::World;

/// What the answers were worth.
#[derive(Debug, Default)]
pub struct Judgement {
    pub answers: u64,
    /// Answers that were outside of their bound and that no event recalled, as text.
    pub wrong: Vec<String>,
    /// Answers that were outside of their bound and that an event recalled.
    pub recalled: u64,
    pub steered: u64,
    /// Our times since when a clock had jumped, and when that was known.
    pub stepped: Vec<(i64, True)>,
    /// Bounds of all answers, in order of time.
    pub bounds: Vec<u64>,
    /// Distances of the middle from the truth.
    pub errors: Vec<u64>,
}

/// An answer outside of its bound.
struct Doubtful {
    /// Our time that it is for or that it was given at, whichever is later.
    since: i64,
    beyond: u64,
    text: String,
}

/// Feeds the estimator with all exchanges of `world`. Asks `each` times in 50 ms for the
/// time then, and as often for times before the latest exchange, when it says more.
pub fn judged(world: &mut World, each: u64) -> Judgement {
    let probes = world.probes();
    let mut random = Stream::new(1, "questions");
    let mut estimator = Estimator::new(Config::default());
    let mut judgement = Judgement::default();
    let mut doubtful = Vec::new();
    for (number, probe) in probes.iter().enumerate() {
        let event = estimator.add(probe.exchange, probe.ours, probe.theirs).unwrap();
        judgement.recall(&mut doubtful, event, probe.given);
        let next = probes.get(number + 1).map_or(world.until, |next| next.given);
        let now = world.truth(probe.given).0;
        let before = probes[number.saturating_sub(1)].given;
        // As many as if nothing had been lost.
        let times = ((next - probe.given) / (SECOND / 20.0)).max(1.0) as u64;
        for _ in 0..each * times {
            let at = probe.given + random.uniform() * (next - probe.given);
            let (ours, truth) = world.truth(at);
            let line = estimator.line().unwrap();
            let answer = line.offset(ours);
            doubtful.extend(judgement.ask(now, ours, truth, answer));
            if answer.contains(truth) {
                assert!(line.to_theirs(ours).interval().contains(ours + truth), "{line:?} {ours}");
                assert!(line.to_ours(ours + truth).interval().contains(ours), "{line:?} {ours}");
            }
            let (ours, truth) = world.truth(before + random.uniform() * (probe.given - before));
            let Some(answer) = estimator.offset(ours) else { continue };
            doubtful.extend(judgement.ask(now, ours, truth, answer));
        }
    }
    judgement.wrong.extend(doubtful.into_iter().map(|doubtful| doubtful.text));
    judgement
}

impl Judgement {
    fn ask(&mut self, now: i64, at: i64, truth: i64, answer: Interval) -> Option<Doubtful> {
        self.answers += 1;
        self.bounds.push(answer.bound);
        let error = answer.middle.abs_diff(truth);
        self.errors.push(error);
        let beyond = error.saturating_sub(answer.bound);
        let text = || format!("at {at}: {truth} is {beyond} ns outside of {answer:?}");
        (beyond > 0).then(|| Doubtful { since: at.max(now), beyond, text: text() })
    }

    /// Takes back the answers that an event says may have been wrong.
    fn recall(&mut self, doubtful: &mut Vec<Doubtful>, event: Option<Event>, now: True) {
        let before = doubtful.len();
        match event {
            Some(Event::Steered { since, by }) => {
                self.steered += 1;
                doubtful.retain(|answer| answer.since < since || answer.beyond > by);
            }
            Some(Event::Stepped { since, .. }) => {
                self.stepped.push((since, now));
                doubtful.retain(|answer| answer.since < since);
            }
            None => {}
        }
        self.recalled += (before - doubtful.len()) as u64;
    }

    /// The law: truth inside of every answer, unless an event recalled it.
    pub fn assert_true(&self, name: &str) {
        let Self { answers, wrong, .. } = self;
        let first = wrong.first();
        assert!(wrong.is_empty(), "{name}: {} of {answers} wrong: {first:?}", wrong.len());
    }
}

/// The value that `part` of all values are at most.
pub fn percentile(values: &[u64], part: f64) -> u64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values[((values.len() - 1) as f64 * part) as usize]
}
