//! The claim to an experiment's name: its state directory, locked while the engine lives.
//!
//! The lock is on the directory itself, so there is no lock file to forget, and the kernel drops it
//! with the process, however it dies.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

/// A claimed state directory. Dropping it gives the claim up; the directory stays.
#[derive(Debug)]
pub struct StateLock {
    _lock: Flock<File>,
    directory: PathBuf,
}

/// What was found when a claim was tried.
pub enum Claim {
    /// It is ours; the flag tells whether it was there before (left by a dead engine).
    Ours(StateLock, Existed),
    /// A living process has it.
    Taken,
}

/// Whether a claimed directory was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existed {
    /// It was made by this claim.
    New,
    /// It was left by a dead engine.
    LeftBehind,
}

impl StateLock {
    /// Claims `directory`, making it if it is not there.
    pub fn claim(directory: &Path) -> io::Result<Claim> {
        loop {
            let existed = match fs::create_dir_all(parent(directory)?)
                .and_then(|()| fs::create_dir(directory))
            {
                Ok(()) => Existed::New,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Existed::LeftBehind,
                Err(error) => return Err(error),
            };
            match Self::lock_existing(directory)? {
                Some(Claim::Ours(lock, _)) => return Ok(Claim::Ours(lock, existed)),
                Some(Claim::Taken) => return Ok(Claim::Taken),
                None => {}
            }
        }
    }

    /// Claims `directory` if it is there; `None` if it is not (or was removed meanwhile).
    pub fn lock_existing(directory: &Path) -> io::Result<Option<Claim>> {
        let file = match File::open(directory) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let lock = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => lock,
            Err((_, nix::errno::Errno::EWOULDBLOCK)) => return Ok(Some(Claim::Taken)),
            Err((_, errno)) => return Err(errno.into()),
        };
        // Whoever held the lock before may have removed the directory: then ours is of a ghost.
        let locked = lock.metadata()?;
        match fs::metadata(directory) {
            Ok(there) if (there.dev(), there.ino()) == (locked.dev(), locked.ino()) => {
                let lock = Self { _lock: lock, directory: directory.into() };
                Ok(Some(Claim::Ours(lock, Existed::LeftBehind)))
            }
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The claimed directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

fn parent(directory: &Path) -> io::Result<&Path> {
    directory.parent().ok_or_else(|| io::Error::other("a state directory has a parent"))
}
