//! Losses in front of the queue, which are requested from outside the pipe. Not here: losses in the
//! channel, behind the line (`channel`).

use std::collections::VecDeque;

use netloom_units::{Probability, Stream};

use crate::channel::{LossPattern, Replay};

/// A request to lose some of the following frames in front of the queue.
#[derive(Debug, Clone, PartialEq)]
pub enum EarlyLoss {
    /// The frames with these numbers, in any order, counted from 0 for the next one.
    Positions(Vec<u32>),
    /// Exactly the frames of a pattern, which repeats.
    Pattern(LossPattern),
    /// Each frame with the same probability.
    Bernoulli(Probability),
    /// This share of frames, as evenly spaced as possible.
    Systematic(Probability),
}

impl EarlyLoss {
    /// No loss.
    pub const NONE: Self = Self::Positions(Vec::new());
}

/// The early losses of one pipe.
#[derive(Debug)]
pub(crate) struct EarlyLosses {
    model: Model,
    /// Losses of an earlier request for which no frame has come yet.
    overdue: usize,
    stream: Stream,
    /// Fraction of a frame that the systematic losses have accumulated. It is kept when the share
    /// changes.
    owed: f64,
}

#[derive(Debug)]
enum Model {
    /// Number of frames that have come, and the numbers of those still to lose, ascending.
    Positions(u32, VecDeque<u32>),
    Pattern(Replay),
    Bernoulli(f64),
    Systematic(f64),
}

impl EarlyLosses {
    /// Creates a source without losses. Its random stream is forked from the pipe's `stream`.
    pub fn new(stream: &Stream) -> Self {
        let model = Model::Positions(0, VecDeque::new());
        Self { model, overdue: 0, stream: stream.fork("early loss"), owed: 0.0 }
    }

    /// Replaces the request. The remaining positions of the previous request become overdue.
    pub fn order(&mut self, loss: EarlyLoss) {
        self.overdue = match &self.model {
            Model::Positions(_, left) => left.len(),
            Model::Pattern(_) | Model::Bernoulli(_) | Model::Systematic(_) => 0,
        };
        self.model = match loss {
            EarlyLoss::Positions(mut numbers) => {
                numbers.sort_unstable();
                numbers.dedup();
                Model::Positions(0, numbers.into())
            }
            EarlyLoss::Pattern(pattern) => Model::Pattern(Replay::new(pattern)),
            EarlyLoss::Bernoulli(share) => Model::Bernoulli(share.value()),
            EarlyLoss::Systematic(share) => Model::Systematic(share.value()),
        };
    }

    /// Whether frames can be lost.
    pub fn is_some(&self) -> bool {
        let ordered = match &self.model {
            Model::Positions(_, numbers) => !numbers.is_empty(),
            Model::Pattern(_) => true,
            Model::Bernoulli(share) | Model::Systematic(share) => *share > 0.0,
        };
        ordered || self.overdue > 0
    }

    /// Decides whether the next frame is lost.
    pub fn next(&mut self) -> bool {
        let ordered = match &mut self.model {
            Model::Positions(come, numbers) => {
                let number = *come;
                *come = come.saturating_add(1);
                let lost = numbers.front() == Some(&number);
                if lost {
                    numbers.pop_front();
                }
                lost
            }
            Model::Pattern(replay) => replay.next(),
            Model::Bernoulli(share) => self.stream.chance(*share),
            Model::Systematic(share) => {
                self.owed += *share;
                let lost = self.owed >= 1.0;
                self.owed -= f64::from(u8::from(lost));
                lost
            }
        };
        let overdue = !ordered && self.overdue > 0;
        self.overdue -= usize::from(overdue);
        ordered || overdue
    }
}
