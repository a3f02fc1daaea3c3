//! The file system that a node's processes see: the machine's, or an image's, with the node's own
//! `/proc`, `/sys`, `/tmp`, `/var/tmp`, `/run`, `/dev/shm`, `/dev/pts`, `/etc`, and the files that
//! the scenario adds.
//!
//! | module | content |
//! |---|---|
//! | `again` | the view of a node that works again after a failure |
//! | `mounts` | mounting, and following links to mount points |
//! | `root` | the node's own root |
//! | `kernel` | protects parameters and devices of the machine's kernel |
//! | `private` | the node's own files, over those of the machine |
//! | `links` | the same without an overlay |
//! | `owner` | users by name |

mod again;
mod kernel;
mod links;
mod mounts;
mod owner;
mod private;
mod root;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use nix::mount::MsFlags;
use nix::unistd::{chdir, sethostname};

use super::failure::{Failed, attempt};
use crate::process::control::Setup;
use crate::process::view::{View, ViewFile};
use crate::{HOSTS, WORK_DIRECTORY, rootless};
use mounts::{NONE, bind, bind_file, file_system, mount, open, read_only};
use private::Private;

pub(super) use again::create_again;

/// Group of terminals, which has this id on all distributions.
const TTY: u32 = 5;
/// Directories that are empty after a boot.
const RUN: &str = "/run";
const SHARED_MEMORY: &str = "/dev/shm";

/// Creates the view, in the order in which later steps need earlier ones. Sources that may be below
/// `/tmp` or `/run` are opened before these are covered, and a mount that covers others is mounted
/// before them.
pub(super) fn create(setup: &Setup, view: &View) -> Result<(), Failed> {
    attempt(sethostname(&setup.node), || format!("set the host name to {}", setup.node))?;
    // Mounts of the machine appear here; our mounts do not appear there.
    let private = mount(NONE, "/", NONE, MsFlags::MS_SLAVE | MsFlags::MS_REC, NONE);
    attempt(private, || "make the mounts private".into())?;
    let sources = Sources::open(setup, view)?;
    let own = Own::read(setup)?;
    let entered = match view.root.as_deref() {
        Some(image) => root::enter(image)?,
        None => root::enter_own()?,
    };
    let is_image = view.root.is_some();
    file_systems(is_image)?;
    let private = Private::prepare(view, &own.files, &sources.binds, is_image)?;
    private.mount()?;
    bind(&sources.work_dir, Path::new(WORK_DIRECTORY))?;
    if !is_image && private.hides(&setup.work_dir) && setup.work_dir.is_dir() {
        // Files that are written under the directory's own name are kept too.
        bind(&sources.work_dir, &setup.work_dir)?;
    }
    for (file, (_, target)) in sources.files.iter().zip(&setup.files) {
        bind_file(file, target)?;
    }
    for (source, wanted) in sources.binds.iter().zip(&view.binds) {
        bind(source, &wanted.node)?;
        if !wanted.write {
            read_only(&wanted.node)?;
        }
    }
    entered.leave_old()?;
    attempt(chdir(WORK_DIRECTORY), || format!("change to {WORK_DIRECTORY}"))
}

/// Files of the machine that appear elsewhere, opened before they are covered.
struct Sources {
    work_dir: File,
    files: Vec<File>,
    binds: Vec<File>,
}

impl Sources {
    fn open(setup: &Setup, view: &View) -> Result<Self, Failed> {
        Ok(Self {
            work_dir: open(&setup.work_dir)?,
            files: setup.files.iter().map(|(file, _)| open(file)).collect::<Result<_, _>>()?,
            binds: view.binds.iter().map(|bind| open(&bind.machine)).collect::<Result<_, _>>()?,
        })
    }
}

/// Files of `/etc` that belong to the node from the beginning.
struct Own {
    files: Vec<ViewFile>,
}

impl Own {
    fn read(setup: &Setup) -> Result<Self, Failed> {
        let read =
            |path: &Path| attempt(fs::read_to_string(path), || format!("read {}", path.display()));
        let file = |path: &str, content: String| ViewFile {
            path: path.into(),
            content,
            owner: None,
            mode: 0o644,
        };
        let files = vec![
            file(HOSTS, read(&setup.hosts)?),
            file("/etc/resolv.conf", read(&setup.resolver)?),
            file("/etc/hostname", format!("{}\n", setup.node)),
        ];
        Ok(Self { files })
    }
}

/// Mounts the node's own file systems. In an image, mount points may be missing, and are created.
fn file_systems(image: bool) -> Result<(), Failed> {
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let inert = safe | MsFlags::MS_NOEXEC;
    if image {
        for path in ["/proc", "/sys", "/tmp", "/run", "/var/tmp", "/etc"] {
            attempt(fs::create_dir_all(path), || format!("create {path}"))?;
        }
    }
    file_system("proc", "/proc", inert, NONE)?;
    file_system("sysfs", "/sys", inert, NONE)?;
    if rootless::is_initial() {
        kernel::protect(&["/proc", "/sys"])?;
    }
    file_system("tmpfs", "/tmp", safe, Some("mode=1777"))?;
    run()?;
    // Terminals belong to the group `tty`, if the user namespace has other groups than the user's
    // own.
    let group = if rootless::knows_group(TTY) { format!("gid={TTY},") } else { String::new() };
    let terminals = format!("newinstance,{group}mode=620,ptmxmode=666");
    optional("tmpfs", "/var/tmp", "mode=1777")?;
    shared_memory()?;
    optional("devpts", "/dev/pts", &terminals)
}

/// Mounts a file system where there is a directory for it.
fn optional(kind: &str, path: &str, options: &str) -> Result<(), Failed> {
    match Path::new(path).is_dir() {
        true => file_system(kind, path, MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC, Some(options)),
        false => Ok(()),
    }
}

fn shared_memory() -> Result<(), Failed> {
    optional("tmpfs", SHARED_MEMORY, "mode=1777")
}

/// Mounts an empty `/run`, with the directories that each node has there.
fn run() -> Result<(), Failed> {
    file_system("tmpfs", RUN, MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=0755"))?;
    for (path, mode) in [("/run/lock", 0o1777), ("/run/netloom", 0o755), (WORK_DIRECTORY, 0o755)] {
        let create = || -> io::Result<()> {
            fs::DirBuilder::new().mode(mode).create(path)?;
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        };
        attempt(create(), || format!("create {path}"))?;
    }
    Ok(())
}
