//! Measures the cost of TCP: `cargo bench -p netloom-sim --bench tcp`. Ten CUBIC flows share a
//! bottleneck of 1 Gbit/s, with three hops each way: the network on which ns-3 is measured. Prints
//! goodput, packet-hops, and ns of CPU time for each hop.

use netloom_fabric::{LinkEnd, PortId};
use netloom_link::{PipeChange, PipeConfig};
use netloom_sim::{
    FlowKind, FlowSpec, Interface, InterfaceId, Link, Network, Node, Route, Simulation, TcpFlow,
    TcpWork,
};
use netloom_tcp::Config;
use netloom_units::{Duration, Time};

const FLOWS: u32 = 10;
/// Simulated duration in seconds, unless `--seconds` gives another.
const SECONDS: u64 = 2;

fn main() {
    let mut words = std::env::args().skip_while(|word| word != "--seconds");
    let seconds = words.nth(1).and_then(|word| word.parse().ok()).unwrap_or(SECONDS);
    let mut simulation = Simulation::new(dumbbell(), flows(), 1);
    let begun = cpu_time();
    simulation.advance(Time::ZERO + Duration::from_secs(seconds)).expect("no loop");
    let nanos = cpu_time() - begun;
    let work = simulation.work();
    let bytes: u64 = (0..FLOWS)
        .flat_map(|flow| simulation.counts(flow).map(|counts| counts.received.bytes))
        .sum();
    println!("{bytes} bytes, {nanos} ns, {} packet-hops, {} events", work.packet_hops, work.events);
    println!(
        "{:.1} Mbit/s, {:.0} ns a packet-hop",
        bytes as f64 * 8.0 / seconds as f64 / 1e6,
        nanos as f64 / work.packet_hops as f64
    );
}

fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}

fn config(properties: &str) -> PipeConfig {
    let change: PipeChange = serde_json::from_str(properties).expect("properties");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    config
}

/// A dumbbell: senders from number 0 on, then their receivers, then two routers. Link `n` has the
/// network `10.0.n.0/24`.
fn dumbbell() -> Network {
    let mut network = Network { seed: 1, ..Network::default() };
    let (left, right) = (2 * FLOWS, 2 * FLOWS + 1);
    for number in 0..=right {
        let forwards = number >= left;
        network.nodes.push(Node { name: format!("n{number}"), forwards, ..Node::default() });
    }
    let access = config(r#"{"rate":"10Gbit/s","delay":"10us"}"#);
    let bottleneck = config(r#"{"rate":"1Gbit/s","delay":"5ms","queue":{"limit":"1000packets"}}"#);
    for flow in 0..FLOWS {
        join(&mut network, [flow, left], &access);
    }
    for flow in 0..FLOWS {
        join(&mut network, [FLOWS + flow, right], &access);
    }
    join(&mut network, [left, right], &bottleneck);
    for host in 0..2 * FLOWS {
        route(&mut network, host, "0.0.0.0/0", 0, &format!("10.0.{host}.2"));
    }
    route(&mut network, left, "0.0.0.0/0", FLOWS, &format!("10.0.{}.2", 2 * FLOWS));
    route(&mut network, right, "0.0.0.0/0", FLOWS, &format!("10.0.{}.1", 2 * FLOWS));
    network
}

fn join(network: &mut Network, nodes: [u32; 2], config: &PipeConfig) {
    let number = network.links.len() as u32;
    let mut ids = Vec::new();
    let ends = [0u8, 1].map(|end| {
        let address = format!("10.0.{number}.{}/24", end + 1).parse().expect("a prefix");
        let node = nodes[usize::from(end)];
        let interfaces = &mut network.nodes[node as usize].interfaces;
        let mac = [2, 0, 0, number as u8, 0, end];
        interfaces.push(Interface { mac, mtu: 1500, addresses: vec![address] });
        let id = InterfaceId { node, interface: interfaces.len() as u32 - 1 };
        ids.push(id);
        network.ports.push(id);
        LinkEnd::Port(PortId(network.ports.len() as u32 - 1))
    });
    network.segments.push(ids);
    let pipes = [config.clone(), config.clone()];
    network.links.push(Link {
        name: format!("l{number}"),
        ends,
        pipes,
        mtus: [None; 2],
        logged: false,
        taps: [vec![], vec![]],
    });
}

fn route(network: &mut Network, node: u32, to: &str, interface: u32, via: &str) {
    let to = to.parse().expect("a prefix");
    let via = Some(via.parse().expect("an address"));
    let route = Route { to, via, interface: Some(interface), metric: 0 };
    network.nodes[node as usize].routes.push(route);
}

fn flows() -> Vec<FlowSpec> {
    let flow = |number: u32| {
        let (sender, receiver) = (Config::default(), Config::default());
        let work = TcpWork::Bulk { bytes: None, to: vec![0] };
        let tcp = TcpFlow { port: 9, work, sender, receivers: vec![receiver] };
        FlowSpec {
            name: format!("flow{number}"),
            from: number,
            to: vec![format!("10.0.{}.1", FLOWS + number).parse().expect("an address")],
            kind: FlowKind::Tcp(Box::new(tcp)),
            start: Time::ZERO + Duration::from_millis(u64::from(number)),
            until: None,
            background: true,
            traffic_class: 0,
        }
    };
    (0..FLOWS).map(flow).collect()
}
