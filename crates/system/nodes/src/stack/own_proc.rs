//! Files below `/proc/sys`, through a proc file system of the calling thread's own.
//!
//! Every namespace has files of its own below `/proc/sys/net`, all with the same names in the same
//! directory. The kernel finds one of them by comparing all that were used in that file system
//! (`proc_sys_compare`), so access for the thousandth node would be slowed down by 999 others. A
//! file system that is dropped after some nodes contains only the files of these. It is mounted
//! nowhere, so nobody else sees it. Where this is impossible (kernels before 5.8, containers that
//! hide parts of `/proc`), `/proc` itself is used.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, openat};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

/// Number of files after which the file system is dropped: those of some fifty nodes.
const FILES: u32 = 1000;

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own { root: None, files: 0, denied: false }) };
}

/// The proc file system of the calling thread.
struct Own {
    root: Option<OwnedFd>,
    files: u32,
    /// Whether creating one has failed.
    denied: bool,
}

/// Writes a file, like `/proc/sys/net/ipv4/ip_forward`.
pub(crate) fn write(path: &str, value: &str) -> io::Result<()> {
    open(path, OFlags::WRONLY | OFlags::TRUNC)?.write_all(value.as_bytes())
}

/// Checks that a file exists and can be written, and leaves it as it is.
pub(crate) fn check_writable(path: &str) -> io::Result<()> {
    open(path, OFlags::WRONLY).map(drop)
}

/// Reads a file.
pub(crate) fn read(path: &str) -> io::Result<String> {
    let mut text = String::new();
    open(path, OFlags::RDONLY)?.read_to_string(&mut text)?;
    Ok(text)
}

fn open(path: &str, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC;
    let opened = OWN.with_borrow_mut(|own| match (own.root(), path.strip_prefix("/proc/")) {
        (Some(root), Some(below)) => openat(root, below, flags, Mode::empty()),
        _ => openat(rustix::fs::CWD, path, flags, Mode::empty()),
    });
    Ok(opened?.into())
}

impl Own {
    fn root(&mut self) -> Option<&OwnedFd> {
        if self.files == FILES {
            (self.root, self.files) = (None, 0);
        }
        if self.root.is_none() && !self.denied {
            self.root = new().ok();
            self.denied = self.root.is_none();
        }
        self.files += 1;
        self.root.as_ref()
    }
}

fn new() -> rustix::io::Result<OwnedFd> {
    let system = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&system)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    fsmount(&system, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/proc/sys/net/ipv4/ip_default_ttl";

    #[test]
    fn a_file_is_the_same_through_any_number_of_file_systems() {
        let expected = std::fs::read_to_string(FILE).unwrap();
        for _ in 0..2 * FILES + 1 {
            assert_eq!(read(FILE).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        let missing = read("/proc/sys/net/ipv4/nothing").unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
