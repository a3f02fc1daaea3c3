//! Access of the engine to files of a node.
//!
//! A node's processes control its file system and its links. The engine may be root while they are
//! not: a link that one of them creates must not give the engine access to files that the process
//! itself could not read or write. So the engine walks a path component by component, stays below
//! the node's root, and follows only links of root. It opens only regular files and directories,
//! because opening a pipe or a device may wait forever, or have effects.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat, openat2, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat};

use crate::{WORK_DIRECTORY, rootless};

/// Largest number of links in a path, as in the kernel.
const MOST_LINKS: usize = 40;
/// Largest text that is read, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;
/// `nobody`, the kernel's default for ids that a user namespace does not know.
const OVERFLOW: u32 = 65534;

/// The file system of a node, as its processes see it. It stays valid when they end.
#[derive(Debug)]
pub struct NodeFiles {
    root: OwnedFd,
}

impl NodeFiles {
    pub(crate) fn of_process(pid: u32) -> io::Result<Self> {
        let how = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let root = nix::fcntl::open(&*format!("/proc/{pid}/root"), how, Mode::empty())?;
        Ok(Self { root })
    }

    /// Returns another handle of the same file system.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { root: self.root.try_clone()? })
    }

    /// Opens a regular file for reading. Relative paths start at the scenario's directory. May wait
    /// if the node has mounted a file system that does.
    ///
    /// # Errors
    /// Those of the kernel; [`io::ErrorKind::PermissionDenied`] for a link that a user other than
    /// root has created, and [`io::ErrorKind::InvalidInput`] for anything but a regular file.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.reopen(path, OFlag::O_RDONLY)
    }

    /// Returns the text of a file of reasonable length. Errors are those of [`open`](Self::open).
    pub(crate) fn read(&self, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        self.open(path)?.take(LONGEST_TEXT).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Rewrites an existing file, and keeps its owner. Errors are those of [`open`](Self::open).
    pub(crate) fn rewrite(&self, path: &Path, content: &str) -> io::Result<()> {
        let mut file = self.reopen(path, OFlag::O_WRONLY | OFlag::O_TRUNC)?;
        file.write_all(content.as_bytes())
    }

    /// Whether the path exists. All links are followed, because checking has no effects.
    pub(crate) fn exists(&self, path: &Path) -> io::Result<bool> {
        let how = OpenHow::new()
            .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
            .resolve(ResolveFlag::RESOLVE_IN_ROOT | ResolveFlag::RESOLVE_NO_MAGICLINKS);
        match openat2(&self.root, &Path::new(WORK_DIRECTORY).join(path), how) {
            Ok(_) => Ok(true),
            Err(Errno::ENOENT | Errno::ENOTDIR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Removes a file. It is no error if the file does not exist.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        let Some((folder, name)) = path.parent().zip(path.file_name()) else { return Ok(()) };
        let removed = self.walk(folder).and_then(|folder| {
            // By the descriptor, so that no link leads out of the node.
            fs::remove_file(Path::new(&by_descriptor(&folder)).join(name))
        });
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })
    }

    /// Removes a socket. Does nothing if there is none.
    pub(crate) fn remove_socket(&self, path: &Path) -> io::Result<()> {
        match self.walk(path).and_then(|found| Ok(kind(&fstat(&found)?))) {
            Ok(SFlag::S_IFSOCK) => self.remove(path),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Finds a path before opening it, so that nothing happens to anything but a regular file.
    fn reopen(&self, path: &Path, how: OFlag) -> io::Result<File> {
        let found = self.walk(path)?;
        let kind = kind(&fstat(&found)?);
        if kind != SFlag::S_IFREG {
            let reason = format!("it is {}, not a regular file", in_words(kind));
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let how = how | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        Ok(nix::fcntl::open(&*by_descriptor(&found), how, Mode::empty())?.into())
    }

    /// Returns a descriptor of what is at `path`, without opening it for reading or writing.
    fn walk(&self, path: &Path) -> io::Result<OwnedFd> {
        // Directories from the root to the current position of the walk.
        let mut way = vec![self.root.try_clone()?];
        let mut rest = vec![];
        put_before(&mut rest, path.as_os_str());
        put_before(&mut rest, OsStr::new(WORK_DIRECTORY));
        if path.is_absolute() {
            rest.clear();
            put_before(&mut rest, path.as_os_str());
        }
        let mut links = 0;
        while let Some(step) = rest.pop() {
            let name = match step {
                Step::Root => {
                    way.truncate(1);
                    continue;
                }
                Step::Up => {
                    // The parent of the root is the root.
                    way.truncate(1.max(way.len() - 1));
                    continue;
                }
                Step::Into(name) => name,
            };
            let how = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            // Invariant: the root is never removed.
            let here = way.last().unwrap_or(&self.root);
            let found = openat(here, name.as_os_str(), how, Mode::empty())?;
            let state = fstat(&found)?;
            if kind(&state) != SFlag::S_IFLNK {
                way.push(found);
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::from_raw_os_error(libc::ELOOP));
            }
            if !may_lead(state.st_uid) {
                return Err(strange_link(&name, state.st_uid));
            }
            put_before(&mut rest, &readlinkat(&found, "")?);
        }
        way.pop().ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
    }
}

/// One step of a walk.
enum Step {
    Root,
    Up,
    Into(OsString),
}

/// Prepends the components of `path` to the remaining steps. The last step in `rest` comes first.
fn put_before(rest: &mut Vec<Step>, path: &OsStr) {
    let steps = Path::new(path).components().rev();
    rest.extend(steps.filter_map(|component| match component {
        Component::RootDir => Some(Step::Root),
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Into(name.into())),
        Component::CurDir | Component::Prefix(_) => None,
    }));
}

/// Whether links of this user are followed. In an ordinary user's namespace, the machine's links
/// belong to nobody, and the engine has only the rights of that user.
fn may_lead(user: u32) -> bool {
    user == 0 || (user == OVERFLOW && !rootless::is_initial())
}

fn strange_link(name: &OsStr, user: u32) -> io::Error {
    let name = name.as_bytes().escape_ascii();
    let reason = format!(
        "`{name}` is a link that user {user} has made; only links that root has made are followed"
    );
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

fn kind(state: &FileStat) -> SFlag {
    SFlag::from_bits_truncate(state.st_mode) & SFlag::S_IFMT
}

fn in_words(kind: SFlag) -> &'static str {
    match kind {
        SFlag::S_IFDIR => "a directory",
        SFlag::S_IFIFO => "a pipe",
        SFlag::S_IFSOCK => "a socket",
        SFlag::S_IFCHR | SFlag::S_IFBLK => "a device",
        _ => "something else",
    }
}

fn by_descriptor(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}
