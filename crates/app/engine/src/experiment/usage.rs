//! What nodes use of the machine, and which processes the kernel has killed for it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use netloom_api::event::What;
use netloom_api::usage::NodeUsage;
use netloom_nodes::Usage;

use super::Experiment;

/// Processes killed for want of memory, by node, as far as they were told.
pub type ToldKills = Mutex<HashMap<String, u64>>;

impl Experiment {
    /// What the processes of a node use; `None` where nothing accounts for them, or there were none.
    pub fn usage(&self, node: &str) -> Option<NodeUsage> {
        self.with_live(|live| Ok(live.network.usage(node))).ok().flatten().map(in_words)
    }

    /// The same of all nodes of which something is known, by name.
    pub fn usages(&self) -> BTreeMap<String, NodeUsage> {
        let drawn = self.drawn();
        let stacks = drawn.scenario.nodes.iter().filter(|node| node.kind.has_stack());
        stacks.filter_map(|node| Some((node.name.clone(), self.usage(&node.name)?))).collect()
    }

    /// The nodes over which there is a limit on memory.
    pub fn memory_limited(&self) -> Vec<String> {
        let scenario = &self.drawn().scenario;
        let limited = |node: &&netloom_scenario::Node| {
            scenario.limits_over(node).iter().any(|limits| limits.memory.is_some())
        };
        scenario.nodes.iter().filter(limited).map(|node| node.name.clone()).collect()
    }

    /// Tells, once, which processes of a node the kernel has killed because of a limit on memory; how many there
    /// were since the experiment began.
    pub fn tell_memory_kills(&self, node: &str) -> u64 {
        if !self.memory_limited().iter().any(|limited| limited == node) {
            return 0;
        }
        // Held until it is told: who comes second sees that it was.
        let mut told = self.told_kills.lock().unwrap_or_else(PoisonError::into_inner);
        let kills = self.usage(node).and_then(|usage| usage.memory_kills).unwrap_or(0);
        let before = told.insert(node.into(), kills).unwrap_or(0);
        // Those of a node that was made anew count from nothing.
        let processes = kills.checked_sub(before).unwrap_or(kills);
        if processes > 0 {
            self.record(What::MemoryKilled { node: node.into(), processes });
        }
        kills
    }
}

fn in_words(usage: Usage) -> NodeUsage {
    let Usage { cpu_ns, throttled, throttled_ns, memory, memory_peak, memory_kills, .. } = usage;
    NodeUsage {
        cpu_ns,
        throttled,
        throttled_ns,
        memory,
        memory_peak,
        memory_kills,
        pids: usage.pids,
        pids_peak: usage.pids_peak,
    }
}
