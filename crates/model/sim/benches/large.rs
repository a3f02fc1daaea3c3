//! Measures how the cost of a packet-hop grows with the network:
//! `cargo bench -p netloom-sim --bench large -- [NODES ...]`.
//!
//! As in `benches/scale/simulated.py`, routers in a 4-regular graph have 99 hosts each, and a flow
//! of datagrams leads from each host to a random one. Prints, for each size, ns of CPU time for
//! each frame that came out of a pipe, and bytes of memory for each pipe.

use std::collections::{BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use netloom_fabric::{LinkEnd, PortId};
use netloom_link::{IpPrefix, PipeChange, PipeConfig, Stream};
use netloom_sim::{
    Arrival, Arrivals, FlowKind, FlowSpec, Interface, InterfaceId, Link, Network, Node, Route,
    RouteSource, Simulation,
};
use netloom_units::{Duration, Time};

const HOSTS: u32 = 99;
/// Mean interval between datagrams of a flow: 100 kbit/s in datagrams of 1000 bytes.
const GAP_NS: f64 = 8e7;
/// The first second computes routing tables and fills caches.
const SECONDS: u64 = 2;

fn main() {
    let sizes: Vec<u32> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000] } else { sizes };
    for nodes in sizes {
        println!("{nodes:>8} nodes: {}", measure(nodes));
    }
}

fn measure(nodes: u32) -> String {
    let (network, flows) = large(nodes);
    let (links, before) = (network.links.len(), resident());
    let mut simulation = Simulation::new(network, flows, 1);
    let built = resident();
    let (mut last, mut all) = ((cpu_time(), 0), Vec::new());
    for second in 1..=SECONDS {
        simulation.advance(Time::ZERO + Duration::from_secs(second)).expect("no loop");
        let now = (cpu_time(), simulation.work().packet_hops);
        all.push(((now.0 - last.0) as f64 / (now.1 - last.1) as f64, now.1 - last.1));
        last = now;
    }
    let received: u64 = (0..simulation.flows())
        .flat_map(|flow| simulation.counts(flow).collect::<Vec<_>>())
        .map(|counts| counts.received.frames ^ counts.delay.sum_ns() as u64)
        .fold(0, |digest: u64, one| digest.wrapping_mul(1_000_003).wrapping_add(one));
    let each = |bytes: u64| bytes as f64 / (2 * links) as f64 / 1000.0;
    let hops: Vec<String> = all.iter().map(|(ns, _)| format!("{ns:.0}")).collect();
    format!(
        "{} ns a packet-hop by seconds ({} in the last); kB a pipe: {:.2} built, {:.2} after the \
         run, with the description ({:.2}); digest {received:016x}",
        hops.join(" "),
        all[all.len() - 1].1,
        each(built.saturating_sub(before)),
        each(resident()),
        each(before),
    )
}

/// CPU time that this thread has used, in ns. Other load does not count.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}

/// Resident memory, in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux says it");
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    4096 * pages.expect("a number")
}

/// Each router has a block of addresses. First hops are found by breadth-first search.
#[derive(Debug)]
struct Blocks {
    /// Neighbours of each router, the interface to each, and its address there.
    near: Vec<Vec<(u32, u32, Ipv4Addr)>>,
}

/// The block of a router.
fn block(router: u32) -> u32 {
    0x0a00_0000 + router * 512
}

impl RouteSource for Blocks {
    fn routes(&self, node: u32) -> Vec<Route> {
        let Some(own) = self.near.get(node as usize) else { return Vec::new() };
        let mut first = vec![None; self.near.len()];
        let mut seen = vec![false; self.near.len()];
        seen[node as usize] = true;
        let mut queue = VecDeque::new();
        for (to, interface, address) in own {
            if !std::mem::replace(&mut seen[*to as usize], true) {
                first[*to as usize] = Some((*interface, *address));
                queue.push_back(*to);
            }
        }
        while let Some(at) = queue.pop_front() {
            for (to, ..) in &self.near[at as usize] {
                if !std::mem::replace(&mut seen[*to as usize], true) {
                    first[*to as usize] = first[at as usize];
                    queue.push_back(*to);
                }
            }
        }
        let route = |(to, (interface, via)): (u32, (u32, Ipv4Addr))| Route {
            to: prefix(Ipv4Addr::from(block(to)), 23),
            via: Some(IpAddr::V4(via)),
            interface: Some(interface),
            metric: 0,
        };
        (0..).zip(first).filter_map(|(to, first)| Some((to, first?))).map(route).collect()
    }
}

fn prefix(address: Ipv4Addr, length: u8) -> IpPrefix {
    format!("{address}/{length}").parse().expect("a prefix")
}

