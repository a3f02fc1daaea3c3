//! How a channel loses frames: what can be written. Not here: the draws (`models`).

use std::fmt;
use std::str::FromStr;

use netloom_units::{Probability, UnitError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Data, DataError, DataFormat, text_or_table};

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

    fn text(&self) -> Option<String> {
        match self {
            Self::Bernoulli(probability) => Some(probability.to_string()),
            _ => None,
        }
    }
}

impl Default for Loss {
    fn default() -> Self {
        Self::NONE
    }
}

/// The Gilbert-Elliott model (Gilbert 1960; Elliott 1963) in the notation of tc-netem: a chain with
/// a good and a bad state, moved once for each frame, and a probability of loss in each.
///
/// The loss rate is `(p·bad + r·good) / (p + r)` with `bad` = 1-h and `good` = 1-k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability to go from the good state to the bad one, for each frame.
    pub p: Probability,
    /// Probability to go back, for each frame.
    pub r: Probability,
    /// Probability that a frame is lost in the bad state (1-h); default `100%`.
    #[serde(default = "always")]
    pub bad: Probability,
    /// Probability that a frame is lost in the good state (1-k); default `0%`.
    #[serde(default)]
    pub good: Probability,
}

fn always() -> Probability {
    // One is a probability.
    Probability::new(1.0).expect("one is a probability")
}

/// The four-state model of tc-netem (Salsano, Ludovici, Ordine 2009): 1 good reception within a gap,
/// 2 good reception within a burst, 3 burst loss, 4 isolated loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FourState {
    /// From 1 to 3: a burst begins.
    pub p13: Probability,
    /// From 3 to 1: a burst ends.
    pub p31: Probability,
    /// From 3 to 2: a reception within a burst.
    pub p32: Probability,
    /// From 2 to 3: the burst goes on losing.
    pub p23: Probability,
    /// From 1 to 4: an isolated loss.
    pub p14: Probability,
}

/// Which frames are lost: one digit a frame, `1` for a loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossPattern {
    lost: Vec<bool>,
}

impl LossPattern {
    /// For each frame whether it is lost; at the end the pattern starts again.
    ///
    /// # Errors
    /// The pattern is empty.
    pub fn new(lost: Vec<bool>) -> Result<Self, String> {
        if lost.is_empty() {
            Err("a loss pattern needs at least one digit".into())
        } else {
            Ok(Self { lost })
        }
    }

    /// For each frame whether it is lost.
    pub fn lost(&self) -> &[bool] {
        &self.lost
    }
}

impl FromStr for LossPattern {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digit = |digit| match digit {
            '0' => Ok(false),
            '1' => Ok(true),
            other => Err(format!(
                "`{other}` is not part of a loss pattern; write `0` for a frame that passes and `1` for one that is lost"
            )),
        };
        Self::new(text.chars().filter(|c| !c.is_whitespace()).map(digit).collect::<Result<_, _>>()?)
    }
}

impl fmt::Display for LossPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lost.iter().try_for_each(|lost| f.write_str(if *lost { "1" } else { "0" }))
    }
}

impl Serialize for LossPattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LossPattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for LossPattern {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LossPattern".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "One digit a frame: `0` passes, `1` is lost.",
            "pattern": "^[01 ]+$",
            "examples": ["0001"],
        })
    }
}

impl DataFormat for LossPattern {
    const WHAT: &'static str = "loss trace";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut lost = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let part: Self =
                line.parse().map_err(|message| DataError::Line { line: index + 1, message })?;
            lost.extend(part.lost);
        }
        Self::new(lost).map_err(DataError::Whole)
    }
}

/// Losses that a text cannot say.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossModel")]
#[serde(rename_all = "snake_case")]
enum LossTable {
    /// Each frame with the same probability.
    Bernoulli(Probability),
    /// In bursts: a good and a bad state.
    GilbertElliott(GilbertElliott),
    /// netem's `loss state`.
    FourState(FourState),
    /// Exactly these frames, over and over: one digit a frame, `1` for a loss.
    Pattern(LossPattern),
    /// Every n-th frame; 100 means the 100th, the 200th and so on.
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
            LossTable::FourState(model) => Self::FourState(model),
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
