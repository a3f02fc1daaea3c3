//! Changes of nodes and limits while the experiment runs. After an error, limits are as before, as
//! far as the kernel permits. A controller that was enabled stays enabled.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use netloom_plan::{NodePlan, Plan, SharedLimits};
use netloom_scenario::{Controller, Limits};

use super::hierarchies::{Hierarchies, Version};
use super::settings::Held;
use super::tree::{Member, Owner, Tree, controllers, group_folder, support};
use super::{create, enter, processes};
use crate::{Layout, NodeError};

/// Largest number of searches for processes that were started meanwhile.
const ROUNDS: usize = 100;

impl Tree {
    /// Checks that the machine can enforce the limits of a plan. Changes nothing.
    ///
    /// # Errors
    /// [`NodeError::Limits`] if it cannot.
    pub fn check(&self, layout: &Layout, plan: &Plan) -> Result<(), NodeError> {
        let hierarchies = Hierarchies::of_this_machine();
        for controller in controllers(plan).into_iter().filter(|c| !self.uses(*c)) {
            support(layout, &hierarchies, controller)?;
        }
        Ok(())
    }

    /// Adds a node. If the node has limits, its cgroups are created.
    pub fn admit(&mut self, owner: &dyn Owner, node: &NodePlan) -> Result<(), NodeError> {
        self.require(owner, node.limits.controllers())?;
        let member = Member::of(node);
        self.change_members(|nodes| drop(nodes.insert(node.name.clone(), member)))?;
        if node.limits.is_empty() { Ok(()) } else { self.add(&node.name) }
    }

    /// Removes a node whose cgroups have been removed. The cgroups of a group that is no longer in
    /// the scenario are removed with its last node.
    pub fn dismiss(&mut self, node: &str) {
        let group = self.nodes.get(node).and_then(|member| member.group.clone());
        // On an error, the limit of all nodes is one process too high.
        let _ = self.change_members(|nodes| drop(nodes.remove(node)));
        group.into_iter().for_each(|group| self.tidy(&group));
    }

    /// Changes the limits of a node. Its processes are moved to cgroups in which new controllers
    /// account for them.
    pub fn change(&mut self, owner: &dyn Owner, node: &str, to: Limits) -> Result<(), NodeError> {
        self.require(owner, to.controllers())?;
        let place = self.place(node);
        let is_new = self.unified(node).is_none_or(|path| !path.exists())
            && self.legacy.keys().all(|c| self.legacy(node, *c).is_none_or(|path| !path.exists()));
        let from = if is_new { Held::default() } else { self.held_by(node) };
        let before = self.replace_limits(node, to);
        let changed =
            self.create_in_all(&place).and_then(|()| self.set(&place, from, self.held_by(node)));
        if changed.is_err() {
            self.replace_limits(node, before);
        }
        changed
    }

    fn replace_limits(&mut self, node: &str, limits: Limits) -> Limits {
        let member = self.nodes.get_mut(node);
        member.map(|member| std::mem::replace(&mut member.limits, limits)).unwrap_or_default()
    }

    /// Changes the limits of several nodes together.
    pub fn share(&mut self, owner: &dyn Owner, to: &SharedLimits) -> Result<(), NodeError> {
        let all = to.groups.values().chain([&to.total]);
        self.require(owner, all.flat_map(Limits::controllers))?;
        let before = self.levels();
        let shared = std::mem::replace(&mut self.shared, to.clone());
        let made = self.pass_on_controllers().and_then(|()| {
            to.groups.keys().try_for_each(|group| self.create_in_all(&group_folder(group)))
        });
        let changed = made.and_then(|()| self.change_levels(&before));
        if changed.is_err() {
            self.shared = shared;
            before.iter().for_each(|(place, held)| self.put(place, *held));
        }
        let groups = before.iter().filter_map(|(place, _)| place.to_str()?.strip_suffix(".group"));
        groups.for_each(|group| self.tidy(group));
        changed
    }

    /// Returns every place with limits, parents before children.
    fn levels(&self) -> Vec<(PathBuf, Held)> {
        let mut levels = self.shared();
        let limited = self.nodes.iter().filter(|(_, member)| !member.limits.is_empty());
        levels.extend(limited.map(|(node, _)| (self.place(node), self.held_by(node))));
        levels
    }

