//! Root file systems of nodes: directories as they are, and tarballs and OCI layouts, which are
//! unpacked once into a cache whose entries are named by digests.
//!
//! | module | contents |
//! |---|---|
//! | `unpack` | unpacks one archive into a directory, with whiteouts of layers |
//! | `oci` | the manifest and the layers of an OCI layout |
//! | `digest` | SHA-256 of files |
//! | `cache` | where images are unpacked, by whom, and what killed processes left there |
//!
//! Not here: fetching images, and showing them to nodes (`nodes`).

mod cache;
mod digest;
mod oci;
mod unpack;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use cache::cached;
pub use cache::sweep;
use unpack::unpack;

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

/// A root file system.
#[derive(Debug)]
pub struct Root {
    /// The directory of its files.
    pub directory: PathBuf,
    /// Names and values of the variables that the image sets for its programs.
    pub variables: Vec<(String, String)>,
}

/// Where tarballs and OCI layouts of this user are unpacked. They stay there for the next time.
///
/// # Errors
/// Fails if the user has no home.
pub fn cache() -> Result<PathBuf, ImageError> {
    let strategy = etcetera::choose_base_strategy()?;
    Ok(etcetera::BaseStrategy::cache_dir(&strategy).join("netloom/roots"))
}

/// The root file system at `path`: a directory, an OCI layout's directory, or a tarball,
/// uncompressed or compressed by gzip or zstd. Archives are unpacked below `cache`, where they are
/// found the next time.
///
/// # Errors
/// [`ImageError`], with the file and the reason.
pub fn root(path: &Path, cache: &Path) -> Result<Root, ImageError> {
    let found = fs::metadata(path).map_err(|error| ImageError::file("find", path, error))?;
    if !found.is_dir() {
        let digest = digest::of_file(path)?;
        let directory = cached(cache, &digest, |target| unpack(path, &open(path)?, target))?;
        return Ok(Root { directory, variables: vec![] });
    }
    if path.join("oci-layout").is_file() {
        let image = oci::Image::read(path)?;
        let directory = cached(cache, image.digest(), |target| image.unpack(target))?;
        return Ok(Root { directory, variables: image.into_variables() });
    }
    let directory =
        fs::canonicalize(path).map_err(|error| ImageError::file("follow", path, error))?;
    Ok(Root { directory, variables: vec![] })
}

fn open(path: &Path) -> Result<File, ImageError> {
    File::open(path).map_err(|error| ImageError::file("open", path, error))
}
