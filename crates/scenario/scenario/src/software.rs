//! What is in a node beside its network stack: files, services, and what the machine lends it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::service::OptionValue;
use crate::spec::Command;

/// What is in a node beside its network stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Software {
    /// Where its root file system comes from, if not from the machine: a directory, a tarball or an
    /// OCI layout, absolute or relative to the scenario's directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Files by their paths in the node.
    pub files: BTreeMap<String, NodeFile>,
    /// Environment variables of all its processes.
    pub env: BTreeMap<String, String>,
    /// What of the machine it sees, by the paths in the node.
    pub binds: BTreeMap<String, Bind>,
    /// Commands that are run once, in order, when the network is ready.
    pub startup: Vec<Command>,
    /// Services by their names, those included that others need.
    pub services: BTreeMap<String, ServiceUse>,
}

impl Software {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A file of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeFile {
    /// What is in it.
    pub content: String,
    /// Who may do what; by default what a service wants for it, or else 0644.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

/// A file or directory of the machine in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bind {
    /// Its path on the machine, absolute or relative to the scenario's directory.
    pub machine: String,
    /// Whether the node may change it.
    pub write: bool,
}

/// A service in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceUse {
    /// Its template among the scenario's `templates`.
    pub template: String,
    /// The values of all options of the template that have one.
    pub options: BTreeMap<String, OptionValue>,
}
