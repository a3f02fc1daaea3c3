//! The control groups of one experiment, in every hierarchy that it needs:
//!
//! ```text
//! netloom/EXPERIMENT                limits of all nodes together
//! netloom/EXPERIMENT/GROUP.group    limits of a group's nodes together, if it has any
//! netloom/EXPERIMENT/…/NODE         a node's processes
//! ```
//!
//! No name of a node has a dot, so that groups and nodes are told apart. Processes are in the last level
//! only, as version 2 demands. Version 1 is used where a controller is there, for limits only.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use netloom_plan::{NodePlan, Plan, SharedLimits};
use netloom_scenario::{Controller, CpuQuota, Limits};

use super::hierarchies::{Hierarchies, Version};
use super::{create, enter};
use crate::{Layout, NodeError};

/// Controllers that account for nodes without limits, where they are on anyway. Not `cpu`, which changes who
/// gets how much of a CPU.
const ACCOUNT: [Controller; 2] = [Controller::Memory, Controller::Pids];

/// The control groups of an experiment, made or to be made.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// In version 2; without it, processes are found by their namespaces.
    unified: Option<PathBuf>,
    /// Controllers of version 2 that limits need.
    needed: BTreeSet<Controller>,
    /// In version 1, each for one controller.
    legacy: BTreeMap<Controller, PathBuf>,
    nodes: HashMap<String, Member>,
    shared: SharedLimits,
}

/// A node in the tree.
#[derive(Debug, Clone, Default)]
struct Member {
    group: Option<String>,
    limits: Limits,
}

impl Tree {
    /// What the plan needs on this machine; nothing is made.
    ///
    /// # Errors
    /// [`NodeError::Limits`] if the machine cannot enforce a limit of the plan.
    pub fn plan(layout: &Layout, plan: &Plan) -> Result<Self, NodeError> {
        let all = plan.nodes.iter().map(|node| &node.limits);
        let all = all.chain(plan.limits.groups.values()).chain([&plan.limits.total]);
        let controllers: BTreeSet<Controller> = all.flat_map(Limits::controllers).collect();
        let hierarchies = Hierarchies::of_this_machine();
        let mut tree = Self {
            unified: layout.cgroup(),
            nodes: plan.nodes.iter().map(|node| (node.name.clone(), Member::of(node))).collect(),
            shared: plan.limits.clone(),
            ..Self::default()
        };
        for controller in controllers {
            match support(layout, &hierarchies, controller)? {
                Version::Two => {
                    tree.needed.insert(controller);
                }
                Version::One => {
                    let folder = hierarchies.legacy(controller);
                    let own = folder.map(|folder| folder.join(layout.experiment()));
                    tree.legacy.extend(own.map(|own| (controller, own)));
                }
            }
        }
        Ok(tree)
    }

    /// Makes what nodes share, and what nodes with limits have, so that a limit that cannot be set is known
    /// before anything else is made.
    pub fn make(&mut self) -> Result<(), NodeError> {
        match self.unified.as_ref().map(|own| (own, create(own))) {
            Some((own, Err(error))) if !self.needed.is_empty() => {
                return Err(NodeError::limits(format!("make {}", own.display()), error));
            }
            Some((_, Err(_))) => self.unified = None,
            _ => {}
        }
        for own in self.legacy.values() {
            create(own).map_err(|e| NodeError::limits(format!("make {}", own.display()), e))?;
        }
        self.pass_on_controllers()?;
        let inits = |group: Option<&str>| {
            let members = self.nodes.values();
            members.filter(|m| group.is_none() || m.group.as_deref() == group).count() as u64
        };
        self.set(Path::new(""), &self.shared.total, inits(None))?;
        for (group, limits) in &self.shared.groups {
            let place = group_folder(group);
            self.create_in_all(&place)?;
            self.set(&place, &within(limits, &[&self.shared.total]), inits(Some(group)))?;
        }
        for (node, _) in self.nodes.iter().filter(|(_, member)| !member.limits.is_empty()) {
            self.add(node)?;
        }
        Ok(())
    }

    /// Version 2 enforces below a cgroup what that passes on. The mount point is the kernel's, or the
    /// container's, and passes on more only if a limit needs it.
    fn pass_on_controllers(&self) -> Result<(), NodeError> {
        let Some(own) = &self.unified else { return Ok(()) };
        let above = || own.parent().and_then(Path::parent).zip(own.parent());
        let Some((mount, folder)) = above() else { return Ok(()) };
        for controller in &self.needed {
            for cgroup in [mount, folder, own] {
                pass_on(cgroup, *controller).map_err(|error| {
                    let what = format!("pass `{}` on from {}", controller.name(), cgroup.display());
                    NodeError::limits(what, error)
                })?;
            }
        }
        for controller in ACCOUNT.iter().filter(|account| !self.needed.contains(account)) {
            // Where it is not on for us, nodes are not accounted for.
            let _ = pass_on(folder, *controller).and_then(|()| pass_on(own, *controller));
        }
        for group in self.shared.groups.keys() {
            let folder = own.join(group_folder(group));
            create(&folder)
                .map_err(|error| NodeError::limits(format!("make {}", folder.display()), error))?;
            for controller in &self.needed {
                pass_on(&folder, *controller).map_err(|error| {
                    let what = format!("pass `{}` on from {}", controller.name(), folder.display());
                    NodeError::limits(what, error)
                })?;
            }
            ACCOUNT.into_iter().for_each(|controller| drop(pass_on(&folder, controller)));
        }
        Ok(())
    }

