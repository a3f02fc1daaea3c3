//! Roots of the kernel's files, and what belongs to the experiment.

use std::collections::BTreeSet;
use std::path::PathBuf;

use netloom_monitor::Party;
use netloom_units::Duration;

/// Roots of the kernel's files, and what belongs to the experiment.
#[derive(Debug, Clone)]
pub struct ProcRoots {
    /// Root of the process file system.
    pub proc: PathBuf,
    /// Root of the system file system.
    pub sys: PathBuf,
    /// The nodes, in the order of the scenario: the first is [`Party::Node`]`(0)`.
    pub nodes: Vec<Node>,
    /// The process ID of the engine.
    pub engine: u32,
    /// The network devices that are uplinks of the experiment.
    pub uplinks: Vec<String>,
    /// Longest wait for a CPU that need not be reported.
    pub tolerated_wait: Duration,
}

/// A node, as the kernel identifies it.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The inode of its network namespace, which identifies its processes.
    pub netns: Option<u64>,
    /// Its cgroup (version 2), which need not exist yet: nodes get theirs with their first process.
    pub cgroup: Option<PathBuf>,
    /// Limits of the scenario. A node that waits because of its own limit does so by request: that
    /// is no contention.
    pub limited: Limited,
}

/// Which limits the scenario sets for a node, its group, or the experiment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limited {
    /// Whether CPU time is limited.
    pub cpu: bool,
    /// Whether memory is limited.
    pub memory: bool,
}

impl ProcRoots {
    /// `/proc` and `/sys`, this process as the engine, no uplinks, and every wait reported.
    pub fn of_this_machine(nodes: Vec<Node>) -> Self {
        let (proc, sys) = ("/proc".into(), "/sys".into());
        let (engine, tolerated_wait) = (std::process::id(), Duration::ZERO);
        Self { proc, sys, nodes, engine, uplinks: vec![], tolerated_wait }
    }

    /// The inodes of the nodes' network namespaces, with the nodes' numbers.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = (u64, u32)> {
        (0..).zip(&self.nodes).filter_map(|(index, node)| Some((node.netns?, index)))
    }

    /// The limits of a party; none for a party that is not a node.
    pub(crate) fn limited(&self, party: Party) -> Limited {
        let node = match party {
            Party::Node(node) => self.nodes.get(node as usize),
            _ => None,
        };
        node.map(|node| node.limited).unwrap_or_default()
    }

    /// The nodes to whose limits `what` applies, by number.
    pub(crate) fn limited_nodes(&self, what: impl Fn(Limited) -> bool) -> BTreeSet<Party> {
        let parties = (0..).map(Party::Node).zip(&self.nodes);
        parties.filter(|(_, node)| what(node.limited)).map(|(party, _)| party).collect()
    }

    /// The nodes that have, or may get, a cgroup.
    pub(crate) fn cgroups(&self) -> impl Iterator<Item = (Party, PathBuf)> {
        let parties = (0..).map(Party::Node).zip(&self.nodes);
        parties.filter_map(|(party, node)| Some((party, node.cgroup.clone()?)))
    }
}
