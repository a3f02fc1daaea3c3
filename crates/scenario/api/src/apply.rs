//! Applying another scenario to the network while it runs.

use std::path::PathBuf;

use netloom_scenario::Scenario;
use netloom_units::Time;
use serde::{Deserialize, Serialize};

/// A new scenario for the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApplyRequest {
    /// The resolved scenario.
    pub scenario: Scenario,
    /// The scenario's text as its user wrote it, for those who ask for the scenario in force.
    #[serde(default)]
    pub text: Option<String>,
    /// Absolute path of the scenario's file.
    pub file: PathBuf,
    /// Whether only the steps are wanted, without carrying them out.
    #[serde(default)]
    pub dry_run: bool,
}

/// The scenario in force: the one that was deployed, or the last that was applied. Changes of
/// single links and media since are in the state of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioInForce {
    /// Absolute path of the scenario's file. That of standard input ends with `/-`.
    pub file: PathBuf,
    /// The scenario's text as its user wrote it. Null if whoever applied it has not sent it.
    pub text: Option<String>,
    /// The resolved scenario.
    pub scenario: Scenario,
}

/// The steps from the current scenario to the new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApplyResponse {
    /// Steps that were, or would be, carried out. Empty if the network need not change.
    pub steps: Vec<ApplyStep>,
    /// Changes of the scenario that have no effect on a deployed network.
    pub notes: Vec<String>,
    /// Time of the change, in nanoseconds since zero. Absent if nothing was done.
    pub at: Option<Time>,
}

/// A change of one part of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApplyStep {
    /// Kind of change.
    pub change: StepChange,
    /// Kind of part.
    pub part: Part,
    /// Name of the part in the scenario. For routes, parameters, limits and services, the name of
    /// the node.
    pub name: String,
    /// Details of the change, in words. May be empty.
    pub detail: String,
}

/// Kind of change of a part of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepChange {
    /// The part is added.
    Add,
    /// The part is removed, with everything in it.
    Remove,
    /// The part is removed, and another one of the same name is added.
    Replace,
    /// The part remains, and something about it changes.
    Change,
}

impl StepChange {
    /// Returns the sign at the beginning of a line of a plan.
    pub fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Remove => '-',
            Self::Replace => '!',
            Self::Change => '~',
        }
    }
}

/// A kind of part of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A node.
    Node,
    /// A link.
    Link,
    /// A shared medium that stays.
    Medium,
    /// An interface that stays.
    Interface,
    /// A kernel parameter of a node that stays.
    Parameter,
    /// The loopback addresses of a node that stays.
    Loopback,
    /// The routes of a node that stays.
    Routes,
    /// Limits of a node that stays, or of several nodes together.
    Limits,
    /// Services of a node that stays.
    Services,
    /// A port of the machine that is forwarded to a node.
    Port,
}

impl Part {
    /// Returns the name of the kind.
    pub fn word(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Link => "link",
            Self::Medium => "medium",
            Self::Interface => "interface",
            Self::Parameter => "parameter of",
            Self::Loopback => "loopback of",
            Self::Routes => "routes of",
            Self::Limits => "limits of",
            Self::Services => "services of",
            Self::Port => "port",
        }
    }
}

impl ApplyStep {
    /// Describes the step in one line: `~ link a--b: delay 10ms -> 20ms`.
    pub fn in_words(&self) -> String {
        let (sign, part) = (self.change.sign(), self.part.word());
        match self.detail.as_str() {
            "" => format!("{sign} {part} {}", self.name),
            detail => format!("{sign} {part} {}: {detail}", self.name),
        }
    }
}
