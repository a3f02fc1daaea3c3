//! Control groups (version 2): one per experiment, and below it one per node with processes. They
//! account for nodes and end their processes together. A machine without them, or with read-only
//! ones, does without.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use nix::unistd::{AccessFlags, access};

/// Where experiments have their cgroups: `netloom` in the cgroup2 file system, wherever that is
/// mounted (hybrid systems included).
pub(crate) fn root() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mount_point(&mounts).map(|mount| mount.join("netloom"))
}

/// The mount point of cgroup2 in the text of `mountinfo`.
fn mount_point(mountinfo: &str) -> Option<PathBuf> {
    mountinfo.lines().find_map(|line| {
        let (mount, source) = line.split_once(" - ")?;
        let is_cgroup2 = source.split(' ').next() == Some("cgroup2");
        let point = mount.split(' ').nth(4).filter(|_| is_cgroup2)?;
        // The characters that would break the format are written in octal.
        Some(point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\").into())
    })
}

/// Creates a cgroup and its parents.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    // Another experiment may remove the common parent between our making it and its child.
    fs::create_dir_all(path).or_else(|_| fs::create_dir_all(path))
}

/// Whether there is such a cgroup, and processes may be moved into it.
pub(crate) fn is_usable(path: &Path) -> bool {
    access(&path.join("cgroup.procs"), AccessFlags::W_OK).is_ok()
}

/// Moves a process.
pub(crate) fn enter(path: &Path, pid: u32) -> io::Result<()> {
    fs::write(path.join("cgroup.procs"), pid.to_string())
}

/// Kills everything in a cgroup and below it, where the kernel can (5.14).
pub(crate) fn kill(path: &Path) {
    // Absent file, absent cgroup: the callers have other ways to find processes.
    let _ = fs::write(path.join("cgroup.kill"), "1");
}

/// The processes in a cgroup and below it.
pub(crate) fn processes(path: &Path) -> Vec<u32> {
    let text = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    let mut processes: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    for child in children(path) {
        processes.extend(self::processes(&child));
    }
    processes
}

/// Removes a cgroup and all below it, and returns how many those were. Processes that were killed
/// may take a moment to leave; until `deadline` that is waited for.
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
            // The kernel says when a cgroup has no processes, but not when it can be removed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cgroup2_is_found_unified_and_hybrid() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      41 31 0:38 / /sys/fs/cgroup/uni\\040fied rw shared:3 - cgroup2 cgroup2 rw\n";
        assert_eq!(mount_point(hybrid), Some("/sys/fs/cgroup/uni fied".into()));
        let unified = "35 24 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(mount_point(unified), Some("/sys/fs/cgroup".into()));
        assert_eq!(mount_point("22 27 0:21 / /proc rw - proc proc rw\n"), None);
    }
}
