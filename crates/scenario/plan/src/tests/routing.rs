//! The routes that the planner generates.

use std::net::IpAddr;

use netloom_scenario::{Addresses, Routing, Scenario};
use netloom_units::Duration;

use super::build::{fix4, link, network, node, route, take_down};
use super::forward::{Forwarder, routes};
use crate::numbering::Numbering;
use crate::routing::Ties;
use crate::{Plan, plan, plan_numbered};

fn table(plan: &Plan, name: &str) -> Vec<String> {
    routes(plan, name)
        .iter()
        .map(|route| {
            let via = route.via.map_or(String::new(), |via| format!(" via {via}"));
            let dev = route.interface.as_ref().map_or(String::new(), |dev| format!(" dev {dev}"));
            format!("{}{via}{dev}", route.to)
        })
        .collect()
}

fn path(scenario: &Scenario, from: &'static str, to: &str) -> Result<String, String> {
    let plan = plan(scenario).unwrap();
    let primary = &plan.node(to).unwrap().primary;
    let paths: Result<Vec<_>, _> = primary
        .iter()
        .map(|address| Forwarder::new(&plan).path(from, *address).map(|path| path.join(" ")))
        .collect();
    let paths = paths?;
    assert!(paths.windows(2).all(|pair| pair[0] == pair[1]), "families differ: {paths:?}");
    Ok(paths[0].clone())
}

#[test]
fn a_host_has_a_default_route_to_its_only_router() {
    let plan = plan(&network(&[("h1", "r1", 1), ("r1", "h2", 1)])).unwrap();
    assert_eq!(
        table(&plan, "h1"),
        ["0.0.0.0/0 via 10.0.0.2 dev eth1", "::/0 via fd00:0:0:1::2 dev eth1"]
    );
    assert!(table(&plan, "r1").is_empty());
}

#[test]
fn two_hosts_on_a_link_need_no_routes() {
    let plan = plan(&network(&[("h1", "h2", 1)])).unwrap();
    assert!(table(&plan, "h1").is_empty());
}

#[test]
fn one_route_covers_equal_next_hops_and_no_unused_addresses() {
    // Subnets are 10.0.0.0 (r1-r2), .4, .8, .12 /30. For the first one, r1 has the kernel's own
    // route.
    let links = [("r1", "r2", 1), ("r2", "h1", 1), ("r2", "h2", 1), ("r2", "h3", 1)];
    let plan = plan(&network(&links)).unwrap();
    let v4: Vec<_> = table(&plan, "r1").into_iter().filter(|route| route.contains('.')).collect();
    assert_eq!(v4, ["10.0.0.0/28 via 10.0.0.2 dev eth1", "10.255.0.2/32 via 10.0.0.2 dev eth1"]);
}

/// Returns two paths from r1 to r4: two hops of 5 ms by r2, or one link of 20 ms and low cost.
fn diamond() -> Scenario {
    let mut scenario = network(&[("r1", "r2", 5), ("r2", "r4", 5), ("r1", "r4", 20)]);
    for link in &mut scenario.links[..2] {
        link.costs = [10; 2];
    }
    scenario.links[2].costs = [15; 2];
    scenario
}

#[test]
fn the_metric_decides_the_path() {
    for (routing, expected) in
        [(Routing::Delay, "r1 r2 r4"), (Routing::Hops, "r1 r4"), (Routing::Cost, "r1 r4")]
    {
        let mut scenario = diamond();
        node(&mut scenario, "r1").routing = routing;
        assert_eq!(path(&scenario, "r1", "r4").unwrap(), expected, "{routing:?}");
    }
}

#[test]
fn delay_is_that_of_the_direction() {
    let mut scenario = diamond();
    scenario.links[2].forward.delay = Duration::from_millis(9).into();
    assert_eq!(path(&scenario, "r1", "r4").unwrap(), "r1 r4");
    assert_eq!(path(&scenario, "r4", "r1").unwrap(), "r4 r2 r1");
}

#[test]
fn cost_is_that_of_the_direction() {
    let mut scenario = diamond();
    for name in ["r1", "r2", "r4"] {
        node(&mut scenario, name).routing = Routing::Cost;
    }
    // From r4 to r1, the direct link costs more than the path by r2, and from r1 to r4 less.
    scenario.links[2].costs = [15, 21];
    assert_eq!(path(&scenario, "r1", "r4").unwrap(), "r1 r4");
    assert_eq!(path(&scenario, "r4", "r1").unwrap(), "r4 r2 r1");
}

