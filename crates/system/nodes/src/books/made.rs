//! Record of what an experiment has created, with identities that nothing else has.
//!
//! A name does not show to whom a thing belongs: anybody may create a namespace, a control group or
//! a device with the name of an experiment's. So everything that outlives the engine is recorded
//! with an identity that the kernel gives to nothing else: device and inode of a file, a namespace
//! or a control group, and the index of a device. Namespaces and devices are recorded before their
//! names appear, so that a killed engine leaves nothing that is not recorded. A control group has
//! its name immediately. Until its identity is recorded, it only may exist, and it is removed only
//! if it is empty.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Layout;
use crate::stack::netns::{Identity, Named};

/// A thing that was created or removed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Thing {
    /// A node's namespace is about to get its name.
    Namespace { node: String, named: Named },
    /// The namespace was removed.
    NoNamespace { node: String },
    /// A control group is about to be created or, with an identity, was created.
    Cgroup { path: PathBuf, identity: Option<Identity> },
    /// The control group could not be created.
    NoCgroup { path: PathBuf },
    /// A device of the machine is about to outlive its descriptor.
    Device { name: String, index: u32 },
}

/// All things that were created and not removed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    /// Namespaces, by node.
    pub namespaces: HashMap<String, Named>,
    /// Control groups, by path. Those without an identity may or may not exist.
    pub cgroups: BTreeMap<PathBuf, Option<Identity>>,
    /// Indices of devices in the machine's network namespace, by their names.
    pub devices: HashMap<String, u32>,
}

impl Made {
    /// Reads the file of an experiment. An incomplete line is about a thing that was not created.
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
    fn removed_things_are_absent_and_an_incomplete_line_is_ignored() {
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
