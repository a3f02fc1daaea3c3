//! The paths of an experiment. Every name is derived from the experiment's, so that its remains can
//! be found without its help.

use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use nix::unistd::geteuid;

use crate::NodeError;
use crate::cgroup::{self, Hierarchies};

/// The namespace of devices that the engine reads. No node has this name.
pub(crate) const OUTSIDE: &str = "+outside";

/// The directory in which `ip netns` finds network namespaces.
const NETNS_DIRECTORY: &str = "/run/netns";

/// The name of the lock in a state directory, which the engine holds while it lives.
pub const LOCK: &str = "lock";
/// The name of the file that lists the objects made.
const MADE: &str = "made.jsonl";

/// The paths and names of one experiment: its state directory, its namespaces, its cgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    experiment: String,
    state_dir: PathBuf,
    netns_dir: PathBuf,
    rootless: bool,
}

impl Layout {
    /// Returns the layout of `experiment` for the calling user, with its state below
    /// `$NETLOOM_STATE_DIR` if that is set; otherwise below `/run/netloom` for root, and for others
    /// below `$XDG_RUNTIME_DIR/netloom` or, without such a directory, `/tmp/netloom-<uid>`.
    pub fn new(experiment: &str) -> Self {
        let layout = if geteuid().is_root() { Self::below } else { Self::rootless };
        layout(&state_root(), experiment)
    }

    /// Returns the layout of `experiment`, with its state in `<root>/<experiment>`.
    pub fn below(root: &Path, experiment: &str) -> Self {
        Self {
            experiment: experiment.into(),
            state_dir: root.join(experiment),
            netns_dir: NETNS_DIRECTORY.into(),
            rootless: false,
        }
    }

    /// Returns the layout of an ordinary user's `experiment`, with its state in
    /// `<root>/<experiment>`. The names of namespaces are there as well, since mounts are visible
    /// only to the engine and its nodes.
    pub fn rootless(root: &Path, experiment: &str) -> Self {
        let state_dir = root.join(experiment);
        let netns_dir = state_dir.join("netns");
        Self { experiment: experiment.into(), state_dir, netns_dir, rootless: true }
    }

    /// Returns the sorted names of all experiments that have state: running ones, and remains of
    /// dead ones.
    pub fn all() -> Vec<String> {
        let root = state_root();
        let mut names = subdirectories(&root);
        names.retain(|name| name != SHAPE && is_state_directory(&root.join(name)).unwrap_or(false));
        names.sort_unstable();
        names
    }

    /// Returns the experiment's name.
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// Whether the experiment belongs to an ordinary user, in a user namespace of its own.
    pub fn is_rootless(&self) -> bool {
        self.rootless
    }

    /// Returns the experiment's directory, which exists only while it lives. It is private to its
    /// owner: anyone who can reach the socket in it controls the experiment.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// Returns the path of the engine's socket.
    pub fn socket(&self) -> PathBuf {
        self.state_dir.join("api.sock")
    }

    /// Returns the path of the engine's socket for commands in nodes.
    pub fn exec_socket(&self) -> PathBuf {
        self.state_dir.join("exec.sock")
    }

    /// Returns the directory in which the namespaces of nodes are mounted.
    pub(crate) fn netns_dir(&self) -> &Path {
        &self.netns_dir
    }

    /// Returns the mount point of a node's network namespace: `ip netns exec <experiment>.<node>`.
    pub fn namespace(&self, node: &str) -> PathBuf {
        self.netns_dir.join(format!("{}.{node}", self.experiment))
    }

    /// Returns the experiment's cgroup. `None` without cgroup v2, and for ordinary users.
    pub fn cgroup(&self) -> Option<PathBuf> {
        cgroup::root().filter(|_| !self.rootless).map(|root| root.join(&self.experiment))
    }

    /// Returns the experiment's cgroups in all hierarchies that it may have used. Ordinary users
    /// have none.
    pub(crate) fn cgroups(&self) -> Vec<PathBuf> {
        if self.rootless {
            return vec![];
        }
        let folders = Hierarchies::of_this_machine().folders();
        folders.into_iter().map(|folder| folder.join(&self.experiment)).collect()
    }

    pub(crate) fn record(&self) -> PathBuf {
        self.state_dir.join("record.json")
    }

    /// Returns the path of the file that lists the objects made.
    pub(crate) fn made(&self) -> PathBuf {
        self.state_dir.join(MADE)
    }

    pub(crate) fn hosts(&self) -> PathBuf {
        self.state_dir.join("hosts")
    }

