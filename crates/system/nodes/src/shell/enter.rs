//! The process that enters a node's network and becomes the command: `netloom __shell`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};

use super::order::{Caller, Inherited, Order};
use crate::HOSTS;

/// Exit codes as for `env` and `nohup`: the command does not exist, cannot be executed, or could
/// not be tried.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;
const FAILED: i32 = 125;

const RESOLVER: &str = "/etc/resolv.conf";
/// Sockets where services of the machine look up names for programs, past `/etc/resolv.conf` and
/// past the link: systemd-resolved and nscd.
const BYPASSES: [&str; 2] = ["/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket"];
/// A directory that every machine has. Files are made over it that are then bound elsewhere.
const SCRATCH: &str = "/tmp";
const NONE: Option<&str> = None;

/// The action that failed, and its error.
type Failed = (&'static str, io::Error);

/// The body of the program `netloom __shell FD COMMAND…`. Returns, with an exit code, only if it
/// could not become the command.
pub fn main() -> i32 {
    let mut words = std::env::args_os().skip(2);
    let order = words.next().and_then(|word| word.to_str()?.parse().ok());
    let Some((order, command)) = order.zip(words.next()) else {
        eprintln!("netloom: {} is for NetLoom's own use", super::ROLE);
        return FAILED;
    };
    if let Err((action, error)) = enter(order) {
        eprintln!("netloom shell: cannot {action}: {error}");
        return FAILED;
    }
    let error = Command::new(&command).args(words).exec();
    eprintln!("netloom shell: cannot run `{}`: {error}", command.display());
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE }
}

/// Enters the place of the command, and becomes its user. This process has one thread.
fn enter(order: RawFd) -> Result<(), Failed> {
    let inherited = read(order).map_err(|error| ("understand its order", error))?;
    let Inherited { order, network, user } = inherited;
    let network = take(network).map_err(|error| ("take its network", error))?;
    if let Some((namespace, ..)) = user {
        let entered = take(namespace).and_then(|namespace| {
            setns(&namespace, CloneFlags::CLONE_NEWUSER).map_err(io::Error::from)
        });
        entered.map_err(|error| ("enter the user namespace", error))?;
    }
    setns(&network, CloneFlags::CLONE_NEWNET)
        .map_err(|errno| ("enter the network", errno.into()))?;
    drop(network);
    show(&order)?;
    match (user, &order.caller) {
        (Some((_, user, group)), _) => {
            be_again(user, group).map_err(|error| ("be who it was", error))
        }
        (None, Some(caller)) => become_caller(caller).map_err(|error| ("become its user", error)),
        (None, None) => Ok(()),
    }
}

fn read(order: RawFd) -> io::Result<Inherited> {
    let mut text = Vec::new();
    take(order)?.read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Takes an inherited descriptor, so that the command does not inherit it.
fn take(number: RawFd) -> io::Result<File> {
    // SAFETY: the process that started this one left the descriptor to it, once.
    let file = unsafe { File::from(OwnedFd::from_raw_fd(number)) };
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(file)
}

/// Replaces files of the machine in the view of this process alone.
fn show(order: &Order) -> Result<(), Failed> {
    let made = unshare(CloneFlags::CLONE_NEWNS)
        .and_then(|()| mount(NONE, "/", NONE, MsFlags::MS_SLAVE | MsFlags::MS_REC, NONE));
    made.map_err(|errno| ("make a mount namespace", errno.into()))?;
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("tmpfs"), SCRATCH, Some("tmpfs"), safe, Some("mode=0755"))
        .map_err(|errno| ("mount a file system of its own", errno.into()))?;
    let shown = show_file("hosts", &order.hosts, HOSTS)
        .and_then(|()| show_file("resolv.conf", &order.resolver, RESOLVER))
        .and_then(|()| hide_bypasses());
    // The bound files stay where they are bound.
    let unmounted = umount2(SCRATCH, MntFlags::MNT_DETACH).map_err(io::Error::from);
    shown.and(unmounted).map_err(|error| ("show its own /etc/hosts and /etc/resolv.conf", error))
}

/// Binds a file with this text at `target`, unless the machine has no such file.
fn show_file(name: &str, text: &str, target: &str) -> io::Result<()> {
    let source = Path::new(SCRATCH).join(name);
    fs::write(&source, text)?;
    fs::set_permissions(&source, fs::Permissions::from_mode(0o644))?;
    match Path::new(target).exists() {
        true => Ok(mount(Some(&source), target, NONE, MsFlags::MS_BIND, NONE)?),
        false => Ok(()),
    }
}

/// Covers the sockets of services that would look up names past the link: programs then read
/// `/etc/resolv.conf`.
fn hide_bypasses() -> io::Result<()> {
    let nothing = Path::new(SCRATCH).join("nothing");
    File::create(&nothing)?;
    for path in BYPASSES.iter().map(Path::new).filter(|path| path.exists()) {
        mount(Some(&nothing), path, NONE, MsFlags::MS_BIND, NONE)?;
    }
    Ok(())
}

/// Gives up root permanently, and becomes the caller.
fn become_caller(caller: &Caller) -> io::Result<()> {
    let groups: Vec<Gid> = caller.groups.iter().copied().map(Gid::from_raw).collect();
    let (user, group) = (Uid::from_raw(caller.user), Gid::from_raw(caller.group));
    setgroups(&groups)?;
    setresgid(group, group, group)?;
    Ok(setresuid(user, user, user)?)
}

/// Restores the caller's ids in the user namespace where the caller is root, by another user
/// namespace inside that one.
fn be_again(user: u32, group: u32) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // The kernel requires this for a map of groups.
    fs::write("/proc/self/setgroups", "deny").or_else(|error| match error.kind() {
        // It is denied permanently already if the caller has no subordinate groups.
        io::ErrorKind::PermissionDenied => Ok(()),
        _ => Err(error),
    })?;
    fs::write("/proc/self/uid_map", format!("{user} 0 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} 0 1"))
}
