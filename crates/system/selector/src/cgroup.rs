//! The root of the cgroups of version 2, at which programs about sockets are attached.

use std::fs::{self, File};

use aya::programs::CgroupAttachMode;

/// The mode of attachment. It is about programs without links: those with links leave all others in
/// place, and Linux before 6.17 refuses the flag that says so.
pub const MODE: CgroupAttachMode = CgroupAttachMode::Single;

/// Opens the root, if this host has such cgroups.
pub fn root() -> Option<File> {
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let is_there = |root: &&str| fs::metadata(format!("{root}/cgroup.controllers")).is_ok();
    roots.into_iter().find(is_there).and_then(|root| File::open(root).ok())
}
