//! Short functions for building scenarios.

use std::collections::BTreeMap;

use netloom_link::{LinkState, PipeConfig};
use netloom_scenario::*;
use netloom_units::{Dilation, Duration};

pub fn scenario() -> Scenario {
    Scenario {
        name: "test".into(),
        seed: 1,
        dilation: Dilation::NONE,
        nodes: vec![],
        total_limits: Limits::default(),
        neighbours: Neighbours::default(),
        group_limits: BTreeMap::new(),
        origin: None,
        links: vec![],
        constellations: vec![],
        timeline: vec![],
        processes: vec![],
        traffic: vec![],
        expect: vec![],
        placement: PlacementOptions::default(),
        drawing: DrawingOptions::default(),
        simulation: SimulationOptions::default(),
        symbiosis: None,
        measure: Measure {
            flows: None,
            interval: Duration::from_millis(100),
            capture: vec![],
            frames: vec![],
            air: Vec::new(),
            observations: false,
        },
        monitor: Monitor::default(),
        workers: Workers::default(),
        duration: None,
        templates: BTreeMap::new(),
        places: Places::default(),
    }
}

/// Returns a scenario with these links (`a b delay-in-ms`) and their nodes (`h…` host, `r…` router,
/// `s…` switch).
pub fn network(links: &[(&str, &str, u64)]) -> Scenario {
    let mut scenario = scenario();
    for (a, b, delay) in links {
        link(&mut scenario, a, b, Duration::from_millis(*delay));
    }
    scenario
}

pub fn node<'s>(scenario: &'s mut Scenario, name: &str) -> &'s mut Node {
    let index = scenario.nodes.iter().position(|node| node.name == name);
    let index = index.unwrap_or_else(|| {
        scenario.nodes.push(new_node(name));
        scenario.nodes.len() - 1
    });
    &mut scenario.nodes[index]
}

fn new_node(name: &str) -> Node {
    let kind = match name.as_bytes()[0] {
        b'h' => NodeKind::Host,
        b'r' => NodeKind::Router,
        _ => NodeKind::Switch,
    };
    Node {
        name: name.into(),
        kind,
        simulated: false,
        kernel: Kernel::Shared,
        groups: vec![],
        interfaces: vec![],
        routing: Routing::Delay,
        routes: vec![],
        loopback: loopback(kind),
        sysctls: BTreeMap::new(),
        software: Software::default(),
        limits: Limits::default(),
        machine: None,
        together: None,
        apart: None,
        load: NodeLoad::default(),
        publish: vec![],
        spanning_tree: None,
        medium: None,
        position: None,
        mobility: None,
    }
}

pub fn loopback(kind: NodeKind) -> Loopback {
    match kind {
        NodeKind::Router => Loopback { ipv4: LoopbackAddress::Auto, ipv6: LoopbackAddress::Auto },
        _ => Loopback { ipv4: LoopbackAddress::None, ipv6: LoopbackAddress::None },
    }
}

pub fn link(scenario: &mut Scenario, a: &str, b: &str, delay: Duration) {
    let endpoints = [a, b].map(|name| {
        let node = node(scenario, name);
        let interface = format!("eth{}", node.interfaces.len() + 1);
        node.interfaces.push(Interface::new(interface.clone(), 1500));
        Endpoint { node: name.into(), interface }
    });
    let pipe = PipeConfig { delay: delay.into(), ..PipeConfig::default() };
    scenario.links.push(Link {
        name: format!("{a}--{b}"),
        endpoints,
        forward: pipe.clone(),
        reverse: pipe,
        costs: [1; 2],
        direct: false,
        cut: Cut::Auto,
        loads: [LinkLoad::default(); 2],
    });
}

pub fn fix4(scenario: &mut Scenario, name: &str, interface: usize, prefix: &str) {
    node(scenario, name).interfaces[interface].ipv4 =
        Addresses::Fixed(vec![prefix.parse().unwrap()]);
}

pub fn take_down(scenario: &mut Scenario, name: &str) {
    let link = scenario.links.iter_mut().find(|link| link.name == name).unwrap();
    link.forward.state = LinkState::Down;
}

pub fn route(to: &str, via: &str) -> Route {
    Route {
        to: to.parse().unwrap(),
        via: Some(via.parse().unwrap()),
        interface: None,
        metric: None,
    }
}
