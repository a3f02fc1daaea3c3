//! NetLoom for ordinary users: the engine enters a user namespace, in which it is root and may make
//! network namespaces, devices and mounts. To the machine outside, it is a process of the user.
//!
//! All objects that it makes live in that user namespace and in a mount namespace of the engine's
//! own. The kernel therefore removes all of them with the last process, however that ends.

mod refusal;
mod subordinate;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Gid, Pid, Uid, fork, getegid, geteuid, pipe2};

pub use refusal::Refusal;
use subordinate::Range;

use crate::stack::netns::{self, Identity};

/// The user namespace of the calling thread.
const OWN: &str = "/proc/thread-self/ns/user";

/// Moves this process, which must have one thread, into a user namespace and a mount namespace of
/// its own, in which the calling user is root: with the user's subordinate ids for other users
/// where there are any, otherwise with no other user.
///
/// Returns the reason why existing subordinate ids could not be used. The namespaces work without
/// them.
///
/// # Errors
/// [`Refusal`] with the reason and what would allow it.
pub fn enter() -> Result<Option<String>, Refusal> {
    let (user, group) = (geteuid(), getegid());
    let mapper = Mapper::prepare(user).map_err(|error| Refusal::because("prepare", &error))?;
    unshare(CloneFlags::CLONE_NEWUSER)
        .map_err(|errno| Refusal::because("make a user namespace", &errno.into()))?;
    let problem = mapper.and_then(|mapper| mapper.map().err());
    map_single(user, group).map_err(|error| Refusal::because("map the user", &error))?;
    unshare(CloneFlags::CLONE_NEWNS)
        .map_err(|errno| Refusal::because("make a mount namespace", &errno.into()))?;
    const NONE: Option<&str> = None;
    mount(NONE, "/", NONE, MsFlags::MS_SLAVE | MsFlags::MS_REC, NONE)
        .map_err(|errno| Refusal::because("make the mounts private", &errno.into()))?;
    Ok(problem.map(|error| error.to_string()))
}

/// Returns the user namespace of the calling process.
pub(crate) fn own() -> Option<Identity> {
    netns::identity(Path::new(OWN))
}

/// Returns the user namespace of a process, if this user may read it.
pub(crate) fn of(pid: u32) -> Option<Identity> {
    netns::identity(Path::new(&format!("/proc/{pid}/ns/user")))
}

/// Whether a process is in this user namespace, or in a direct child of it, as commands of shells
/// are.
pub(crate) fn is_in(pid: u32, namespace: Identity) -> bool {
    of(pid) == Some(namespace) || parent_of(pid).ok() == Some(namespace)
}

/// Returns the user namespace in which that of a process was made.
fn parent_of(pid: u32) -> io::Result<Identity> {
    /// `NS_GET_PARENT` of the kernel's `nsfs.h`.
    const GET_PARENT: libc::Ioctl = 0xb702;
    related(Path::new(&format!("/proc/{pid}/ns/user")), GET_PARENT)
}

/// Whether the network of this process was made in its user namespace, so that it owns its devices,
/// routes and firewall.
pub(crate) fn owns_network() -> bool {
    /// `NS_GET_USERNS` of the kernel's `nsfs.h`.
    const GET_OWNER: libc::Ioctl = 0xb701;
    related(Path::new(netns::HOME), GET_OWNER).is_ok_and(|owner| own() == Some(owner))
}

