//! Measures the cost of dividing a network: `cargo bench -p netloom-sim --bench cells`. A grid of
//! 64 routers with links of 1 ms carries datagrams between random pairs, as in
//! `benches/scale/threads.py`. One cell and several, on one thread, take turns. The bench prints
//! the number of events and the CPU time of each division, as a ratio to one cell.

use std::net::{IpAddr, Ipv4Addr};

use netloom_fabric::{LinkEnd, PortId};
use netloom_link::{IpPrefix, PipeChange, PipeConfig, Stream};
use netloom_sim::{
    Arrival, Arrivals, FlowKind, FlowSpec, Interface, InterfaceId, Link, Network, Node, Route,
    Simulation,
};
use netloom_units::{Duration, Time};

const SIDE: u32 = 8;
const FLOWS: u32 = 256;
const SECONDS: u64 = 3;
/// Mean interval between datagrams of a flow: 5 Mbit/s in datagrams of 1000 bytes.
const GAP_NS: f64 = 1.6e6;
const TURNS: usize = 5;

fn main() {
    let divisions = [1, 2, 8, 32];
    let mut ratios = vec![Vec::new(); divisions.len()];
    for _ in 0..TURNS {
        let all = divisions.map(measure);
        for (of, one) in ratios.iter_mut().zip(&all) {
            assert_eq!(one.received, all[0].received, "results depend on the division");
            of.push((one.nanos as f64 / all[0].nanos as f64, *one));
        }
    }
    for (cells, mut of) in divisions.into_iter().zip(ratios) {
        of.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let (ratio, Measured { events, hops, nanos, .. }) = of[of.len() / 2];
        let each = nanos / hops;
        println!(
            "{cells:>3} cells: {events:>9} events, {hops} packet-hops, {each:>5} ns of CPU time \
             each, {ratio:.2} times one cell"
        );
    }
}

/// What a run took, and what came of it.
#[derive(Debug, Clone, Copy)]
struct Measured {
    events: u64,
    hops: u64,
    nanos: u64,
    /// Frames that arrived at their destinations.
    received: u64,
}

fn measure(cells: u32) -> Measured {
    let mut simulation = Simulation::new(grid(), flows(), cells);
    assert_eq!(simulation.cells.len(), cells as usize);
    let begun = cpu_time();
    for second in 1..=SECONDS {
        simulation.advance(Time::ZERO + Duration::from_secs(second)).expect("no loop");
    }
    let nanos = cpu_time() - begun;
    let counts = (0..FLOWS).flat_map(|flow| simulation.counts(flow).collect::<Vec<_>>());
    let received = counts.map(|counted| counted.received.frames).sum();
    let work = simulation.work();
    Measured { events: work.events, hops: work.packet_hops, nanos, received }
}

/// CPU time that this thread has used, in ns. Other load does not count.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}

/// The address of a router: that of its own network, behind none of its links.
fn address(router: u32) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0000 + 256 * router + 1)
}

/// Routers in a square. A packet first takes its row to the column of its destination.
fn grid() -> Network {
    let mut network = Network { seed: 1, ..Network::default() };
    for router in 0..SIDE * SIDE {
        let loopback = vec![IpAddr::V4(address(router))];
        let name = format!("n{router}");
        network.nodes.push(Node { name, forwards: true, loopback, ..Node::default() });
    }
    for router in 0..SIDE * SIDE {
        let (row, column) = (router / SIDE, router % SIDE);
        if column + 1 < SIDE {
            join(&mut network, [router, router + 1]);
        }
        if row + 1 < SIDE {
            join(&mut network, [router, router + SIDE]);
        }
    }
    network
}

/// Joins two routers, and adds the routes of both over the new link.
fn join(network: &mut Network, nodes: [u32; 2]) {
    let properties = r#"{"rate":"1Gbit/s","delay":"1ms"}"#;
    let change: PipeChange = serde_json::from_str(properties).expect("properties");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    let number = network.links.len() as u32;
    let own = [1, 2].map(|host| Ipv4Addr::from(0xac10_0000 + 4 * number + host));
    let mut ids = Vec::new();
    let ends = [0, 1].map(|end: usize| {
        let node = nodes[end];
        let addresses = vec![prefix(own[end], 30)];
        let mac = [2, end as u8, 0, 0, (number >> 8) as u8, number as u8];
        let interfaces = &mut network.nodes[node as usize].interfaces;
        let interface = interfaces.len() as u32;
        interfaces.push(Interface { mac, mtu: 1500, addresses });
        let (to, via) = (nodes[1 - end], Some(IpAddr::V4(own[1 - end])));
        for destination in (0..SIDE * SIDE).filter(|destination| next(node, *destination) == to) {
            let to = prefix(address(destination), 32);
            let route = Route { to, via, interface: Some(interface), metric: 0 };
            network.nodes[node as usize].routes.push(route);
        }
        let id = InterfaceId { node, interface };
        ids.push(id);
        network.ports.push(id);
        LinkEnd::Port(PortId(network.ports.len() as u32 - 1))
    });
    network.segments.push(ids);
    network.links.push(Link {
        name: format!("l{number}"),
        ends,
        pipes: [config.clone(), config],
        mtus: [None; 2],
        logged: false,
        taps: [vec![], vec![]],
    });
}

/// The next router on the way to another one.
fn next(here: u32, to: u32) -> u32 {
    let ((row, column), (to_row, to_column)) = ((here / SIDE, here % SIDE), (to / SIDE, to % SIDE));
    match (column.cmp(&to_column), row.cmp(&to_row)) {
        (std::cmp::Ordering::Less, _) => here + 1,
        (std::cmp::Ordering::Greater, _) => here - 1,
        (_, std::cmp::Ordering::Less) => here + SIDE,
        (_, std::cmp::Ordering::Greater) => here - SIDE,
        _ => here,
    }
}

fn prefix(address: Ipv4Addr, length: u8) -> IpPrefix {
    format!("{address}/{length}").parse().expect("a prefix")
}

fn flows() -> Vec<FlowSpec> {
    let mut draws = Stream::new(1, "pairs");
    let mut router = || draws.below(u64::from(SIDE * SIDE)) as u32;
    let flow = |number| {
        let (from, to) = (router(), router());
        let to = if to == from { (to + 1) % (SIDE * SIDE) } else { to };
        let stream = Stream::new(1, &format!("f{number}"));
        FlowSpec {
            name: format!("f{number}"),
            from,
            to: vec![IpAddr::V4(address(to))],
            kind: FlowKind::Udp { port: 5000, arrivals: Box::new(Poisson { stream, at: 0.0 }) },
            start: Time::ZERO,
            until: None,
            background: true,
            traffic_class: 0,
        }
    };
    (0..FLOWS).map(flow).collect()
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
