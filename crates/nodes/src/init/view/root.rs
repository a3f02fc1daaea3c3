//! Another root file system: an image's, with what the node changes in memory of its own.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::Path;

use nix::mount::{MntFlags, MsFlags, umount2};
use nix::unistd::{chdir, fchdir, pivot_root};

use super::super::{Failed, attempt};
use super::mounts::{NONE, bind, file_system, mount, open};
use super::private::overlay_options;

/// Where the new root is put together: a file system in memory over the machine's `/run`.
const SCRATCH: &str = "/run";

/// A new root, under which the old one is still mounted, as what was opened there is to be mounted.
pub(super) struct Entered {
    old: File,
}

/// Makes the directory `image` of the machine the root. It is not changed.
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
    attempt(chdir(new.as_str()), || format!("change to {new}"))?;
    // The old root is then mounted over the new one, and paths begin below it.
    attempt(pivot_root(".", "."), || format!("make {} the root", image.display()))?;
    attempt(chdir("/"), || "change to the new root".into())?;
    Ok(Entered { old })
}

impl Entered {
    /// Lets go of the machine's files.
    pub fn leave_old(self) -> Result<(), Failed> {
        attempt(fchdir(&self.old), || "go to the old root".into())?;
        let slave = MsFlags::MS_SLAVE | MsFlags::MS_REC;
        attempt(mount(NONE, ".", NONE, slave, NONE), || "part from the old root".into())?;
        attempt(umount2(".", MntFlags::MNT_DETACH), || "unmount the old root".into())?;
        attempt(chdir("/"), || "change to the new root".into())
    }
}