    /// The cgroup of a node in version 2, whether it is there or not.
    pub fn unified(&self, node: &str) -> Option<PathBuf> {
        Some(self.unified.as_ref()?.join(self.place(node)))
    }

    /// The cgroup of a node in version 1 that has this controller, if limits use it.
    pub fn legacy(&self, node: &str, controller: Controller) -> Option<PathBuf> {
        Some(self.legacy.get(&controller)?.join(self.place(node)))
    }

    /// Moves a process into the cgroups of a node, which are made if they are not there. Without limits, it
    /// is fine if there are none to be made.
    pub fn enter(&self, node: &str, pid: u32) -> Result<(), NodeError> {
        let made = self.add(node);
        if self.is_limited() {
            made?;
        }
        let unified = self.unified(node).into_iter();
        for path in unified.chain(self.legacy.keys().filter_map(|c| self.legacy(node, *c))) {
            let entered = enter(&path, pid);
            if self.is_limited() {
                let failed = |error| NodeError::limits(format!("enter {}", path.display()), error);
                entered.map_err(failed)?;
            }
        }
        Ok(())
    }

    fn is_limited(&self) -> bool {
        !self.needed.is_empty() || !self.legacy.is_empty()
    }

    /// Makes the cgroups of a node, and sets its limits.
    fn add(&self, node: &str) -> Result<(), NodeError> {
        let place = self.place(node);
        self.create_in_all(&place)?;
        let Some(member) = self.nodes.get(node) else { return Ok(()) };
        let of_group = member.group.as_ref().and_then(|group| self.shared.groups.get(group));
        let above: Vec<&Limits> = of_group.into_iter().chain([&self.shared.total]).collect();
        self.set(&place, &within(&member.limits, &above), 1)
    }

    fn create_in_all(&self, place: &Path) -> Result<(), NodeError> {
        for own in self.unified.iter().chain(self.legacy.values()) {
            let path = own.join(place);
            create(&path).map_err(|e| NodeError::limits(format!("make {}", path.display()), e))?;
        }
        Ok(())
    }

    /// Where a node is below the experiment's cgroup.
    fn place(&self, node: &str) -> PathBuf {
        let group = self.nodes.get(node).and_then(|member| member.group.as_deref());
        group.map(group_folder).unwrap_or_default().join(node)
    }

    /// Sets limits at a place below the experiment's cgroup, in which as many init processes can be: those
    /// are NetLoom's, and do not count.
    fn set(&self, place: &Path, limits: &Limits, inits: u64) -> Result<(), NodeError> {
        for controller in limits.controllers() {
            let legacy = self.legacy.get(&controller);
            let Some(own) = legacy.or(self.unified.as_ref()) else { continue };
            let version = if legacy.is_some() { Version::One } else { Version::Two };
            for (file, value) in settings(controller, version, limits, inits) {
                let path = own.join(place).join(file);
                // The kernel may have been built to keep no account of swap.
                let optional = file.contains("swap") || file.contains("memsw");
                match fs::write(&path, &value) {
                    Err(error) if optional && error.kind() == io::ErrorKind::NotFound => {}
                    written => written.map_err(|error| {
                        NodeError::limits(format!("write {value} to {}", path.display()), error)
                    })?,
                }
            }
        }
        Ok(())
    }
}

impl Member {
    fn of(node: &NodePlan) -> Self {
        Self { group: node.limit_group.clone(), limits: node.limits }
    }
}

/// Version 1 refuses quotas that are larger than those above, where they have no effect.
fn within(limits: &Limits, above: &[&Limits]) -> Limits {
    let least = above.iter().filter_map(|limits| limits.cpu).min();
    let cpu = limits.cpu.map(|quota| least.map_or(quota, |least| least.min(quota)));
    Limits { cpu, ..*limits }
}

fn group_folder(group: &str) -> PathBuf {
    format!("{group}.group").into()
}

/// Where a controller is for the user of `layout`.
fn support(
    layout: &Layout,
    hierarchies: &Hierarchies,
    controller: Controller,
) -> Result<Version, NodeError> {
    if layout.is_rootless() {
        return Err(NodeError::Limits { why: super::ROOTLESS.into() });
    }
    hierarchies.version(controller).map_err(|why| NodeError::Limits { why })
}

/// Has a cgroup of version 2 pass a controller on to those below, if it does not.
fn pass_on(cgroup: &Path, controller: Controller) -> io::Result<()> {
    let file = cgroup.join("cgroup.subtree_control");
    let passed = fs::read_to_string(&file)?;
    if passed.split_whitespace().any(|word| word == controller.name()) {
        return Ok(());
    }
    fs::write(file, format!("+{}", controller.name()))
}

