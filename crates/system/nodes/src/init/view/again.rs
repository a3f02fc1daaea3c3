//! The view of a node that works again after a failure. Its mount namespace is a copy of the one
//! from before, so all files are there as they were left. As after a boot, `/run` and `/dev/shm`
//! are as at first, and so are the processes in `/proc`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, umount2};
use nix::unistd::{chdir, sethostname};

use super::super::failure::{Failed, attempt};
use super::links::MACHINE;
use super::mounts::{NONE, attach, attach_file, copy, mount};
use super::private::{LAYERS, Private};
use super::{RUN, SHARED_MEMORY, kernel, run, shared_memory};
use crate::process::control::Setup;
use crate::process::view::{View, ViewBind};
use crate::{WORK_DIRECTORY, rootless};

/// Completes the view.
pub(crate) fn create_again(setup: &Setup, view: &View) -> Result<(), Failed> {
    attempt(sethostname(&setup.node), || format!("set the host name to {}", setup.node))?;
    processes()?;
    let carried = Carried::copy(setup, view)?;
    leave(RUN)?;
    run()?;
    leave(SHARED_MEMORY)?;
    shared_memory()?;
    carried.attach()?;
    attempt(chdir(WORK_DIRECTORY), || format!("change to {WORK_DIRECTORY}"))
}

/// Replaces `/proc` by that of the new processes. For an ordinary user, the kernel mounts one only
/// where another is visible, so the old one goes last.
fn processes() -> Result<(), Failed> {
    let new = Path::new(RUN).join("netloom/proc");
    attempt(fs::create_dir_all(&new), || format!("create {}", new.display()))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    attempt(mount(Some("proc"), &new, Some("proc"), flags, NONE), || "mount /proc".into())?;
    leave("/proc")?;
    let moved = mount(Some(&new), "/proc", NONE, MsFlags::MS_MOVE, NONE);
    attempt(moved, || "move the new /proc to its place".into())?;
    match rootless::is_initial() {
        true => kernel::protect(&["/proc"]),
        false => Ok(()),
    }
}

/// Unmounts what is at `path`, with all below it. A process of the node may have done that before.
fn leave(path: &str) -> Result<(), Failed> {
    match umount2(path, MntFlags::MNT_DETACH) {
        Err(Errno::EINVAL | Errno::ENOENT) => Ok(()),
        left => attempt(left, || format!("unmount {path}")),
    }
}

/// Whether a path is gone after a boot. `/var/run` is a link to `/run` nearly everywhere.
fn is_fleeting(path: &Path) -> bool {
    [RUN, "/var/run", SHARED_MEMORY].iter().any(|place| path.starts_with(place))
}

/// The part of the view that is below directories which are empty after a boot.
struct Carried {
    /// The scenario's directory.
    work_dir: File,
    /// Files of the machine, and their paths.
    files: Vec<(File, PathBuf)>,
    /// Directories of the machine to which links of the node lead, and their paths.
    machines: Vec<(File, PathBuf)>,
    /// Directories, files and mount points of the node.
    view: View,
    /// Copies of what is mounted there, in the order of `view.binds`.
    binds: Vec<File>,
}

impl Carried {
    fn copy(setup: &Setup, view: &View) -> Result<Self, Failed> {
        let files = setup.files.iter().filter(|(_, target)| is_fleeting(target));
        let files = files.map(|(_, target)| Ok((copy(target)?, target.clone())));
        let directories = view.directories.iter().filter(|dir| is_fleeting(&dir.path));
        let binds: Vec<ViewBind> =
            view.binds.iter().filter(|bind| is_fleeting(&bind.node)).cloned().collect();
        let copies = binds.iter().map(|bind| copy(&bind.node)).collect::<Result<_, _>>()?;
        Ok(Self {
            work_dir: copy(Path::new(WORK_DIRECTORY))?,
            files: files.collect::<Result<_, _>>()?,
            machines: machines()?,
            view: View {
                root: None,
                directories: directories.cloned().collect(),
                files: view.files.iter().filter(|f| is_fleeting(&f.path)).cloned().collect(),
                binds,
                env: vec![],
            },
            binds: copies,
        })
    }

    fn attach(&self) -> Result<(), Failed> {
        // First, because owners of directories are looked up in the machine's `/etc`.
        for (machine, path) in &self.machines {
            attempt(fs::create_dir_all(path), || format!("create {}", path.display()))?;
            attach(machine, path)?;
        }
        Private::prepare_again(&self.view, &self.binds)?.mount()?;
        attach(&self.work_dir, Path::new(WORK_DIRECTORY))?;
        for (file, target) in &self.files {
            attach_file(file, target)?;
        }
        for (bind, wanted) in self.binds.iter().zip(&self.view.binds) {
            attach(bind, &wanted.node)?;
        }
        Ok(())
    }
}

/// Copies what layers without an overlay have of the machine.
fn machines() -> Result<Vec<(File, PathBuf)>, Failed> {
    // Nodes whose directories all have overlays may have no layers in sight.
    let layers = fs::read_dir(LAYERS).into_iter().flatten().filter_map(Result::ok);
    let places = layers.map(|layer| layer.path().join(MACHINE)).filter(|place| place.is_dir());
    places.map(|place| Ok((copy(&place)?, place))).collect()
}
