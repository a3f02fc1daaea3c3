//! The channel: loss and bit errors on the medium. Not here: propagation time (`flight`).
//!
//! | file | what |
//! |---|---|
//! | `loss` | frames that vanish |
//! | `bit_errors` | bits that arrive wrong |

mod bit_errors;
mod loss;

use netloom_units::Probability;

use crate::{DropReason, FrameInfo, PipeConfig, Stream};
use bit_errors::BitErrorProcess;
pub use bit_errors::{BitErrorRate, BitErrors};
use loss::LossProcess;
pub(crate) use loss::Replay;
pub use loss::{FourState, GilbertElliott, Loss, LossPattern};

/// The channel of one pipe. The first effect decides: a lost frame meets no bit errors and takes no
/// draws for them.
#[derive(Debug)]
pub(crate) struct Channel {
    /// Whether nothing is configured, so nothing can happen.
    clear: bool,
    loss: LossProcess,
    bit_errors: BitErrorProcess,
    wrong_bits: BitErrors,
    corrupt: Occasional,
    duplicate: Occasional,
    /// Flipped bits of the last frame. Kept here to reuse the memory.
    flipped: Vec<u64>,
}

/// The fate of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is lost, for this reason.
    Lost(DropReason),
    /// It arrives.
    Passes {
        /// Whether some of its bits are wrong: [`Channel::flipped`].
        flipped: bool,
        /// Whether it arrives twice.
        duplicated: bool,
    },
}

/// An event that happens to a frame with a fixed probability.
#[derive(Debug)]
struct Occasional {
    probability: f64,
    stream: Stream,
}

impl Channel {
    pub fn new(config: &PipeConfig, stream: &Stream) -> Self {
        let mut channel = Self {
            clear: true,
            loss: LossProcess::new(&config.loss, stream),
            bit_errors: BitErrorProcess::new(config.ber, stream),
            wrong_bits: config.bit_errors,
            corrupt: Occasional::new(config.corrupt, stream.fork("corrupt")),
            duplicate: Occasional::new(config.duplicate, stream.fork("duplicate")),
            flipped: Vec::new(),
        };
        channel.clear = !channel.draws_per_frame();
        channel
    }

    /// Sets the models for the following frames. An unchanged model keeps its state.
    pub fn configure(&mut self, old: &PipeConfig, new: &PipeConfig) {
        if new.loss != old.loss {
            self.loss.configure(&new.loss);
        }
        if new.ber != old.ber {
            self.bit_errors.configure(new.ber);
        }
        self.wrong_bits = new.bit_errors;
        self.corrupt.probability = new.corrupt.value();
        self.duplicate.probability = new.duplicate.value();
        self.clear = !self.draws_per_frame();
    }

    /// Whether random numbers are drawn for each frame, so super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        self.loss.is_some()
            || self.bit_errors.is_some()
            || self.corrupt.is_some()
            || self.duplicate.is_some()
    }

    /// Draws the fate of the next frame. A super-frame that was queued before draws were configured
    /// shares one draw of each kind; its bits are not flipped and it is not duplicated.
    #[inline]
    pub fn pass(&mut self, info: &FrameInfo) -> Fate {
        if self.clear {
            return Fate::Passes { flipped: false, duplicated: false };
        }
        if self.loss.next() {
            return Fate::Lost(DropReason::Loss);
        }
        self.flipped.clear();
        if !self.survives_bit_errors(info) {
            return Fate::Lost(DropReason::BitError);
        }
        let single = info.frames() == 1;
        Fate::Passes {
            flipped: !self.flipped.is_empty() && single,
            duplicated: self.duplicate.happens() && single,
        }
    }

    /// The flipped bits of the last frame, each once, counted from the first bit of the Ethernet
    /// header.
    pub fn flipped(&self) -> &[u64] {
        &self.flipped
    }

    /// Draws bit errors and corruption. Returns whether the frame survives them.
    #[inline]
    fn survives_bit_errors(&mut self, info: &FrameInfo) -> bool {
        let bytes = info.bytes();
        if self.bit_errors.is_some()
            && let Some(hit) = self.bit_errors.hit(bytes)
        {
            match self.wrong_bits {
                BitErrors::Drop => return false,
                BitErrors::Flip => self.bit_errors.wrong_bits(hit, &mut self.flipped),
            }
        }
        if self.corrupt.happens() && bytes > 0 {
            let bit = self.corrupt.stream.below(8 * bytes);
            // A bit that was already flipped is flipped back.
            match self.flipped.iter().position(|flipped| *flipped == bit) {
                Some(index) => drop(self.flipped.remove(index)),
                None => self.flipped.push(bit),
            }
        }
        true
    }
}

impl Occasional {
    fn new(probability: Probability, stream: Stream) -> Self {
        Self { probability: probability.value(), stream }
    }

    /// Whether the event can happen.
    fn is_some(&self) -> bool {
        self.probability > 0.0
    }

    /// Draws whether the event happens to the next frame.
    #[inline]
    fn happens(&mut self) -> bool {
        self.stream.chance(self.probability)
    }
}
