//! Which frames overtake others: what can be written.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::text_or_table;

/// Whether frames may overtake each other, and which are sent out of turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reorder {
    /// The order is kept, whatever the jitter.
    #[default]
    None,
    /// Frames arrive when their delay is over, even before earlier ones; some are sent out of turn.
    Some(Reordering),
}

/// Which frames are sent out of turn. With a probability of zero there are none, and only the
/// jitter reorders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reordering {
    /// Probability that a candidate is sent out of turn.
    pub probability: Probability,
    /// Every how many frames there is a candidate (default 1: each frame), as in tc-netem.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1))]
    pub gap: u32,
    /// What happens to the chosen frame: with an extra delay it falls behind the next ones; without
    /// one (default) it has no delay at all and overtakes those in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_delay: Option<Duration>,
}

impl Eq for Reordering {}

fn one() -> u32 {
    1
}

fn is_one(gap: &u32) -> bool {
    *gap == 1
}

impl Reorder {
    fn text(&self) -> Option<String> {
        matches!(self, Self::None).then(|| "none".into())
    }
}

impl FromStr for Reorder {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "none" => Ok(Self::None),
            text => Err(format!(
                "`{text}` does not say which frames are reordered; write `none` or `{{probability: 25%, gap: 5}}`"
            )),
        }
    }
}

impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Some(reordering) => {
                write!(f, "{} of every {}", reordering.probability, reordering.gap)?;
                match reordering.extra_delay {
                    Some(extra) => write!(f, ", {extra} late"),
                    None => f.write_str(", without delay"),
                }
            }
        }
    }
}

impl TryFrom<Reordering> for Reorder {
    type Error = String;
    fn try_from(reordering: Reordering) -> Result<Self, String> {
        match reordering.gap {
            0 => Err("`gap` is 1 or more".into()),
            _ => Ok(Self::Some(reordering)),
        }
    }
}

impl From<&Reorder> for Reordering {
    fn from(reorder: &Reorder) -> Self {
        match reorder {
            Reorder::Some(reordering) => *reordering,
            Reorder::None => Self { probability: Probability::ZERO, gap: 1, extra_delay: None },
        }
    }
}

text_or_table!(
    Reorder,
    Reordering,
    "`none`, or which frames are reordered, like `{probability: 25%, gap: 5}`",
    "`none`, or which frames are sent out of turn."
);
