//! What can be changed while an experiment runs.

pub use netloom_link::PipeChange;
use netloom_link::notation::ToldChange;
use netloom_scenario::Direction;
use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Changes to links, applied together at one instant or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeRequest {
    /// The changes, in order.
    pub changes: Vec<LinkChange>,
}

/// A change to one link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkChange {
    /// The link's name.
    pub link: String,
    /// Which of its pipes.
    #[serde(default)]
    pub direction: Direction,
    /// What changes: properties, and beside them the strings of other tools that a scenario takes
    /// as well (`netem`, `tbf`, `dummynet`).
    #[serde(deserialize_with = "told")]
    #[schemars(with = "ToldChange")]
    pub change: PipeChange,
}

impl LinkChange {
    /// The change in a line: `link uplink (forward): rate 10Mbit/s, delay 5ms`.
    pub fn in_words(&self) -> String {
        // Every change is an object of properties, which JSON can hold.
        let properties = serde_json::to_value(&self.change).unwrap_or_default();
        let words = |(key, value): (&String, &Value)| match value {
            Value::String(text) => format!("{key} {text}"),
            other => format!("{key} {other}"),
        };
        let words: Vec<String> = properties.as_object().into_iter().flatten().map(words).collect();
        let direction = match self.direction {
            Direction::Both => "",
            Direction::Forward => " (forward)",
            Direction::Reverse => " (reverse)",
        };
        format!("link {}{direction}: {}", self.link, words.join(", "))
    }
}

/// When changes were applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeResponse {
    /// Nanoseconds since the engine's zero.
    pub at: Time,
}

fn told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PipeChange, D::Error> {
    ToldChange::deserialize(deserializer).map(|told| told.0)
}
