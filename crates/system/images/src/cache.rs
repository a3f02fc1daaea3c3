//! The cache of unpacked images: entries named by digests, and what is being unpacked, in
//! directories of other names. Each of those is locked by the process that fills it, so that what a
//! killed one has left can be told and removed.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use tempfile::TempDir;

use crate::ImageError;

/// What the names of directories begin with in which something is being unpacked.
const PARTIAL: &str = "partial-";

/// The entry `digest` of the cache, made by `make` in a directory of another name if it is not
/// there: what has its name is whole.
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
        // Somebody else was quicker.
        Err(_) if entry.is_dir() => Ok(entry),
        Err(error) => Err(ImageError::file("move the unpacked files to", &entry, error)),
    }
}

/// Removes what processes that were killed have left half unpacked below `cache`, and returns how
/// many images those were. No cache at all is fine.
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
        // Locked: a living process fills it.
        if is_partial && lock(&path, FlockArg::LockExclusiveNonblock).is_ok() {
            fs::remove_dir_all(&path).map_err(|error| ImageError::file("remove", &path, error))?;
            swept += 1;
        }
    }
    Ok(swept)
}

/// Makes the cache, which nobody else may enter: programs of images may have the right to become
/// root.
fn prepare(cache: &Path) -> Result<(), ImageError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(cache);
    made.map_err(|error| ImageError::file("make", cache, error))?;
    let found = |path: &Path| {
        fs::symlink_metadata(path).map_err(|error| ImageError::file("look at", path, error))
    };
    let (own, root) = (geteuid().as_raw(), 0);
    // In a user namespace, those above seem to be nobody's; an ordinary user has nothing to lose to
    // their owners.
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

/// Whether users have the numbers here that they have on the machine.
fn is_of_machine() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// A directory in which something is being unpacked; it goes at the end.
struct Partial {
    directory: TempDir,
    _lock: Flock<File>,
}

impl Partial {
    fn new(cache: &Path) -> Result<Self, ImageError> {
        sweep(cache)?;
        let failed = |error| ImageError::file("make a directory in", cache, error);
        // Nobody sweeps it away before it is locked.
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
