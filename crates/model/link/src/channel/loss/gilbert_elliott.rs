//! Losses in bursts: the Gilbert-Elliott model.

use netloom_units::Probability;
use serde::{Deserialize, Serialize};

use crate::Stream;

/// The Gilbert-Elliott model (Gilbert 1960; Elliott 1963) in the notation of tc-netem: a chain with
/// a good and a bad state, which moves once for each frame, and a probability of loss in each
/// state.
///
/// The loss rate is `(p·bad + r·good) / (p + r)` with `bad` = 1-h and `good` = 1-k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability of a transition from the good state to the bad one, for each frame.
    pub p: Probability,
    /// Probability of a transition back, for each frame.
    pub r: Probability,
    /// Probability that a frame is lost in the bad state (1-h); default `100%`.
    #[serde(default = "super::always::always")]
    pub bad: Probability,
    /// Probability that a frame is lost in the good state (1-k); default `0%`.
    #[serde(default)]
    pub good: Probability,
}

/// The model with its current state. It begins in the good one.
#[derive(Debug)]
pub(super) struct Chain {
    model: GilbertElliott,
    bad: bool,
}

impl Chain {
    pub fn new(model: GilbertElliott) -> Self {
        Self { model, bad: false }
    }

    /// Decides whether the next frame is lost. The state that the previous frame left behind
    /// decides, and then the state moves, as in netem.
    pub fn next(&mut self, stream: &mut Stream) -> bool {
        let GilbertElliott { p, r, bad, good } = self.model;
        let (loss, leave) = if self.bad { (bad, r) } else { (good, p) };
        let lost = stream.chance(loss.value());
        self.bad ^= stream.chance(leave.value());
        lost
    }
}
