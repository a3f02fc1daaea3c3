//! Collects how late the frames of each pipe were, and when.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::histogram::Histogram;
use super::{PipeBound, PipeFrames, RateError, Span, share};
use crate::names::Names;
use crate::observation::Subject;
use crate::trust::Trust;

/// A line is busy in a time if it has work for at least this part of it.
const BUSY: f64 = 0.9;

/// Observations of pipes, by the pipes' numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pipes(BTreeMap<u32, Pipe>);

#[derive(Debug, Clone, Default)]
struct Pipe {
    late: Histogram,
    at_most: Histogram,
    busy: Duration,
    lost: Duration,
    bad: Vec<Span>,
    doubtful: Vec<Span>,
}

impl Pipes {
    /// Adds frames that left a pipe during the interval that ended at `at`.
    pub fn add(&mut self, at: Time, frames: &PipeFrames, trust: &Trust) {
        self.0.entry(frames.pipe).or_default().add(at, frames, trust);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The times in which frames of a pipe suffered, for all pipes with such frames.
    pub fn bad_times(&self, names: &Names) -> BTreeMap<String, Vec<Span>> {
        let any = self.0.iter().filter(|(_, pipe)| !pipe.bad.is_empty());
        any.map(|(number, pipe)| (names.of(Subject::Pipe(*number)), pipe.bad.clone())).collect()
    }

    /// The bounds of all pipes.
    pub fn bounds(&self, names: &Names) -> Vec<PipeBound> {
        let bound = |(number, pipe): (&u32, &Pipe)| pipe.bound(names.of(Subject::Pipe(*number)));
        self.0.iter().map(bound).collect()
    }
}

impl Pipe {
    fn add(&mut self, at: Time, seen: &PipeFrames, trust: &Trust) {
        let delay = trust.delay;
        let all = seen.late.frames();
        let is_bad =
            |beyond, latest| share(beyond, all) > trust.share.value() || latest > trust.stall;
        let span = Span { from: at - seen.over, to: at };
        let late = self.late.add(&seen.late, delay);
        let at_most = self.at_most.add(&seen.at_most, delay);
        if is_bad(late, seen.late.max()) {
            push(&mut self.bad, span);
        } else if is_bad(at_most, seen.at_most.max()) {
            push(&mut self.doubtful, span);
        }
        let busy = seen.busy + seen.lost;
        if busy.as_secs_f64() >= BUSY * seen.over.as_secs_f64() && seen.busy > Duration::ZERO {
            self.busy += busy;
            self.lost += seen.lost;
        }
    }

    fn bound(&self, pipe: String) -> PipeBound {
        let rate = (self.busy > Duration::ZERO).then(|| RateError {
            busy: self.busy,
            lost: self.lost,
            share: share(self.lost.as_nanos(), self.busy.as_nanos()),
        });
        PipeBound {
            pipe,
            machines: Vec::new(),
            frames: self.late.frames(),
            late: self.late.lateness(),
            at_most: self.at_most.lateness(),
            rate,
            bad: self.bad.clone(),
            doubtful: self.doubtful.clone(),
        }
    }
}

/// Adds a span that does not begin before the last one. It is merged with the last one if they
/// touch.
fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if span.from <= last.to => last.to = last.to.max(span.to),
        _ => spans.push(span),
    }
}
