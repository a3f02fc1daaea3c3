//! What the nodes and links of a scenario need.

use std::collections::{BTreeSet, HashMap};

use netloom_scenario::{Cut, Link, LinkLoad, NodeKind, Outside, Scenario};
use netloom_units::{Duration, Rate};

use crate::problem::{Bounds, Flow, LinkDemand, Machine, NodeDemand, Problem};
use crate::search::STEPS_PER_SECOND;

/// Rate of a pipe that nothing bounds, in bit/s.
const UNBOUNDED: f64 = 100e6;

/// Size of a frame without FCS, where the scenario does not say it.
const FRAME: f64 = 1514.0;

/// Label of the simulated nodes, which one thread carries.
const SIMULATED: &str = "simulated nodes";

/// What nodes and links take of a machine apart from what the scenario says, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needs {
    /// Memory of a node without routes.
    pub node: f64,
    /// Memory of a link with both its interfaces. Each end counts half.
    pub link: f64,
    /// Memory of a route.
    pub route: f64,
}

impl Default for Needs {
    /// Figures of `docs/measured/scale.md`.
    fn default() -> Self {
        Self { node: 500e3, link: 26e3, route: 600.0 }
    }
}

/// Returns the demands of a scenario's nodes and links. Devices of the machine at the ends of links
/// are no nodes: such a link is where its other end is. `machines` are the names of the machines,
/// and `routes` the number of routes of each node of the scenario.
///
/// # Errors
/// A sentence: a node names a machine that is not there, or has a link to the outside and names
/// none though there are several.
pub fn demands(
    scenario: &Scenario,
    machines: &[&str],
    needs: Needs,
    routes: &dyn Fn(usize) -> usize,
) -> Result<(Vec<NodeDemand>, Vec<LinkDemand>), String> {
    let mut nodes = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (number, node) in scenario.nodes.iter().enumerate() {
        if node.kind == NodeKind::Outside {
            continue;
        }
        let load = node.expected_load();
        let limits = netloom_scenario::Limits { cpu: load.cpu, ..Default::default() };
        let cpu = limits.dilated(scenario.dilation).cpu.map_or(0.0, |cpu| cpu.cpus());
        let own = if node.kind.has_stack() && !node.simulated {
            needs.node + needs.route * routes(number) as f64
        } else {
            0.0
        };
        index.insert(&node.name, nodes.len());
        nodes.push(NodeDemand {
            name: node.name.clone(),
            cpu,
            memory: own + load.memory.map_or(0.0, |memory| memory.bytes() as f64),
            machine: machine(node, machines)?,
            together: node
                .together
                .iter()
                .cloned()
                .chain(node.simulated.then(|| SIMULATED.to_owned()))
                .collect(),
            apart: node.apart.clone(),
        });
    }
    let flows = flows(scenario);
    let least = scenario.least_propagations();
    let mut links = Vec::new();
    for ((link, flows), least) in scenario.links.iter().zip(flows).zip(least) {
        let ends = link.endpoints.each_ref().map(|end| index.get(end.node.as_str()).copied());
        for end in ends.iter().flatten() {
            nodes[*end].memory += needs.link / 2.0;
            if machines.len() > 1 && link.is_outside() && nodes[*end].machine.is_none() {
                return Err(format!(
                    "link `{}` leads to a device of a machine, and node `{}` does not say which; \
                     write `machine: {}`, or another, to the node",
                    link.name, nodes[*end].name, machines[0]
                ));
            }
        }
        let is_carried = !link.direct;
        links.push(LinkDemand {
            name: link.name.clone(),
            ends,
            flows: if is_carried { flows } else { [Flow::default(); 2] },
            least: least.map(|least| scenario.dilation.to_machine(least)),
            cut: if is_carried { link.cut } else { Cut::Never },
        });
    }
    Ok((nodes, links))
}

