//! Sizes of routing tables and cost of planning: `cargo bench -p netloom-plan`, and with `-- NAME`
//! for the networks whose name contains NAME.
//!
//! Every network is planned twice: with addresses assigned in the order of its file, and with
//! automatic ones. Columns count the IPv4 routes of a router, unless they are named otherwise. Then
//! follow the CPU time of `plan` and of all tables, and the peak memory of the process.

#[path = "../../src/tests/build.rs"]
#[expect(dead_code, reason = "shared with tests, which need more of it")]
mod build;
mod graphs;
mod joined;
mod machine;

use std::time::Duration;

use netloom_plan::{Plan, RoutePlan, plan};
use netloom_scenario::{Addresses, IpPrefix, LoopbackAddress, Scenario, load};

use graphs::Graph;

/// Number of nodes whose tables are examined without being included in the CPU time.
const SAMPLE: usize = 50;

fn main() {
    println!("{}", machine::description());
    println!(
        "{:<24}{:>7}{:>7} |{:>9}{:>9}{:>9}{:>9}{:>9}{:>9} |{:>8}{:>8}{:>9}",
        "",
        "",
        "",
        "one per",
        "joined,",
        "ORTC,",
        "ORTC,",
        "largest",
        "ORTC,",
        "plan",
        "tables",
        "peak"
    );
    println!(
        "{:<24}{:>7}{:>7} |{:>9}{:>9}{:>9}{:>9}{:>9}{:>9} |{:>8}{:>8}{:>9}",
        "network",
        "nodes",
        "links",
        "prefix",
        "file",
        "file",
        "topol.",
        "",
        "IPv6",
        "s",
        "s",
        "MiB"
    );
    let abilene = include_str!("../../../../../examples/abilene/netloom.yaml");
    match load(abilene) {
        Ok(loaded) => {
            let mut scenario = loaded.scenario;
            // The example runs OSPF. The tables are those that it would have without OSPF.
            for node in &mut scenario.nodes {
                node.routing = netloom_scenario::Routing::Delay;
            }
            row("abilene, with hosts", &scenario);
        }
        Err(findings) => println!("abilene: {}", findings.render("abilene", abilene)),
    }
    let only = std::env::args().nth(1).filter(|arg| !arg.starts_with("--"));
    for graph in graphs::all() {
        if only.as_ref().is_some_and(|only| !graph.name.contains(only.as_str())) {
            continue;
        }
        row(&graph.name, &scenario(&graph));
    }
}

fn row(name: &str, scenario: &Scenario) {
    let in_file_order = plan(&given_in_file_order(scenario)).expect("a plan with given addresses");
    let sample = sample(&in_file_order);
    let average = |count: &dyn Fn(usize) -> usize| {
        sample.iter().map(|node| count(*node)).sum::<usize>() as f64 / sample.len() as f64
    };
    let destinations = joined::destinations(&in_file_order);
    let per_prefix = average(&|node| joined::reached(&in_file_order, node, &destinations).len());
    let halves = average(&|node| {
        joined::joined(&joined::reached(&in_file_order, node, &destinations)).len()
    });
    let file = average(&|node| ipv4(&in_file_order.routes(node)));
    drop(in_file_order);

    machine::reset_peak();
    let begin = machine::cpu_time();
    let planned = plan(scenario).expect("a plan");
    let planning = machine::cpu_time() - begin;
    let begin = machine::cpu_time();
    let routers: Vec<usize> = routers(&planned).collect();
    let (mut v4, mut v6, mut largest) = (0, 0, 0);
    for node in 0..planned.nodes.len() {
        let routes = planned.routes(node);
        if planned.nodes[node].forwarding {
            let count = ipv4(&routes);
            v4 += count;
            v6 += routes.len() - count;
            largest = largest.max(count);
        }
    }
    let tables = machine::cpu_time() - begin;
    let peak = machine::peak_mib();
    let mean = |sum: usize| sum as f64 / routers.len() as f64;
    println!(
        "{name:<24}{:>7}{:>7} |{per_prefix:>9.0}{halves:>9.0}{file:>9.0}{:>9.0}{largest:>9}{:>9.0} \
         |{}{}{peak:>9.0}",
        scenario.nodes.len(),
        scenario.links.len(),
        mean(v4),
        mean(v6),
        seconds(planning),
        seconds(tables),
    );
}

fn seconds(duration: Duration) -> String {
    format!("{:>8.2}", duration.as_secs_f64())
}

fn routers(plan: &Plan) -> impl Iterator<Item = usize> + '_ {
    (0..plan.nodes.len()).filter(|node| plan.nodes[*node].forwarding)
}

fn sample(plan: &Plan) -> Vec<usize> {
    let routers: Vec<usize> = routers(plan).collect();
    let count = SAMPLE.min(routers.len());
    (0..count).map(|number| routers[number * routers.len() / count]).collect()
}

fn ipv4(routes: &[RoutePlan]) -> usize {
    routes.iter().filter(|route| matches!(route.to, IpPrefix::V4(_))).count()
}

fn scenario(graph: &Graph) -> Scenario {
    let mut scenario = build::scenario();
    for node in 0..graph.nodes {
        build::node(&mut scenario, &format!("r{node}"));
    }
    for (a, b, delay) in &graph.links {
        build::link(&mut scenario, &format!("r{a}"), &format!("r{b}"), *delay);
    }
    scenario
}

/// Returns the same network with the addresses that it would get in the order of its file: a /30
/// for each link.
fn given_in_file_order(scenario: &Scenario) -> Scenario {
    let mut given = scenario.clone();
    for (number, link) in (0u32..).zip(&scenario.links) {
        for (host, end) in (1u32..).zip(&link.endpoints) {
            let address = (10 << 24) + 4 * number + host;
            let node = given.nodes.iter_mut().find(|node| node.name == end.node);
            let interfaces = node.map(|node| node.interfaces.iter_mut());
            for interface in interfaces.into_iter().flatten() {
                if interface.name == end.interface {
                    let address = std::net::Ipv4Addr::from_bits(address);
                    interface.ipv4 = Addresses::Fixed(vec![netloom_scenario::Ipv4Prefix {
                        address,
                        length: 30,
                    }]);
                }
            }
        }
    }
    let mut next = u32::from_be_bytes([10, 255, 0, 1]);
    for node in &mut given.nodes {
        if node.loopback.ipv4 == LoopbackAddress::Auto {
            node.loopback.ipv4 = LoopbackAddress::Fixed(std::net::Ipv4Addr::from_bits(next));
            next += 1;
        }
    }
    given
}
