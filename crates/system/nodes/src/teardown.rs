//! Removes everything of an experiment, whoever made it and however far its creation went.
//!
//! The order is: processes first, since they keep everything else alive; then the names of the
//! namespaces, all at once, so that the kernel frees them in batches (see `tap` for the gain); then
//! objects that cost only a file operation. Every step accepts missing objects, and leaves alone
//! those that are not the experiment's, whatever their names ([`crate::made`]).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use crate::books::ledger::Ledger;
use crate::books::ours::Ours;
use crate::books::variables::EXPERIMENT_VARIABLE;
use crate::process::pidfd::PidFd;
use crate::stack::netns::{self, Identity};
use crate::{LOCK, Layout, NodeError, cgroup, drain, outside, rootless};

/// Longest time for killed processes to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest time for a process to load its program. One that runs without an environment is left to
/// the kernel, which ends it with its node's init.
const LOADING: Duration = Duration::from_secs(1);

/// The objects that [`cleanup`] found and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CleanupReport {
    /// Number of processes that were killed.
    pub processes: usize,
    /// Number of network namespaces that were removed.
    pub namespaces: usize,
    /// Number of control groups that were removed.
    pub cgroups: usize,
    /// Whether there was a state directory.
    pub state: bool,
    /// Objects with the experiment's name that were left alone, since the experiment has not made
    /// them.
    pub foreign: Vec<PathBuf>,
}

impl CleanupReport {
    /// Whether there was nothing to remove.
    pub fn is_empty(&self) -> bool {
        self.processes + self.namespaces + self.cgroups == 0 && !self.state
    }
}

/// Removes the remains of an experiment: processes (also those that users started in its
/// namespaces), namespaces with their devices, mounts, cgroups, the state directory. The caller has
/// made sure that its engine is dead, and that the state directory is one. Finding nothing is no
/// error. Objects that others have made are not touched.
///
/// # Errors
/// [`NodeError::Name`] for a name that no experiment has, [`NodeError::Remains`] listing what could
/// not be removed; the rest is removed nevertheless.
pub fn cleanup(experiment: &str) -> Result<CleanupReport, NodeError> {
    cleanup_layout(&Layout::new(experiment))
}

/// Cleans up an experiment whose state is elsewhere, as [`cleanup`] does.
///
/// # Errors
/// As [`cleanup`].
pub fn cleanup_layout(layout: &Layout) -> Result<CleanupReport, NodeError> {
    layout.check_names(std::iter::empty())?;
    let ours = Ours::left_by(layout);
    // Names from a damaged record must not lead elsewhere.
    layout.check_names(ours.nodes().map(String::as_str))?;
    let mut report = remove(&ours)?;
    report.state = layout.state_dir().exists();
    if report.state {
        let path = layout.state_dir();
        remove_state(path)
            .map_err(|error| NodeError::system(format!("remove {}", path.display()), error))?;
    }
    report.foreign = foreign(layout);
    Ok(report)
}

/// Removes a state directory, the lock last: without the lock and with other files in it, it would
/// not be a state directory.
fn remove_state(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.flatten().filter(|entry| entry.file_name() != LOCK) {
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    fs::remove_dir_all(path)
}

/// Returns namespaces and cgroups that have the experiment's name; `a.b.c` is node `c` of `a.b`,
/// never `b.c` of `a`.
fn foreign(layout: &Layout) -> Vec<PathBuf> {
    let is_of = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.rsplit_once('.')).is_some_and(|(of, _)| of == layout.experiment())
    };
    let names = fs::read_dir(layout.netns_dir()).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = names.map(|entry| entry.path()).filter(is_of).collect();
    found.sort_unstable();
    found.extend(layout.cgroups().into_iter().filter(|path| path.exists()));
    found
}

/// Removes everything of an experiment except its state directory.
pub(crate) fn remove(ours: &Ours<'_>) -> Result<CleanupReport, NodeError> {
    let layout = ours.layout();
    let deadline = Instant::now() + PATIENCE;
    let mut problems = vec![];
    let mut report = CleanupReport::default();
    let cgroups = ours.cgroups();
    cgroups.iter().for_each(|cgroup| cgroup::kill(cgroup));
    let kill = Kill { namespaces: ours.namespaces(), cgroups: &cgroups, ours, is_whole: true };
    report.processes = kill.all(deadline, &mut problems);
    if !is_foreign(layout) {
        problems.extend(outside::give_back(ours));
    }
    problems.extend(ours.problem.clone());
    ours.let_go();
    // An ordinary user's namespaces have gone with the engine. Their names go with the directory.
    let names = ours.made.namespaces.iter().filter(|_| !is_foreign(layout));
    for (node, named) in names.filter(|(node, _)| ours.may_remove(node)) {
        let path = layout.namespace(node);
        match netns::remove(&path, named) {
            Ok(was_ours) => report.namespaces += usize::from(was_ours),
            Err(error) => problems.push(format!("namespace {}: {error}", path.display())),
        }
    }
    if !is_foreign(layout)
        && let Err(error) = netns::unprepare(layout)
    {
        problems.push(format!("directory {}: {error}", layout.netns_dir().display()));
    }
    if report.namespaces > 0 {
        drain::wait();
    }
    for cgroup in cgroups.iter().chain(&ours.empty_cgroups()) {
        match cgroup::remove(cgroup, deadline) {
            Ok(count) => report.cgroups += count,
            Err(error) => problems.push(format!("cgroup {}: {error}", cgroup.display())),
        }
        // The common parent goes with the last experiment.
        let _ = cgroup.parent().map(fs::remove_dir);
    }
    if problems.is_empty() {
        return Ok(report);
    }
    Err(NodeError::Remains { experiment: layout.experiment().into(), problems })
}

