//! The address of the server that runs, for a second call of its user: a file that only they can
//! read. A lock says whether the server lives.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};

/// Name of the folder with the server's files, beside those of experiments. No experiment has it.
const FOLDER: &str = ".ui";

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// The address with the token.
    pub url: String,
    /// The server's process id.
    pub pid: u32,
    /// The server's folder.
    pub directory: PathBuf,
}

/// The place of the only server of a user, which nobody else takes while this lives.
#[derive(Debug)]
pub struct Place {
    file: PathBuf,
    _lock: Flock<File>,
}

impl Place {
    /// Takes the place, or returns the address of the server that has it.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn take() -> Result<Result<Self, Address>> {
        let folder = folder()?;
        let file = folder.join("ui.json");
        let lock = private(&folder.join("server.lock"))?;
        match Flock::lock(lock, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Ok(Ok(Self { file, _lock: lock })),
            Err((_, Errno::EWOULDBLOCK)) => {
                let text = fs::read(&file).context("another `netloom ui` is starting or ending")?;
                let read = serde_json::from_slice(&text);
                Ok(Err(read.with_context(|| format!("cannot use {}", file.display()))?))
            }
            Err((_, errno)) => Err(errno).context("cannot lock the place of `netloom ui`"),
        }
    }

    /// Writes the address for those who come later.
    ///
    /// # Errors
    /// Those of writing.
    pub fn publish(&self, address: &Address) -> Result<()> {
        let write = || -> Result<()> {
            let part = self.file.with_extension("part");
            private(&part)?.write_all(&serde_json::to_vec(address)?)?;
            Ok(fs::rename(&part, &self.file)?)
        };
        write().with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// Writes a page that leads to the address, for a browser: other users see command lines, and not
/// this file.
///
/// # Errors
/// Those of writing.
pub fn page(url: &str) -> Result<PathBuf> {
    let file = folder()?.join("open.html");
    // An address has no characters that HTML would read as something else.
    let text = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={url}\">\n");
    private(&file)?.write_all(text.as_bytes())?;
    Ok(file)
}

impl Drop for Place {
    fn drop(&mut self) {
        // The lock says that the server is gone.
        let _ = fs::remove_file(&self.file);
    }
}

/// Opens a new or empty file that only its user can read.
fn private(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW);
    options.open(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the folder, which only its user may enter.
fn folder() -> Result<PathBuf> {
    let folder = netloom_host::state_root().join(FOLDER);
    let context = || format!("cannot make {}", folder.display());
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).with_context(context)?;
    let found = fs::symlink_metadata(&folder).with_context(context)?;
    ensure!(
        found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0,
        "{} is not a folder that only you may enter: remove it",
        folder.display()
    );
    Ok(folder)
}
