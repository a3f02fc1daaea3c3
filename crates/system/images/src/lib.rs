//! Root file systems of nodes: directories as they are, and tarballs and OCI layouts, which are
//! unpacked once into a cache whose entries are named by digests.
//!
//! | module | contents |
//! |---|---|
//! | `unpack` | unpacks one archive into a directory, with whiteouts of layers |
//! | `oci` | the manifest and the layers of an OCI layout |
//! | `error` | why there is no root file system |
//! | `digest` | SHA-256 of files |
//! | `cache` | where images are unpacked, by whom, and what killed processes left there |
//!
//! Not here: fetching images, and showing them to nodes (`nodes`).

mod cache;
mod digest;
mod error;
mod oci;
mod unpack;

use std::fs;
use std::path::{Path, PathBuf};

use cache::cached;
pub use cache::sweep;
pub use error::ImageError;
use unpack::{open, unpack};

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
