//! Times of a run to be left out, for those who record what happened in them.

use std::collections::BTreeMap;

use netloom_units::Time;

use super::{Bound, PipeBound, Span, WaitBound, merged};

/// Times of a run to be left out, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// The time up to which they are known.
    pub until: Time,
    pub(crate) pipes: BTreeMap<String, Vec<Span>>,
    /// Times in which the engine stood still.
    pub(crate) engine: Vec<Span>,
}

impl Marks {
    /// Marks of a run that has ended. A pipe between two machines has the times of both.
    pub(crate) fn of(bound: &Bound) -> Self {
        let engines: Vec<(Option<&str>, &WaitBound)> = bound.engines().collect();
        let of_pipe = |pipe: &PipeBound| {
            let there = engines.iter().filter(|(machine, _)| {
                machine.is_none_or(|machine| pipe.machines.iter().any(|own| own == machine))
            });
            let stood = there.flat_map(|(_, pauses)| &pauses.bad);
            merged(pipe.bad.iter().chain(stood).copied())
        };
        let pipes = bound.pipes.iter().map(|pipe| (pipe.pipe.clone(), of_pipe(pipe))).collect();
        Self { until: Time::MAX, pipes, engine: Vec::new() }
    }

    /// Marks that leave out no time up to `until`.
    pub fn none_until(until: Time) -> Self {
        Self { until, ..Self::default() }
    }

    /// Whether frames of a pipe (`a--b/forward`) suffered during `span`.
    pub fn is_bad(&self, pipe: &str, span: Span) -> bool {
        let of_pipe = self.pipes.get(pipe).into_iter().flatten();
        of_pipe.chain(&self.engine).any(|bad| bad.from < span.to && span.from < bad.to)
    }
}
