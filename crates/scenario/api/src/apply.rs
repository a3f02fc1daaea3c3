//! Another scenario in the place of the one in force, while the network runs.

use std::path::PathBuf;

use netloom_scenario::Scenario;
use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the network is to become.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyRequest {
    /// The resolved scenario.
    pub scenario: Scenario,
    /// Its file, absolute.
    pub file: PathBuf,
    /// Whether it is only asked what would be done.
    #[serde(default)]
    pub dry_run: bool,
}

/// What leads there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApplyResponse {
    /// What was done, or would be; nothing if the network is already what it is to be.
    pub steps: Vec<ApplyStep>,
    /// What has changed in the scenario without an effect on a network that is deployed.
    pub notes: Vec<String>,
    /// When it was done, in nanoseconds since the engine's zero; nothing if it was not, or there
    /// was nothing to do.
    pub at: Option<Time>,
}

/// A change of one part of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApplyStep {
    /// What becomes of it.
    pub change: StepChange,
    /// What kind of part it is.
    pub part: Part,
    /// Its name, as the scenario has it; of routes, parameters, limits and services, the node's.
    pub name: String,
    /// What exactly changes, in words; may be empty.
    pub detail: String,
}

/// What becomes of a part of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepChange {
    /// It comes.
    Add,
    /// It goes, with all that is in it.
    Remove,
    /// It goes, and another of its name comes.
    Replace,
    /// It stays, and something about it changes.
    Change,
}

impl StepChange {
    /// The sign before a line of a plan.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// What a node that stays may use, or several together.
    Limits,
    /// Services of a node that stays.
    Services,
    /// A port of the machine that leads into a node.
    Port,
}

impl Part {
    /// In a word.
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
    /// The step in a line: `~ link a--b: delay 10ms -> 20ms`.
    pub fn in_words(&self) -> String {
        let (sign, part) = (self.change.sign(), self.part.word());
        match self.detail.as_str() {
            "" => format!("{sign} {part} {}", self.name),
            detail => format!("{sign} {part} {}: {detail}", self.name),
        }
    }
}