    pub(crate) fn resolver(&self) -> PathBuf {
        self.state_dir.join("resolv.conf")
    }

    /// Refuses names that are not plain file names, since everything is removed by name later.
    pub(crate) fn check_names<'n>(
        &'n self,
        nodes: impl Iterator<Item = &'n str>,
    ) -> Result<(), NodeError> {
        for name in nodes.chain([self.experiment.as_str()]) {
            let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']);
            if !plain {
                return Err(NodeError::Name { name: name.into() });
            }
        }
        Ok(())
    }

    /// Makes the directory of all state directories, if it does not exist.
    ///
    /// # Errors
    /// Those of [`check_state_root`](Self::check_state_root), and [`NodeError::System`] if it
    /// cannot be made.
    pub fn create_state_root(&self) -> Result<(), NodeError> {
        let Some(root) = self.state_dir.parent() else { return Ok(()) };
        let mode = if self.rootless { 0o700 } else { 0o755 };
        fs::DirBuilder::new()
            .recursive(true)
            .mode(mode)
            .create(root)
            .map_err(|error| NodeError::system(format!("make {}", root.display()), error))?;
        self.check_state_root()
    }

    /// Checks that the directory of all state directories can be trusted. An ordinary user's may be
    /// in `/tmp`, where others might have made it to gain access. It need not exist.
    ///
    /// # Errors
    /// [`NodeError::StateRoot`] if it belongs to another user or is open to others.
    pub fn check_state_root(&self) -> Result<(), NodeError> {
        let root = self.state_dir.parent().filter(|_| self.rootless);
        let Some((root, found)) = root.and_then(|r| Some((r, fs::symlink_metadata(r).ok()?)))
        else {
            return Ok(());
        };
        let own = found.is_dir() && found.uid() == geteuid().as_raw();
        if own && found.mode() & 0o077 == 0 {
            return Ok(());
        }
        Err(NodeError::StateRoot { path: root.into() })
    }

    /// Creates the state directory, private to its owner.
    pub(crate) fn create_state_dir(&self) -> Result<(), NodeError> {
        let create = || -> io::Result<()> {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.state_dir)?;
            fs::set_permissions(&self.state_dir, fs::Permissions::from_mode(0o700))
        };
        create().map_err(|error| {
            NodeError::system(format!("create {}", self.state_dir.display()), error)
        })
    }
}

/// Returns the directory of all state directories of the calling user.
pub fn state_root() -> PathBuf {
    if let Some(chosen) = env::var_os("NETLOOM_STATE_DIR") {
        return chosen.into();
    }
    let user = geteuid();
    if user.is_root() {
        return "/run/netloom".into();
    }
    // The variable of another user, as `su` may leave it, names a directory of that user.
    let own = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.uid() == user.as_raw());
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(own);
    runtime.map_or_else(|| format!("/tmp/netloom-{user}").into(), |path| path.join("netloom"))
}

/// The directory of the daemon of `netloom shape` beside those of experiments.
const SHAPE: &str = "shape";

/// Whether a directory is an experiment's, according to its lock or its books. An empty directory
/// may be one, if its engine was killed when it had just made it. A missing path, or one that is
/// not a directory, is none.
///
/// # Errors
/// Those of reading the directory.
pub fn is_state_directory(path: &Path) -> io::Result<bool> {
    if [LOCK, MADE].iter().any(|name| path.join(name).exists()) {
        return Ok(true);
    }
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

fn subdirectories(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return vec![] };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_the_name_of_the_experiment() {
        let layout = Layout::below(Path::new("/state"), "demo");
        assert_eq!(layout.state_dir(), Path::new("/state/demo"));
        assert_eq!(layout.socket(), Path::new("/state/demo/api.sock"));
        assert_eq!(layout.namespace("r1"), Path::new("/run/netns/demo.r1"));
        assert!(layout.cgroup().is_none_or(|path| path.ends_with("netloom/demo")));
    }

    #[test]
    fn an_ordinary_users_things_are_all_in_the_state_directory() {
        let layout = Layout::rootless(Path::new("/state"), "demo");
        assert_eq!(layout.namespace("r1"), Path::new("/state/demo/netns/demo.r1"));
        assert_eq!(layout.cgroup(), None);
    }

    #[test]
    fn names_are_plain_file_names() {
        let check = |name| {
            Layout::below(Path::new("/state"), "demo").check_names(std::iter::once(name)).is_ok()
        };
        assert!(check("r1") && check("a.b") && check("München"));
        assert!(!["", ".", "..", "../x", "a/b", "a\0b"].into_iter().any(check));
    }
}
