//! The control groups of one experiment, in every hierarchy that it needs:
//!
//! ```text
//! netloom/EXPERIMENT                limits of all nodes together
//! netloom/EXPERIMENT/GROUP.group    limits of a group's nodes together, if it has any
//! netloom/EXPERIMENT/…/NODE         processes of a node
//! ```
//!
//! No name of a node has a dot, which distinguishes groups from nodes. Only the last level contains
//! processes, as version 2 requires. Version 1 is used only for limits, and only for controllers
//! that are in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use netloom_plan::{NodePlan, Plan, SharedLimits};
use netloom_scenario::{Controller, Limits};

use super::hierarchies::{Hierarchies, Version};
use super::settings::{self, Held};
use super::{create, enter};
use crate::{Layout, NodeError};

/// Controllers that account for nodes without limits, if they are enabled anyway. `cpu` is not
/// among them, because it changes how CPU time is shared.
const ACCOUNT: [Controller; 2] = [Controller::Memory, Controller::Pids];

/// The experiment that owns a tree.
pub(crate) trait Owner {
    /// Returns the layout of the experiment's things.
    fn layout(&self) -> &Layout;

    /// Creates the experiment's own cgroup in a hierarchy, which is the root of its tree.
    fn claim(&self, own: &Path) -> io::Result<()>;
}

/// The control groups of an experiment, whether they exist already or not.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The experiment's cgroup in version 2. Without it, processes are found by their namespaces.
    pub(super) unified: Option<PathBuf>,
    /// Controllers of version 2 that limits need.
    pub(super) needed: BTreeSet<Controller>,
    /// The experiment's cgroups in version 1, each with one controller.
    pub(super) legacy: BTreeMap<Controller, PathBuf>,
    pub(super) nodes: HashMap<String, Member>,
    pub(super) shared: SharedLimits,
}

/// A node in the tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Member {
    pub group: Option<String>,
    pub limits: Limits,
}

