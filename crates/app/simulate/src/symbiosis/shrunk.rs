//! The paths between real hosts, and the small network that stands for them. Not here: contraction
//! itself (`netloom-symbiosis`), and routes (`netloom-plan`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use netloom_fabric::PipeId;
use netloom_link::{Direction, PipeConfig};
use netloom_plan::Plan;
use netloom_scenario::{Scenario, TwinMethod};
use netloom_sim::{Hop, Network, NoPath, Simulation};
use netloom_symbiosis::{Graph, GraphLink, Small, SmallLink, SmallPipe, prune, transmission};
use netloom_units::Duration;

/// Bytes of an Ethernet header.
const ETHERNET: u32 = 14;
/// Number of full frames that each pipe can serve in a default period.
const FRAMES: u64 = 80;
/// Bounds of a default period.
const PERIODS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// The part of a network that real packets can meet, and the small network that stands for it.
#[derive(Debug, Clone)]
pub struct Shrunk {
    /// The real hosts.
    pub hosts: Vec<RealHost>,
    /// The pipes on the paths between real hosts, by link and direction.
    pub pruned: Vec<PrunedPipe>,
    /// The small network.
    pub small: Small,
    /// The pipes of the small network, in order.
    pub pipes: Vec<SmallPipeOf>,
    /// The paths between real hosts, by host.
    pub ways: Vec<Way>,
    /// The addresses of real hosts, each with the index of its host.
    pub addresses: HashMap<IpAddr, u32>,
    /// T: duration of a period.
    pub period: Duration,
    /// The kind of twins that stand for real TCP.
    pub twins: TwinMethod,
}

/// A real host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealHost {
    /// Name of the host.
    pub name: String,
    /// Interfaces of the host, in order.
    pub interfaces: Vec<String>,
}

/// A pipe on a path between real hosts.
#[derive(Debug, Clone)]
pub struct PrunedPipe {
    /// Identity of the pipe in the large network.
    pub id: PipeId,
    /// Name of the pipe.
    pub name: String,
    /// The node that it leads from, and the node that it leads to.
    pub ends: [String; 2],
    /// Initial configuration of the pipe.
    pub config: PipeConfig,
    /// Length of a full frame in bytes.
    pub full: u32,
}

/// A pipe of the small network.
#[derive(Debug, Clone)]
pub struct SmallPipeOf {
    /// Place of the pipe in the small network.
    pub place: SmallPipe,
    /// Name of the pipe.
    pub name: String,
    /// The real host or junction that it leads from, and the one that it leads to.
    pub ends: [String; 2],
    /// The chain that it stands for: indices in [`Shrunk::pruned`], in the order of the path.
    pub chain: Vec<usize>,
    /// Sum of the chain's propagation delays.
    pub delay: Duration,
}

/// A path from one real host to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The sending and the receiving host, by their indices in [`Shrunk::hosts`].
    pub ends: [u32; 2],
    /// The addresses of the receiving host to which this path leads.
    pub addresses: Vec<IpAddr>,
    /// Pipes of the path: indices in [`Shrunk::pruned`], in order.
    pub pipes: Vec<usize>,
    /// The small pipes that stand for these: indices in [`Shrunk::pipes`], in order.
    pub small: Vec<usize>,
}

