//! Root file systems of nodes: a directory as it is, and tarballs and OCI layouts unpacked, once, into a cache
//! whose entries are named by digests.
//!
//! | module | does |
//! |---|---|
//! | `unpack` | one archive into a directory, with what layers say about files below them |
//! | `oci` | the manifest and the layers of an OCI layout |
//! | `digest` | SHA-256 of what is read |
//!
//! Not here: fetching images, and showing them to nodes (`nodes`).

mod digest;
mod oci;
mod unpack;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use unpack::unpack;

/// Why there is no root file system.
#[derive(Debug, Error)]
pub enum ImageError {
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// An archive or a layout is not what it should be.
    #[error("{} {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
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
    /// Where its files are.
    pub directory: PathBuf,
    /// The variables that programs are to have in it, by name and value, as its image says.
    pub variables: Vec<(String, String)>,
}

/// The root file system that `path` names: a directory, an OCI layout's directory, or a tarball, compressed by
/// gzip, zstd or not. What must be unpacked is unpacked below `cache`, where it is found the next time.
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

/// The entry `digest` of the cache, made by `make` in a directory of another name if it is not there: what has
/// its name is whole.
fn cached(
    cache: &Path,
    digest: &str,
    make: impl FnOnce(&Path) -> Result<(), ImageError>,
) -> Result<PathBuf, ImageError> {
    let entry = cache.join(digest);
    if entry.is_dir() {
        return Ok(entry);
    }
    fs::create_dir_all(cache).map_err(|error| ImageError::file("make", cache, error))?;
    let partial = tempfile::Builder::new().prefix("partial-").tempdir_in(cache);
    let partial = partial.map_err(|error| ImageError::file("make a directory in", cache, error))?;
    let root = partial.path().join("root");
    fs::create_dir(&root).map_err(|error| ImageError::file("make", &root, error))?;
    make(&root)?;
    match fs::rename(&root, &entry) {
        Ok(()) => Ok(entry),
        // Somebody else was quicker.
        Err(_) if entry.is_dir() => Ok(entry),
        Err(error) => Err(ImageError::file("move the unpacked files to", &entry, error)),
    }
}
