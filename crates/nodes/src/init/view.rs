//! What a node's processes see of the file system: the machine's, with the node's own `/proc`,
//! `/sys`, `/tmp`, `/var/tmp`, `/run`, `/dev/shm`, `/dev/pts`, `/etc/hosts` and `/etc/resolv.conf`.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::mount::{MsFlags, mount};
use nix::unistd::{chdir, sethostname};

use super::{Failed, attempt};
use crate::control::Setup;
use crate::{WORK_DIRECTORY, rootless};

const NONE: Option<&str> = None;
/// The group of terminals, the same on all distributions.
const TTY: u32 = 5;

/// Makes the view. Works in the order in which later steps need earlier ones: what may lie below
/// `/tmp` or `/run` is opened before those are covered.
pub(super) fn create(setup: &Setup) -> Result<(), Failed> {
    attempt(sethostname(&setup.node), || format!("set the host name to {}", setup.node))?;
    // What the machine mounts shall appear here; what we mount shall not appear there.
    let private = mount(NONE, "/", NONE, MsFlags::MS_SLAVE | MsFlags::MS_REC, NONE);
    attempt(private, || "make the mounts private".into())?;
    let work_dir = open(&setup.work_dir)?;
    let hosts = open(&setup.hosts)?;
    let resolver = open(&setup.resolver)?;
    let files = setup.files.iter().map(|(file, target)| Ok((open(file)?, target)));
    let files = files.collect::<Result<Vec<_>, Failed>>()?;
    file_systems()?;
    bind(&work_dir, Path::new(WORK_DIRECTORY))?;
    bind_file(&hosts, Path::new("/etc/hosts"))?;
    bind_file(&resolver, Path::new("/etc/resolv.conf"))?;
    for (file, target) in files {
        bind_file(&file, target)?;
    }
    attempt(chdir(WORK_DIRECTORY), || format!("change to {WORK_DIRECTORY}"))
}

fn open(path: &Path) -> Result<File, Failed> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
    attempt(file, || format!("open {}", path.display()))
}

fn file_systems() -> Result<(), Failed> {
    let safe = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let inert = safe | MsFlags::MS_NOEXEC;
    file_system("proc", "/proc", inert, NONE)?;
    file_system("sysfs", "/sys", inert, NONE)?;
    file_system("tmpfs", "/tmp", safe, Some("mode=1777"))?;
    file_system("tmpfs", "/run", safe, Some("mode=0755"))?;
    for (path, mode) in [("/run/lock", 0o1777), ("/run/netloom", 0o755), (WORK_DIRECTORY, 0o755)] {
        let create = || -> io::Result<()> {
            fs::DirBuilder::new().mode(mode).create(path)?;
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        };
        attempt(create(), || format!("create {path}"))?;
    }
    // Terminals belong to the group `tty`, where there are other groups than one's own.
    let group = if rootless::knows_group(TTY) { format!("gid={TTY},") } else { String::new() };
    let terminals = format!("newinstance,{group}mode=620,ptmxmode=666");
    for (kind, path, options) in [
        ("tmpfs", "/var/tmp", "mode=1777"),
        ("tmpfs", "/dev/shm", "mode=1777"),
        ("devpts", "/dev/pts", terminals.as_str()),
    ] {
        if Path::new(path).is_dir() {
            file_system(kind, path, MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC, Some(options))?;
        }
    }
    Ok(())
}

fn file_system(
    kind: &str,
    path: &str,
    flags: MsFlags,
    options: Option<&str>,
) -> Result<(), Failed> {
    attempt(mount(Some(kind), path, Some(kind), flags, options), || format!("mount {path}"))
}

/// Shows what was opened at `target`.
fn bind(source: &File, target: &Path) -> Result<(), Failed> {
    let source = format!("/proc/self/fd/{}", source.as_raw_fd());
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    let mounted = mount(Some(source.as_str()), target, NONE, flags, NONE);
    attempt(mounted, || format!("mount {}", target.display()))
}

/// The same for a file. Where `target` is a link into `/run` (as with systemd-resolved), what it
/// points to has just been covered and is made anew; where the machine has no such file at all,
/// none is made, as that would make it for the machine.
fn bind_file(source: &File, target: &Path) -> Result<(), Failed> {
    let target = follow(target);
    if !target.exists() {
        if !["/run", "/tmp"].iter().any(|covered| target.starts_with(covered)) {
            return Ok(());
        }
        let parent = target.parent().unwrap_or(Path::new("/"));
        let created = fs::create_dir_all(parent).and_then(|()| File::create(&target));
        attempt(created, || format!("create {}", target.display()))?;
    }
    bind(source, &target)
}

/// What `path` leads to if its last component is a link, also if that does not exist.
fn follow(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links as the kernel follows.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else { break };
        let parent = path.parent().unwrap_or(Path::new("/"));
        path = normal(&parent.join(link));
    }
    path
}

/// Without `..`, so that it is seen where the path leads. `/var/run` is the usual link to `/run`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => {
                result.pop();
            }
            component => result.push(component),
        }
    }
    match result.strip_prefix("/var/run") {
        Ok(rest) => Path::new("/run").join(rest),
        Err(_) => result,
    }
}
