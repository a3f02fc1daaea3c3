//! Thresholds by code point. Packets in one queue with one average are dropped earlier or later
//! depending on their DSCP, as in RIO (Clark & Fang 1998, "Explicit Allocation of Best-Effort
//! Packet Delivery Service").

use std::fmt;

use netloom_units::Probability;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::RedConfig;
use crate::queue::dscp::Dscp;
use crate::queue::limit::QueueLimit;

/// Thresholds of packets with one DSCP. The defaults are those of `red`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedThresholds {
    /// Average queue length below which none of these packets is dropped (default `5packets`), in
    /// the unit of all other thresholds of the queue.
    pub min: QueueLimit,
    /// Average queue length at which `max_p` is reached (default `15packets`).
    pub max: QueueLimit,
    /// Drop probability as the average reaches `max` (default `10%`).
    pub max_p: Probability,
}

impl Default for RedThresholds {
    fn default() -> Self {
        let RedConfig { min, max, max_p, .. } = RedConfig::default();
        Self { min, max, max_p }
    }
}

/// Thresholds by DSCP, in the order of the code points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ByDscp {
    thresholds: Vec<(Dscp, RedThresholds)>,
}

impl ByDscp {
    /// Whether no code point has thresholds of its own.
    pub fn is_empty(&self) -> bool {
        self.thresholds.is_empty()
    }

    /// Number of code points that have thresholds of their own.
    pub(super) fn len(&self) -> usize {
        self.thresholds.len()
    }

    /// Returns the thresholds of packets with `dscp` and their index, if it has thresholds of its
    /// own.
    #[inline]
    pub(super) fn find(&self, dscp: u8) -> Option<(usize, &RedThresholds)> {
        let place = self.thresholds.binary_search_by_key(&dscp, |(dscp, _)| dscp.value()).ok()?;
        Some((place, &self.thresholds[place].1))
    }

    /// All code points with their thresholds.
    pub fn iter(&self) -> impl Iterator<Item = &(Dscp, RedThresholds)> {
        self.thresholds.iter()
    }

    /// Adds thresholds. It is an error if `dscp` already has some.
    fn insert(&mut self, dscp: Dscp, thresholds: RedThresholds) -> Result<(), String> {
        match self.thresholds.binary_search_by_key(&dscp, |(dscp, _)| *dscp) {
            Ok(_) => Err(format!(
                "DSCP {} has thresholds twice; keep one of them: a number and a name may be one \
                 code point",
                dscp.value()
            )),
            Err(place) => {
                self.thresholds.insert(place, (dscp, thresholds));
                Ok(())
            }
        }
    }
}

impl Serialize for ByDscp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (dscp, thresholds) in &self.thresholds {
            map.serialize_entry(dscp, thresholds)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ByDscp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByDscpVisitor;
        impl<'de> Visitor<'de> for ByDscpVisitor {
            type Value = ByDscp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("thresholds by DSCP, like `{af11: {min: 30packets, max: 60packets}}`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByDscp, A::Error> {
                let mut all = ByDscp::default();
                while let Some((dscp, thresholds)) = map.next_entry()? {
                    all.insert(dscp, thresholds).map_err(A::Error::custom)?;
                }
                Ok(all)
            }
        }
        deserializer.deserialize_map(ByDscpVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ByDscp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RedByDscp".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Thresholds of RED by DSCP: for each a number or a name, and `min`, \
                            `max` and `max_p`.",
            "type": "object",
            "additionalProperties": generator.subschema_for::<RedThresholds>(),
        })
    }
}
