//! How a channel loses frames: notation and models.
//! Not here: losses from bit errors (`bit_errors`).
//!
//! | file | model |
//! |---|---|
//! | `gilbert_elliott` | bursts: a chain of a good and a bad state |
//! | `four_state` | bursts with receptions in them: netem's `loss state` |
//! | `pattern` | exactly the frames of a pattern |
//! | `every` | every n-th frame |
//! | `notation` | the notation of a loss |
//!
//! Independent losses (Bernoulli) take one draw and have no file.

mod always;
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
    /// Losses in bursts: a Markov chain of a good and a bad state.
    GilbertElliott(GilbertElliott),
    /// netem's `loss state`: a Markov chain of four states.
    FourState(FourState),
    /// Exactly the frames of a pattern, which repeats.
    Pattern(LossPattern),
    /// Every n-th frame.
    Every(u32),
    /// Exactly the frames of a pattern from a file, which repeats.
    Trace(Data<LossPattern>),
}

impl Loss {
    /// No loss.
    pub const NONE: Loss = Loss::Bernoulli(Probability::ZERO);

    /// Whether nothing is ever lost.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Whether losses may depend on the seed: a matter of the model, whatever its probabilities.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Bernoulli(_) | Self::GilbertElliott(_) | Self::FourState(_) => !self.is_none(),
            Self::Pattern(_) | Self::Every(_) | Self::Trace(_) => false,
        }
    }
}

impl Default for Loss {
    fn default() -> Self {
        Self::NONE
    }
}

/// The losses of one pipe.
#[derive(Debug)]
pub(crate) struct LossProcess {
    model: Model,
    stream: Stream,
}

/// A loss model with its current state.
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

    /// Sets another model, which begins in its first state. The random stream continues.
    pub fn configure(&mut self, loss: &Loss) {
        self.model = Model::new(loss);
    }

    /// Whether frames can be lost.
    pub fn is_some(&self) -> bool {
        !matches!(self.model, Model::None)
    }

    /// Decides whether the next frame is lost.
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
            // Whoever builds a pipe has checked that its files were read.
            Loss::Trace(trace) => trace.values().map_or(Self::None, |pattern| {
                Self::Replay(Replay::new(LossPattern::clone(pattern)))
            }),
        }
    }
}
