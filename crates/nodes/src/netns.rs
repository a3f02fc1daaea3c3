//! Network namespaces with names, as `ip netns` makes them.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};
use nix::time::{ClockId, clock_gettime};

use crate::Layout;

/// A namespace, as the kernel numbers it: device and inode of nsfs.
pub(crate) type Identity = (u64, u64);

/// Makes `directory` the place where namespaces are mounted: a shared mount, so that namespaces
/// appear and disappear in every mount namespace that knows the directory. Like `ip netns add`,
/// which takes the same lock.
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

/// Undoes [`prepare`] for an ordinary user's experiment, whose directory is its own. That of the machine
/// stays.
pub(crate) fn unprepare(layout: &Layout) -> io::Result<()> {
    if !layout.is_rootless() {
        return Ok(());
    }
    match umount2(layout.netns_dir(), MntFlags::MNT_DETACH) {
        Ok(()) | Err(Errno::EINVAL | Errno::ENOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    match fs::remove_dir(layout.netns_dir()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

const NONE: Option<&str> = None;

/// Moves the calling thread into a new network namespace and gives that a name. The thread should
/// end afterwards, or make the next namespace.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o444).open(path)?;
    unshare(CloneFlags::CLONE_NEWNET)?;
    mount(Some("/proc/thread-self/ns/net"), path, NONE, MsFlags::MS_BIND, NONE)?;
    Ok(())
}

/// Takes the name away. The namespace goes when nothing is in it and nothing holds it. Fine if it
/// has gone before, or was never mounted.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    loop {
        match umount2(path, MntFlags::MNT_DETACH) {
            Ok(()) => {}
            Err(Errno::EINVAL | Errno::ENOENT) => break,
            Err(errno) => return Err(errno.into()),
        }
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Moves the calling thread into the namespace.
pub(crate) fn enter(path: &Path) -> io::Result<()> {
    Ok(setns(File::open(path)?, CloneFlags::CLONE_NEWNET)?)
}

/// Runs `work` on a thread of its own inside the namespace.
pub(crate) fn inside<T: Send>(
    path: &Path,
    work: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    thread::scope(|scope| {
        let run = || {
            enter(path)?;
            work()
        };
        let thread = thread::Builder::new().name("in-node".into()).spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
}

/// Runs `work` in one namespace after the other, on one thread of its own; stops at the first error. Adds the CPU
/// time of that thread, in ns, to `spent`.
pub(crate) fn inside_each<T: Send>(
    paths: &[PathBuf],
    mut work: impl FnMut() -> io::Result<T> + Send,
    spent: &AtomicU64,
) -> io::Result<Vec<T>> {
    thread::scope(|scope| {
        let run = move || {
            let visit = |path: &PathBuf| {
                enter(path)?;
                work()
            };
            let done = paths.iter().map(visit).collect();
            // Cannot fail for the own thread.
            let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from);
            let nanos = time.unwrap_or_default().as_nanos();
            spent.fetch_add(u64::try_from(nanos).unwrap_or(u64::MAX), Ordering::Relaxed);
            done
        };
        let thread = thread::Builder::new().name("in-nodes".into()).spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
}

/// Which namespace this is: the same for a name in [`Path`] and for `/proc/<pid>/ns/net`.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
