//! Control groups: one for each experiment, and below it one for each node with processes. They
//! account for nodes, limit them, and kill their processes together. Without cgroups, or with
//! read-only ones, experiments run unless they have limits.
//!
//! | module | content |
//! |---|---|
//! | `hierarchies` | the machine's hierarchies and their controllers |
//! | `tree` | the cgroups of one experiment, with their limits |
//! | `settings` | the files of limits, and the values in them |
//! | `changing` | nodes and limits that are added, changed and removed while the experiment runs |
//! | `usage` | resources that a node has used |

mod changing;
mod hierarchies;
mod settings;
mod tree;
mod usage;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use netloom_scenario::Controller;
use nix::unistd::{AccessFlags, access, geteuid};

use hierarchies::Version;
pub(crate) use hierarchies::{FOLDER, Hierarchies};
pub(crate) use tree::{Owner, Tree};
pub(crate) use usage::NodeCgroups;
pub use usage::Usage;

/// Why ordinary users cannot have limits.
const ROOTLESS: &str = "the machine's control groups are root's; run NetLoom as root, or leave \
                        `limits` and `total_limits` out";

/// Returns the parent of all experiments' cgroups in version 2: `netloom` in the cgroup2 file
/// system, wherever that is mounted (also on systems with both versions).
pub(crate) fn root() -> Option<PathBuf> {
    Hierarchies::of_this_machine().unified()
}

/// Returns the name of what would enforce limits of a controller for the calling user.
///
/// # Errors
/// The reason why nothing would enforce them, and what to change.
pub fn enforcer(controller: Controller) -> Result<&'static str, String> {
    if !geteuid().is_root() {
        return Err(ROOTLESS.into());
    }
    Hierarchies::of_this_machine().version(controller).map(|version| match version {
        Version::One => "control groups, version 1",
        Version::Two => "control groups, version 2",
    })
}

/// Creates the cgroup of an experiment below the common parent. It must not exist.
pub(crate) fn create_own(path: &Path) -> io::Result<()> {
    let create = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::create_dir(path)
    };
    // Another experiment may remove the common parent before its child is created.
    match create() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(),
        result => result,
    }
}

/// Creates the missing cgroups between an experiment's own and a place below it.
fn create(own: &Path, place: &Path) -> io::Result<()> {
    let mut path = own.to_owned();
    for part in place {
        path.push(part);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Whether the cgroup exists, and processes may be moved into it.
pub(crate) fn is_usable(path: &Path) -> bool {
    access(&path.join("cgroup.procs"), AccessFlags::W_OK).is_ok()
}

/// Moves a process into the cgroup.
pub(crate) fn enter(path: &Path, pid: u32) -> io::Result<()> {
    fs::write(path.join("cgroup.procs"), pid.to_string())
}

/// Kills all processes in a cgroup and below it, if the kernel supports that (5.14).
pub(crate) fn kill(path: &Path) {
    // If the file or the cgroup is absent, callers find processes in other ways.
    let _ = fs::write(path.join("cgroup.kill"), "1");
}

/// Returns the processes in a cgroup and below it.
pub(crate) fn processes(path: &Path) -> Vec<u32> {
    let text = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    let mut processes: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    for child in children(path) {
        processes.extend(self::processes(&child));
    }
    processes
}

/// Removes a cgroup and all below it, and returns how many cgroups these were. Killed processes may
/// take a moment to leave, so removal is retried until `deadline`.
pub(crate) fn remove(path: &Path, deadline: Instant) -> io::Result<usize> {
    if !path.exists() {
        return Ok(0);
    }
    let mut removed = 1;
    for child in children(path) {
        removed += remove(&child, deadline)?;
    }
    loop {
        match fs::remove_dir(path) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) if error.raw_os_error() != Some(libc::EBUSY) => return Err(error),
            Err(error) if Instant::now() >= deadline => return Err(error),
            // The kernel reports when a cgroup has no processes, but not when it can be removed.
            Err(_) => thread::sleep(Duration::from_millis(1)),
        }
    }
    Ok(removed)
}

fn children(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return vec![] };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}
