//! The node's own root: an image, with the node's changes in memory; or a directory in memory with
//! everything that is in the machine's root. Nothing is beneath it: unmounting in a node does not
//! uncover files of the machine, and files that are created directly below `/` stay in the node.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::{MntFlags, MsFlags, umount2};
use nix::unistd::{chdir, fchdir, pivot_root};

use super::super::failure::{Failed, attempt};
use super::mounts::{NONE, bind, file_system, mount, open};
use super::private::overlay_options;

/// Where the new root is assembled: a file system in memory over the machine's `/run`.
const SCRATCH: &str = "/run";

/// Directories that are new in each node.
const ANEW: &[&str] = &["proc", "sys", "tmp", "run"];

/// A new root below which the old one is still mounted, because files that were opened there are
/// still to be mounted.
pub(super) struct Entered {
    old: File,
}

/// Makes a directory in memory the root, with mounts of everything in the machine's root.
pub(super) fn enter_own() -> Result<Entered, Failed> {
    let old = open(Path::new("/"))?;
    let listed = fs::read_dir("/").and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = vec![];
    for entry in attempt(listed, || "list the machine's root".into())? {
        let name = entry.file_name();
        if !ANEW.iter().any(|anew| name == *anew) {
            let kind = attempt(entry.file_type(), || format!("look at {}", entry.path().display()));
            // Open before the new root covers the content of `/run`.
            entries.push((name, kind?, open(&entry.path())?));
        }
    }
    file_system("tmpfs", SCRATCH, MsFlags::empty(), Some("mode=0755"))?;
    for name in ANEW {
        let path = Path::new(SCRATCH).join(name);
        attempt(fs::create_dir(&path), || format!("create {}", path.display()))?;
    }
    for (name, kind, source) in entries {
        let (path, machines) = (Path::new(SCRATCH).join(&name), Path::new("/").join(&name));
        let made = || format!("create {}", path.display());
        if kind.is_symlink() {
            attempt(fs::read_link(&machines).and_then(|to| symlink(to, &path)), made)?;
            continue;
        }
        match kind.is_dir() {
            true => attempt(fs::create_dir(&path), made)?,
            false => attempt(File::create(&path).map(drop), made)?,
        }
        bind(&source, &path)?;
    }
    take_over(old, SCRATCH)
}

/// Makes the directory `image` of the machine the root. The image is not changed.
pub(super) fn enter(image: &Path) -> Result<Entered, Failed> {
    let (old, lower, devices) = (open(Path::new("/"))?, open(image)?, open(Path::new("/dev"))?);
    file_system("tmpfs", SCRATCH, MsFlags::empty(), Some("mode=0755"))?;
    for name in ["upper", "work", "root"] {
        let path = Path::new(SCRATCH).join(name);
        attempt(fs::create_dir(&path), || format!("create {}", path.display()))?;
    }
    let new = format!("{SCRATCH}/root");
    let lower = format!("/proc/self/fd/{}", lower.as_raw_fd());
    let options = overlay_options(&lower, &format!("{SCRATCH}/upper"), &format!("{SCRATCH}/work"));
    let mounted =
        mount(Some("overlay"), new.as_str(), Some("overlay"), MsFlags::empty(), Some(&*options));
    attempt(mounted, || format!("lay the node's files over {}", image.display()))?;
    let dev = format!("{new}/dev");
    attempt(fs::create_dir_all(&dev), || format!("create {dev}"))?;
    bind(&devices, Path::new(&dev))?;
    take_over(old, &new)
}

/// Makes the mount point `new` the root.
fn take_over(old: File, new: &str) -> Result<Entered, Failed> {
    attempt(chdir(new), || format!("change to {new}"))?;
    // The old root is then mounted over the new one, and paths begin below it.
    attempt(pivot_root(".", "."), || format!("make {new} the root"))?;
    attempt(chdir("/"), || "change to the new root".into())?;
    Ok(Entered { old })
}

impl Entered {
    /// Unmounts the machine's files.
    pub fn leave_old(self) -> Result<(), Failed> {
        attempt(fchdir(&self.old), || "go to the old root".into())?;
        let slave = MsFlags::MS_SLAVE | MsFlags::MS_REC;
        attempt(mount(NONE, ".", NONE, slave, NONE), || "part from the old root".into())?;
        attempt(umount2(".", MntFlags::MNT_DETACH), || "unmount the old root".into())?;
        attempt(chdir("/"), || "change to the new root".into())
    }
}
