//! The reason why there is no root file system.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reason why there is no root file system.
#[derive(Debug, Error)]
pub enum ImageError {
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Others could use the cache.
    #[error(
        "images cannot be unpacked into {}: {} belongs to the user {owner}, who could run an \
         image's programs with your rights, or replace them; set XDG_CACHE_HOME (or HOME) to a \
         directory that is yours",
        cache.display(), path.display()
    )]
    NotOurs {
        /// The cache.
        cache: PathBuf,
        /// The cache, or a directory that it is in.
        path: PathBuf,
        /// ID of the user.
        owner: u32,
    },
    /// There is no place for a cache.
    #[error("cannot find your home directory")]
    NoHome(#[from] etcetera::HomeDirError),
    /// An archive or a layout is malformed.
    #[error("{} {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem, and what to do.
        problem: String,
    },
}

impl ImageError {
    pub(crate) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { action, path: path.into(), source }
    }

    pub(crate) fn malformed(path: &Path, problem: impl Into<String>) -> Self {
        Self::Malformed { path: path.into(), problem: problem.into() }
    }
}
