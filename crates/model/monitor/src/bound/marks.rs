//! Which times of a run are to be left out, for those who write down what happened in them.

use std::collections::BTreeMap;

use netloom_units::Time;

use super::Span;

/// Times of a run to be left out, as far as that is known.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// Until when it is known.
    pub until: Time,
    pub(crate) pipes: BTreeMap<String, Vec<Span>>,
    /// Times in which the engine stood still.
    pub(crate) engine: Vec<Span>,
}

impl Marks {
    /// No time up to `until` is to be left out.
    pub fn none_until(until: Time) -> Self {
        Self { until, ..Self::default() }
    }

    /// Whether frames of a pipe (`a--b/forward`) suffered in a time.
    pub fn is_bad(&self, pipe: &str, span: Span) -> bool {
        let of_pipe = self.pipes.get(pipe).into_iter().flatten();
        of_pipe.chain(&self.engine).any(|bad| bad.from < span.to && span.from < bad.to)
    }
}
