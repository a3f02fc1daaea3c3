//! What nodes share with the machine.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::View;

/// What nodes share with the machine.
#[derive(Debug, Clone)]
pub struct Context {
    /// The scenario's directory; processes start in it, and see it as [`crate::WORK_DIRECTORY`].
    pub work_dir: PathBuf,
    /// A program that calls [`crate::init::main`] when its first argument is `__init`: the
    /// `netloom` binary.
    pub init: PathBuf,
    /// Environment variables of every process, over and above the engine's own.
    pub env: Vec<(String, String)>,
    /// Files of the machine, sockets included, that processes see at another place below `/run`:
    /// what is where, and where they see it. They must be there when the first process of a node
    /// starts.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// What nodes see that differs from the machine, by their names; nodes that are not here see
    /// nothing more. [`Network::set_view`](crate::Network::set_view) changes it.
    pub views: HashMap<String, View>,
}
