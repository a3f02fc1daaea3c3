//! Access of the engine to the files of a network's nodes.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::{Network, NodeError, NodeFiles};

impl Network {
    /// Returns the files of a node in the view of its processes, or as they left them when the node
    /// failed. Operations on them may block for the node, so release the network before.
    ///
    /// # Errors
    /// [`NodeError::NoFiles`] for `path` if nothing has run in the node yet.
    pub fn files_of(&self, node: &str, path: &Path) -> Result<NodeFiles, NodeError> {
        let of = self.node(node)?;
        let files = match (of.running(), of.kept()) {
            (Some(init), _) => init.files(),
            (None, Some(kept)) => kept.files(),
            (None, None) => {
                return Err(NodeError::NoFiles { node: node.into(), path: path.into() });
            }
        };
        files.map_err(|error| NodeError::in_node(node, "open its root", error))
    }

    /// Opens a regular file for reading in the view of the node's processes. Relative paths start
    /// at the scenario's directory. Links are followed inside the node only, and only those of
    /// root.
    ///
    /// # Errors
    /// [`NodeError::NoFiles`] if nothing has run in the node yet, [`NodeError::System`] with the
    /// reason otherwise, as of [`NodeFiles::open`].
    pub fn open_in(&self, node: &str, path: &Path) -> Result<File, NodeError> {
        self.files_of(node, path)?
            .open(path)
            .map_err(|error| NodeError::in_node(node, format!("open {}", path.display()), error))
    }

    /// Whether a path exists in the view of the node's processes. `false` if nothing has run there
    /// yet.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the kernel reports an error.
    pub fn exists_in(&self, node: &str, path: &Path) -> Result<bool, NodeError> {
        let files = match self.files_of(node, path) {
            Err(NodeError::NoFiles { .. }) => return Ok(false),
            files => files?,
        };
        let action = || format!("look for {}", path.display());
        files.exists(path).map_err(|error| NodeError::in_node(node, action(), error))
    }

    /// Rewrites an existing file, at the path that the node's processes see. Its owner remains.
    ///
    /// # Errors
    /// [`NodeError::NoFiles`] if nothing has run in the node yet, [`NodeError::System`] with the
    /// kernel's reason otherwise.
    pub fn rewrite_in(&self, node: &str, path: &Path, content: &str) -> Result<(), NodeError> {
        let files = self.files_of(node, path)?;
        files
            .rewrite(path, content)
            .map_err(|error| NodeError::in_node(node, format!("write {}", path.display()), error))
    }

    /// Removes a file, at the path that the node's processes see. It is no error if the file does
    /// not exist, or if nothing has run in the node.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] with the kernel's reason.
    pub fn remove_in(&self, node: &str, path: &Path) -> Result<(), NodeError> {
        self.remove_from(node, path, NodeFiles::remove)
    }

    /// Does what [`remove_in`](Self::remove_in) does if there is a socket, and nothing otherwise.
    ///
    /// # Errors
    /// Those of [`remove_in`](Self::remove_in).
    pub fn remove_socket_in(&self, node: &str, path: &Path) -> Result<(), NodeError> {
        self.remove_from(node, path, NodeFiles::remove_socket)
    }

    fn remove_from(
        &self,
        node: &str,
        path: &Path,
        remove: impl FnOnce(&NodeFiles, &Path) -> io::Result<()>,
    ) -> Result<(), NodeError> {
        let files = match self.files_of(node, path) {
            Err(NodeError::NoFiles { .. }) => return Ok(()),
            files => files?,
        };
        remove(&files, path)
            .map_err(|error| NodeError::in_node(node, format!("remove {}", path.display()), error))
    }
}