fn machine(node: &netloom_scenario::Node, machines: &[&str]) -> Result<Option<usize>, String> {
    let Some(name) = &node.machine else { return Ok(None) };
    if let Some(found) = machines.iter().position(|machine| machine == name) {
        return Ok(Some(found));
    }
    let help = match netloom_scenario::similar(name, machines.iter().copied()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => {
            let all: Vec<String> = machines.iter().map(|name| format!("`{name}`")).collect();
            format!("the machines are {}", all.join(", "))
        }
    };
    Err(format!("node `{}` names machine `{name}`, which is not listed; {help}", node.name))
}

/// Returns the expected traffic of each link. What the scenario says counts; else the rate of the
/// pipe, at most what all hosts send, and at most what all hosts receive. A pipe that nothing
/// bounds counts as 100 Mbit/s.
fn flows(scenario: &Scenario) -> Vec<[Flow; 2]> {
    let sources = sources(scenario);
    let is_host = |link: &Link, end: usize| {
        let node = link.endpoints[end].node.as_str();
        Outside::of_name(node).is_some() || sources.contains(node)
    };
    // From each host, and to each host.
    let (mut egress, mut ingress) = (0.0, 0.0);
    for link in scenario.modelled_links() {
        for direction in [0, 1] {
            let rate = own_rate(link, direction).unwrap_or(UNBOUNDED);
            if is_host(link, direction) {
                egress += rate;
            }
            if is_host(link, 1 - direction) {
                ingress += rate;
            }
        }
    }
    let all = if egress > 0.0 && ingress > 0.0 { egress.min(ingress) } else { f64::INFINITY };
    let dilation = scenario.dilation.as_f64();
    let of_link = |link: &Link| {
        [0, 1].map(|direction| {
            let LinkLoad { rate, frame } = link.loads[direction];
            let expected = match rate {
                Some(rate) => bits(rate),
                None => own_rate(link, direction).unwrap_or(UNBOUNDED).min(all),
            };
            let frame = frame.map_or(FRAME, |frame| frame.bytes() as f64);
            Flow { bits: expected / dilation, frame }
        })
    };
    scenario.links.iter().map(of_link).collect()
}

/// Nodes from which and to which traffic flows: hosts, and all in which programs run.
fn sources(scenario: &Scenario) -> BTreeSet<&str> {
    let hosts = scenario.nodes.iter().filter(|node| node.kind == NodeKind::Host);
    let hosts = hosts.map(|node| node.name.as_str());
    let processes = scenario.processes.iter().flat_map(|process| &process.nodes);
    let traffic =
        scenario.traffic.iter().flat_map(|traffic| traffic.from.iter().chain(&traffic.to));
    hosts.chain(processes.chain(traffic).map(String::as_str)).collect()
}

/// Returns the rate that the scenario expects, or else the one that the pipe has.
fn own_rate(link: &Link, direction: usize) -> Option<f64> {
    let pipe = [&link.forward, &link.reverse][direction];
    link.loads[direction].rate.or(pipe.rate.largest()).map(bits)
}

fn bits(rate: Rate) -> f64 {
    rate.bits_per_second() as f64
}

impl Problem {
    /// Returns the problem of placing a scenario on these machines. `routes` has the number of
    /// routes of each node of the scenario.
    ///
    /// # Errors
    /// Those of [`demands`].
    pub fn new(
        scenario: &Scenario,
        machines: Vec<Machine>,
        bounds: Bounds,
        routes: &dyn Fn(usize) -> usize,
    ) -> Result<Self, String> {
        let names: Vec<&str> = machines.iter().map(|machine| machine.name.as_str()).collect();
        let (nodes, links) = demands(scenario, &names, Needs::default(), routes)?;
        let options = scenario.placement;
        let per_second = Duration::from_secs(1).as_nanos() / STEPS_PER_SECOND;
        Ok(Self {
            nodes,
            links,
            machines,
            bounds,
            objective: options.objective,
            headroom: options.headroom.value(),
            steps: (options.solve_for.as_nanos() / per_second).max(1),
            seed: scenario.seed,
        })
    }
}
