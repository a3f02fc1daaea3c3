//! Directories, programs and files that nodes share with the machine.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::View;

/// Directories, programs and files that nodes share with the machine.
#[derive(Debug, Clone)]
pub struct Context {
    /// The scenario's directory. Processes start in it, and find it at [`crate::WORK_DIRECTORY`].
    pub work_dir: PathBuf,
    /// A program that calls [`crate::init::main`] when its first argument is `__init`: the
    /// `netloom` binary.
    pub init: PathBuf,
    /// Environment variables of every process, in addition to the engine's own.
    pub env: Vec<(String, String)>,
    /// Files of the machine, sockets included, that processes find below `/run`: path on the
    /// machine, and path in the node. They must exist when the first process of a node starts.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// Differences between the machine's file system and that of nodes, by name of the node. Nodes
    /// that are absent here have none. [`Network::set_view`](crate::Network::set_view) changes it.
    pub views: HashMap<String, View>,
}
