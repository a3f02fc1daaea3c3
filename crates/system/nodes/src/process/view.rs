//! Differences between the machine's file system and that of one node's processes. Callers decide
//! on them; the node's init creates them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Differences between the machine's file system and that of a node's processes, in addition to
/// those of every node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Directory of the machine that is the root of the node's file system. It is not changed.
    pub root: Option<PathBuf>,
    /// New and empty directories. Parents come before their children.
    pub directories: Vec<ViewDirectory>,
    /// Files of the node itself.
    pub files: Vec<ViewFile>,
    /// Files and directories of the machine that appear elsewhere in the node.
    pub binds: Vec<ViewBind>,
    /// Environment variables of all processes of the node.
    pub env: Vec<(String, String)>,
}

/// A directory of a node itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewDirectory {
    /// Path in the node.
    pub path: PathBuf,
    /// User that owns it; the group is that of the same name. `None`: root.
    pub owner: Option<String>,
    /// Permissions.
    pub mode: u32,
}

/// A file of a node itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewFile {
    /// Path in the node.
    pub path: PathBuf,
    /// Content of the file.
    pub content: String,
    /// User that owns it; the group is that of the same name. `None`: root.
    pub owner: Option<String>,
    /// Permissions.
    pub mode: u32,
}

/// A file or directory of the machine in a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewBind {
    /// Path on the machine.
    pub machine: PathBuf,
    /// Path in the node.
    pub node: PathBuf,
    /// Whether the node may write to it.
    pub write: bool,
}
