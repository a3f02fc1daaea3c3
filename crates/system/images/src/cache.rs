//! The cache of unpacked images. Complete entries are named by digests; images that are being
//! unpacked are in directories with other names. The process that fills such a directory locks it,
//! so that the leavings of a killed process can be recognized and removed.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use tempfile::TempDir;

use crate::ImageError;

/// Prefix of the names of directories in which an image is being unpacked.
const PARTIAL: &str = "partial-";

/// The entry `digest` of the cache. If it does not exist, `make` fills a directory of another name,
/// which is renamed afterwards, so that every entry is complete.
pub(crate) fn cached(
    cache: &Path,
    digest: &str,
    make: impl FnOnce(&Path) -> Result<(), ImageError>,
) -> Result<PathBuf, ImageError> {
    prepare(cache)?;
    let entry = cache.join(digest);
    if entry.is_dir() {
        return Ok(entry);
    }
    let partial = Partial::new(cache)?;
    let root = partial.directory.path().join("root");
    fs::create_dir(&root).map_err(|error| ImageError::file("make", &root, error))?;
    make(&root)?;
    match fs::rename(&root, &entry) {
        Ok(()) => Ok(entry),
        // Another process was faster.
        Err(_) if entry.is_dir() => Ok(entry),
        Err(error) => Err(ImageError::file("move the unpacked files to", &entry, error)),
    }
}

/// Removes images below `cache` that killed processes have only partly unpacked, and returns their
/// number. The cache need not exist.
///
/// # Errors
/// [`ImageError::File`] for what cannot be removed.
pub fn sweep(cache: &Path) -> Result<usize, ImageError> {
    let failed = |error| ImageError::file("look into", cache, error);
    let _alone = match lock(cache, FlockArg::LockExclusive) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        locked => locked.map_err(failed)?,
    };
    let mut swept = 0;
    for entry in fs::read_dir(cache).map_err(failed)?.flatten() {
        let path = entry.path();
        let is_partial = entry.file_name().to_str().is_some_and(|name| name.starts_with(PARTIAL));
        // If it is locked, a living process fills it.
        if is_partial && lock(&path, FlockArg::LockExclusiveNonblock).is_ok() {
            fs::remove_dir_all(&path).map_err(|error| ImageError::file("remove", &path, error))?;
            swept += 1;
        }
    }
    Ok(swept)
}

/// Creates the cache, which nobody else may enter: programs of images may have the right to become
/// root.
fn prepare(cache: &Path) -> Result<(), ImageError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(cache);
    made.map_err(|error| ImageError::file("make", cache, error))?;
    let found = |path: &Path| {
        fs::symlink_metadata(path).map_err(|error| ImageError::file("look at", path, error))
    };
    let (own, root) = (geteuid().as_raw(), 0);
    // In a user namespace, parent directories seem to belong to nobody. There, an ordinary user has
    // nothing to lose to their owners.
    let above = cache.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
    for path in above.filter(|_| is_of_machine()) {
        let owner = found(path)?.uid();
        if ![own, root].contains(&owner) {
            return Err(ImageError::NotOurs { cache: cache.into(), path: path.into(), owner });
        }
    }
    let it = found(cache)?;
    if it.uid() != own || !it.is_dir() {
        let (path, owner) = (cache.into(), it.uid());
        return Err(ImageError::NotOurs { cache: cache.into(), path, owner });
    }
    fs::set_permissions(cache, Permissions::from_mode(0o700))
        .map_err(|error| ImageError::file("keep others from", cache, error))
}

/// Whether user IDs are the same here as on the machine.
fn is_of_machine() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// A directory in which an image is being unpacked. It is removed at the end.
struct Partial {
    directory: TempDir,
    _lock: Flock<File>,
}

impl Partial {
    fn new(cache: &Path) -> Result<Self, ImageError> {
        sweep(cache)?;
        let failed = |error| ImageError::file("make a directory in", cache, error);
        // Keeps others from sweeping it away before it is locked.
        let _alone = lock(cache, FlockArg::LockExclusive).map_err(failed)?;
        let directory =
            tempfile::Builder::new().prefix(PARTIAL).tempdir_in(cache).map_err(failed)?;
        let lock = lock(directory.path(), FlockArg::LockExclusive).map_err(failed)?;
        Ok(Self { directory, _lock: lock })
    }
}

fn lock(path: &Path, how: FlockArg) -> io::Result<Flock<File>> {
    Flock::lock(File::open(path)?, how).map_err(|(_, errno)| errno.into())
}
