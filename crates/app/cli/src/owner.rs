//! The owner of files that a command makes as root for somebody who called it by `sudo`: CI and
//! editors are to read them.

use std::fs;
use std::io;
use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

/// Files and folders that belong to whoever called `sudo` once this is dropped. Without `sudo`, it
/// changes nothing.
pub struct Handed {
    /// The caller's user and group.
    to: Option<(u32, u32)>,
    paths: Vec<PathBuf>,
}

impl Handed {
    /// Hands over what a command is going to make: files, and folders with all that is in them.
    /// Folders above that do not exist yet are handed over, too.
    pub fn after<'p>(made: impl IntoIterator<Item = &'p Path>) -> Self {
        let id = |name| std::env::var(name).ok()?.parse().ok();
        let to = id("SUDO_UID").zip(id("SUDO_GID")).filter(|_| geteuid().is_root());
        let with_new_folders = |path: &'p Path| path.ancestors().take_while(|path| !path.exists());
        let paths = made.into_iter().flat_map(with_new_folders).map(Into::into).collect();
        Self { to, paths }
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        let Some((user, group)) = self.to else { return };
        for path in &self.paths {
            // What cannot be given away stays root's.
            let _ = give(path, user, group);
        }
    }
}

/// Gives a file, or a folder with all that is in it. The folder itself comes last, so that nobody
/// else is in it before.
fn give(path: &Path, user: u32, group: u32) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), user, group)?;
        }
    }
    lchown(path, Some(user), Some(group))
}
