//! Where the probes look: the nodes, with what limits them.

use netloom_probes::{Limited, Node, Places};
use netloom_units::Duration;

use crate::live::LiveNetwork;

/// The nodes there are now, and those that were.
pub fn of(network: &LiveNetwork) -> Places {
    let deployment = network.deployment();
    // Without usable ones, none.
    let cgroup =
        |node: &str| network.with(|live| Ok(live.network.cgroup_place(node))).ok().flatten();
    let namespace =
        |node: &str| network.with(|live| Ok(live.network.namespace_inode(node))).ok().flatten();
    let node = |name: String| {
        // Switches have neither, nor have nodes that are there no more.
        let found = deployment.scenario.node(&name);
        let over = || found.map(|node| deployment.scenario.limits_over(node)).into_iter().flatten();
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
    let tolerated_wait = tolerated_wait(&deployment.scenario.monitor);
    Places { tolerated_wait, ..Places::of_this_machine(nodes) }
}

/// How long a task may wait for a CPU without a word: what the criteria tolerate, and no longer
/// than the run can bear.
pub fn tolerated_wait(monitor: &netloom_scenario::Monitor) -> Duration {
    monitor.criteria.run_queue.tolerance().min(monitor.trust.delay())
}