#[test]
fn equal_delays_go_by_hops_then_by_name() {
    let links = [("r1", "r3", 5), ("r3", "r4", 5), ("r1", "r2", 5), ("r2", "r4", 5)];
    assert_eq!(path(&network(&links), "r1", "r4").unwrap(), "r1 r2 r4");
    let mut scenario = network(&links);
    link(&mut scenario, "r1", "r4", Duration::from_millis(10));
    assert_eq!(path(&scenario, "r1", "r4").unwrap(), "r1 r4");
}

#[test]
fn of_equal_paths_a_large_network_takes_those_that_save_routes() {
    // r2 and r3 are equally near to r4 and r6, but only r3 leads to r5. Loopbacks are in the order
    // of the links: r1, r3, r4, r5, r6, r2.
    let pairs = [("r1", "r3"), ("r3", "r4"), ("r3", "r5"), ("r3", "r6"), ("r1", "r2")];
    let links: Vec<_> =
        pairs.into_iter().chain([("r2", "r4"), ("r2", "r6")]).map(|(a, b)| (a, b, 5)).collect();
    let scenario = network(&links);
    let in_file_order = |ties| {
        let plan = plan_numbered(&scenario, |topology, _| Numbering {
            ties,
            ..Numbering::in_file_order(topology)
        });
        table(&plan.unwrap(), "r1")
    };
    let loopbacks = |table: Vec<String>| -> Vec<String> {
        table.into_iter().filter(|route| route.starts_with("10.255.")).collect()
    };
    let [to_r3, to_r2] = ["via 10.0.0.2 dev eth1", "via 10.0.0.18 dev eth2"];
    assert_eq!(
        loopbacks(in_file_order(Ties::ByName)),
        [
            format!("10.255.0.2/31 {to_r3}"),
            format!("10.255.0.3/32 {to_r2}"),
            format!("10.255.0.4/31 {to_r3}"),
            format!("10.255.0.5/32 {to_r2}"),
            format!("10.255.0.6/32 {to_r2}"),
        ]
    );
    assert_eq!(
        loopbacks(in_file_order(Ties::BySize)),
        [
            format!("10.255.0.2/31 {to_r3}"),
            format!("10.255.0.4/31 {to_r3}"),
            format!("10.255.0.6/32 {to_r2}"),
        ]
    );
}

#[test]
fn links_that_are_down_and_hosts_are_not_used() {
    let mut scenario = diamond();
    take_down(&mut scenario, "r2--r4");
    assert_eq!(path(&scenario, "r1", "r4").unwrap(), "r1 r4");
    let hosts_between = network(&[("r1", "h1", 1), ("h1", "r2", 1)]);
    assert!(path(&hosts_between, "r1", "r2").is_err());
}

#[test]
fn a_host_whose_only_link_is_down_still_knows_its_gateway() {
    let mut scenario = network(&[("h1", "r1", 1), ("r1", "h2", 1)]);
    take_down(&mut scenario, "h1--r1");
    assert_eq!(table(&plan(&scenario).unwrap(), "h1")[0], "0.0.0.0/0 via 10.0.0.2 dev eth1");
}

#[test]
fn daemons_get_no_routes_but_their_hosts_do_and_paths_lead_through_them() {
    let mut scenario = network(&[("h1", "r1", 1), ("r1", "r2", 1), ("r2", "h2", 1)]);
    node(&mut scenario, "r1").routing = Routing::Daemon;
    node(&mut scenario, "r2").routing = Routing::None;
    let plan = plan(&scenario).unwrap();
    assert!(table(&plan, "r1").is_empty() && table(&plan, "r2").is_empty());
    assert_eq!(table(&plan, "h1")[0], "0.0.0.0/0 via 10.0.0.2 dev eth1");
}

#[test]
fn a_host_between_two_routers_has_a_route_per_prefix() {
    let links =
        [("h1", "r1", 1), ("h1", "r2", 1), ("r1", "h2", 1), ("r2", "h3", 1), ("r1", "r2", 9)];
    let scenario = network(&links);
    assert_eq!(path(&scenario, "h1", "h2").unwrap(), "h1 r1 h2");
    assert_eq!(path(&scenario, "h1", "h3").unwrap(), "h1 r2 h3");
    assert!(table(&plan(&scenario).unwrap(), "h1").iter().all(|route| !route.starts_with("0.")));
}

