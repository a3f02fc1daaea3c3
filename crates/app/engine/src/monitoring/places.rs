//! The nodes that probes observe, with the limits over them.

use netloom_probes::{Limited, Node, ProcRoots};
use netloom_units::Duration;

use crate::live::LiveNetwork;

/// Returns the nodes that exist now, and those that existed.
pub fn of(network: &LiveNetwork) -> ProcRoots {
    let deployment = network.deployment();
    // Nodes have no cgroup if cgroups cannot be used.
    let cgroup =
        |node: &str| network.with(|live| Ok(live.network.cgroup_place(node))).ok().flatten();
    let namespace =
        |node: &str| network.with(|live| Ok(live.network.namespace_inode(node))).ok().flatten();
    let node = |name: String| {
        // Switches have neither, and nor have nodes that no longer exist.
        let found = deployment.mine.scenario.node(&name);
        let over =
            || found.map(|node| deployment.mine.scenario.limits_over(node)).into_iter().flatten();
        Node {
            netns: found.and_then(|node| namespace(&node.name)),
            cgroup: found.and_then(|node| cgroup(&node.name)),
            limited: Limited {
                cpu: over().any(|limits| limits.cpu.is_some()),
                memory: over().any(|limits| limits.memory.is_some()),
            },
            name,
        }
    };
    let nodes = network.identities.node_names().into_iter().map(node).collect();
    let tolerated_wait = tolerated_wait(&deployment.mine.scenario.monitor);
    ProcRoots { tolerated_wait, ..ProcRoots::of_this_machine(nodes) }
}

/// Returns the longest wait of a task for a CPU that is not reported: the tolerance of the
/// criteria, but no longer than the run can bear.
pub fn tolerated_wait(monitor: &netloom_scenario::Monitor) -> Duration {
    monitor.criteria.run_queue.tolerance().min(monitor.trust.delay)
}
