//! Named network namespaces, compatible with `ip netns`.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, Flock, FlockArg};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::linkat;
use serde::{Deserialize, Serialize};

use crate::Layout;
use crate::error::of_file;

/// Network namespace of this process, whichever namespaces its threads are in.
pub(crate) const HOME: &str = "/proc/self/ns/net";

/// Identity of a namespace: device and inode of nsfs.
pub(crate) type Identity = (u64, u64);

/// Makes `directory` the mount point of namespaces: a shared mount, so that namespaces appear and
/// disappear in every mount namespace that contains the directory. Like `ip netns add`, which takes
/// the same lock.
pub(crate) fn prepare(directory: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(directory)?;
    let lock = Flock::lock(File::open(directory)?, FlockArg::LockExclusive);
    let _lock = lock.map_err(|(_, errno)| errno)?;
    let share = || mount(NONE, directory, NONE, MsFlags::MS_SHARED | MsFlags::MS_REC, NONE);
    match share() {
        Err(Errno::EINVAL) => {
            let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
            mount(Some(directory), directory, NONE, flags, NONE)?;
            Ok(share()?)
        }
        result => Ok(result?),
    }
}

/// Undoes [`prepare`] for an ordinary user's experiment, which has its own directory. The machine's
/// directory remains.
pub(crate) fn unprepare(layout: &Layout) -> io::Result<()> {
    if !layout.is_rootless() {
        return Ok(());
    }
    match umount2(layout.netns_dir(), MntFlags::MNT_DETACH) {
        Ok(()) | Err(Errno::EINVAL | Errno::ENOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    // Files of others can be only in the experiment's own directory, which is removed as a whole.
    match fs::remove_dir_all(layout.netns_dir()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

const NONE: Option<&str> = None;

/// A namespace with a name: the file of that name, and the namespace that is mounted on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub file: Identity,
    pub namespace: Identity,
}

/// Moves the calling thread into a new network namespace, names it, and returns it. `note` is
/// called with the identities before the name appears. The thread should end afterwards, or create
/// the next namespace.
pub(crate) fn create(path: &Path, note: impl FnOnce(Named) -> io::Result<()>) -> io::Result<File> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    let namespace = File::open("/proc/thread-self/ns/net")?;
    let of_namespace = identity_of(&namespace)?;
    match unnamed_file(path) {
        Ok(file) => {
            note(Named { file: identity_of(&file)?, namespace: of_namespace })?;
            let source = format!("/proc/self/fd/{}", file.as_raw_fd());
            let follow = AtFlags::AT_SYMLINK_FOLLOW;
            linkat(AT_FDCWD, source.as_str(), AT_FDCWD, path, follow)
                .map_err(|errno| of_file(path, errno.into()))?;
        }
        // The file system has no unnamed files: a killed engine may leave an empty file.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR)) => {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o444).open(path);
            let file = file.map_err(|error| of_file(path, error))?;
            note(Named { file: identity_of(&file)?, namespace: of_namespace })?;
        }
        Err(error) => return Err(of_file(path, error)),
    }
    mount(Some("/proc/thread-self/ns/net"), path, NONE, MsFlags::MS_BIND, NONE)?;
    Ok(namespace)
}

/// Creates an unnamed file in the directory of `path`.
fn unnamed_file(path: &Path) -> io::Result<File> {
    let directory = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_TMPFILE).mode(0o444).open(directory)
}

/// Removes the name, if it still refers to this namespace. Returns whether it did. The kernel frees
/// the namespace when it is empty and nothing holds it.
pub(crate) fn remove(path: &Path, named: &Named) -> io::Result<bool> {
    let mut was_ours = false;
    loop {
        let found = identity(path);
        if found == Some(named.namespace) {
            match umount2(path, MntFlags::MNT_DETACH) {
                Ok(()) => was_ours = true,
                Err(Errno::ENOENT) => return Ok(was_ours),
                Err(errno) => return Err(errno.into()),
            }
        } else if found == Some(named.file) {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(true),
            };
        } else {
            return Ok(was_ours);
        }
    }
}

/// Moves the calling thread into the namespace.
pub(crate) fn enter(namespace: &File) -> io::Result<()> {
    Ok(setns(namespace, CloneFlags::CLONE_NEWNET)?)
}

/// Runs `work` on a thread of its own inside the namespace.
pub(crate) fn inside<T: Send>(
    namespace: &File,
    work: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    thread::scope(|scope| {
        let run = || {
            enter(namespace)?;
            work()
        };
        let thread = thread::Builder::new().name("in-node".into()).spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
}

/// Runs `work` in one namespace after the other, on one thread of its own, up to the first error.
/// Adds the CPU time of that thread, in ns, to `spent`.
pub(crate) fn inside_each<T: Send>(
    namespaces: &[Arc<File>],
    mut work: impl FnMut() -> io::Result<T> + Send,
    spent: &AtomicU64,
) -> io::Result<Vec<T>> {
    thread::scope(|scope| {
        let run = move || {
            let visit = |namespace: &Arc<File>| {
                enter(namespace)?;
                work()
            };
            let done = namespaces.iter().map(visit).collect();
            // Cannot fail for the calling thread.
            let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from);
            let nanos = time.unwrap_or_default().as_nanos();
            spent.fetch_add(u64::try_from(nanos).unwrap_or(u64::MAX), Ordering::Relaxed);
            done
        };
        let thread = thread::Builder::new().name("in-nodes".into()).spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
}

/// Returns the identity of a namespace, which is the same for its name and for
/// `/proc/<pid>/ns/net`.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Returns the identity of an open file.
pub(crate) fn identity_of(file: &File) -> io::Result<Identity> {
    file.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
}
