//! Errors about nodes, with advice.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why an operation on a node or on a whole network failed.
#[derive(Debug, Error)]
pub enum NodeError {
    /// The kernel refused an operation. `source` has its error number.
    #[error("{}cannot {action}: {source}{}", of_node(node), advice(action, source))]
    System {
        /// Node that the operation was for, if any.
        node: Option<String>,
        /// Description of the operation and its object.
        action: String,
        /// Reason of the failure.
        source: io::Error,
    },
    /// A name that cannot be part of a path.
    #[error("`{name}` cannot name an experiment or a node: it would be a strange file name")]
    Name {
        /// The name.
        name: String,
    },
    /// Something with the experiment's names exists already.
    #[error(
        "experiment `{experiment}` exists already or has left something behind: {what}; \
         destroy it, or run `netloom cleanup {experiment}`; what that leaves alone is somebody \
         else's: choose another name"
    )]
    Exists {
        /// The experiment.
        experiment: String,
        /// Description of what exists.
        what: String,
    },
    /// There is no such node.
    #[error("there is no node `{node}` with a network stack in experiment `{experiment}`")]
    UnknownNode {
        /// The experiment.
        experiment: String,
        /// Name in the request.
        node: String,
    },
    /// A program could not be started; see [`NodeError::exit_code`].
    #[error("node `{node}`: cannot start `{program}`: {source}")]
    Exec {
        /// The node.
        node: String,
        /// Program, as given.
        program: String,
        /// Reason of the failure.
        source: io::Error,
    },
    /// The node's init process could not be started, or has ended.
    #[error("node `{node}`: its init process {reason}")]
    Init {
        /// The node.
        node: String,
        /// Description of what happened.
        reason: String,
    },
    /// The node cannot have a kernel of its own, or this kernel does not work as configured.
    #[error("node `{node}`: its own kernel: {why}")]
    Kernel {
        /// The node.
        node: String,
        /// Description of the problem, and what to do.
        why: String,
    },
    /// Time of nodes' own kernels cannot be dilated.
    #[error("cannot dilate the time of nodes' own kernels: {0}; a machine with less to do can")]
    Dilate(#[source] std::io::Error),
    /// No process was ever started in the node, so it has no files of its own.
    #[error("node `{node}`: cannot look at `{}`: nothing has run in the node yet", path.display())]
    NoFiles {
        /// The node.
        node: String,
        /// Path of the file.
        path: PathBuf,
    },
    /// The state directory is also writable by others.
    #[error(
        "{} is not a directory that is yours alone: who can write there could take over \
         experiments; remove it or `chmod 700` it, or set NETLOOM_STATE_DIR to a directory of \
         yours",
        path.display()
    )]
    StateRoot {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The device that creates interfaces cannot be opened.
    #[error("cannot open {}: {source}; {}", crate::stack::tap::CLONE_DEVICE, tun_advice(source))]
    NoTap {
        /// Reason of the failure.
        source: io::Error,
    },
    /// An end of a link outside is not available. Nothing was created.
    #[error("`{end}` cannot be at the end of a link: {why}")]
    NotOutside {
        /// Name of the end.
        end: String,
        /// Reason, and what to do.
        why: String,
    },
    /// The kernel refused an operation on an end of a link outside.
    #[error("`{end}`: cannot {action}: {source}{}", advice(action, source))]
    Outside {
        /// Name of the end.
        end: String,
        /// Description of the operation.
        action: String,
        /// Reason of the failure.
        source: io::Error,
    },
    /// A limit cannot be enforced.
    #[error("the limits of the scenario cannot be enforced: {why}")]
    Limits {
        /// Reason, and what to change.
        why: String,
    },
    /// A limit of a running node cannot be changed.
    #[error("node `{node}`: {source}")]
    Limited {
        /// The node.
        node: String,
        /// Reason of the failure.
        source: Box<NodeError>,
    },
    /// Not everything could be removed.
    #[error("experiment `{experiment}` is not entirely removed: {}", problems.join("; "))]
    Remains {
        /// The experiment.
        experiment: String,
        /// Descriptions of what could not be removed, with reasons.
        problems: Vec<String>,
    },
}

