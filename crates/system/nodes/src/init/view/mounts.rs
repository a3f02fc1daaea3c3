//! Mounting, and following links to mount points.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::mount::MsFlags;
pub(super) use nix::mount::mount;

use super::super::failure::{Failed, attempt};

pub(super) const NONE: Option<&str> = None;

/// Opens a path only to mount what is there.
pub(super) fn open(path: &Path) -> Result<File, Failed> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
    attempt(file, || format!("open {}", path.display()))
}

pub(super) fn file_system(
    kind: &str,
    path: &str,
    flags: MsFlags,
    options: Option<&str>,
) -> Result<(), Failed> {
    attempt(mount(Some(kind), path, Some(kind), flags, options), || format!("mount {path}"))
}

/// Mounts an open file or directory at `target`.
pub(super) fn bind(source: &File, target: &Path) -> Result<(), Failed> {
    let source = format!("/proc/self/fd/{}", source.as_raw_fd());
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    let mounted = mount(Some(source.as_str()), target, NONE, flags, NONE);
    attempt(mounted, || format!("mount {}", target.display()))
}

/// Copies everything that is mounted at and below `path`, to be [attached](attach) elsewhere.
pub(super) fn copy(path: &Path) -> Result<File, Failed> {
    let name = c_string(path);
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
    // SAFETY: the kernel reads the path during the call only.
    let result = unsafe {
        libc::syscall(
            libc::SYS_open_tree,
            libc::AT_FDCWD,
            name.as_ptr(),
            flags | libc::AT_RECURSIVE.cast_unsigned(),
        )
    };
    let copied = Errno::result(result).map(|descriptor| {
        // SAFETY: the kernel has just made this descriptor for us. It fits, as all do.
        unsafe { File::from_raw_fd(descriptor as RawFd) }
    });
    attempt(copied, || format!("copy what is mounted at {}", path.display()))
}

/// Mounts at `target` what [`copy`] has made.
pub(super) fn attach(copied: &File, target: &Path) -> Result<(), Failed> {
    let (nothing, name) = (c"", c_string(target));
    // SAFETY: the kernel reads both paths during the call only.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            copied.as_raw_fd(),
            nothing.as_ptr(),
            libc::AT_FDCWD,
            name.as_ptr(),
            libc::MOVE_MOUNT_F_EMPTY_PATH | libc::MOVE_MOUNT_T_SYMLINKS,
        )
    };
    attempt(Errno::result(result).map(drop), || format!("mount {}", target.display()))
}

/// Invariant: paths with a zero byte are rejected when scenarios are loaded.
fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

/// Makes everything below `path` read-only.
pub(super) fn read_only(path: &Path) -> Result<(), Failed> {
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let name = c_string(path);
    // SAFETY: the kernel reads the path and the structure, whose size is passed, during the call
    // only.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            name.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    attempt(Errno::result(result).map(drop), || format!("make {} read-only", path.display()))
}

/// Mounts an open file at `target`. The file that `target` leads to is created if it does not
/// exist.
pub(super) fn bind_file(source: &File, target: &Path) -> Result<(), Failed> {
    bind(source, &file_for(target)?)
}

/// Does what [`bind_file`] does with a [copy](copy).
pub(super) fn attach_file(copied: &File, target: &Path) -> Result<(), Failed> {
    attach(copied, &file_for(target)?)
}

/// Returns the path that `target` leads to, where a file exists afterwards.
fn file_for(target: &Path) -> Result<PathBuf, Failed> {
    let target = follow(target);
    if !target.exists() {
        let parent = target.parent().unwrap_or(Path::new("/"));
        let created = fs::create_dir_all(parent).and_then(|()| File::create(&target));
        attempt(created, || format!("create {}", target.display()))?;
    }
    Ok(target)
}

/// Returns the path that `path` leads to if its last component is a link, even if that path does
/// not exist.
fn follow(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // The kernel follows as many links.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else { break };
        let parent = path.parent().unwrap_or(Path::new("/"));
        path = normal(&parent.join(link));
    }
    path
}

/// Removes `..` from a path, so that it is mounted where the path leads. `/var/run`, for instance,
/// is usually a link to `/run`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
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
