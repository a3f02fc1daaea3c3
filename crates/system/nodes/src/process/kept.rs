//! The files of a node that has failed, kept for its next init. A file system in memory lives as
//! long as a mount namespace that has it.

use std::fs::File;
use std::io;

use super::files::NodeFiles;

/// What keeps the files of a node while nothing runs in it.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The mount namespace of its last init.
    mounts: File,
    files: NodeFiles,
}

impl Kept {
    /// Keeps the files that a living process sees.
    pub fn of_process(pid: u32) -> io::Result<Self> {
        let mounts = File::open(format!("/proc/{pid}/ns/mnt"))?;
        Ok(Self { mounts, files: NodeFiles::of_process(pid)? })
    }

    pub fn mounts(&self) -> &File {
        &self.mounts
    }

    pub fn files(&self) -> io::Result<NodeFiles> {
        self.files.try_clone()
    }
}
