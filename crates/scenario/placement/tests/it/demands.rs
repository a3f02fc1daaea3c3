//! What the nodes and links of scenarios need.

use netloom_placement::{LinkDemand, Needs, NodeDemand, demands};
use netloom_scenario::{Cut, Scenario, load};
use netloom_units::Duration;

fn scenario(topology: &str, rest: &str) -> Scenario {
    let text = format!("name: x\n{rest}\ntopology:\n{topology}");
    load(&text).unwrap_or_else(|findings| panic!("{findings}\n{text}")).scenario
}

fn demand(scenario: &Scenario) -> (Vec<NodeDemand>, Vec<LinkDemand>) {
    demands(scenario, &["m1", "m2"], Needs::default(), &|_| 10).unwrap()
}

fn rates(links: &[LinkDemand]) -> Vec<[f64; 2]> {
    links.iter().map(|link| link.flows.map(|flow| flow.bits / 1e6)).collect()
}

#[test]
fn what_hosts_send_and_receive_bounds_all_links() {
    let topology = "
  kinds: {router: {}}
  nodes: {a: , b: , c: , r: {kind: router}, s: {kind: router}}
  links:
    - {endpoints: [a, r], rate: 10Mbit/s}
    - {endpoints: [b, r], rate: 20Mbit/s, reverse: {rate: 5Mbit/s}}
    - {endpoints: [c, s], rate: 100Mbit/s}
    - {endpoints: [r, s], rate: 10Gbit/s}
    - {endpoints: [r, s]}
";
    let (_, links) = demand(&scenario(topology, ""));
    // All hosts send 130, and receive 115.
    let wanted = [[10.0, 10.0], [20.0, 5.0], [100.0, 100.0], [115.0, 115.0], [100.0, 100.0]];
    assert_eq!(rates(&links), wanted);
}

#[test]
fn what_the_scenario_expects_counts_and_100_mbit_where_nothing_bounds() {
    let topology = "
  defaults: {link: {load: {frame: 500B}}}
  nodes: {r: {kind: router}, s: {kind: router}, t: {kind: router}}
  links:
    - {endpoints: [r, s], load: {rate: 3Mbit/s}, reverse: {load: {rate: 1Mbit/s, frame: 60B}}}
    - {endpoints: [s, t]}
";
    let (_, links) = demand(&scenario(topology, ""));
    assert_eq!(rates(&links), [[3.0, 1.0], [100.0, 100.0]]);
    assert_eq!(links[0].flows.map(|flow| flow.frame), [500.0, 60.0]);
    assert_eq!(links[0].flows[0].frames(), 750.0);
}

#[test]
fn nodes_need_what_they_are_expected_to_or_limited_to() {
    let topology = "
  nodes:
    a: {limits: {cpu: 0.5, memory: 64MiB}, load: {cpu: 0.25}}
    b: {load: {memory: 8MiB}, machine: m2, together: x, apart: y}
    s: {kind: switch}
  links: [{endpoints: [a, s]}, {endpoints: [b, s]}]
";
    let needs = Needs { node: 1000.0, link: 20.0, route: 3.0 };
    let (nodes, _) = demands(&scenario(topology, ""), &["m1", "m2"], needs, &|_| 10).unwrap();
    let wanted = [(0.25, 1030.0 + 10.0 + 67_108_864.0), (0.0, 1040.0 + 8_388_608.0), (0.0, 20.0)];
    assert_eq!(nodes.iter().map(|node| (node.cpu, node.memory)).collect::<Vec<_>>(), wanted);
    assert_eq!((nodes[1].machine, &nodes[1].together[..]), (Some(1), &["x".to_owned()][..]));
    assert_eq!(nodes[1].apart.as_deref(), Some("y"));
}

#[test]
fn dilated_time_gives_links_more_slack_and_less_traffic() {
    let topology = "
  nodes: {a: {load: {cpu: 1}}, b: }
  links: [{endpoints: [a, b], delay: 100us, rate: 100Mbit/s}]
";
    let (nodes, links) = demand(&scenario(topology, "time: {dilation: 10}"));
    assert_eq!(links[0].least, [Duration::from_millis(1); 2]);
    assert_eq!((rates(&links), nodes[0].cpu), (vec![[10.0, 10.0]], 0.1));
}

#[test]
fn the_timeline_s_shortest_delay_counts() {
    let topology = "
  nodes: {a: , b: }
  links: [{endpoints: [a, b], delay: 10ms, jitter: 1ms}]
timeline: [{at: 1s, link: a--b, direction: reverse, set: {delay: 2ms}}]
";
    let (_, links) = demand(&scenario(topology, ""));
    assert_eq!(links[0].least, [Duration::from_millis(9), Duration::from_millis(1)]);
}

#[test]
fn direct_links_media_and_simulated_nodes_stay_together() {
    let topology = "
  nodes: {a: , b: , c: {kind: router, simulated: true}, d: {kind: router, simulated: true}, e: }
  links:
    - {endpoints: [a, b], direct: true}
    - {endpoints: [b, c], delay: 5ms}
    - {endpoints: [c, d], delay: 5ms}
    - {endpoints: [e, b], cut: any}
";
    let (nodes, links) = demand(&scenario(topology, ""));
    assert_eq!((links[0].cut, links[0].flows[0].bits), (Cut::Never, 0.0));
    assert_eq!(links[3].cut, Cut::Any);
    assert_eq!(nodes[2].together, nodes[3].together);
    assert_eq!((nodes[2].together.len(), nodes[2].memory), (1, 26e3));
}

#[test]
fn unknown_machines_and_ends_outside_without_one_are_refused() {
    let topology = "
  nodes: {a: {machine: m3}, b: }
  links: [{endpoints: [a, b]}]
";
    let why =
        demands(&scenario(topology, ""), &["m1", "m2"], Needs::default(), &|_| 0).unwrap_err();
    assert!(why.contains("`a`") && why.contains("`m3`") && why.contains("`m1`"), "{why}");
    let topology = "
  nodes: {a: , b: }
  links: [{endpoints: [a, b]}, {endpoints: [b, \"host:lab0\"], addresses: [10.9.0.1/24]}]
";
    let scenario = scenario(topology, "");
    let why = demands(&scenario, &["m1", "m2"], Needs::default(), &|_| 0).unwrap_err();
    assert!(why.contains("`b--host`") && why.contains("machine: m1"), "{why}");
    // One machine is no question. The device is no node.
    let (nodes, links) = demands(&scenario, &["m1"], Needs::default(), &|_| 0).unwrap();
    assert_eq!((nodes.len(), links[1].ends), (2, [Some(1), None]));
}
