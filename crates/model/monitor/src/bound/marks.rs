//! Times of a run to be left out, for those who record what happened in them.

use std::collections::BTreeMap;

use netloom_units::Time;

use super::Span;

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
