//! Losses in bursts with receptions within the bursts: netem's four-state model.

use netloom_units::Probability;
use serde::{Deserialize, Serialize};

use crate::Stream;

/// The four-state model of tc-netem (Salsano, Ludovici, Ordine 2009). Its states are 1 reception
/// within a gap, 2 reception within a burst, 3 loss within a burst, and 4 isolated loss, which is
/// always followed by 1.
///
/// The loss rate is `(p14 + p13/p31) / (1 + p14 + p13/p31 · (1 + p32/p23))`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FourState {
    /// Probability of a transition from 1 to 3: a burst begins.
    pub p13: Probability,
    /// Probability of a transition from 3 to 1: a burst ends.
    pub p31: Probability,
    /// Probability of a transition from 3 to 2: a reception within a burst; default `0%`.
    #[serde(default)]
    pub p32: Probability,
    /// Probability of a transition from 2 to 3: the burst goes on losing; default `100%`.
    #[serde(default = "super::always::always")]
    pub p23: Probability,
    /// Probability of a transition from 1 to 4: an isolated loss; default `0%`.
    #[serde(default)]
    pub p14: Probability,
}

impl FourState {
    /// Returns the model, or an error if the probabilities of leaving a state add up to more than
    /// 100%.
    pub(crate) fn checked(self) -> Result<Self, String> {
        let above = |a: Probability, b: Probability| a.value() + b.value() > 1.0 + f64::EPSILON;
        if above(self.p13, self.p14) {
            return Err("`p13` and `p14` are more than 100% together".into());
        }
        if above(self.p31, self.p32) {
            return Err("`p31` and `p32` are more than 100% together".into());
        }
        Ok(self)
    }
}

/// The model with its current state. It begins in a gap.
#[derive(Debug)]
pub(super) struct Chain {
    model: FourState,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    ReceivedInGap,
    ReceivedInBurst,
    LostInBurst,
    LostInGap,
}

impl Chain {
    pub fn new(model: FourState) -> Self {
        Self { model, state: State::ReceivedInGap }
    }

    /// Decides whether the next frame is lost. The state moves first, and the new state decides, as
    /// in netem.
    pub fn next(&mut self, stream: &mut Stream) -> bool {
        let FourState { p13, p31, p32, p23, p14 } = self.model;
        let mut either = |first: Probability, second: Probability, states: [State; 3]| {
            let (first, second) = (first.value(), second.value());
            let u = stream.uniform();
            states[if u < first { 0 } else { 1 + usize::from(u >= first + second) }]
        };
        use State::{LostInBurst, LostInGap, ReceivedInBurst, ReceivedInGap};
        self.state = match self.state {
            ReceivedInGap => either(p14, p13, [LostInGap, LostInBurst, ReceivedInGap]),
            LostInBurst => either(p32, p31, [ReceivedInBurst, ReceivedInGap, LostInBurst]),
            ReceivedInBurst if stream.chance(p23.value()) => LostInBurst,
            ReceivedInBurst => ReceivedInBurst,
            LostInGap => ReceivedInGap,
        };
        matches!(self.state, LostInBurst | LostInGap)
    }
}