impl Shrunk {
    /// Finds the paths between the real hosts of a `network`, which `simulation` must simulate as a
    /// whole.
    ///
    /// # Errors
    /// If two hosts cannot reach each other, or only over links for which no small pipe can stand.
    pub fn new(
        scenario: &Scenario,
        plan: &Plan,
        network: &Network,
        simulation: &mut Simulation,
    ) -> Result<Self> {
        let hosts = Hosts::new(scenario, plan)?;
        let mut links = BTreeMap::new();
        let mut routes = Vec::new();
        for (here, from) in (0..).zip(&hosts.all) {
            for (there, to) in (0..).zip(&hosts.all).filter(|(there, _)| *there != here) {
                let mut to_there: Vec<Route> = Vec::new();
                for (address, way) in hosts.ways([from, to], simulation)? {
                    for hop in &way {
                        links.insert(hop.pipe.link, link(network, hop));
                    }
                    let pipes: Vec<PipeId> = way.into_iter().map(|hop| hop.pipe).collect();
                    match to_there.iter_mut().find(|route| route.pipes == pipes) {
                        Some(route) => route.addresses.push(address),
                        None => {
                            let (ends, addresses) = ([here, there], vec![address]);
                            to_there.push(Route { ends, addresses, pipes });
                        }
                    }
                }
                routes.append(&mut to_there);
            }
        }
        let pruned = prune(routes.iter().map(|route| &route.pipes[..]));
        let graph = Graph { links };
        let real: BTreeSet<u32> = hosts.all.iter().map(|host| host.node).collect();
        // A scenario that is not symbiotic does not have these settings.
        let asked = scenario.symbiosis.context("the scenario says nothing of `symbiosis`")?;
        let small = if asked.downscale {
            Small::contracted(&graph, &real, &pruned)
        } else {
            Small::uncontracted(&graph, &real, &pruned)
        };
        let pruned: Vec<_> = pruned.iter().map(|id| pruned_pipe(network, &graph, *id)).collect();
        let period = asked.period.unwrap_or_else(|| period(&pruned));
        let addresses = (0..)
            .zip(&hosts.all)
            .flat_map(|(place, host)| host.addresses.iter().map(move |address| (*address, place)));
        let addresses = addresses.collect();
        let pipes = small_pipes(&small, &pruned, network);
        let ways = routes.into_iter().map(|route| way(route, &pruned, &small, &pipes)).collect();
        let real = |host: Host| RealHost { name: host.name, interfaces: host.interfaces };
        let hosts = hosts.all.into_iter().map(real).collect();
        let twins = asked.twins;
        Ok(Self { hosts, pruned, small, pipes, ways, addresses, period, twins })
    }
}

/// A path, as pipes of the large network.
struct Route {
    ends: [u32; 2],
    addresses: Vec<IpAddr>,
    pipes: Vec<PipeId>,
}

fn way(route: Route, pruned: &[PrunedPipe], small: &Small, pipes: &[SmallPipeOf]) -> Way {
    let Route { ends, addresses, pipes: of_route } = route;
    let place = |id: &PipeId| pruned.iter().position(|pipe| pipe.id == *id);
    let stands = |small: SmallPipe| pipes.iter().position(|pipe| pipe.place == small);
    let small = small.route(&of_route).into_iter().filter_map(stands).collect();
    Way { ends, addresses, pipes: of_route.iter().filter_map(place).collect(), small }
}

/// The real hosts of a scenario.
struct Hosts {
    all: Vec<Host>,
    /// Names of all nodes, by number.
    names: Vec<String>,
}

struct Host {
    name: String,
    interfaces: Vec<String>,
    node: u32,
    addresses: Vec<IpAddr>,
}

impl Hosts {
    fn new(scenario: &Scenario, plan: &Plan) -> Result<Self> {
        let mut all = Vec::new();
        for (node, planned) in (0..).zip(&plan.nodes) {
            if scenario.node(&planned.name).is_none_or(|node| node.simulated) {
                continue;
            }
            let of_interfaces = planned.interfaces.iter().flat_map(|one| &one.addresses);
            let prefixes = of_interfaces.chain(&planned.loopback);
            let addresses = prefixes.map(|prefix| prefix.address()).collect();
            let interfaces = planned.interfaces.iter().map(|one| one.name.to_string()).collect();
            all.push(Host { name: planned.name.clone(), interfaces, node, addresses });
        }
        if all.len() < 2 {
            bail!("a symbiotic run needs two real hosts: nodes without `simulated: true`");
        }
        Ok(Self { all, names: plan.nodes.iter().map(|node| node.name.clone()).collect() })
    }

    /// Returns the paths from a host to each address of another host that it can reach.
    fn ways(
        &self,
        [from, to]: [&Host; 2],
        simulation: &mut Simulation,
    ) -> Result<Vec<(IpAddr, Vec<Hop>)>> {
        let (mut ways, mut missing) = (Vec::new(), None);
        for address in &to.addresses {
            match simulation.path(from.node, *address) {
                Ok(way) => {
                    self.check(&way, [from, to])?;
                    ways.push((*address, way));
                }
                Err(NoPath::Fabric(at)) => bail!(
                    "the way from `{}` to `{}` leaves `{}` by a link that ends at a switch, or \
                     whose queue looks at headers, for which no pipe can stand: in a symbiotic \
                     run, put routers and `fifo` queues between real hosts",
                    from.name,
                    to.name,
                    self.name(at.node)
                ),
                Err(why) => missing = Some(why),
            }
        }
        match missing.filter(|_| ways.is_empty()) {
            None => Ok(ways),
            Some(why) => {
                let (node, what) = match why {
                    NoPath::NotForwarding(node) => (node, "does not forward"),
                    NoPath::Loop(node) => (node, "is on a way that goes round"),
                    NoPath::NoRoute(node) => (node, "has no route there"),
                    NoPath::Fabric(at) => (at.node, "has a switch behind it"),
                };
                bail!(
                    "packets of `{}` cannot come to `{}`, both of which are real: `{}` {what}",
                    from.name,
                    to.name,
                    self.name(node)
                )
            }
        }
    }