    /// Applies changes of limits on all levels. Version 1 accepts no quota above that of a parent,
    /// and no quota of a parent below that of a child, so the children's quotas are lifted during
    /// the change.
    fn change_levels(&self, before: &[(PathBuf, Held)]) -> Result<(), NodeError> {
        let after = self.levels();
        let quotas = |levels: &[(PathBuf, Held)]| -> Vec<(PathBuf, Option<_>)> {
            levels.iter().map(|(place, held)| (place.clone(), held.limits.cpu)).collect()
        };
        let mut from: HashMap<&Path, Held> =
            before.iter().map(|(place, held)| (place.as_path(), *held)).collect();
        if quotas(before) != quotas(&after) {
            for (place, held) in before.iter().rev() {
                self.set(place, *held, held.without_quota())?;
                from.insert(place.as_path(), held.without_quota());
            }
        }
        for (place, held) in &after {
            self.set(place, from.remove(place.as_path()).unwrap_or_default(), *held)?;
        }
        // The remaining places no longer have limits.
        from.into_iter().try_for_each(|(place, held)| self.set(place, held, Held::default()))
    }

    /// Changes the set of nodes. Their init processes belong to NetLoom and do not count against
    /// limits of several nodes.
    fn change_members(
        &mut self,
        change: impl FnOnce(&mut HashMap<String, Member>),
    ) -> Result<(), NodeError> {
        let mut shared = self.shared.groups.values().chain([&self.shared.total]);
        if shared.all(|limits| limits.pids.is_none()) {
            change(&mut self.nodes);
            return Ok(());
        }
        let before = self.shared();
        change(&mut self.nodes);
        let both = before.into_iter().zip(self.shared());
        both.into_iter().try_for_each(|((place, from), (_, to))| self.set(&place, from, to))
    }

    /// Removes the cgroups of a group that no longer has limits, if they are empty.
    fn tidy(&self, group: &str) {
        if !self.shared.groups.contains_key(group) {
            let all = self.unified.iter().chain(self.legacy.values());
            all.for_each(|own| drop(fs::remove_dir(own.join(group_folder(group)))));
        }
    }

    fn uses(&self, controller: Controller) -> bool {
        self.needed.contains(&controller) || self.legacy.contains_key(&controller)
    }

    /// Enables controllers for all nodes, where they are not enabled yet.
    fn require(
        &mut self,
        owner: &dyn Owner,
        controllers: impl Iterator<Item = Controller>,
    ) -> Result<(), NodeError> {
        let hierarchies = Hierarchies::of_this_machine();
        let controllers: Vec<Controller> = controllers.filter(|c| !self.uses(*c)).collect();
        for controller in controllers {
            match support(owner.layout(), &hierarchies, controller)? {
                Version::Two => self.need(controller)?,
                Version::One => {
                    let folder = hierarchies.legacy(controller).unwrap_or_default();
                    let own = folder.join(owner.layout().experiment());
                    self.join(controller, own, owner)?;
                }
            }
        }
        Ok(())
    }

    fn need(&mut self, controller: Controller) -> Result<(), NodeError> {
        if self.unified.is_none() {
            let why = "this experiment has no control groups: they could not be made when it \
                       began; deploy it again";
            return Err(NodeError::Limits { why: why.into() });
        }
        self.needed.insert(controller);
        let passed_on = self.pass_on_controllers();
        if passed_on.is_err() {
            self.needed.remove(&controller);
        }
        passed_on
    }

    /// Creates the experiment's cgroups in another hierarchy of version 1, with the processes of
    /// all nodes.
    fn join(
        &mut self,
        controller: Controller,
        own: PathBuf,
        owner: &dyn Owner,
    ) -> Result<(), NodeError> {
        let Some(known) = self.unified.as_ref().or_else(|| self.legacy.values().next()) else {
            let why = "what runs in nodes cannot be found without control groups of version 2; \
                       deploy the experiment again";
            return Err(NodeError::Limits { why: why.into() });
        };
        let failed = |what: String| move |error| NodeError::limits(what, error);
        owner.claim(&own).map_err(failed(format!("make {}", own.display())))?;
        for group in self.shared.groups.keys() {
            let folder = own.join(group_folder(group));
            create(&own, &group_folder(group))
                .map_err(failed(format!("make {}", folder.display())))?;
        }
        for node in self.nodes.keys() {
            let place = self.place(node);
            let (from, to) = (known.join(&place), own.join(&place));
            if from.exists() {
                create(&own, &place).map_err(failed(format!("make {}", to.display())))?;
                let what = format!("move the processes of `{node}` to {}", to.display());
                gather(&from, &to).map_err(failed(what))?;
            }
        }
        self.legacy.insert(controller, own);
        Ok(())
    }
}

