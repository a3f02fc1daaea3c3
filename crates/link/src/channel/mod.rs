//! The channel: what the medium does to a frame. Not here: how long it takes (`flight`).

mod bit_errors;
mod loss;

pub use bit_errors::{BitErrorRate, BitErrors};
pub use loss::{FourState, GilbertElliott, Loss, LossPattern};

use crate::{DropReason, FrameInfo, PipeConfig, Stream};

/// What the channel does to the frames of one pipe.
#[derive(Debug)]
pub(crate) struct Channel {
    loss: f64,
    stream: Stream,
}

/// What becomes of one frame.
#[derive(Debug, Default)]
pub(crate) struct Fate {
    /// It is lost, and why.
    pub lost: Option<DropReason>,
    /// These bits of it are flipped, counted from the first bit of the Ethernet header.
    pub flipped: Vec<u64>,
    /// It arrives twice.
    pub duplicated: bool,
}

impl Channel {
    pub fn new(config: &PipeConfig, stream: &Stream) -> Self {
        let mut channel = Self { loss: 0.0, stream: stream.fork("loss") };
        channel.set(config);
        channel
    }

    /// New models for the frames to come. A model that stays as it is keeps its state.
    pub fn configure(&mut self, old: &PipeConfig, new: &PipeConfig) {
        if new.loss != old.loss {
            self.set(new);
        }
    }

    fn set(&mut self, config: &PipeConfig) {
        self.loss = match config.loss {
            Loss::Bernoulli(probability) => probability.value(),
            _ => 0.0,
        };
    }

    /// Whether something is drawn for each frame, so that super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        self.loss > 0.0
    }

    /// Draws the fate of the next frame.
    #[inline]
    pub fn pass(&mut self, _info: &FrameInfo) -> Fate {
        if self.loss > 0.0 && self.stream.uniform() < self.loss {
            return Fate { lost: Some(DropReason::Loss), ..Fate::default() };
        }
        Fate::default()
    }
}
