//! Levels of findings that a file may lower, as the user wrote them.

use netloom_document::is_default;
use serde::{Deserialize, Serialize};

/// Severity of a finding about a network that could come up all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LintLevel"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    /// The scenario is refused.
    #[default]
    Error,
    /// The network comes up as it is written.
    Warn,
}

/// Levels of findings about networks that could come up, but do not work: lowered to `warn`, a
/// mistake can be shown to a class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Lint"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLint {
    /// An address that two interfaces of one segment or one node have.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicate_address: Level,
    /// An Ethernet address that two interfaces of one segment have.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicate_mac: Level,
    /// Interfaces of one segment that share no subnet, as with a wrong mask.
    #[serde(default, skip_serializing_if = "is_default")]
    pub different_subnets: Level,
    /// The subnet's own address, or its broadcast address, as that of an interface.
    #[serde(default, skip_serializing_if = "is_default")]
    pub subnet_address: Level,
    /// A next hop in no subnet of its node. Its kernel refuses such a route, so it is left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub next_hop: Level,
    /// Neighbours of a routing protocol whose options or MTUs do not fit together.
    #[serde(default, skip_serializing_if = "is_default")]
    pub neighbours: Level,
}

/// A finding that a file may lower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lint {
    DuplicateAddress,
    DuplicateMac,
    DifferentSubnets,
    SubnetAddress,
    NextHop,
    Neighbours,
}

impl RawLint {
    /// Returns the key of a finding, and its level.
    pub fn level(&self, lint: Lint) -> (&'static str, Level) {
        match lint {
            Lint::DuplicateAddress => ("duplicate_address", self.duplicate_address),
            Lint::DuplicateMac => ("duplicate_mac", self.duplicate_mac),
            Lint::DifferentSubnets => ("different_subnets", self.different_subnets),
            Lint::SubnetAddress => ("subnet_address", self.subnet_address),
            Lint::NextHop => ("next_hop", self.next_hop),
            Lint::Neighbours => ("neighbours", self.neighbours),
        }
    }
}