#[test]
fn own_routes_replace_the_same_prefix_and_add_others() {
    let mut scenario = diamond();
    let via = "10.0.0.10"; // r4 on the direct link
    let loopback = "10.255.0.3/32"; // r4's
    node(&mut scenario, "r1").routes = vec![route(loopback, via), route("192.0.2.7/24", via)];
    let plan = plan(&scenario).unwrap();
    let r1 = table(&plan, "r1");
    assert_eq!(r1.iter().filter(|route| route.starts_with("10.255.0.3")).count(), 1);
    assert!(r1.contains(&"10.255.0.3/32 via 10.0.0.10".into()));
    assert!(r1.contains(&"192.0.2.0/24 via 10.0.0.10".into()));
    let to_r4: IpAddr = "10.255.0.3".parse().unwrap();
    assert_eq!(Forwarder::new(&plan).path("r1", to_r4).unwrap(), ["r1", "r4"]);
}

#[test]
fn own_routes_are_not_swallowed_by_a_joined_one() {
    let links = [("r1", "r2", 1), ("r2", "h1", 1), ("r2", "h2", 1), ("r2", "h3", 1)];
    let mut scenario = network(&links);
    node(&mut scenario, "r1").routes = vec![route("10.0.0.8/29", "10.0.0.2")];
    let r1 = table(&plan(&scenario).unwrap(), "r1");
    assert!(r1.contains(&"10.0.0.8/30 via 10.0.0.2 dev eth1".into()), "{r1:?}");
    assert_eq!(r1.iter().filter(|route| route.starts_with("10.0.0.8/29")).count(), 1);
}

#[test]
fn switches_add_their_delays_to_the_path() {
    // The delay is 1 + 1 ms by the LAN, and 3 ms by the direct link.
    let scenario = network(&[("r1", "s1", 1), ("s1", "r2", 1), ("r1", "r2", 3), ("r2", "h1", 1)]);
    let plan = plan(&scenario).unwrap();
    let h1 = plan.node("h1").unwrap().primary[0];
    let r1 = routes(&plan, "r1");
    let route = r1.iter().find(|route| route.to.contains(h1)).unwrap();
    assert_eq!(route.interface.as_deref(), Some("eth1"));
}

#[test]
fn families_are_routed_apart_where_they_differ() {
    let mut scenario = diamond();
    for (name, interface) in [("r1", 0), ("r2", 0)] {
        node(&mut scenario, name).interfaces[interface].ipv6 = Addresses::None;
    }
    let plan = plan(&scenario).unwrap();
    let r4 = &plan.node("r4").unwrap().primary;
    let forwarder = Forwarder::new(&plan);
    assert_eq!(forwarder.path("r1", r4[0]).unwrap(), ["r1", "r2", "r4"]);
    assert_eq!(forwarder.path("r1", r4[1]).unwrap(), ["r1", "r4"]);
}

#[test]
fn neighbours_without_a_common_subnet_are_no_next_hops() {
    let mut scenario = diamond();
    fix4(&mut scenario, "r1", 0, "192.0.2.1/24");
    fix4(&mut scenario, "r2", 0, "198.51.100.1/24");
    let plan = plan(&scenario).unwrap();
    let r4 = &plan.node("r4").unwrap().primary;
    assert_eq!(Forwarder::new(&plan).path("r1", r4[0]).unwrap(), ["r1", "r4"]);
}

#[test]
fn a_host_behind_hosts_is_reached_by_each_of_its_addresses() {
    // h1's first interface leads only to h2.
    let scenario = network(&[("h1", "h2", 1), ("h1", "r1", 1), ("r1", "h3", 1)]);
    assert_eq!(path(&scenario, "h3", "h1").unwrap(), "h3 r1 h1");
}

#[test]
fn switches_have_another_way_around_a_link_that_is_down() {
    // A ring of three switches; r1 and r2 are at two of them, h1 at r1 and h2 at r2.
    let links = [
        ("h1", "r1", 1),
        ("r2", "h2", 1),
        ("r1", "s1", 1),
        ("r2", "s2", 1),
        ("s1", "s2", 1),
        ("s2", "s3", 1),
        ("s3", "s1", 1),
    ];
    let mut scenario = network(&links);
    let before = plan(&scenario).unwrap();
    assert_eq!(path(&scenario, "h1", "h2").unwrap(), "h1 r1 r2 h2");
    take_down(&mut scenario, "s1--s2");
    assert_eq!(path(&scenario, "h1", "h2").unwrap(), "h1 r1 r2 h2");
    let after = plan(&scenario).unwrap();
    assert_eq!((after.segments, after.nodes), (before.segments, before.nodes));
    take_down(&mut scenario, "s2--s3");
    assert!(path(&scenario, "h1", "h2").is_err(), "there is no other way");
}
