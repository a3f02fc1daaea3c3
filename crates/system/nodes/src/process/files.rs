//! Files of a node as the engine reaches them.
//!
//! A node's processes decide what is in its file system, and what in it leads to where. The engine
//! may be root, and they need not be: a link that one of them makes must not lead the engine to
//! what that process could not read or write itself. So the engine walks component by component,
//! stays below the node's root, and follows links of root only. What it opens is a regular file or
//! a directory: opening a pipe or a device may wait for ever, or do something.

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

/// How many links a path may lead through, as in the kernel.
const MOST_LINKS: usize = 40;
/// The longest text that is read, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;
/// `nobody`, the kernel's default for ids that a user namespace does not know.
const OVERFLOW: u32 = 65534;

/// The file system of a node, as its processes see it. It stays what it is when they end.
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

    /// Opens a regular file for reading. Relative paths start at the scenario's directory. May wait
    /// where the node has mounted a file system that does.
    ///
    /// # Errors
    /// The kernel's; [`io::ErrorKind::PermissionDenied`] for a link that somebody else than root
    /// has made, and [`io::ErrorKind::InvalidInput`] for what is no regular file.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.reopen(path, OFlag::O_RDONLY)
    }

    /// The text of a file of reasonable length. Errors are those of [`open`](Self::open).
    pub(crate) fn read(&self, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        self.open(path)?.take(LONGEST_TEXT).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Writes a file that is there anew; it stays who it belongs to. Errors are those of
    /// [`open`](Self::open).
    pub(crate) fn rewrite(&self, path: &Path, content: &str) -> io::Result<()> {
        let mut file = self.reopen(path, OFlag::O_WRONLY | OFlag::O_TRUNC)?;
        file.write_all(content.as_bytes())
    }

    /// Whether there is such a path. Whoever made the links that it leads through: to look harms
    /// nothing.
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

    /// Removes a file; none is fine.
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

    /// Finds a path before it is opened: nothing happens to what turns out to be no regular file.
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

    /// A descriptor of what is at `path`, not open for anything.
    fn walk(&self, path: &Path) -> io::Result<OwnedFd> {
        // The directories from the root to where the walk has come.
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
                    // Above the root is the root.
                    way.truncate(1.max(way.len() - 1));
                    continue;
                }
                Step::Into(name) => name,
            };
            let how = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            // Invariant: the root is never taken off.
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

/// A step of a walk.
enum Step {
    Root,
    Up,
    Into(OsString),
}

/// Has the walk along `path` come before the `rest`, whose last step comes first.
fn put_before(rest: &mut Vec<Step>, path: &OsStr) {
    let steps = Path::new(path).components().rev();
    rest.extend(steps.filter_map(|component| match component {
        Component::RootDir => Some(Step::Root),
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Into(name.into())),
        Component::CurDir | Component::Prefix(_) => None,
    }));
}

/// Whether links of this user are followed. In an ordinary user's namespace the machine's links are
/// those of nobody, and the engine has that user's rights only.
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