    /// Checks that no real host forwards. What it forwards would be sent twice: by the host, and by
    /// its twin.
    fn check(&self, way: &[Hop], [from, to]: [&Host; 2]) -> Result<()> {
        let mut between = way.iter().skip(1).map(|hop| hop.from.node);
        if let Some(node) = between.find(|node| self.all.iter().any(|host| host.node == *node)) {
            bail!(
                "the way from `{}` to `{}` leads through `{}`, which is real: in a symbiotic run \
                 real hosts do not forward, so give it `simulated: true`",
                from.name,
                to.name,
                self.name(node)
            );
        }
        Ok(())
    }

    fn name(&self, node: u32) -> &str {
        self.names.get(node as usize).map_or("", |name| name)
    }
}

/// Returns the link of a step.
fn link(network: &Network, hop: &Hop) -> GraphLink {
    let mut ends = [hop.from.node, hop.to.node];
    if hop.pipe.direction == Direction::Reverse {
        ends.reverse();
    }
    let delays =
        network.links[hop.pipe.link.index()].pipes.each_ref().map(|pipe| pipe.delay.nominal());
    GraphLink { ends, delays }
}

fn pruned_pipe(network: &Network, graph: &Graph, id: PipeId) -> PrunedPipe {
    let link = &network.links[id.link.index()];
    let [a, b] = graph.links[&id.link].ends.map(|node| network.nodes[node as usize].name.clone());
    let from = match &link.ends[id.direction.index()] {
        netloom_fabric::LinkEnd::Port(port) => network.ports.get(port.index()),
        _ => None,
    };
    let mtu = from
        .map_or(1500, |at| network.nodes[at.node as usize].interfaces[at.interface as usize].mtu);
    PrunedPipe {
        id,
        name: format!("{}/{}", link.name, id.direction.name()),
        ends: if id.direction == Direction::Forward { [a, b] } else { [b, a] },
        config: link.pipes[id.direction.index()].clone(),
        full: mtu + ETHERNET,
    }
}

/// Returns the shortest period in which each pipe could serve enough full frames.
fn period(pruned: &[PrunedPipe]) -> Duration {
    let [least, most] = PERIODS;
    let each = pruned.iter().map(|pipe| {
        let frame = transmission(&pipe.config, pipe.full);
        Duration::from_nanos(frame.as_nanos().saturating_mul(FRAMES))
    });
    each.max().unwrap_or(most).clamp(least, most)
}

fn small_pipes(small: &Small, pruned: &[PrunedPipe], network: &Network) -> Vec<SmallPipeOf> {
    let places: HashMap<PipeId, usize> =
        pruned.iter().zip(0..).map(|(pipe, place)| (pipe.id, place)).collect();
    let names = names(&small.links, network);
    let node = |node: u32| network.nodes[node as usize].name.clone();
    let pipe = |place: SmallPipe| {
        let [a, b] = small.links[place.link].ends.map(node);
        SmallPipeOf {
            place,
            name: format!("{}/{}", names[place.link], place.direction.name()),
            ends: if place.direction == Direction::Forward { [a, b] } else { [b, a] },
            chain: small.chain(place).iter().map(|pipe| places[pipe]).collect(),
            delay: small.delay(place),
        }
    };
    small.pipes().map(pipe).collect()
}

/// Returns the names of small links. A small link that stands for a single link has its name;
/// others are named after their ends.
fn names(links: &[SmallLink], network: &Network) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |link: &SmallLink| {
        let all: BTreeSet<_> = link.chains.iter().flatten().map(|pipe| pipe.link).collect();
        let [a, b] = link.ends.map(|node| &network.nodes[node as usize].name);
        let mut only = all.iter();
        let mut name = match (only.next(), only.next()) {
            (Some(one), None) => network.links[one.index()].name.clone(),
            _ => format!("{a}--{b}"),
        };
        while !taken.insert(name.clone()) {
            name.push('\'');
        }
        name
    };
    links.iter().map(name).collect()
}
