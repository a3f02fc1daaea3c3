//! What the processes of one node see that differs from the machine. Who decides it is above;
//! making it is the job of the node's init.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What the processes of a node see that differs from the machine, beside what differs in every
/// node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// A directory of the machine that is the root of the node's file system. It is not changed.
    pub root: Option<PathBuf>,
    /// Directories that are new and empty, those first that others are in.
    pub directories: Vec<ViewDirectory>,
    /// Files of the node's own.
    pub files: Vec<ViewFile>,
    /// Files and directories of the machine that are seen elsewhere.
    pub binds: Vec<ViewBind>,
    /// Environment variables of all processes.
    pub env: Vec<(String, String)>,
}

/// A directory of a node's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewDirectory {
    /// Its path in the node.
    pub path: PathBuf,
    /// The user, and the group of the same name, that it belongs to; root without one.
    pub owner: Option<String>,
    /// Who may do what.
    pub mode: u32,
}

/// A file of a node's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewFile {
    /// Its path in the node.
    pub path: PathBuf,
    /// What is in it.
    pub content: String,
    /// The user, and the group of the same name, that it belongs to; root without one.
    pub owner: Option<String>,
    /// Who may do what.
    pub mode: u32,
}

/// A file or directory of the machine in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewBind {
    /// Its path on the machine.
    pub machine: PathBuf,
    /// Where it is seen.
    pub node: PathBuf,
    /// Whether the node may change it.
    pub write: bool,
}