impl NodeError {
    /// Returns the exit code of a shell that fails to start a program like this: 127 if there is no
    /// such program, 126 if it cannot be executed. `None` for other errors.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exec { source, .. } if source.kind() == io::ErrorKind::NotFound => Some(127),
            Self::Exec { .. } => Some(126),
            _ => None,
        }
    }

    pub(crate) fn system(action: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::System { node: None, action: action.into(), source: source.into() }
    }

    /// Creates an error about control groups that refuse a limit.
    pub(crate) fn limits(action: impl fmt::Display, source: io::Error) -> Self {
        let advice = match source.raw_os_error() {
            Some(libc::EBUSY) => {
                "; there are processes in a control group that must have none beside others: in a \
                 container, move them into one below"
            }
            Some(libc::ENOENT | libc::EROFS | libc::EACCES | libc::EPERM) => {
                "; the control groups must be given to this system: in a container, writable and \
                 with the controllers `cpu`, `memory` and `pids`"
            }
            Some(libc::EINVAL) => "; the kernel takes no such value",
            _ => "",
        };
        Self::Limits { why: format!("cannot {action}: {source}{advice}") }
    }

    pub(crate) fn in_node(
        node: &str,
        action: impl Into<String>,
        source: impl Into<io::Error>,
    ) -> Self {
        Self::System { node: Some(node.into()), action: action.into(), source: source.into() }
    }
}

fn of_node(node: &Option<String>) -> String {
    node.as_ref().map_or(String::new(), |node| format!("node `{node}`: "))
}

/// Returns advice how to make the device that creates interfaces available.
fn tun_advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "ordinary users must be allowed to, as most distributions do: \
             `sudo chmod 666 /dev/net/tun` (until the next boot), or run NetLoom as root"
        }
        _ => "load the kernel's module (`sudo modprobe tun`), or in a container add the device",
    }
}

/// Returns advice what to do next, for known error numbers.
fn advice(action: &str, error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "; this may take root, or in a container the capabilities NET_ADMIN and SYS_ADMIN \
             (docs/rootless.md says what ordinary users can do)"
        }
        Some(libc::EMFILE) => "; raise the limit on open files (`ulimit -n`)",
        Some(libc::ENFILE) => "; raise the kernel's limit on open files (`sysctl fs.file-max`)",
        // For files, the kernel means the disk; for namespaces and mounts, limits of its own.
        Some(libc::ENOSPC) if !["namespace", "mount"].iter().any(|word| action.contains(word)) => {
            "; the file system is full: make room there (`df -h`, and `df -i` for files)"
        }
        Some(libc::ENOSPC) => {
            "; raise the kernel's limit on namespaces or mounts \
             (`sysctl user.max_net_namespaces fs.mount-max`)"
        }
        Some(libc::ENODEV | libc::ENXIO) => "; the kernel lacks a module (`modprobe tun`)",
        Some(libc::EOPNOTSUPP) => "; the kernel lacks a feature (direct links: `modprobe veth`)",
        Some(libc::EROFS) => "; the file system is mounted read-only here",
        Some(libc::EMSGSIZE) => "; put long arguments into a file",
        _ => "",
    }
}

/// Adds advice to an error of the file system, for actions that also involve other things.
pub(crate) fn of_file(path: &Path, error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(libc::ENOSPC) => {
            let words = format!("{}: {error}; make room in its file system", path.display());
            io::Error::new(error.kind(), words)
        }
        _ => error,
    }
}

/// Ignores that a thing does not exist: it needs not be given back.
pub(crate) fn found(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_distinguished_from_limits_of_the_kernel() {
        let message = |action: &str| {
            NodeError::system(action, io::Error::from_raw_os_error(libc::ENOSPC)).to_string()
        };
        assert!(message("write /run/netloom/x/hosts").contains("the file system is full"));
        assert!(message("make a mount namespace").contains("max_net_namespaces"));
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let name = of_file(Path::new("/run/netns/x.a"), full);
        let message = NodeError::in_node("a", "make namespace /run/netns/x.a", name).to_string();
        assert!(message.contains("make room") && !message.contains("max_net"), "{message}");
    }
}
