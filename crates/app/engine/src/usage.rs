//! Resources of the machine that nodes use, and processes that the kernel has killed because memory
//! ran out.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use netloom_api::event::What;
use netloom_api::usage::NodeUsage;
use netloom_nodes::Usage;
use netloom_units::Dilation;
use tokio::task::JoinHandle;

use crate::events::EventLog;
use crate::live::LiveNetwork;

/// Period of queries for kills.
const PERIOD: Duration = Duration::from_millis(500);

/// Returns the resources that the processes of a node use. CPU time is in the experiment's time.
/// `None` if it is not accounted, or there were no processes.
pub fn of_node(network: &LiveNetwork, node: &str) -> Option<NodeUsage> {
    let used = network.with(|live| Ok(live.network.usage(node))).ok().flatten();
    used.map(|usage| in_words(usage, network.clock().dilation()))
}

/// Returns the resources that the processes of each node use, by name, where they are known.
pub fn of_all_nodes(network: &LiveNetwork) -> BTreeMap<String, NodeUsage> {
    let deployment = network.deployment();
    let stacks = deployment.mine.scenario.nodes.iter().filter(|node| node.kind.has_stack());
    let used = |name: &String| Some((name.clone(), of_node(network, name)?));
    stacks.filter_map(|node| used(&node.name)).collect()
}

fn in_words(usage: Usage, dilation: Dilation) -> NodeUsage {
    let in_experiment =
        |nanos: u64| dilation.to_experiment(netloom_units::Duration::from_nanos(nanos)).as_nanos();
    let Usage { cpu_ns, throttled, throttled_ns, memory, memory_peak, memory_kills, .. } = usage;
    NodeUsage {
        cpu_ns: cpu_ns.map(in_experiment),
        throttled,
        throttled_ns: throttled_ns.map(in_experiment),
        memory,
        memory_peak,
        memory_kills,
        pids: usage.pids,
        pids_peak: usage.pids_peak,
    }
}

/// Records processes of nodes that the kernel kills because of limits on memory.
pub struct MemoryKills {
    network: Arc<LiveNetwork>,
    events: Arc<EventLog>,
    /// Recorded kills, by node.
    recorded: Mutex<HashMap<String, u64>>,
}

impl MemoryKills {
    /// Makes a record without kills.
    pub fn new(network: Arc<LiveNetwork>, events: Arc<EventLog>) -> Self {
        Self { network, events, recorded: Mutex::default() }
    }

    /// Records kills as they happen, for as long as the network lives.
    pub fn watch(self: &Arc<Self>) -> JoinHandle<()> {
        let kills = Arc::clone(self);
        tokio::spawn(async move {
            let mut deployment = kills.network.deployment();
            let mut limited = deployment.memory_limited();
            loop {
                tokio::time::sleep(PERIOD).await;
                let now = kills.network.deployment();
                if !Arc::ptr_eq(&now, &deployment) {
                    limited = now.memory_limited();
                    deployment = now;
                }
                let look = || limited.iter().for_each(|node| _ = kills.record(node));
                tokio::task::block_in_place(look);
            }
        })
    }

    /// Records, once, the processes of a node that the kernel has killed because of a limit on
    /// memory. Returns their number since the experiment began.
    pub fn record(&self, node: &str) -> u64 {
        if !self.network.deployment().memory_limited().iter().any(|limited| limited == node) {
            return 0;
        }
        // Held until the kill is recorded, so that a second caller finds the record.
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let kills = of_node(&self.network, node).and_then(|usage| usage.memory_kills).unwrap_or(0);
        let before = recorded.insert(node.into(), kills).unwrap_or(0);
        // A node that was made anew counts from zero.
        let processes = kills.checked_sub(before).unwrap_or(kills);
        if processes > 0 {
            self.events.record(What::MemoryKilled { node: node.into(), processes });
        }
        kills
    }
}
