//! What of the kernel is the machine's, and is not changed from a node by mistake: its parameters,
//! its devices. What belongs to the node's own namespaces can be changed as ever. For nodes of root
//! only: of an ordinary user, the kernel itself refuses.

use std::path::Path;

use nix::mount::MsFlags;

use super::super::failure::{Failed, attempt};
use super::mounts::{bind, mount, open, read_only};

/// What can only be read.
const READ_ONLY: &[&str] =
    &["/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sysrq-trigger", "/sys"];

/// What of it is of the node's own namespaces: network, host name, System V and POSIX queues.
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

/// What cannot be read either, as it shows or does something to the whole machine.
const HIDDEN: &[&str] =
    &["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/scsi", "/proc/timer_list"];

/// Protects it, in the fresh `/proc` and `/sys` of a node.
pub(super) fn protect() -> Result<(), Failed> {
    // Opened before something is mounted over them, which can only be read.
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

/// Those that this kernel has.
fn there(paths: &'static [&'static str]) -> impl Iterator<Item = &'static Path> {
    paths.iter().map(Path::new).filter(|path| path.exists())
}