/// The files of a controller, and what is to be written there.
fn settings(
    controller: Controller,
    version: Version,
    limits: &Limits,
    inits: u64,
) -> Vec<(&'static str, String)> {
    let period = CpuQuota::PERIOD_US;
    let quota = limits.cpu.map(CpuQuota::micros_per_period);
    let (memory, pids) = (limits.memory.map(|m| m.bytes().to_string()), limits.pids);
    // The same part of a CPU as with a weight, of which 100 is the default; that of shares is 1024.
    let shares = limits.cpu_weight.map(|weight| (weight * 1024).div_ceil(100).max(2).to_string());
    let weight = limits.cpu_weight.map(|weight| weight.to_string());
    let mut all = vec![];
    let mut add = |file, value: Option<String>| all.extend(value.map(|value| (file, value)));
    match (controller, version) {
        (Controller::Cpu, Version::Two) => {
            add("cpu.max", quota.map(|quota| format!("{quota} {period}")));
            add("cpu.weight", weight);
        }
        (Controller::Cpu, Version::One) => {
            add("cpu.cfs_period_us", quota.map(|_| period.to_string()));
            add("cpu.cfs_quota_us", quota.map(|quota| quota.to_string()));
            add("cpu.shares", shares);
        }
        (Controller::Memory, Version::Two) => {
            add("memory.max", memory.clone());
            add("memory.swap.max", memory.map(|_| "0".into()));
        }
        (Controller::Memory, Version::One) => {
            add("memory.limit_in_bytes", memory.clone());
            add("memory.memsw.limit_in_bytes", memory);
        }
        (Controller::Pids, _) => add("pids.max", pids.map(|pids| (pids + inits).to_string())),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            cpu: Some("0.5".parse().unwrap()),
            cpu_weight: Some(50),
            memory: Some("64MiB".parse().unwrap()),
            pids: Some(10),
        }
    }

    fn written(version: Version) -> Vec<(&'static str, String)> {
        let all = limits();
        Controller::ALL.into_iter().flat_map(|c| settings(c, version, &all, 2)).collect()
    }

    #[test]
    fn limits_are_written_as_each_version_wants_them() {
        let expected = |all: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
            all.iter().map(|(file, value)| (*file, (*value).to_owned())).collect()
        };
        assert_eq!(
            written(Version::Two),
            expected(&[
                ("cpu.max", "50000 100000"),
                ("cpu.weight", "50"),
                ("memory.max", "67108864"),
                ("memory.swap.max", "0"),
                ("pids.max", "12"),
            ])
        );
        assert_eq!(
            written(Version::One),
            expected(&[
                ("cpu.cfs_period_us", "100000"),
                ("cpu.cfs_quota_us", "50000"),
                ("cpu.shares", "512"),
                ("memory.limit_in_bytes", "67108864"),
                ("memory.memsw.limit_in_bytes", "67108864"),
                ("pids.max", "12"),
            ])
        );
    }

    /// A tree in made-up hierarchies: folders in which the kernel's files are plain ones.
    #[test]
    fn a_tree_of_version_2_passes_controllers_on_and_has_processes_in_leaves_only() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("netloom/demo");
        let member = |group: Option<&str>, limits| Member { group: group.map(Into::into), limits };
        for folder in ["", "netloom", "netloom/demo", "netloom/demo/web.group"] {
            let folder = mount.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("cgroup.subtree_control"), "").unwrap();
        }
        let mut tree = Tree {
            unified: Some(own.clone()),
            needed: BTreeSet::from([Controller::Cpu]),
            legacy: BTreeMap::new(),
            nodes: HashMap::from([
                ("a".into(), member(Some("web"), limits())),
                ("b".into(), member(None, Limits::default())),
            ]),
            shared: SharedLimits {
                total: Limits { cpu: Some("0.3".parse().unwrap()), ..Limits::default() },
                groups: BTreeMap::from([("web".into(), limits())]),
            },
        };
        tree.make().unwrap();
        tree.enter("b", 77).unwrap();
        let read = |file: &str| fs::read_to_string(mount.path().join(file)).unwrap();
        for folder in ["", "netloom/", "netloom/demo/", "netloom/demo/web.group/"] {
            // The kernel would add to it; a plain file holds what was written last.
            assert!(read(&format!("{folder}cgroup.subtree_control")).contains('+'), "{folder}");
        }
        assert_eq!(read("cgroup.subtree_control"), "+cpu");
        assert_eq!(read("netloom/demo/cpu.max"), "30000 100000");
        assert_eq!(read("netloom/demo/web.group/cpu.max"), "30000 100000");
        assert_eq!(read("netloom/demo/web.group/a/cpu.max"), "30000 100000");
        assert_eq!(read("netloom/demo/b/cgroup.procs"), "77");
        assert_eq!(tree.unified("a"), Some(own.join("web.group/a")));
        assert!(!own.join("cgroup.procs").exists());
    }
}
