//! Taking everything away again, whoever made it and however far it got.
//!
//! The order: processes first, as they hold everything else; then the names of the namespaces, all
//! at once, so that the kernel frees them in batches (see `tap` for what that is worth); then what
//! only costs a file. Every step is fine with what is not there.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::netns::{self, Identity};
use crate::pidfd::PidFd;
use crate::record::Record;
use crate::starter::EXPERIMENT_VARIABLE;
use crate::{Layout, NodeError, cgroup, drain, outside, rootless};

/// How long killed processes may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What [`cleanup`] found and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CleanupReport {
    /// Processes killed.
    pub processes: usize,
    /// Network namespaces removed.
    pub namespaces: usize,
    /// Control groups removed.
    pub cgroups: usize,
    /// Whether there was a state directory.
    pub state: bool,
}

impl CleanupReport {
    /// Whether there was nothing to remove.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Removes whatever is left of an experiment: processes (also those that users started in its
/// namespaces), namespaces with their devices, mounts, cgroups, the state directory. The caller has
/// made sure that its engine is dead. Nothing left is no error; other experiments are not touched.
///
/// # Errors
/// [`NodeError::Name`] for a name that no experiment has, [`NodeError::Remains`] listing what could
/// not be removed; the rest is removed nevertheless.
pub fn cleanup(experiment: &str) -> Result<CleanupReport, NodeError> {
    cleanup_layout(&Layout::new(experiment))
}

/// [`cleanup`] of an experiment with its state elsewhere.
///
/// # Errors
/// As [`cleanup`].
pub fn cleanup_layout(layout: &Layout) -> Result<CleanupReport, NodeError> {
    layout.check_names(std::iter::empty())?;
    let nodes = Record::nodes(layout);
    // Names from a damaged record must not lead elsewhere.
    layout.check_names(nodes.iter().map(String::as_str))?;
    let mut report = remove(layout, &nodes)?;
    report.state = layout.state_dir().exists();
    if report.state {
        let path = layout.state_dir();
        fs::remove_dir_all(path)
            .map_err(|error| NodeError::system(format!("remove {}", path.display()), error))?;
    }
    Ok(report)
}

/// Removes everything of the nodes but the state directory.
pub(crate) fn remove(layout: &Layout, nodes: &[String]) -> Result<CleanupReport, NodeError> {
    let deadline = Instant::now() + PATIENCE;
    let mut problems = vec![];
    let mut report = CleanupReport::default();
    let mut cgroups = layout.cgroups();
    cgroups.retain(|path| path.exists());
    cgroups.iter().for_each(|cgroup| cgroup::kill(cgroup));
    report.processes = kill_processes(layout, nodes, &cgroups, deadline, &mut problems);
    if !is_foreign(layout) {
        problems.extend(outside::give_back(layout));
    }
    // An ordinary user's namespaces have gone with the engine; their names go with the directory.
    let nodes = if is_foreign(layout) { &[] } else { nodes };
    for node in nodes {
        let path = layout.namespace(node);
        let existed = path.exists();
        match netns::remove(&path) {
            Ok(()) => report.namespaces += usize::from(existed),
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
    for cgroup in cgroups {
        match cgroup::remove(&cgroup, deadline) {
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

/// Removes one node of an experiment that goes on, with all that runs in it. The kernel frees its namespace in
/// its own time.
pub(crate) fn remove_node(
    layout: &Layout,
    node: &str,
    cgroups: Vec<PathBuf>,
) -> Result<(), NodeError> {
    let deadline = Instant::now() + PATIENCE;
    let mut problems = vec![];
    cgroups.iter().for_each(|cgroup| cgroup::kill(cgroup));
    kill_processes(layout, &[node.to_owned()], &cgroups, deadline, &mut problems);
    let path = layout.namespace(node);
    if let Err(error) = netns::remove(&path) {
        problems.push(format!("namespace {}: {error}", path.display()));
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

/// Whether the experiment is one in a user namespace that this process is not in.
fn is_foreign(layout: &Layout) -> bool {
    layout.is_rootless() && !nix::unistd::geteuid().is_root()
}

/// Kills what is in the experiment's namespaces and cgroup until nothing is, and returns how many
/// processes that were.
fn kill_processes(
    layout: &Layout,
    nodes: &[String],
    cgroups: &[PathBuf],
    deadline: Instant,
    problems: &mut Vec<String>,
) -> usize {
    let paths = nodes.iter().map(|node| layout.namespace(node));
    let namespaces: HashSet<Identity> = paths.filter_map(|path| netns::identity(&path)).collect();
    let in_cgroup = || -> HashSet<u32> {
        cgroups.iter().flat_map(|cgroup| cgroup::processes(cgroup)).collect()
    };
    let of_node = |pid: u32| {
        netns::identity(Path::new(&format!("/proc/{pid}/ns/net")))
            .is_some_and(|identity| namespaces.contains(&identity))
    };
    // The kernel reuses the numbers of namespaces, and names of experiments can be those of others:
    // only both together tell whose a process is.
    let user_namespace = Record::read(layout).and_then(|record| record.user_namespace);
    let of_user_namespace = |pid: u32| {
        user_namespace.is_some_and(|namespace| rootless::of(pid) == Some(namespace))
            && rootless::has_variable(pid, EXPERIMENT_VARIABLE, layout.experiment())
    };
    let in_namespace = |pid| if is_foreign(layout) { of_user_namespace(pid) } else { of_node(pid) };
    let mut killed = HashSet::new();
    loop {
        let before = in_cgroup();
        let candidates: Vec<(u32, PidFd)> = all_processes()
            .filter(|pid| before.contains(pid) || in_namespace(*pid))
            .filter_map(|pid| PidFd::open(pid).ok().map(|process| (pid, process)))
            .collect();
        // A number may have passed to a stranger before the descriptor was made: ask again.
        let after = in_cgroup();
        let found: Vec<(u32, PidFd)> = candidates
            .into_iter()
            .filter(|(pid, _)| after.contains(pid) || in_namespace(*pid))
            .collect();
        if found.is_empty() {
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

/// The numbers of all processes but this one.
fn all_processes() -> impl Iterator<Item = u32> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(move |pid| *pid != own)
}