/// Returns the user namespace that the kernel reports for a namespace.
fn related(namespace: &Path, question: libc::Ioctl) -> io::Result<Identity> {
    let namespace = File::open(namespace)?;
    // SAFETY: the descriptor is open, and the kernel takes no argument.
    let found = Errno::result(unsafe { libc::ioctl(namespace.as_raw_fd(), question) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    netns::identity_of(&unsafe { File::from_raw_fd(found) })
}

/// Whether a process was started with this variable in its environment.
pub(crate) fn has_variable(pid: u32, name: &str, value: &str) -> bool {
    let wanted = format!("{name}={value}");
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
}

/// Whether a process has an environment: it has none while it loads a program, or if it was
/// started without one.
pub(crate) fn has_environment(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| !environment.is_empty())
}

/// Whether this user namespace maps the group, so that files can belong to it.
pub(crate) fn knows_group(group: u32) -> bool {
    fs::read_to_string("/proc/self/gid_map").is_ok_and(|map| subordinate::maps(&map, group))
}

/// Whether this user namespace maps the user, so that programs can become it.
pub fn knows_user(user: u32) -> bool {
    fs::read_to_string("/proc/self/uid_map").is_ok_and(|map| subordinate::maps(&map, user))
}

/// Whether this is the machine's own user namespace.
pub(crate) fn is_initial() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// Returns the last of the groups that this user namespace maps without a gap from 0 on.
pub(crate) fn last_group() -> u32 {
    fs::read_to_string("/proc/self/gid_map").map_or(0, |map| subordinate::last(&map))
}

/// Adds the missing maps: the one user and the one group, as root.
fn map_single(user: Uid, group: Gid) -> io::Result<()> {
    let unmapped = |file: &str| fs::read_to_string(file).map(|map| map.trim().is_empty());
    if unmapped("/proc/self/uid_map")? {
        fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    }
    if unmapped("/proc/self/gid_map")? {
        // The kernel requires this: a process must not drop groups that deny it something.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    }
    Ok(())
}

/// A process that stays outside the user namespace and maps the subordinate ids into it:
/// `newuidmap` and `newgidmap` are privileged only there.
struct Mapper {
    process: Pid,
    go: OwnedFd,
    outcome: OwnedFd,
}

impl Mapper {
    /// Returns `None` if the user has no subordinate ids. This process must have one thread.
    fn prepare(user: Uid) -> io::Result<Option<Self>> {
        let Some((users, groups)) = subordinate::ranges(user) else { return Ok(None) };
        let target = std::process::id();
        let (begin, go) = pipe2(OFlag::O_CLOEXEC)?;
        let (outcome, report) = pipe2(OFlag::O_CLOEXEC)?;
        // SAFETY: this process has one thread, so that its copy is whole and may do anything.
        match unsafe { fork() }? {
            ForkResult::Parent { child } => Ok(Some(Self { process: child, go, outcome })),
            ForkResult::Child => {
                drop((go, outcome));
                let mut word = [0];
                // Without this byte, the namespace was refused, and there is nothing to map.
                let may_map = File::from(begin).read(&mut word).is_ok_and(|count| count == 1);
                let mapped = may_map.then(|| map_ranges(target, user, getegid(), &users, &groups));
                if let Some(Err(problem)) = mapped {
                    // If there is no reader, nobody needs the problem.
                    let _ = File::from(report).write_all(problem.as_bytes());
                }
                // SAFETY: ends the process at once; nothing of its parent must be undone here.
                unsafe { libc::_exit(0) }
            }
        }
    }

    /// Maps the ids into the present user namespace of this process.
    fn map(self) -> io::Result<()> {
        File::from(self.go).write_all(b"!")?;
        let mut problem = String::new();
        // Ends with the process, which holds the only writing end.
        File::from(self.outcome).read_to_string(&mut problem)?;
        waitpid(self.process, None)?;
        if problem.is_empty() { Ok(()) } else { Err(io::Error::other(problem)) }
    }
}

/// Writes both maps by the two privileged programs. Runs in the process outside.
fn map_ranges(
    target: u32,
    user: Uid,
    group: Gid,
    users: &[Range],
    groups: &[Range],
) -> Result<(), String> {
    for (program, own, ranges) in
        [("newuidmap", user.as_raw(), users), ("newgidmap", group.as_raw(), groups)]
    {
        let output = Command::new(program)
            .arg(target.to_string())
            .args(subordinate::arguments(own, ranges))
            .output();
        match output {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(format!("there is no `{program}` (Debian, Ubuntu: package `uidmap`)"));
            }
            Err(error) => return Err(format!("cannot start `{program}`: {error}")),
            Ok(output) if !output.status.success() => {
                let words = String::from_utf8_lossy(&output.stderr);
                return Err(format!("`{program}` refuses: {}", words.trim()));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}
