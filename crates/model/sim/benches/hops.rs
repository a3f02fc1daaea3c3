//! Measures the cost of a packet-hop: `cargo bench -p netloom-sim --bench hops`. A line of routers
//! carries datagrams both ways. Links driven by the event core alone alternate with links that a
//! fabric runs. The bench prints ns of CPU time for each frame that came out of a pipe, and then
//! the cost of counting what pipes do, as in symbiotic runs (Erazo 2013, Fig. 5.7).

use std::net::IpAddr;

use netloom_fabric::{LinkEnd, LinkId, PipeId, PortId};
use netloom_link::{Direction, IpPrefix, PipeChange, PipeConfig};
use netloom_sim::{
    Arrival, Arrivals, FlowKind, FlowSpec, Interface, InterfaceId, Link, Network, Node, Route,
    Simulation,
};
use netloom_units::{Duration, Time};

const SECONDS: u64 = 2;
/// Datagrams per second of each flow.
const RATE: u64 = 50_000;

fn main() {
    for routers in [2, 16, 256, 2048] {
        for (name, queue) in [("event core", "fifo"), ("fabric", "codel")] {
            let nanos = median((0..3).map(|_| measure(routers, queue, false)).collect());
            println!("{routers:>5} routers, links by the {name:<10}: {nanos:>6.0} ns a packet-hop");
        }
    }
    for routers in [1, 10, 100] {
        let both: Vec<[f64; 2]> = (0..9)
            .map(|_| [false, true].map(|counted| measure(routers, "fifo", counted)))
            .collect();
        let [plain, counted] =
            [0, 1].map(|which| median(both.iter().map(|one| one[which]).collect()));
        let ratio = median(both.iter().map(|one| one[1] / one[0]).collect());
        println!(
            "{routers:>5} routers: {plain:>6.0} ns a packet-hop, {counted:>6.0} with all pipes \
             counted ({:+.1} %)",
            100.0 * (ratio - 1.0)
        );
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Returns ns per hop in a line of `routers`, in which each pair of neighbours exchanges datagrams
/// over three links. If `counted`, all pipes are metered.
fn measure(routers: u32, queue: &str, counted: bool) -> f64 {
    let properties =
        format!(r#"{{"rate":"1Gbit/s","delay":"1ms","queue":{{"discipline":"{queue}"}}}}"#);
    let change: PipeChange = serde_json::from_str(&properties).expect("properties");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    let network = line(routers, &config);
    // The total number of frames does not depend on the length of the line.
    let flows: Vec<FlowSpec> = (0..routers.saturating_sub(3).max(1))
        .map(|from| {
            let end = (from + 2).min(routers);
            let to = format!("10.{}.{}.2", end / 256, end % 256);
            let gap = 1_000_000_000 / RATE * u64::from(routers);
            let sent = Every { gap, next: 0, bytes: 1000 };
            flow(from, &to, Box::new(sent))
        })
        .collect();
    let links = (0..network.links.len() as u32).map(LinkId);
    let pipes: Vec<PipeId> = links
        .flat_map(|link| Direction::BOTH.map(|direction| PipeId { link, direction }))
        .collect();
    let mut cell = Simulation::new(network, flows, 1);
    if counted {
        cell.meter(pipes, false);
    }
    let begun = cpu_time();
    cell.advance(Time::ZERO + Duration::from_secs(SECONDS)).expect("no loop");
    let nanos = cpu_time() - begun;
    nanos as f64 / cell.work().packet_hops as f64
}

/// CPU time that this thread has used, in ns. Other load does not count.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}

fn line(routers: u32, config: &PipeConfig) -> Network {
    let mut network = Network { seed: 1, ..Network::default() };
    let last = routers + 1;
    for number in 0..=last {
        network.nodes.push(Node { name: format!("n{number}"), forwards: true, ..Node::default() });
    }
    for link in 0..last {
        let mut ids = Vec::new();
        let ends = [0u8, 1].map(|end| {
            let address = format!("10.{}.{}.{}/24", link / 256, link % 256, end + 1);
            let addresses = vec![address.parse::<IpPrefix>().expect("a prefix")];
            let mac = [2, 0, (link >> 8) as u8, link as u8, 0, end];
            let node = link + u32::from(end);
            let interfaces = &mut network.nodes[node as usize].interfaces;
            interfaces.push(Interface { mac, mtu: 1500, addresses });
            let id = InterfaceId { node, interface: interfaces.len() as u32 - 1 };
            ids.push(id);
            network.ports.push(id);
            LinkEnd::Port(PortId(network.ports.len() as u32 - 1))
        });
        network.segments.push(ids);
        let pipes = [config.clone(), config.clone()];
        network.links.push(Link {
            name: format!("l{link}"),
            ends,
            pipes,
            mtus: [None; 2],
            logged: false,
            taps: [vec![], vec![]],
        });
    }
    for number in 0..last {
        let interface = if number == 0 { 0 } else { 1 };
        let via: IpAddr = format!("10.{}.{}.2", number / 256, number % 256).parse().expect("one");
        let to = "0.0.0.0/0".parse().expect("a prefix");
        let route = Route { to, via: Some(via), interface: Some(interface), metric: 0 };
        network.nodes[number as usize].routes.push(route);
    }
    network
}

fn flow(from: u32, to: &str, arrivals: Box<dyn Arrivals>) -> FlowSpec {
    FlowSpec {
        name: "flow".into(),
        from,
        to: vec![to.parse().expect("an address")],
        kind: FlowKind::Udp { port: 9, arrivals },
        start: Time::ZERO,
        until: None,
        background: true,
        traffic_class: 0,
    }
}

/// Datagrams at a constant interval.
#[derive(Debug)]
struct Every {
    gap: u64,
    next: u64,
    bytes: u32,
}

impl Arrivals for Every {
    fn next(&mut self) -> Option<Arrival> {
        let after = Duration::from_nanos(self.next);
        self.next += self.gap;
        Some(Arrival { after, payload: self.bytes, to: 0 })
    }
}
