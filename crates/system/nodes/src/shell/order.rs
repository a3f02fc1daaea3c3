//! The order for the process that becomes the command of a shell, and its start.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::{User, getgrouplist};
use serde::{Deserialize, Serialize};

use super::members::hang_up;
use crate::Layout;
use crate::books::variables::EXPERIMENT_VARIABLE;

/// The hidden command by which the binary becomes the command of a shell.
pub const ROLE: &str = "__shell";

/// The user that the command runs as, if it differs from the one that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The user.
    pub user: u32,
    /// The user's first group.
    pub group: u32,
    /// All groups.
    pub groups: Vec<u32>,
}

impl Caller {
    /// Returns the caller of a user, with the groups in the machine's tables.
    ///
    /// # Errors
    /// If the tables have no such user.
    pub fn of(user: &User) -> io::Result<Self> {
        let name = std::ffi::CString::new(user.name.as_str())?;
        let groups = getgrouplist(&name, user.gid)?;
        Ok(Self {
            user: user.uid.as_raw(),
            group: user.gid.as_raw(),
            groups: groups.into_iter().map(|group| group.as_raw()).collect(),
        })
    }
}

/// The properties of the command that differ from its caller's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// User that it runs as. `None` for the user that starts it.
    pub caller: Option<Caller>,
    /// Its `/etc/hosts`.
    pub hosts: String,
    /// Its `/etc/resolv.conf`.
    pub resolver: String,
}

/// The order, with the descriptors that the process inherits.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Inherited {
    pub order: Order,
    pub network: RawFd,
    /// The user namespace that an ordinary user's network belongs to, and the caller's user and
    /// group outside it.
    pub user: Option<(RawFd, u32, u32)>,
}

/// The entrance to a node's network.
#[derive(Debug)]
pub struct Entrance {
    experiment: String,
    network: File,
    user: Option<File>,
}

impl Entrance {
    /// Opens the entrance to the network of `node`. The engine is process `engine`, which the
    /// caller has started and not waited for, so that no other process has its number.
    ///
    /// # Errors
    /// If the engine or its node is gone.
    pub fn open(layout: &Layout, engine: u32, node: &str) -> io::Result<Self> {
        // The names of the engine's namespaces may be visible to the engine alone.
        let path = layout.namespace(node);
        let inside = path.strip_prefix("/").unwrap_or(&path);
        let network = File::open(Path::new(&format!("/proc/{engine}/root")).join(inside))?;
        let user = layout.is_rootless().then(|| File::open(format!("/proc/{engine}/ns/user")));
        let experiment = layout.experiment().into();
        Ok(Self { experiment, network, user: user.transpose()? })
    }

    /// Returns the command that enters the network by `binary` and becomes `words`. Its inherited
    /// descriptors stay open in this process as long as `self` and the returned file.
    ///
    /// # Errors
    /// If the kernel gives no memory for the order.
    pub fn command(
        &self,
        binary: &Path,
        order: Order,
        words: &[OsString],
    ) -> io::Result<(Command, File)> {
        let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
        let outside = |file: &File| (file.as_raw_fd(), user.as_raw(), group.as_raw());
        let inherited = Inherited {
            order,
            network: self.network.as_raw_fd(),
            user: self.user.as_ref().map(outside),
        };
        let mut file = File::from(memfd_create("netloom-shell", MFdFlags::empty())?);
        serde_json::to_writer(&file, &inherited)?;
        file.flush()?;
        file.rewind()?;
        for kept in [Some(&self.network), self.user.as_ref()].into_iter().flatten() {
            fcntl(kept, FcntlArg::F_SETFD(FdFlag::empty()))?;
        }
        let mut command = Command::new(binary);
        command.arg(ROLE).arg(file.as_raw_fd().to_string()).args(words);
        // `cleanup` recognizes an ordinary user's processes by this variable.
        command.env(EXPERIMENT_VARIABLE, &self.experiment);
        Ok((command, file))
    }

    /// Sends SIGHUP to all processes in the network because their session is over, and waits until
    /// they have ended, `patience` at most.
    ///
    /// # Errors
    /// If the network cannot be read.
    pub fn hang_up(&self, patience: Duration) -> io::Result<()> {
        hang_up(&self.network, patience)
    }
}