impl Tree {
    /// Returns the tree that the plan needs on this machine. Creates nothing.
    ///
    /// # Errors
    /// [`NodeError::Limits`] if the machine cannot enforce a limit of the plan.
    pub fn plan(layout: &Layout, plan: &Plan) -> Result<Self, NodeError> {
        let controllers = controllers(plan);
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

    /// Creates the cgroups that nodes share, and those of nodes with limits, so that a limit that
    /// cannot be set is reported before anything else is created.
    pub fn make(&mut self, owner: &dyn Owner) -> Result<(), NodeError> {
        match self.unified.as_ref().map(|own| (own, owner.claim(own))) {
            Some((own, Err(error))) if !self.needed.is_empty() => {
                return Err(NodeError::limits(format!("make {}", own.display()), error));
            }
            Some((_, Err(_))) => self.unified = None,
            _ => {}
        }
        for own in self.legacy.values() {
            owner
                .claim(own)
                .map_err(|e| NodeError::limits(format!("make {}", own.display()), e))?;
        }
        self.pass_on_controllers()?;
        for (place, held) in self.shared() {
            self.create_in_all(&place)?;
            self.set(&place, Held::default(), held)?;
        }
        for (node, _) in self.nodes.iter().filter(|(_, member)| !member.limits.is_empty()) {
            self.add(node)?;
        }
        Ok(())
    }

    /// Enables controllers in all parents, because version 2 enforces a limit only below a cgroup
    /// that enables its controller. The mount point belongs to the kernel, or to the container, so
    /// it is changed only if a limit needs that.
    pub(super) fn pass_on_controllers(&self) -> Result<(), NodeError> {
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
            // If it cannot be enabled here, nodes are not accounted for.
            let _ = pass_on(folder, *controller).and_then(|()| pass_on(own, *controller));
        }
        for group in self.shared.groups.keys() {
            let folder = own.join(group_folder(group));
            create(own, &group_folder(group))
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

    /// Returns the cgroup of a node in version 2, which may not exist.
    pub fn unified(&self, node: &str) -> Option<PathBuf> {
        Some(self.unified.as_ref()?.join(self.place(node)))
    }

    /// Returns the cgroup of a node in version 1 that has this controller, if limits use it.
    pub fn legacy(&self, node: &str, controller: Controller) -> Option<PathBuf> {
        Some(self.legacy.get(&controller)?.join(self.place(node)))
    }

    /// Moves a process into the cgroups of a node, and creates those that do not exist. Without
    /// limits, it is no error if they cannot be created.
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

    /// Creates the cgroups of a node, and sets its limits.
    pub(super) fn add(&self, node: &str) -> Result<(), NodeError> {
        let place = self.place(node);
        self.create_in_all(&place)?;
        self.set(&place, Held::default(), self.held_by(node))
    }

    /// Returns the limits that a node's cgroups enforce.
    pub(super) fn held_by(&self, node: &str) -> Held {
        let Some(member) = self.nodes.get(node) else { return Held::default() };
        let of_group = member.group.as_ref().and_then(|group| self.shared.groups.get(group));
        let above: Vec<&Limits> = of_group.into_iter().chain([&self.shared.total]).collect();
        Held { limits: within(&member.limits, &above), inits: 1 }
    }

    /// Returns the places with limits of several nodes together, and these limits, parents before
    /// children.
    pub(super) fn shared(&self) -> Vec<(PathBuf, Held)> {
        let inits = |group: Option<&str>| {
            let members = self.nodes.values();
            members.filter(|m| group.is_none() || m.group.as_deref() == group).count() as u64
        };
        let total = &self.shared.total;
        let groups = self.shared.groups.iter().map(|(group, limits)| {
            let held = Held { limits: within(limits, &[total]), inits: inits(Some(group)) };
            (group_folder(group), held)
        });
        [(PathBuf::new(), Held { limits: *total, inits: inits(None) })]
            .into_iter()
            .chain(groups)
            .collect()
    }

    pub(super) fn create_in_all(&self, place: &Path) -> Result<(), NodeError> {
        for own in self.unified.iter().chain(self.legacy.values()) {
            create(own, place).map_err(|error| {
                NodeError::limits(format!("make {}", own.join(place).display()), error)
            })?;
        }
        Ok(())
    }

    /// Returns the path of a node below the experiment's cgroup.
    pub(super) fn place(&self, node: &str) -> PathBuf {
        let group = self.nodes.get(node).and_then(|member| member.group.as_deref());
        group.map(group_folder).unwrap_or_default().join(node)
    }

    /// Changes the limits at a place below the experiment's cgroup. After an error, they are as
    /// before.
    pub(super) fn set(&self, place: &Path, from: Held, to: Held) -> Result<(), NodeError> {
        let mut controllers: Vec<Controller> =
            from.limits.controllers().chain(to.limits.controllers()).collect();
        controllers.sort_unstable();
        controllers.dedup();
        for controller in controllers {
            let Some((cgroup, version)) = self.at(place, controller) else { continue };
            for setting in settings::between(controller, version, from, to) {
                let Err(error) = settings::write(&cgroup, &setting) else { continue };
                self.put(place, from);
                let (file, value) = setting;
                let what = format!("write {value} to {}", cgroup.join(file).display());
                return Err(match error.raw_os_error() {
                    Some(libc::EBUSY) if controller == Controller::Memory => NodeError::Limits {
                        why: format!("cannot {what}: more memory than that is in use there now"),
                    },
                    _ => NodeError::limits(what, error),
                });
            }
        }
        Ok(())
    }

    /// Writes all limits of a place regardless of its present ones, to revert a change as far as
    /// the kernel permits.
    pub(super) fn put(&self, place: &Path, held: Held) {
        for controller in Controller::ALL {
            let Some((cgroup, version)) = self.at(place, controller) else { continue };
            for setting in settings::all(controller, version, held) {
                let _ = settings::write(&cgroup, &setting);
            }
        }
    }

    /// Returns the cgroup of a place that has this controller, if limits use it.
    fn at(&self, place: &Path, controller: Controller) -> Option<(PathBuf, Version)> {
        if let Some(own) = self.legacy.get(&controller) {
            return Some((own.join(place), Version::One));
        }
        let own = self.unified.as_ref().filter(|_| self.needed.contains(&controller))?;
        Some((own.join(place), Version::Two))
    }
}

impl Member {
    pub fn of(node: &NodePlan) -> Self {
        Self { group: node.limit_group.clone(), limits: node.limits }
    }
}

/// Reduces the quota to the lowest one of the parents: version 1 rejects higher ones, which would
/// have no effect.
fn within(limits: &Limits, above: &[&Limits]) -> Limits {
    let least = above.iter().filter_map(|limits| limits.cpu).min();
    let cpu = limits.cpu.map(|quota| least.map_or(quota, |least| least.min(quota)));
    Limits { cpu, ..*limits }
}

/// Returns the controllers that the limits of a plan need.
pub(super) fn controllers(plan: &Plan) -> BTreeSet<Controller> {
    let all = plan.nodes.iter().map(|node| &node.limits);
    let all = all.chain(plan.limits.groups.values()).chain([&plan.limits.total]);
    all.flat_map(Limits::controllers).collect()
}

pub(super) fn group_folder(group: &str) -> PathBuf {
    format!("{group}.group").into()
}

/// Returns the version that has a controller for the user of `layout`.
pub(super) fn support(
    layout: &Layout,
    hierarchies: &Hierarchies,
    controller: Controller,
) -> Result<Version, NodeError> {
    if layout.is_rootless() {
        return Err(NodeError::Limits { why: super::ROOTLESS.into() });
    }
    hierarchies.version(controller).map_err(|why| NodeError::Limits { why })
}

/// Enables a controller for the children of a cgroup of version 2, if it is not enabled.
fn pass_on(cgroup: &Path, controller: Controller) -> io::Result<()> {
    let file = cgroup.join("cgroup.subtree_control");
    let passed = fs::read_to_string(&file)?;
    if passed.split_whitespace().any(|word| word == controller.name()) {
        return Ok(());
    }
    fs::write(file, format!("+{}", controller.name()))
}

/// Owner of a tree of plain directories, which may exist already.
#[cfg(test)]
pub(super) struct Plain(pub Layout);

#[cfg(test)]
impl Owner for Plain {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn claim(&self, own: &Path) -> io::Result<()> {
        fs::create_dir_all(own)
    }
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

    /// Uses a tree in made-up hierarchies: directories in which the kernel's files are plain ones.
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
        tree.make(&Plain(Layout::below(mount.path(), "demo"))).unwrap();
        tree.enter("b", 77).unwrap();
        let read = |file: &str| fs::read_to_string(mount.path().join(file)).unwrap();
        for folder in ["", "netloom/", "netloom/demo/", "netloom/demo/web.group/"] {
            // The kernel would add to the file; a plain file contains the last write.
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
