//! The spanning tree of a switch (a word, or options), and the options of its ports.

use std::fmt;

use netloom_spanning_tree::{PathCost, PortPriority, Priority};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::super::values::ScalarText;
use crate::service::OptionKind;
use crate::spec::SpanningTree;

/// `true`, `false`, or options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawSpanningTree(pub Option<SpanningTree>);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    #[serde(default)]
    priority: Option<u16>,
    #[serde(default, deserialize_with = "seconds")]
    max_age: Option<u8>,
    #[serde(default, deserialize_with = "seconds")]
    forward_delay: Option<u8>,
    #[serde(default, deserialize_with = "seconds")]
    hello: Option<u8>,
}

/// A duration of whole seconds, or a number of seconds.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let ScalarText(text) = ScalarText::deserialize(deserializer)?;
    let number = OptionKind::Seconds.number(&text).unwrap_or(Ok(0)).map_err(D::Error::custom)?;
    u8::try_from(number).map(Some).map_err(|_| D::Error::custom(format!("{text} is too long")))
}

impl<'de> Deserialize<'de> for RawSpanningTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrOptions)
    }
}

struct WordOrOptions;

impl<'de> Visitor<'de> for WordOrOptions {
    type Value = RawSpanningTree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`true`, `false`, or a mapping like `{priority: 4096}`")
    }

    fn visit_bool<E: Error>(self, runs: bool) -> Result<RawSpanningTree, E> {
        Ok(RawSpanningTree(runs.then(SpanningTree::default)))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawSpanningTree, A::Error> {
        let options = Options::deserialize(MapAccessDeserializer::new(access))?;
        let priority = options.priority.map(Priority::try_from).transpose();
        let default = SpanningTree::default();
        let tree = SpanningTree {
            priority: priority.map_err(A::Error::custom)?.unwrap_or_default().get(),
            max_age: options.max_age.unwrap_or(default.max_age),
            forward_delay: options.forward_delay.unwrap_or(default.forward_delay),
            hello: options.hello.unwrap_or(default.hello),
        };
        tree.times().map_err(A::Error::custom)?;
        Ok(RawSpanningTree(Some(tree)))
    }
}

/// Spanning tree options of a port.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PortTree"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPortTree {
    /// Path cost, from 1 to 200000000 (default: derived from the rate of the link in the direction
    /// out of this port).
    #[serde(default, deserialize_with = "cost")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200_000_000)))]
    pub cost: Option<u32>,
    /// Port priority, a multiple of 16 from 0 to 240 (default 128). If several ports of the same
    /// neighbour have equal costs, the one with the lowest priority wins.
    #[serde(default, deserialize_with = "priority")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 240), extend("multipleOf" = 16)))]
    pub priority: Option<u8>,
}

fn cost<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = u32::deserialize(deserializer)?;
    PathCost::try_from(number).map(|cost| Some(cost.get())).map_err(D::Error::custom)
}

fn priority<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let number = u8::deserialize(deserializer)?;
    PortPriority::try_from(number).map(|priority| Some(priority.get())).map_err(D::Error::custom)
}

#[cfg(feature = "schema")]
impl JsonSchema for RawSpanningTree {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SpanningTree".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "boolean" },
                {
                    "type": "object",
                    "properties": {
                        "priority": {
                            "type": "integer",
                            "minimum": 0,
                            "maximum": 61440,
                            "multipleOf": 4096,
                            "description": "The switch with the lowest one becomes the root, and \
                                            of several the first in the file (default 32768).",
                        },
                        "max_age": {
                            "type": ["integer", "string"],
                            "description": "Age at which information about the root is dropped; \
                                            each switch on its way adds a second (default `20s`, \
                                            6 to 40 s). The root's times are the tree's.",
                        },
                        "forward_delay": {
                            "type": ["integer", "string"],
                            "description": "Time that a port spends in listening and then in \
                                            learning, where it has to wait (default `15s`, 4 to \
                                            30 s).",
                        },
                        "hello": {
                            "type": ["integer", "string"],
                            "description": "Time between two hellos (default `2s`, 1 to 10 s).",
                        },
                    },
                    "additionalProperties": false,
                },
            ],
        })
    }
}
