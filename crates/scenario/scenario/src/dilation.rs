//! Whether a scenario can run in dilated time.

use std::collections::BTreeMap;

use crate::limits::Limits;
use crate::spec::{Kernel, NodeKind, Scenario, TimelineAction};

impl Scenario {
    /// Returns the reasons why this scenario cannot run with its dilation, one sentence for each
    /// obstacle. Empty if it can, or if time is not dilated.
    ///
    /// Programs in a node use the clock of the node's kernel, and only a kernel of the node's own
    /// can be dilated.
    pub fn undilatable(&self) -> Vec<String> {
        if self.dilation.is_none() {
            return Vec::new();
        }
        let running = self.running();
        let obstacles = self.nodes.iter().filter_map(|node| {
            let (name, dilation) = (&node.name, self.dilation);
            if node.kind == NodeKind::Outside {
                return Some(format!(
                    "at a dilation of {dilation}, the network cannot meet {name}, where time \
                     passes as on the machine: leave that end out, or `time` and `--dilation`"
                ));
            }
            let what = running.get(name.as_str())?;
            let is_machine = node.kernel == Kernel::Shared && !node.simulated;
            is_machine.then(|| {
                format!(
                    "node `{name}` cannot run {what} at a dilation of {dilation}: it is on the \
                     machine's kernel, whose timers of TCP and whose clock cannot be dilated; give \
                     the node `kernel: own`, or leave `time` and `--dilation` out"
                )
            })
        });
        obstacles.chain(self.too_little()).collect()
    }

    /// Reports limits of CPU time that, dilated, are below the smallest quota of the kernel.
    fn too_little(&self) -> impl Iterator<Item = String> {
        let of_nodes = self.nodes.iter().map(|node| (format!("node `{}`", node.name), node.limits));
        let groups = self.group_limits.iter();
        let of_groups = groups.map(|(group, limits)| (format!("group `{group}`"), *limits));
        let all = of_nodes.chain(of_groups).chain([("all nodes".into(), self.total_limits)]);
        all.filter_map(|(who, limits): (String, Limits)| {
            let cpu = limits.cpu?;
            let dilated = limits.dilated(self.dilation).cpu?;
            (!dilated.can_be_given()).then(|| {
                format!(
                    "`cpu` of {who} is {cpu}, which at a dilation of {} is {dilated} of the \
                     machine's CPUs, and the kernel gives no less than 0.01: give more, or leave \
                     the limit out",
                    self.dilation
                )
            })
        })
    }

    /// Returns the nodes in which programs run, each with the first of its programs.
    fn running(&self) -> BTreeMap<&str, String> {
        let mut running = BTreeMap::new();
        let mut runs = |node, what: String| _ = running.entry(node).or_insert(what);
        for node in &self.nodes {
            if !node.software.startup.is_empty() {
                runs(node.name.as_str(), "its `startup`".into());
            }
            if let Some(service) = node.software.services.keys().next() {
                runs(&node.name, format!("service `{service}`"));
            }
        }
        for process in &self.processes {
            process.nodes.iter().for_each(|node| runs(node, format!("`{}`", process.name)));
        }
        for traffic in &self.traffic {
            let ends = traffic.from.iter().chain(&traffic.to);
            ends.for_each(|node| runs(node, format!("traffic `{}`", traffic.name)));
        }
        for event in &self.timeline {
            if let TimelineAction::Run { node, .. } = &event.action {
                runs(node, "commands of the timeline".into());
            }
        }
        running
    }
}