fn config(properties: &str) -> PipeConfig {
    let change: PipeChange = serde_json::from_str(properties).expect("properties");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    config
}

/// Joins two nodes by a link with the addresses `base` + 1 and + 2. Returns both interfaces.
fn join(network: &mut Network, nodes: [u32; 2], base: u32, config: &PipeConfig) -> [u32; 2] {
    let number = network.links.len() as u32;
    let mut ids = Vec::new();
    let ends = [0u32, 1].map(|end| {
        let node = nodes[end as usize];
        let interfaces = &mut network.nodes[node as usize].interfaces;
        let [_, a, b, c] = number.to_be_bytes();
        let addresses = vec![prefix(Ipv4Addr::from(base + end + 1), 30)];
        interfaces.push(Interface { mac: [2, end as u8, 0, a, b, c], mtu: 1500, addresses });
        let id = InterfaceId { node, interface: interfaces.len() as u32 - 1 };
        ids.push(id);
        network.ports.push(id);
        LinkEnd::Port(PortId(network.ports.len() as u32 - 1))
    });
    let interfaces = [0, 1].map(|end: usize| ids[end].interface);
    network.segments.push(ids);
    network.links.push(Link {
        name: format!("l{number}"),
        ends,
        pipes: [config.clone(), config.clone()],
        mtus: [None; 2],
        logged: false,
        taps: [vec![], vec![]],
    });
    interfaces
}

fn large(nodes: u32) -> (Network, Vec<FlowSpec>) {
    let mut draws = Stream::new(1, "large");
    let routers = (nodes / (HOSTS + 1)).max(5);
    let hosts = nodes - routers;
    let mut network = Network { seed: 1, ..Network::default() };
    for number in 0..nodes {
        let name = format!("n{number}");
        network.nodes.push(Node { name, forwards: number < routers, ..Node::default() });
    }
    let near = backbone(&mut network, routers, &mut draws);
    network.routes = Some(Arc::new(Blocks { near }));
    let access = config(r#"{"rate":"100Mbit/s","delay":"1ms"}"#);
    let base = |host: u32| block(host % routers) + 4 * (host / routers);
    for host in 0..hosts {
        join(&mut network, [routers + host, host % routers], base(host), &access);
        let via = Some(IpAddr::V4(Ipv4Addr::from(base(host) + 2)));
        let to = "0.0.0.0/0".parse().expect("a prefix");
        let route = Route { to, via, interface: Some(0), metric: 0 };
        network.nodes[(routers + host) as usize].routes.push(route);
    }
    let flows = (0..hosts).map(|host| {
        let to = draws.below(u64::from(hosts)) as u32;
        let to = if to == host { (to + 1) % hosts } else { to };
        let stream = Stream::new(1, &format!("f{host}"));
        FlowSpec {
            name: format!("f{host}"),
            from: routers + host,
            to: vec![IpAddr::V4(Ipv4Addr::from(base(to) + 1))],
            kind: FlowKind::Udp { port: 5000, arrivals: Box::new(Poisson { stream, at: 0.0 }) },
            start: Time::ZERO,
            until: None,
            background: true,
            traffic_class: 0,
        }
    });
    (network, flows.collect())
}

/// Joins the routers in two rings in random order. Returns what each has near it.
fn backbone(
    network: &mut Network,
    routers: u32,
    draws: &mut Stream,
) -> Vec<Vec<(u32, u32, Ipv4Addr)>> {
    let config = config(r#"{"rate":"10Gbit/s","delay":"5ms"}"#);
    let mut near = vec![Vec::new(); routers as usize];
    let mut pairs = BTreeSet::new();
    for _ in 0..2 {
        let mut order: Vec<u32> = (0..routers).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, draws.below(at as u64 + 1) as usize);
        }
        for at in 0..order.len() {
            let (a, b) = (order[at], order[(at + 1) % order.len()]);
            if a == b || !pairs.insert((a.min(b), a.max(b))) {
                continue;
            }
            let base = 0xac10_0000 + 4 * network.links.len() as u32;
            let [at_a, at_b] = join(network, [a, b], base, &config);
            near[a as usize].push((b, at_a, Ipv4Addr::from(base + 2)));
            near[b as usize].push((a, at_b, Ipv4Addr::from(base + 1)));
        }
    }
    near
}

/// Datagrams of 1000 bytes with exponential intervals.
#[derive(Debug)]
struct Poisson {
    stream: Stream,
    /// Time of the last one, in ns.
    at: f64,
}

impl Arrivals for Poisson {
    fn next(&mut self) -> Option<Arrival> {
        self.at -= GAP_NS * (1.0 - self.stream.uniform()).ln();
        Some(Arrival { after: Duration::from_nanos(self.at as u64), payload: 1000, to: 0 })
    }
}
