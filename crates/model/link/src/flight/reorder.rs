//! Reordering, which lets frames overtake others: notation and draws.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Probability, text_or_table};
use serde::{Deserialize, Serialize};

use crate::Stream;

/// Whether frames may overtake each other, and which are sent out of turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reorder {
    /// Frames keep their order, whatever the jitter.
    #[default]
    None,
    /// Frames arrive when their delay is over, even before earlier ones, and some are sent out of
    /// turn.
    Some(Reordering),
}

/// Selects the frames that are sent out of turn. With a probability of zero there are none, and
/// only the jitter reorders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reordering {
    /// Probability that a candidate is sent out of turn.
    pub probability: Probability,
    /// Between two frames that are sent out of turn, at least `gap - 1` frames are sent in turn.
    /// After them, each frame is a candidate until one is chosen, as in tc-netem (default 1: each
    /// frame is a candidate).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub gap: u32,
    /// Extra delay of the chosen frame, with which it falls behind the next frames. Without it
    /// (default), the chosen frame has no delay at all and overtakes those in front.
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

/// The reordering of one pipe.
#[derive(Debug)]
pub(super) struct ReorderProcess {
    reorder: Reorder,
    /// Number of frames in turn since the last one out of turn.
    in_turn: u32,
    stream: Stream,
}

/// The place of a frame among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The frame propagates like all others.
    Kept,
    /// The frame has no delay at all.
    AtOnce,
    /// The frame takes this much longer.
    Late(Duration),
}

impl ReorderProcess {
    pub fn new(reorder: Reorder, stream: &Stream) -> Self {
        Self { reorder, in_turn: 0, stream: stream.fork("reorder") }
    }

    /// Sets another reordering, which begins with a gap. The random stream continues.
    pub fn configure(&mut self, reorder: Reorder) {
        self.reorder = reorder;
        self.in_turn = 0;
    }

    /// Whether frames may overtake each other.
    pub fn is_some(&self) -> bool {
        self.reorder != Reorder::None
    }

    /// Whether frames may have no delay at all.
    pub fn skips_delay(&self) -> bool {
        matches!(self.reorder, Reorder::Some(Reordering { probability, extra_delay: None, .. })
            if probability != Probability::ZERO)
    }

    /// Draws the place of the next frame.
    pub fn next(&mut self) -> Turn {
        let Reorder::Some(reordering) = self.reorder else { return Turn::Kept };
        let candidate = self.in_turn >= reordering.gap - 1;
        if !(candidate && self.stream.chance(reordering.probability.value())) {
            self.in_turn = self.in_turn.saturating_add(1);
            return Turn::Kept;
        }
        self.in_turn = 0;
        reordering.extra_delay.map_or(Turn::AtOnce, Turn::Late)
    }
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
                "`{text}` does not say which frames are reordered; write `none` or `{{probability: \
                 25%, gap: 5}}`"
            )),
        }
    }
}

impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Some(Reordering { probability: Probability::ZERO, .. }) => f.pad("by jitter"),
            Self::Some(reordering) => {
                write!(f, "{}, gap {}", reordering.probability, reordering.gap)?;
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
