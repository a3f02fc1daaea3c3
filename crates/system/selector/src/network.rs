//! Network namespaces of this host other than that of this process. Devices, programs and settings
//! are those of the namespace of the thread that asks, so work there is done by a thread that has
//! entered it.

use std::fmt;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;

use netloom_shape::NetworkId;
use nix::fcntl::{OFlag, open};
use nix::sched::{CloneFlags, setns};
use nix::sys::stat::Mode;
use nix::sys::statfs::{NSFS_MAGIC, fstatfs};

use crate::taps::namespace_cookie;

/// Requests about a namespace (`ioctl_nsfs(2)`).
const NS_GET_USERNS: libc::Ioctl = 0xb701;
const NS_GET_NSTYPE: libc::Ioctl = 0xb703;
const NS_GET_OWNER_UID: libc::Ioctl = 0xb704;

/// The name by which a network namespace is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkName {
    /// A file, like `/run/netns/NAME`.
    Path(PathBuf),
    /// A process in it, by its number.
    Process(u32),
}

impl NetworkName {
    /// Returns the file of the namespace.
    fn file(&self) -> PathBuf {
        match self {
            Self::Path(path) => path.clone(),
            Self::Process(pid) => format!("/proc/{pid}/ns/net").into(),
        }
    }
}

impl fmt::Display for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Process(pid) => write!(f, "process {pid}"),
        }
    }
}

/// A network namespace. It lives at least as long as this.
#[derive(Debug)]
pub struct Network {
    name: NetworkName,
    namespace: OwnedFd,
    id: NetworkId,
}

impl Network {
    /// Opens a network namespace.
    ///
    /// # Errors
    /// There is none of that name, or this process may not enter it.
    pub fn open(name: NetworkName) -> io::Result<Self> {
        let namespace = open_namespace(&name.file()).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other(match name {
                NetworkName::Path(_) => "there is no such file",
                NetworkName::Process(_) => "there is no such process",
            }),
            _ => error,
        })?;
        let mut network = Self { name, namespace, id: NetworkId(0) };
        network.id = network.enter(own_network)??;
        Ok(network)
    }

    /// Returns its identity.
    pub fn id(&self) -> NetworkId {
        self.id
    }

    /// Returns the name by which it was opened.
    pub fn name(&self) -> &NetworkName {
        &self.name
    }

    /// Returns the user who has all rights in it: the one who made its user namespace. `None` means
    /// that its users are those of this process, as in the namespaces of `ip netns`.
    ///
    /// # Errors
    /// This process may not ask for it.
    pub fn owner(&self) -> io::Result<Option<u32>> {
        let users = ask(&self.namespace, NS_GET_USERNS)?;
        // SAFETY: the kernel has just opened it, and it has no other owner.
        let users = unsafe { OwnedFd::from_raw_fd(users) };
        if inode(&fs::File::from(users.try_clone()?).metadata()?)
            == inode(&fs::metadata("/proc/self/ns/user")?)
        {
            return Ok(None);
        }
        let mut uid: libc::uid_t = 0;
        // SAFETY: the descriptor is open, and the kernel writes one number, which lives through the
        // call.
        let done = unsafe { libc::ioctl(users.as_raw_fd(), NS_GET_OWNER_UID, &raw mut uid) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(Some(uid)) }
    }

    /// Returns whether the name still means this network namespace: whether the file is there, or
    /// the process lives in it.
    pub fn is_there(&self) -> bool {
        // The inode is this namespace's for as long as it is open here.
        let own = self.namespace.try_clone().map(fs::File::from).and_then(|file| file.metadata());
        let named = fs::metadata(self.name.file());
        own.is_ok_and(|own| named.is_ok_and(|named| inode(&own) == inode(&named)))
    }

    /// Does something on a thread in this network namespace.
    ///
    /// # Errors
    /// The thread cannot be started, or may not enter.
    pub fn enter<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        let namespace = self.namespace.as_fd();
        let entered = || {
            setns(namespace, CloneFlags::CLONE_NEWNET)?;
            Ok(work())
        };
        thread::scope(|scope| {
            let thread = thread::Builder::new().name("network".into());
            let thread = thread.spawn_scoped(scope, entered)?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Returns the identity of this thread's network namespace.
///
/// # Errors
/// The kernel has no cookies of network namespaces, or no sockets left.
pub fn own_network() -> io::Result<NetworkId> {
    namespace_cookie().map(NetworkId)
}

/// Opens the file of a network namespace. A file of any other kind is not opened, so that nothing
/// happens to it.
fn open_namespace(path: &Path) -> io::Result<OwnedFd> {
    let file = open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())?;
    if fstatfs(&file)?.filesystem_type() != NSFS_MAGIC {
        return Err(io::Error::other("it is no namespace"));
    }
    let file: OwnedFd = fs::File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.into();
    match ask(&file, NS_GET_NSTYPE)? {
        libc::CLONE_NEWNET => Ok(file),
        _ => Err(io::Error::other("it is a namespace, but not of a network")),
    }
}

/// Asks the kernel about a namespace.
fn ask(namespace: &OwnedFd, what: libc::Ioctl) -> io::Result<i32> {
    // SAFETY: the descriptor is open, and these requests have no argument.
    let answer = unsafe { libc::ioctl(namespace.as_raw_fd(), what) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

fn inode(file: &fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_network_namespaces_are_opened() {
        let why = |path: &str| open_namespace(Path::new(path)).unwrap_err().to_string();
        assert_eq!(why("/dev/null"), "it is no namespace");
        assert_eq!(why("/proc/self/ns/user"), "it is a namespace, but not of a network");
        assert!(why("/no/such/file").starts_with("No such file"));
        assert!(open_namespace(Path::new("/proc/self/ns/net")).is_ok());
    }

    #[test]
    fn a_process_that_is_gone_has_no_network() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let name = NetworkName::Process(child.id());
        let namespace = open_namespace(&name.file()).unwrap();
        let network = Network { name, namespace, id: NetworkId(1) };
        assert!(network.is_there());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!network.is_there());
    }
}
