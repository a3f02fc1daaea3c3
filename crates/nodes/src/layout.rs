//! Where an experiment's things live. Every name is derived from the experiment's, so that what is
//! left of it can be found without its help.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::NodeError;
use crate::cgroup;

/// Where network namespaces are visible to `ip netns`.
const NETNS_DIRECTORY: &str = "/run/netns";

/// The places of one experiment: its state directory, its namespaces' names, its cgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    experiment: String,
    state_dir: PathBuf,
    netns_dir: PathBuf,
}

impl Layout {
    /// The layout of `experiment`, with its state in `/run/netloom/<experiment>`, or below
    /// `$NETLOOM_STATE_DIR` if that is set.
    pub fn new(experiment: &str) -> Self {
        Self::below(&state_root(), experiment)
    }

    /// The layout of `experiment`, with its state in `<root>/<experiment>`.
    pub fn below(root: &Path, experiment: &str) -> Self {
        Self {
            experiment: experiment.into(),
            state_dir: root.join(experiment),
            netns_dir: NETNS_DIRECTORY.into(),
        }
    }

    /// The names of all experiments that have state or a cgroup: running ones, and what is left of
    /// dead ones. Sorted.
    pub fn all() -> Vec<String> {
        let mut names = subdirectories(&state_root());
        if let Some(cgroups) = cgroup::root() {
            names.extend(subdirectories(&cgroups));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The experiment's name.
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// The experiment's directory, only there while it lives. It is private to root: who can reach
    /// the socket in it owns the experiment.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// The engine's socket.
    pub fn socket(&self) -> PathBuf {
        self.state_dir.join("api.sock")
    }

    /// Where the namespaces of nodes are mounted.
    pub(crate) fn netns_dir(&self) -> &Path {
        &self.netns_dir
    }

    /// The mount point of a node's network namespace: `ip netns exec <experiment>.<node>`.
    pub fn namespace(&self, node: &str) -> PathBuf {
        self.netns_dir.join(format!("{}.{node}", self.experiment))
    }

    /// The experiment's cgroup; `None` where there is no cgroup v2.
    pub fn cgroup(&self) -> Option<PathBuf> {
        cgroup::root().map(|root| root.join(&self.experiment))
    }

    pub(crate) fn record(&self) -> PathBuf {
        self.state_dir.join("record.json")
    }

    pub(crate) fn hosts(&self) -> PathBuf {
        self.state_dir.join("hosts")
    }

    pub(crate) fn resolver(&self) -> PathBuf {
        self.state_dir.join("resolv.conf")
    }

    /// Refuses names that are no plain file names: everything is removed by name later.
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

    /// Creates the state directory, private to its owner.
    pub(crate) fn create_state_dir(&self) -> Result<(), NodeError> {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        let create = || -> io::Result<()> {
            fs::DirBuilder::new().recursive(true).mode(0o755).create(&self.state_dir)?;
            fs::set_permissions(&self.state_dir, fs::Permissions::from_mode(0o700))
        };
        create().map_err(|error| {
            NodeError::system(format!("create {}", self.state_dir.display()), error)
        })
    }
}

fn state_root() -> PathBuf {
    env::var_os("NETLOOM_STATE_DIR").map_or_else(|| "/run/netloom".into(), PathBuf::from)
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
    fn names_are_plain_file_names() {
        let check = |name| {
            Layout::below(Path::new("/state"), "demo").check_names(std::iter::once(name)).is_ok()
        };
        assert!(check("r1") && check("a.b") && check("München"));
        assert!(!["", ".", "..", "../x", "a/b", "a\0b"].into_iter().any(check));
    }
}
