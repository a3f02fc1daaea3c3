//! How a channel loses frames: what can be written, and which model draws.
//! Not here: losses to bit errors (`bit_errors`).
//!
//! | file | model |
//! |---|---|
//! | `gilbert_elliott` | bursts: a good and a bad state |
//! | `four_state` | bursts within bursts: netem's `loss state` |
//! | `pattern` | exactly these frames |
//! | `every` | each n-th frame |
//! | `notation` | how a loss is written |
//!
//! Independent losses (Bernoulli) are one draw and have no file.

mod every;
mod four_state;
mod gilbert_elliott;
mod notation;
mod pattern;

use netloom_units::{Data, Probability};

use crate::Stream;
use every::Counter;
pub use four_state::FourState;
pub use gilbert_elliott::GilbertElliott;
pub use pattern::LossPattern;
pub(crate) use pattern::Replay;

/// How a channel loses frames.
#[derive(Debug, Clone, PartialEq)]
pub enum Loss {
    /// Each frame with the same probability, independently of all others.
    Bernoulli(Probability),
    /// In bursts: a Markov chain of a good and a bad state.
    GilbertElliott(GilbertElliott),
    /// netem's `loss state`: a Markov chain of four states.
    FourState(FourState),
    /// Exactly these frames, over and over.
    Pattern(LossPattern),
    /// Every n-th frame.
    Every(u32),
    /// Exactly these frames, from a file, over and over.
    Trace(Data<LossPattern>),
}

impl Loss {
    /// Nothing is lost.
    pub const NONE: Loss = Loss::Bernoulli(Probability::ZERO);

    /// Whether nothing is ever lost.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

impl Default for Loss {
    fn default() -> Self {
        Self::NONE
    }
}

/// What a transition or a loss has as its probability where a model says none but must have one.
fn always() -> Probability {
    Probability::new(1.0).expect("one is a probability")
}

/// The losses of one pipe.
#[derive(Debug)]
pub(crate) struct LossProcess {
    model: Model,
    stream: Stream,
}

/// A loss model in its state.
#[derive(Debug)]
enum Model {
    None,
    Bernoulli(f64),
    GilbertElliott(gilbert_elliott::Chain),
    FourState(four_state::Chain),
    Replay(Replay),
    Every(Counter),
}

impl LossProcess {
    pub fn new(loss: &Loss, stream: &Stream) -> Self {
        Self { model: Model::new(loss), stream: stream.fork("loss") }
    }

    /// Another model, in its first state. The stream of random numbers goes on.
    pub fn configure(&mut self, loss: &Loss) {
        self.model = Model::new(loss);
    }

    /// Whether frames can be lost.
    pub fn is_some(&self) -> bool {
        !matches!(self.model, Model::None)
    }

    /// Whether the next frame is lost.
    #[inline]
    pub fn next(&mut self) -> bool {
        match &mut self.model {
            Model::None => false,
            Model::Bernoulli(probability) => self.stream.chance(*probability),
            Model::GilbertElliott(chain) => chain.next(&mut self.stream),
            Model::FourState(chain) => chain.next(&mut self.stream),
            Model::Replay(replay) => replay.next(),
            Model::Every(counter) => counter.next(),
        }
    }
}

impl Model {
    fn new(loss: &Loss) -> Self {
        match loss {
            Loss::Bernoulli(Probability::ZERO) => Self::None,
            Loss::Bernoulli(probability) => Self::Bernoulli(probability.value()),
            Loss::GilbertElliott(model) => {
                Self::GilbertElliott(gilbert_elliott::Chain::new(*model))
            }
            Loss::FourState(model) => Self::FourState(four_state::Chain::new(*model)),
            Loss::Pattern(pattern) => Self::Replay(Replay::new(pattern.clone())),
            Loss::Every(n) => Self::Every(Counter::new(*n)),
            // Whoever builds a pipe checks that its files were read.
            Loss::Trace(trace) => trace.values().map_or(Self::None, |pattern| {
                Self::Replay(Replay::new(LossPattern::clone(pattern)))
            }),
        }
    }
}
