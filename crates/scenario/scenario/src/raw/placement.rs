//! Keys for runs over several machines, as the user wrote them.

use std::str::FromStr;

use netloom_document::Spanned;
use netloom_units::{Duration, Probability, Rate, Size};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

use super::node::{Memory, RawLimit};
use crate::limits::CpuQuota;
use crate::spec::{LinkLoad, NodeLoad, Objective};

/// How nodes are placed on several machines. Without `--machines`, this has no effect.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Placement"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPlacement {
    /// Number of machines: the `fewest` that suffice (default), or `spread` over all.
    #[serde(default)]
    pub objective: Option<Objective>,
    /// Share of each machine's capacity that may be used (default `70%`).
    #[serde(default)]
    pub headroom: Option<RawShare>,
    /// Length of the search for a better placement (default `10s`).
    #[serde(default)]
    pub solve_for: Option<Spanned<Duration>>,
}

/// Expected load of a node. `none` removes a value that defaults, the kind or a group set.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NodeLoad"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeLoad {
    /// CPU time that the node's processes use, as a number of CPUs (default: that of `limits`, or
    /// nothing).
    #[serde(default)]
    pub cpu: Option<RawLimit<CpuQuota>>,
    /// Memory that the node's processes use, like `64MiB` (default: that of `limits`, or nothing).
    #[serde(default)]
    pub memory: Option<RawLimit<Memory>>,
}

impl RawNodeLoad {
    /// Overrides `load` with the values that are set here.
    pub fn lay_over(&self, load: &mut NodeLoad) {
        RawLimit::lay_over(self.cpu, &mut load.cpu, |quota| quota);
        RawLimit::lay_over(self.memory, &mut load.memory, |memory| memory.0);
    }
}

/// Expected load of a link.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkLoad"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLinkLoad {
    /// Mean rate of the traffic in one direction, like `20Mbit/s` (default: what the rates of the
    /// link and of all hosts' links allow).
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Mean size of a frame without FCS, like `200B`, from 60 to 65535 bytes (default `1514B`).
    #[serde(default)]
    pub frame: Option<RawFrameSize>,
}

impl RawLinkLoad {
    /// Overrides `load` with the values that are set here.
    pub fn lay_over(&self, load: &mut LinkLoad) {
        load.rate = self.rate.or(load.rate);
        load.frame = self.frame.map(|frame| frame.0).or(load.frame);
    }
}

/// A share of something: more than 0 %, at most 100 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RawShare(pub Probability);

impl FromStr for RawShare {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<Probability>() {
            Ok(share) if share > Probability::ZERO => Ok(Self(share)),
            _ => Err(format!(
                "`{text}` is not a share of a machine; write more than `0%`, at most `100%`"
            )),
        }
    }
}

/// Size of an Ethernet frame without FCS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawFrameSize(pub Size);

impl FromStr for RawFrameSize {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let size: Size = text.parse().map_err(|error| format!("{error}"))?;
        if !(60..=65_535).contains(&size.bytes()) {
            return Err(format!("frames of `{text}` are impossible; write from 60B to 65535B"));
        }
        Ok(Self(size))
    }
}

macro_rules! from_text {
    ($type:ty, $name:literal, $schema:tt) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

from_text!(RawShare, "Share", {
    "type": "string",
    "pattern": r"^[0-9]+(\.[0-9]+)? *%$",
    "examples": ["70%"],
});
from_text!(RawFrameSize, "FrameSize", {
    "type": "string",
    "pattern": r"^[0-9]+(\.[0-9]+)? *(B|bytes?|kB|KiB)$",
    "examples": ["200B"],
});