/// Removes one node of an experiment that goes on, with all its processes. The kernel frees its
/// namespace later.
pub(crate) fn remove_node(
    ledger: &Ledger,
    node: &str,
    cgroups: Vec<PathBuf>,
) -> Result<(), NodeError> {
    let layout = ledger.layout();
    let deadline = Instant::now() + PATIENCE;
    let mut problems = vec![];
    let ours = Ours::of(ledger);
    let named = ours.made.namespaces.get(node);
    cgroups.iter().for_each(|cgroup| cgroup::kill(cgroup));
    let namespaces = named.iter().map(|named| named.namespace).collect();
    let kill = Kill { namespaces, cgroups: &cgroups, ours: &ours, is_whole: false };
    kill.all(deadline, &mut problems);
    ledger.let_go(node);
    let path = layout.namespace(node);
    let removed = named.map_or(Ok(false), |named| netns::remove(&path, named));
    match removed.and_then(|_| ledger.forget_namespace(node)) {
        Ok(()) => {}
        Err(error) => problems.push(format!("namespace {}: {error}", path.display())),
    }
    for cgroup in cgroups {
        if let Err(error) = cgroup::remove(&cgroup, deadline) {
            problems.push(format!("cgroup {}: {error}", cgroup.display()));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(NodeError::Remains { experiment: layout.experiment().into(), problems }),
    }
}

/// Whether the experiment is in a user namespace that this process is not in.
pub(crate) fn is_foreign(layout: &Layout) -> bool {
    layout.is_rootless() && !nix::unistd::geteuid().is_root()
}

/// The processes that are to be killed.
struct Kill<'a> {
    namespaces: HashSet<Identity>,
    cgroups: &'a [PathBuf],
    ours: &'a Ours<'a>,
    /// Whether the whole experiment ends, and not only a node of it.
    is_whole: bool,
}

impl Kill<'_> {
    /// Kills the processes in the namespaces and cgroups until there are none. Returns their
    /// number.
    fn all(&self, deadline: Instant, problems: &mut Vec<String>) -> usize {
        let mut killed = HashSet::new();
        let loading = deadline.min(Instant::now() + LOADING);
        loop {
            let before = self.in_cgroups();
            let candidates: Vec<(u32, PidFd)> = all_processes()
                .filter(|pid| before.contains(pid) || self.is_in_namespace(*pid))
                .filter_map(|pid| PidFd::open(pid).ok().map(|process| (pid, process)))
                .collect();
            // The pid may have passed to a foreign process before the descriptor was made, so ask
            // again.
            let after = self.in_cgroups();
            let found: Vec<(u32, PidFd)> = candidates
                .into_iter()
                .filter(|(pid, _)| after.contains(pid) || self.is_in_namespace(*pid))
                .collect();
            if found.is_empty() {
                if Instant::now() < loading && self.is_one_loading() {
                    thread::sleep(Duration::from_millis(1));
                    continue;
                }
                return killed.len();
            }
            for (pid, process) in &found {
                killed.insert(*pid);
                if let Err(error) = process.kill() {
                    problems.push(format!("process {pid}: {error}"));
                }
            }
            if let Some((pid, _)) = found.iter().find(|(_, process)| !process.ended_by(deadline)) {
                problems.push(format!("process {pid} does not end"));
                return killed.len();
            }
        }
    }

    /// Whether there is a process that may yet prove to belong to an ordinary user's experiment:
    /// while it loads a program, it has no environment.
    fn is_one_loading(&self) -> bool {
        let namespace = self.ours.user_namespace();
        let may_be =
            |pid: &u32| rootless::of(*pid) == namespace && !rootless::has_environment(*pid);
        is_foreign(self.ours.layout())
            && namespace.is_some()
            && all_processes()
                .filter(may_be)
                .any(|pid| PidFd::open(pid).is_ok_and(|process| !process.ended_by(Instant::now())))
    }

    fn in_cgroups(&self) -> HashSet<u32> {
        self.cgroups.iter().flat_map(|cgroup| cgroup::processes(cgroup)).collect()
    }

    /// Whether a process is the command of a shell in a shell. Its namespace has a name only in the
    /// mount namespace of the outer one, so that its number alone is not certain.
    fn is_of_nested_shell(&self, pid: u32, identity: Identity) -> bool {
        let mut made = self.ours.made.namespaces.values();
        self.is_whole
            && made.any(|named| named.namespace == identity)
            && rootless::has_variable(pid, EXPERIMENT_VARIABLE, self.ours.layout().experiment())
    }

    fn is_in_namespace(&self, pid: u32) -> bool {
        if !is_foreign(self.ours.layout()) {
            let found = netns::identity(Path::new(&format!("/proc/{pid}/ns/net")));
            return found.is_some_and(|identity| {
                self.namespaces.contains(&identity) || self.is_of_nested_shell(pid, identity)
            });
        }
        // The kernel reuses the numbers of namespaces, and names of experiments can equal those of
        // others. Only both together identify the owner of a process.
        self.ours.user_namespace().is_some_and(|namespace| rootless::is_in(pid, namespace))
            && rootless::has_variable(pid, EXPERIMENT_VARIABLE, self.ours.layout().experiment())
    }
}

/// Returns the pids of all processes except this one.
pub(crate) fn all_processes() -> impl Iterator<Item = u32> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(move |pid| *pid != own)
}
