//! The notation of a loss: a probability, or a table that names a model.

use std::str::FromStr;

use netloom_units::{Data, Probability, UnitError, text_or_table};
use serde::{Deserialize, Serialize};

use super::{FourState, GilbertElliott, Loss, LossPattern};

/// The notation of losses that need a table.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LossModel"))]
#[serde(rename_all = "snake_case")]
enum LossTable {
    /// Each frame with the same probability.
    Bernoulli(Probability),
    /// Losses in bursts: a chain of a good and a bad state.
    GilbertElliott(GilbertElliott),
    /// netem's `loss state`: a chain of four states.
    FourState(FourState),
    /// Exactly the frames of a pattern, which repeats: one digit a frame, `1` for a loss.
    Pattern(LossPattern),
    /// Every n-th frame. For example, 100 means the 100th, the 200th and so on.
    Every(u32),
    /// Like `pattern`, from a file.
    Trace(Data<LossPattern>),
}

impl TryFrom<LossTable> for Loss {
    type Error = String;
    fn try_from(table: LossTable) -> Result<Self, String> {
        Ok(match table {
            LossTable::Bernoulli(probability) => Self::Bernoulli(probability),
            LossTable::GilbertElliott(model) => Self::GilbertElliott(model),
            LossTable::FourState(model) => Self::FourState(model.checked()?),
            LossTable::Pattern(pattern) => Self::Pattern(pattern),
            LossTable::Every(0) => return Err("`every` is 1 or more".into()),
            LossTable::Every(n) => Self::Every(n),
            LossTable::Trace(trace) => Self::Trace(trace),
        })
    }
}

impl From<&Loss> for LossTable {
    fn from(loss: &Loss) -> Self {
        match loss {
            Loss::Bernoulli(probability) => Self::Bernoulli(*probability),
            Loss::GilbertElliott(model) => Self::GilbertElliott(*model),
            Loss::FourState(model) => Self::FourState(*model),
            Loss::Pattern(pattern) => Self::Pattern(pattern.clone()),
            Loss::Every(n) => Self::Every(*n),
            Loss::Trace(trace) => Self::Trace(trace.clone()),
        }
    }
}

impl Loss {
    fn text(&self) -> Option<String> {
        match self {
            Self::Bernoulli(probability) => Some(probability.to_string()),
            _ => None,
        }
    }
}

impl FromStr for Loss {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        text.parse().map(Self::Bernoulli)
    }
}

text_or_table!(
    Loss,
    LossTable,
    "a probability like `1%`, or a loss model like `{gilbert_elliott: {p: 1%, r: 10%}}`",
    "A probability, or a loss model."
);
