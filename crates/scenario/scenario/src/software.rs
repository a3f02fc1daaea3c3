//! Software of a node: files, services, and files of the machine that it can access.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::service::OptionValue;
use crate::spec::Command;

/// Software of a node, apart from its network stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Software {
    /// Source of the root file system: a directory, a tarball or an OCI layout, absolute or
    /// relative to the scenario's directory. Absent: the machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Files, by their paths in the node.
    pub files: BTreeMap<String, NodeFile>,
    /// Environment variables of all processes of the node.
    pub env: BTreeMap<String, String>,
    /// Files and directories of the machine that appear in the node, by their paths in the node.
    pub binds: BTreeMap<String, Bind>,
    /// Commands that run once, in order, when the network is up.
    pub startup: Vec<Command>,
    /// Services by name, including those that other services need.
    pub services: BTreeMap<String, ServiceUse>,
}

impl Software {
    /// Whether the node has no software of its own.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A file of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeFile {
    /// Content of the file.
    pub content: String,
    /// Permissions. Absent: those that a service sets for the file, or else 0644.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

/// A file or directory of the machine that appears in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bind {
    /// Path on the machine, absolute or relative to the scenario's directory.
    pub machine: String,
    /// Whether the node may write to it.
    pub write: bool,
}

/// A service in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServiceUse {
    /// Key of its template in the scenario's `templates`.
    pub template: String,
    /// Values of all options of the template that have a value.
    pub options: BTreeMap<String, OptionValue>,
}
