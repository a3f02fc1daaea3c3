//! Waits for cgroups of nodes that do not exist yet: they appear with the first process of a node.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use netloom_monitor::Party;
use netloom_units::{Duration, Time};

use crate::places::ProcRoots;

/// How often to look for new cgroups.
const LOOK: Duration = Duration::from_secs(1);

/// The nodes whose cgroups do not exist yet. They are looked for by listing the folders in which
/// they appear, which costs less than asking for each.
#[derive(Debug, Default)]
pub struct Awaited {
    /// Nodes by the parent folder and the name of the cgroup.
    waiting: BTreeMap<PathBuf, BTreeMap<OsString, Party>>,
    looked: Option<Time>,
}

impl Awaited {
    /// Waits for the cgroups of all nodes that may get one.
    pub fn of(places: &ProcRoots) -> Self {
        let mut awaited = Self::default();
        places.cgroups().for_each(|(party, cgroup)| awaited.await_again(party, &cgroup));
        awaited
    }

    /// Waits again for a cgroup that has gone.
    pub fn await_again(&mut self, party: Party, cgroup: &std::path::Path) {
        if let (Some(parent), Some(name)) = (cgroup.parent(), cgroup.file_name()) {
            self.waiting.entry(parent.into()).or_default().insert(name.into(), party);
        }
    }

    /// Stops waiting for any.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Returns the cgroups that have appeared since the last call. Looks for them once a second at
    /// most.
    pub fn come(&mut self, at: Time) -> Vec<(Party, PathBuf)> {
        if self.looked.is_some_and(|looked| at < looked + LOOK) {
            return vec![];
        }
        self.looked = Some(at);
        let mut come = Vec::new();
        for (parent, waiting) in self.waiting.iter_mut().filter(|(_, waiting)| !waiting.is_empty())
        {
            for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
                if let Some(party) = waiting.remove(&entry.file_name()) {
                    come.push((party, entry.path()));
                }
            }
        }
        come
    }
}