/// Moves all processes of one cgroup to another, including those that they start meanwhile.
fn gather(from: &Path, to: &Path) -> io::Result<()> {
    for _ in 0..ROUNDS {
        let there: HashSet<u32> = processes(to).into_iter().collect();
        let missing: Vec<u32> =
            processes(from).into_iter().filter(|pid| !there.contains(pid)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        for pid in missing {
            match enter(to, pid) {
                // The process has ended.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                entered => entered?,
            }
        }
    }
    Err(io::Error::other("new ones come faster"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::tree::Plain;
    use super::*;

    fn limits(cpu: Option<&str>, pids: Option<u64>) -> Limits {
        Limits { cpu: cpu.map(|cpu| cpu.parse().unwrap()), pids, ..Limits::default() }
    }

    fn node(name: &str, group: Option<&str>, limits: Limits) -> NodePlan {
        NodePlan {
            name: name.into(),
            kind: netloom_scenario::NodeKind::Host,
            forwarding: false,
            loopback: vec![],
            interfaces: vec![],
            routes: vec![],
            neighbours: vec![],
            sysctls: BTreeMap::new(),
            primary: vec![],
            own_kernel: None,
            limits,
            limit_group: group.map(Into::into),
        }
    }

    /// Uses made-up hierarchies of version 1: directories in which the kernel's files are plain
    /// ones.
    #[test]
    fn limits_and_nodes_change_where_all_controllers_are_in_use() {
        let machine = tempfile::tempdir().unwrap();
        let owner = Plain(Layout::below(Path::new("/state"), "demo"));
        let own = |name: &str| machine.path().join(name);
        let mut tree = Tree {
            unified: None,
            needed: BTreeSet::new(),
            legacy: BTreeMap::from([
                (Controller::Cpu, own("cpu")),
                (Controller::Pids, own("pids")),
            ]),
            nodes: HashMap::new(),
            shared: SharedLimits { total: limits(None, Some(40)), ..SharedLimits::default() },
        };
        tree.make(&owner).unwrap();
        let read = |file: &str| fs::read_to_string(own(file)).unwrap_or_default();
        tree.admit(&owner, &node("a", None, limits(Some("0.5"), None))).unwrap();
        tree.admit(&owner, &node("b", None, Limits::default())).unwrap();
        assert_eq!(
            (read("pids/pids.max").as_str(), read("cpu/a/cpu.cfs_quota_us").as_str()),
            ("42", "50000")
        );
        assert!(!own("cpu/b").exists(), "nothing has run in it");
        tree.change(&owner, "b", limits(Some("0.25"), Some(5))).unwrap();
        assert_eq!(
            (read("cpu/b/cpu.cfs_quota_us").as_str(), read("pids/b/pids.max").as_str()),
            ("25000", "6")
        );
        // The limit of all becomes lower than those of the parts, and then all limits go.
        let group = BTreeMap::from([("g".to_owned(), limits(Some("0.2"), None))]);
        let less = SharedLimits { total: limits(Some("0.3"), None), groups: group };
        tree.share(&owner, &less).unwrap();
        assert_eq!(read("cpu/cpu.cfs_quota_us"), "30000");
        assert_eq!(
            (read("cpu/a/cpu.cfs_quota_us").as_str(), read("cpu/b/cpu.cfs_quota_us").as_str()),
            ("30000", "25000")
        );
        assert_eq!(
            (read("pids/pids.max").as_str(), read("cpu/g.group/cpu.cfs_quota_us").as_str()),
            ("max", "20000")
        );
        tree.admit(&owner, &node("c", Some("g"), limits(Some("1"), None))).unwrap();
        assert_eq!(read("cpu/g.group/c/cpu.cfs_quota_us"), "20000");
        tree.share(&owner, &SharedLimits::default()).unwrap();
        assert_eq!(
            (read("cpu/a/cpu.cfs_quota_us").as_str(), read("cpu/cpu.cfs_quota_us").as_str()),
            ("50000", "-1")
        );
        tree.change(&owner, "b", Limits::default()).unwrap();
        assert_eq!(
            (read("cpu/b/cpu.cfs_quota_us").as_str(), read("pids/b/pids.max").as_str()),
            ("-1", "max")
        );
    }

    #[test]
    fn version_2_enables_controllers_of_new_groups_and_lifts_removed_limits() {
        let machine = tempfile::tempdir().unwrap();
        let owner = Plain(Layout::below(Path::new("/state"), "demo"));
        let own = machine.path().join("netloom/demo");
        for folder in ["", "netloom", "netloom/demo", "netloom/demo/g.group"] {
            let folder = machine.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("cgroup.subtree_control"), "").unwrap();
        }
        let mut tree = Tree {
            unified: Some(own.clone()),
            needed: BTreeSet::from([Controller::Cpu]),
            ..Tree::default()
        };
        tree.make(&owner).unwrap();
        let groups = BTreeMap::from([("g".to_owned(), limits(Some("0.2"), None))]);
        tree.share(&owner, &SharedLimits { groups, ..SharedLimits::default() }).unwrap();
        tree.admit(&owner, &node("a", Some("g"), limits(Some("0.1"), None))).unwrap();
        let read = |file: &str| fs::read_to_string(own.join(file)).unwrap();
        assert!(read("g.group/cgroup.subtree_control").contains('+'));
        assert_eq!(read("g.group/cpu.max"), "20000 100000");
        assert_eq!(read("g.group/a/cpu.max"), "10000 100000");
        tree.change(&owner, "a", Limits::default()).unwrap();
        assert_eq!(read("g.group/a/cpu.max"), "max 100000");
        // The cgroup remains until its node is removed.
        tree.share(&owner, &SharedLimits::default()).unwrap();
        assert_eq!(read("g.group/cpu.max"), "max 100000");
        fs::remove_dir_all(own.join("g.group/a")).unwrap();
        for file in ["cpu.max", "cgroup.subtree_control"] {
            fs::remove_file(own.join("g.group").join(file)).unwrap();
        }
        tree.dismiss("a");
        assert!(!own.join("g.group").exists() && own.exists());
    }

    #[test]
    fn a_failed_write_leaves_limits_unchanged() {
        let machine = tempfile::tempdir().unwrap();
        let owner = Plain(Layout::below(Path::new("/state"), "demo"));
        let own = machine.path().join("pids");
        let mut tree = Tree {
            legacy: BTreeMap::from([(Controller::Pids, own.clone())]),
            shared: SharedLimits { total: limits(None, Some(40)), ..SharedLimits::default() },
            ..Tree::default()
        };
        tree.make(&owner).unwrap();
        tree.admit(&owner, &node("a", None, limits(None, Some(7)))).unwrap();
        // A directory in place of the file, which cannot be written.
        fs::remove_file(own.join("a/pids.max")).unwrap();
        fs::create_dir(own.join("a/pids.max")).unwrap();
        let error = tree.change(&owner, "a", limits(None, Some(9))).unwrap_err().to_string();
        assert!(error.contains("write 10 to") && error.contains("a/pids.max"), "{error}");
        assert_eq!(tree.held_by("a").limits.pids, Some(7));
        let total = SharedLimits { total: limits(None, Some(50)), ..SharedLimits::default() };
        tree.share(&owner, &total).unwrap();
        assert_eq!(fs::read_to_string(own.join("pids.max")).unwrap(), "51");
    }

    #[test]
    fn processes_are_moved_until_none_is_left() {
        let machine = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| machine.path().join(name));
        [&from, &to].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        fs::write(from.join("cgroup.procs"), "7\n").unwrap();
        gather(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("cgroup.procs")).unwrap(), "7");
        // A plain file contains only the last write, as if the other processes always left again.
        fs::write(from.join("cgroup.procs"), "7\n8\n").unwrap();
        assert!(gather(&from, &to).is_err());
    }
}
