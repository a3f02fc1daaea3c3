//! Bit errors: which frames they hit, and their effect on a frame.
//!
//! | file | what |
//! |---|---|
//! | `rate` | the bit error rate |
//! | `flips` | the wrong bits of a frame that is hit |

mod flips;
mod rate;

use serde::{Deserialize, Serialize};

use crate::Stream;
use flips::Flips;
pub use rate::BitErrorRate;

/// The effect of bit errors on a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BitErrors {
    /// The frame check sequence catches them: the frame is dropped.
    #[default]
    Drop,
    /// The flipped bits reach the receiver.
    Flip,
}

/// The bit errors of one pipe.
#[derive(Debug)]
pub(crate) struct BitErrorProcess {
    rate: BitErrorRate,
    flips: Flips,
    /// The last frame length in bytes, and the probability that a frame of that length is hit.
    /// Traffic has few different lengths, and an exponential costs more than a draw.
    known: (u64, f64),
    stream: Stream,
}

/// A frame that bit errors hit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    bytes: u64,
    /// The random number that decided the hit. It also decides the first wrong bit.
    draw: f64,
}

impl BitErrorProcess {
    pub fn new(rate: BitErrorRate, stream: &Stream) -> Self {
        let stream = stream.fork("bit_errors");
        Self { rate, flips: Flips::new(rate.value()), known: (0, 0.0), stream }
    }

    /// Sets another rate. The random stream continues.
    pub fn configure(&mut self, rate: BitErrorRate) {
        self.rate = rate;
        self.flips = Flips::new(rate.value());
        self.known = (0, 0.0);
    }

    /// Whether bits can be wrong.
    pub fn is_some(&self) -> bool {
        self.rate != BitErrorRate::default()
    }

    /// Decides whether at least one bit of the next frame, of `bytes` bytes, is wrong.
    #[inline]
    pub fn hit(&mut self, bytes: u64) -> Option<Hit> {
        if self.known.0 != bytes {
            self.known = (bytes, self.rate.frame_error_probability(bytes));
        }
        let draw = self.stream.uniform();
        (draw < self.known.1).then_some(Hit { bytes, draw })
    }

    /// Appends the positions of the wrong bits of a frame that was hit to `out`, in order.
    pub fn wrong_bits(&mut self, hit: Hit, out: &mut Vec<u64>) {
        self.flips.draw(8 * hit.bytes, hit.draw, &mut self.stream, out);
    }
}
