//! Protects parameters and devices of the machine's kernel from being changed by mistake in a node.
//! Those of the node's own namespaces can still be changed. Only for nodes of root: for an ordinary
//! user, the kernel itself refuses.

use std::path::Path;

use nix::mount::MsFlags;

use super::super::failure::{Failed, attempt};
use super::mounts::{bind, mount, open, read_only};

/// Paths that are read-only.
const READ_ONLY: &[&str] =
    &["/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sysrq-trigger", "/sys"];

/// Paths among these that belong to the node's own namespaces: network, host name, System V and
/// POSIX queues.
const OWN: &[&str] = &[
    "/proc/sys/net",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/domainname",
    "/proc/sys/kernel/auto_msgmni",
    "/proc/sys/kernel/msg_next_id",
    "/proc/sys/kernel/msgmax",
    "/proc/sys/kernel/msgmnb",
    "/proc/sys/kernel/msgmni",
    "/proc/sys/kernel/sem",
    "/proc/sys/kernel/sem_next_id",
    "/proc/sys/kernel/shm_next_id",
    "/proc/sys/kernel/shm_rmid_forced",
    "/proc/sys/kernel/shmall",
    "/proc/sys/kernel/shmmax",
    "/proc/sys/kernel/shmmni",
    "/proc/sys/fs/mqueue",
    "/sys/devices/virtual/net",
];

/// Paths that are not readable either, because they reveal or change something of the whole
/// machine.
const HIDDEN: &[&str] =
    &["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/scsi", "/proc/timer_list"];

/// Protects the paths in these file systems of a node, `/proc` or `/sys`, which are new.
pub(super) fn protect(systems: &[&str]) -> Result<(), Failed> {
    let there = |paths| there(paths).filter(|path| systems.iter().any(|of| path.starts_with(of)));
    // Open them before something read-only is mounted over them.
    let own: Vec<_> = there(OWN).map(|path| Ok((open(path)?, path))).collect::<Result<_, _>>()?;
    for path in there(READ_ONLY) {
        bind(&open(path)?, path)?;
        read_only(path)?;
    }
    for (source, path) in own {
        bind(&source, path)?;
    }
    for path in there(HIDDEN) {
        if path.is_dir() {
            let empty = Some("size=4k,mode=0555");
            attempt(mount(Some("tmpfs"), path, Some("tmpfs"), MsFlags::MS_RDONLY, empty), || {
                format!("hide {}", path.display())
            })?;
        } else {
            bind(&open(Path::new("/dev/null"))?, path)?;
        }
    }
    Ok(())
}

/// Returns the paths that this kernel has.
fn there(paths: &'static [&'static str]) -> impl Iterator<Item = &'static Path> {
    paths.iter().map(Path::new).filter(|path| path.exists())
}
