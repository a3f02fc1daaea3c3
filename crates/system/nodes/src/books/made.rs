//! What an experiment has really made, by what only that has.
//!
//! Names do not say whose a thing is: anybody may make a namespace, a control group or a device
//! that is called like an experiment's. So whatever outlives the engine is written down with what
//! the kernel gives to nothing else: device and inode of a file, a namespace or a control group,
//! the index of a device. Namespaces and devices are written down before their names can be seen,
//! so that a killed engine leaves nothing that is not here. A control group has its name at once;
//! until it is known to be there, it is only one that may be, and is removed only if nothing is in
//! it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Layout;
use crate::stack::netns::{Identity, Named};

/// A thing that came or went.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Thing {
    /// A node's namespace is about to have its name.
    Namespace { node: String, named: Named },
    /// It has gone.
    NoNamespace { node: String },
    /// A control group is about to be made, or, with its identity, is made.
    Cgroup { path: PathBuf, identity: Option<Identity> },
    /// It could not be made.
    NoCgroup { path: PathBuf },
    /// A device of the machine is about to outlive its descriptor.
    Device { name: String, index: u32 },
}

/// All that came and has not gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    /// By their nodes' names.
    pub namespaces: HashMap<String, Named>,
    /// By their paths; without an identity, those that may be.
    pub cgroups: BTreeMap<PathBuf, Option<Identity>>,
    /// Indices of devices in the machine's network namespace, by their names.
    pub devices: HashMap<String, u32>,
}

impl Made {
    /// What the file of an experiment says. A line that was not written to its end is of a thing
    /// that was not made.
    pub fn read(layout: &Layout) -> Self {
        let text = fs::read_to_string(layout.made()).unwrap_or_default();
        let mut made = Self::default();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .for_each(|thing| made.add(thing));
        made
    }

    pub fn add(&mut self, thing: Thing) {
        match thing {
            Thing::Namespace { node, named } => drop(self.namespaces.insert(node, named)),
            Thing::NoNamespace { node } => drop(self.namespaces.remove(&node)),
            Thing::Cgroup { path, identity } => drop(self.cgroups.insert(path, identity)),
            Thing::NoCgroup { path } => drop(self.cgroups.remove(&path)),
            Thing::Device { name, index } => drop(self.devices.insert(name, index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_gone_is_not_there_and_half_a_line_is_nothing() {
        let state = tempfile::tempdir().unwrap();
        let layout = Layout::below(state.path(), "demo");
        fs::create_dir(layout.state_dir()).unwrap();
        let named = |inode| Named { file: (1, inode), namespace: (4, inode + 100) };
        let things = [
            Thing::Namespace { node: "a".into(), named: named(1) },
            Thing::Namespace { node: "b".into(), named: named(2) },
            Thing::NoNamespace { node: "a".into() },
            Thing::Cgroup { path: "/c".into(), identity: None },
            Thing::Cgroup { path: "/c".into(), identity: Some((3, 3)) },
            Thing::Cgroup { path: "/d".into(), identity: None },
            Thing::NoCgroup { path: "/d".into() },
        ];
        let lines = things.iter().map(|thing| serde_json::to_string(thing).unwrap() + "\n");
        fs::write(layout.made(), lines.collect::<String>() + "{\"device\":{\"name\":\"t").unwrap();
        let made = Made::read(&layout);
        assert_eq!(made.namespaces, HashMap::from([("b".into(), named(2))]));
        assert_eq!(made.cgroups, BTreeMap::from([("/c".into(), Some((3, 3)))]));
        assert!(made.devices.is_empty());
    }
}
