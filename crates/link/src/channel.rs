//! The channel: what the medium does to a frame. Not here: how long it takes (`flight`).

use netloom_units::Probability;

use crate::Stream;

/// Bernoulli loss: each unit is lost with the same probability, independently of all others.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    loss: f64,
    stream: Stream,
}

impl Channel {
    pub fn new(loss: Probability, stream: Stream) -> Self {
        Self { loss: loss.value(), stream }
    }

    pub fn set_loss(&mut self, loss: Probability) {
        self.loss = loss.value();
    }

    /// Whether something is drawn for each frame, so that super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        self.loss > 0.0
    }

    /// Whether the next frame is lost: one draw, and none while the probability is zero.
    #[inline]
    pub fn loses(&mut self) -> bool {
        self.loss > 0.0 && self.stream.uniform() < self.loss
    }
}
