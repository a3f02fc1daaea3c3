//! Changes from one random network to another and back. The operations are carried out on a network
//! that consists of maps.

use std::collections::{BTreeMap, BTreeSet};

use netloom_link::PipeConfig;
use netloom_scenario::{
    Addresses, Command, Direction, Endpoint, IpPrefix, Limits, NodeKind, Scenario,
};
use netloom_units::Duration;
use proptest::prelude::*;

use super::build;
use crate::change::{Change, Changes, Existence, Inside, Network, Operation};
use crate::{InterfacePlan, OutsidePlan, Plan, RoutePlan, SharedLimits, keep_addresses, plan};

/// The choices from which a scenario is built.
#[derive(Debug, Clone)]
struct Sketch {
    links: Vec<(usize, usize, u64, bool)>,
    parameters: Vec<(usize, bool, u8)>,
    /// Whether a node that is normally a router is a switch.
    switched: bool,
    /// Limits of some nodes, programs that run in them, and whether they are in a group.
    inside: Vec<(usize, u64, u8, bool)>,
    /// Shared limit of the group; without it, the group shares nothing.
    together: Option<u64>,
    /// Routes of the nodes' own, without an interface.
    routes: Vec<(usize, u8)>,
    /// Links to devices of the machine: the node, the kind of end outside, and the device.
    outside: Vec<(usize, usize, u8)>,
}

const OUTSIDE: [&str; 3] = ["host", "tap", "device"];
const NODES: [&str; 8] = ["h0", "h1", "h2", "r0", "r1", "r2", "s0", "s1"];

fn sketch() -> impl Strategy<Value = Sketch> {
    let links =
        prop::collection::vec((0..8usize, 0..8usize, 1..4u64, prop::bool::weighted(0.2)), 0..9);
    let parameters = prop::collection::vec((0..6usize, any::<bool>(), 1..4u8), 0..4);
    let inside = prop::collection::vec((0..6usize, 0..3u64, 0..3u8, any::<bool>()), 0..5);
    let together = prop::option::of(10..12u64);
    let routes = prop::collection::vec((0..6usize, 0..3u8), 0..3);
    let outside = prop::collection::vec((0..8usize, 0..3usize, 0..3u8), 0..3);
    (links, parameters, prop::bool::weighted(0.3), inside, together, routes, outside).prop_map(
        |(links, parameters, switched, inside, together, routes, outside)| Sketch {
            links,
            parameters,
            switched,
            inside,
            together,
            routes,
            outside,
        },
    )
}

fn scenario(sketch: &Sketch) -> Scenario {
    let mut scenario = build::scenario();
    let is_switch = |node: usize| node > 5 || (sketch.switched && node == 5);
    let mut joined = BTreeSet::new();
    for (a, b, delay, direct) in &sketch.links {
        let (a, b) = ((*a).min(*b), (*a).max(*b));
        // Switches are not joined, because there would be loops.
        if a == b || (is_switch(a) && is_switch(b)) || !joined.insert((a, b)) {
            continue;
        }
        build::link(&mut scenario, NODES[a], NODES[b], Duration::from_millis(*delay));
        // Interfaces are named after the nodes that they reach, so they have the same names in
        // other scenarios.
        let link = scenario.links.last_mut().unwrap();
        link.direct = *direct && !is_switch(a) && !is_switch(b);
        if link.direct {
            (link.forward, link.reverse) = (PipeConfig::default(), PipeConfig::default());
        }
        let names = [b, a].map(|other| format!("to{}", NODES[other]));
        for (end, name) in link.endpoints.iter_mut().zip(&names) {
            end.interface.clone_from(name);
        }
        for (node, name) in [a, b].into_iter().zip(names) {
            build::node(&mut scenario, NODES[node]).interfaces.last_mut().unwrap().name = name;
        }
    }
    let mut lent = BTreeSet::new();
    for (node, kind, device) in &sketch.outside {
        let address = format!("172.30.{}.1/24", node * 3 + usize::from(*device)).parse().unwrap();
        let (name, kind, device) = (NODES[*node], OUTSIDE[*kind], format!("dev{device}"));
        if !lent.insert(device.clone()) {
            continue;
        }
        build::link(&mut scenario, name, kind, Duration::from_millis(1));
        let link = scenario.links.last_mut().unwrap();
        link.name = format!("{name}--{kind}:{device}");
        let names = [format!("to{device}"), device];
        for (end, name) in link.endpoints.iter_mut().zip(names) {
            end.interface.clone_from(&name);
            let node = scenario.nodes.iter_mut().find(|node| node.name == end.node).unwrap();
            node.interfaces.last_mut().unwrap().name = name;
        }
        let outside = build::node(&mut scenario, kind);
        (outside.kind, outside.loopback) = (NodeKind::Outside, build::loopback(NodeKind::Outside));
        // Ends outside have only the addresses that are given to them.
        let interface = outside.interfaces.last_mut().unwrap();
        (interface.ipv4, interface.ipv6) = match kind {
            "host" => (Addresses::Fixed(vec![address]), Addresses::None),
            _ => (Addresses::None, Addresses::None),
        };
    }
    for node in scenario.nodes.iter_mut().filter(|node| node.name == "r2" && sketch.switched) {
        node.kind = NodeKind::Switch;
        node.loopback = build::loopback(NodeKind::Switch);
    }
    for (node, of_interface, value) in &sketch.parameters {
        let found = scenario.nodes.iter_mut().find(|n| n.name == NODES[*node]);
        let Some(found) = found.filter(|node| node.kind != NodeKind::Switch) else { continue };
        let key = match found.interfaces.first().filter(|_| *of_interface) {
            Some(interface) => format!("net.ipv4.conf.{}.proxy_arp", interface.name),
            None => "net.ipv4.ip_default_ttl".into(),
        };
        found.sysctls.insert(key, value.to_string());
    }
    for (node, number) in &sketch.routes {
        let found = scenario.nodes.iter_mut().find(|n| n.name == NODES[*node]);
        let Some(found) = found.filter(|node| node.kind != NodeKind::Switch) else { continue };
        let to = format!("172.16.{number}.0/24");
        if found.routes.iter().all(|route| route.to.to_string() != to) {
            found.routes.push(build::route(&to, "192.0.2.1"));
        }
    }
    let limits = |pids: u64| Limits { pids: (pids > 0).then_some(pids), ..Limits::default() };
    for (node, pids, runs, in_group) in &sketch.inside {
        let found = scenario.nodes.iter_mut().find(|n| n.name == NODES[*node]);
        let Some(found) = found.filter(|node| node.kind != NodeKind::Switch) else { continue };
        found.limits = limits(*pids);
        found.groups = in_group.then(|| "g".into()).into_iter().collect();
        found.software.startup =
            (*runs > 0).then(|| Command::Shell(runs.to_string())).into_iter().collect();
    }
    scenario.group_limits =
        sketch.together.map(|pids| ("g".into(), limits(pids))).into_iter().collect();
    scenario
}

/// Among the nodes whose commands differ, every other one is made anew, and the rest run their
/// commands again.
fn inside(old: &Scenario, new: &Scenario) -> Inside {
    let mut inside = Inside::default();
    for node in new.nodes.iter().filter(|node| node.kind != NodeKind::Switch) {
        let before = old.node(&node.name).filter(|old| old.kind != NodeKind::Switch);
        if before.is_none_or(|before| before.software == node.software) {
            continue;
        }
        match node.name.ends_with('1') {
            true => _ = inside.anew.insert(node.name.clone(), "other commands".into()),
            false => _ = inside.restarted.insert(node.name.clone()),
        }
    }
    inside
}

/// A network in the form of a kernel and a data plane.
#[derive(Debug, Clone, PartialEq, Default)]
struct World {
    nodes: BTreeMap<String, Stack>,
    links: BTreeMap<String, [PipeConfig; 2]>,
    /// Devices of the machine that are in use.
    lent: BTreeMap<String, OutsidePlan>,
    hosts: String,
    shared: SharedLimits,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Stack {
    limits: Limits,
    group: Option<String>,
    /// Commands that have been run in it.
    ran: Vec<Command>,
    parameters: BTreeMap<String, String>,
    loopback: Vec<IpPrefix>,
    interfaces: BTreeMap<String, InterfacePlan>,
    routes: BTreeMap<IpPrefix, RoutePlan>,
}

impl World {
    fn of(scenario: &Scenario, plan: &Plan) -> Self {
        let nodes = plan.nodes.iter().enumerate().map(|(index, node)| {
            let interfaces = node.interfaces.iter().map(|i| (i.name.clone(), i.clone()));
            let stack = Stack {
                limits: node.limits,
                group: node.limit_group.clone(),
                ran: scenario.node(&node.name).unwrap().software.startup.clone(),
                parameters: node.sysctls.clone(),
                loopback: node.loopback.clone(),
                interfaces: interfaces.collect(),
                routes: plan.routes(index).into_iter().map(|route| (route.to, route)).collect(),
            };
            (node.name.clone(), stack)
        });
        let links = scenario.modelled_links();
        let links =
            links.map(|link| (link.name.clone(), [link.forward.clone(), link.reverse.clone()]));
        Self {
            nodes: nodes.collect(),
            links: links.collect(),
            lent: plan.outside.iter().map(|end| (end.device.clone(), end.clone())).collect(),
            hosts: plan.hosts_file.clone(),
            shared: plan.limits.clone(),
        }
    }

    /// Starts what runs in nodes from the start, after checking that everything else in these nodes
    /// is finished.
    fn start(&mut self, nodes: &[String], wanted: &Self) {
        for node in nodes {
            let wanted = &wanted.nodes[node];
            self.stack(node).ran.clone_from(&wanted.ran);
            let mut stack = self.stack(node).clone();
            // Interfaces to which nothing leads any more are removed later.
            stack.interfaces.retain(|name, _| wanted.interfaces.contains_key(name));
            assert_eq!(&stack, wanted, "{node} is not finished");
        }
    }

    fn stack(&mut self, node: &str) -> &mut Stack {
        self.nodes.get_mut(node).unwrap_or_else(|| panic!("no node {node}"))
    }

    fn make(&mut self, node: &str, interface: &InterfacePlan) {
        let before = self.stack(node).interfaces.insert(interface.name.clone(), interface.clone());
        assert_eq!(before, None, "{node}:{} is there already", interface.name);
    }

    /// Removes an interface. The kernel also removes its routes and parameters.
    fn remove(&mut self, node: &str, interface: &InterfacePlan) {
        let stack = self.stack(node);
        assert_eq!(stack.interfaces.remove(&interface.name).as_ref(), Some(interface));
        let name = interface.name.as_str();
        stack.routes.retain(|_, route| route.interface.as_deref() != Some(name));
        stack.parameters.retain(|key, _| !key.contains(&format!(".{name}.")));
    }

    /// Carries out an operation on the way to `whole`.
    fn carry_out(&mut self, operation: &Operation, whole: &Self) {
        match operation {
            Operation::SharedLimits(Change { from, to }) => {
                assert_eq!(self.shared, *from);
                self.shared.clone_from(to);
            }
            Operation::Limits { node, change } => {
                let stack = self.stack(node);
                assert_eq!(stack.limits, change.from);
                stack.limits = change.to;
            }
            Operation::Node(Existence::Made(node)) => {
                let group = node.limit_group.as_ref();
                assert!(group.is_none_or(|group| self.shared.groups.contains_key(group)));
                // Parameters of interfaces cannot be set before the interfaces exist.
                let parameters = node.sysctls.iter().filter(|(key, _)| !key.contains(".to"));
                let stack = Stack {
                    limits: node.limits,
                    group: node.limit_group.clone(),
                    parameters: parameters.map(|(k, v)| (k.clone(), v.clone())).collect(),
                    loopback: node.loopback.clone(),
                    ..Stack::default()
                };
                assert_eq!(self.nodes.insert(node.name.clone(), stack), None);
            }
            Operation::Node(Existence::Removed(node)) => {
                assert!(self.nodes.remove(&node.name).is_some());
            }
            Operation::Interface { node, interface: Existence::Made(interface) } => {
                self.make(node, interface);
            }
            Operation::Interface { node, interface: Existence::Removed(interface) } => {
                self.remove(node, interface);
            }
            Operation::Pair { nodes, interfaces: Existence::Made(interfaces) } => {
                nodes.iter().zip(interfaces).for_each(|(node, i)| self.make(node, i));
            }
            Operation::Pair { nodes, interfaces: Existence::Removed(interfaces) } => {
                nodes.iter().zip(interfaces).for_each(|(node, i)| self.remove(node, i));
            }
            Operation::Outside(Existence::Made(end)) => {
                assert_eq!(self.lent.insert(end.device.clone(), end.clone()), None);
            }
            Operation::Outside(Existence::Removed(end)) => {
                assert_eq!(self.lent.remove(&end.device).as_ref(), Some(end));
                let name = format!("--{}", end.end);
                assert!(!self.links.keys().any(|link| link.ends_with(&name)), "{name} is in use");
            }
            Operation::TakeOut(names) => {
                names.iter().for_each(|name| assert!(self.links.remove(name).is_some()));
            }
            // The callers carry out the rest of these operations.
            Operation::PutIn | Operation::Start(_) | Operation::Medium { .. } => {}
            Operation::Link { link, direction, change } => {
                let pipes = self.links.get_mut(link).unwrap();
                let numbers: &[usize] = match direction {
                    Direction::Both => &[0, 1],
                    Direction::Forward => &[0],
                    Direction::Reverse => &[1],
                };
                numbers.iter().for_each(|number| change.to.apply_to(&mut pipes[*number]));
            }
            Operation::Parameter { node, key, change } => {
                let named = key.split('.').find(|part| part.starts_with("to"));
                let stack = self.stack(node);
                assert!(named.is_none_or(|name| stack.interfaces.contains_key(name)), "{key}");
                match &change.to {
                    Some(value) => stack.parameters.insert(key.clone(), value.clone()),
                    None => stack.parameters.remove(key),
                };
            }
            Operation::Settings { node, change } => {
                let known = self.stack(node).interfaces.get_mut(&change.to.name).unwrap();
                assert_eq!(*known, *change.from);
                known.clone_from(&change.to);
            }
            Operation::Loopback { node, change } => {
                let stack = self.stack(node);
                assert_eq!(stack.loopback, change.from);
                stack.loopback.clone_from(&change.to);
            }
            Operation::Routes { node, change } => {
                let stack = self.stack(node);
                for route in &change.from {
                    stack.routes.remove(&route.to);
                }
                for route in &change.to {
                    let over = route.interface.as_deref();
                    assert!(
                        over.is_none_or(|name| stack.interfaces.contains_key(name)),
                        "{route:?}"
                    );
                    // Any of the interfaces may be the one that the route uses.
                    let mut all = whole.nodes[node].interfaces.keys();
                    let has_all = all.all(|name| stack.interfaces.contains_key(name));
                    assert!(over.is_some() || has_all, "{route:?}");
                    stack.routes.insert(route.to, route.clone());
                }
            }
            Operation::Neighbours { node, interface } => {
                assert!(self.stack(node).interfaces.contains_key(interface));
            }
            Operation::Hosts(Change { to, .. }) => self.hosts.clone_from(to),
        }
    }

    /// Adds the links that the data plane would take from the scenario.
    fn put_in(&mut self, other: &Self) {
        for (name, pipes) in &other.links {
            self.links.entry(name.clone()).or_insert_with(|| pipes.clone());
        }
    }
}

fn networks(old: &Sketch, new: &Sketch) -> [(Scenario, Plan); 2] {
    let (old, new) = (scenario(old), scenario(new));
    let old_plan = plan(&old).unwrap();
    let new_plan = plan(&keep_addresses(&new, &old, &old_plan).unwrap()).unwrap();
    [(old, old_plan), (new, new_plan)]
}

fn changes(old: &(Scenario, Plan), new: &(Scenario, Plan)) -> Changes {
    let network = |(scenario, plan)| Network { scenario, plan };
    crate::change::changes(
        network((&old.0, &old.1)),
        network((&new.0, &new.1)),
        &inside(&old.0, &new.0),
    )
}

proptest! {
    #[test]
    fn operations_lead_from_any_network_to_any_other(old in sketch(), new in sketch()) {
        let [old, new] = networks(&old, &new);
        let network = |(scenario, plan): &'_ (Scenario, Plan)| World::of(scenario, plan);
        let (mut world, wanted) = (network(&old), network(&new));
        let changes = changes(&old, &new);
        for operation in &changes.operations {
            world.carry_out(operation, &wanted);
            match operation {
                Operation::PutIn => world.put_in(&wanted),
                Operation::Start(nodes) => world.start(nodes, &wanted),
                _ => {}
            }
        }
        prop_assert_eq!(world, wanted);
    }

    #[test]
    fn steps_before_a_failure_can_be_undone(
        old in sketch(), new in sketch(), at in any::<prop::sample::Index>(),
    ) {
        let [old, new] = networks(&old, &new);
        let before = World::of(&old.0, &old.1);
        let changes = changes(&old, &new);
        // The last step removes for good.
        let removes = |o: &Operation| matches!(o,
            Operation::Node(Existence::Removed(_))
            | Operation::Interface { interface: Existence::Removed(_), .. }
            | Operation::Pair { interfaces: Existence::Removed(_), .. }
            | Operation::Outside(Existence::Removed(_)));
        let last = changes.operations.iter().rposition(|operation| !removes(operation));
        let operations = &changes.operations[..last.map_or(0, |last| last + 1)];
        prop_assume!(!operations.is_empty());
        let done = &operations[..at.index(operations.len())];
        let mut world = before.clone();
        let wanted = World::of(&new.0, &new.1);
        for operation in done {
            world.carry_out(operation, &wanted);
            match operation {
                Operation::PutIn => world.put_in(&wanted),
                Operation::Start(nodes) => world.start(nodes, &wanted),
                _ => {}
            }
        }
        for operation in done.iter().rev() {
            match operation.clone().inverse() {
                Some(inverse) => world.carry_out(&inverse, &before),
                None => match operation {
                    Operation::Start(_) => {}
                    Operation::TakeOut(_) => world.put_in(&before),
                    _ => world.links.retain(|name, _| {
                        before.links.contains_key(name) && !taken_out(done).contains(&name)
                    }),
                },
            }
        }
        // Programs that were started again, or disappeared with their nodes, are started when
        // everything else is as it was.
        let other = |node: &String| world.nodes[node].ran != before.nodes[node].ran;
        let ended: Vec<String> = before.nodes.keys().filter(|node| other(node)).cloned().collect();
        world.start(&ended, &before);
        prop_assert_eq!(world, before);
    }

    #[test]
    fn a_network_is_nothing_away_from_itself(sketch in sketch()) {
        let [old, new] = networks(&sketch, &sketch);
        let changes = changes(&old, &new);
        prop_assert_eq!(changes.operations, vec![]);
    }

    #[test]
    fn links_that_stay_keep_their_addresses_and_all_addresses_differ(
        old in sketch(), new in sketch()
    ) {
        let [old, new] = networks(&old, &new);
        let address = |plan: &Plan, end: &Endpoint| {
            let node = plan.node(&end.node)?;
            let interface = node.interfaces.iter().find(|i| i.name == end.interface)?;
            Some(interface.addresses.clone())
        };
        let is_switch = |scenario: &Scenario, end: &Endpoint| {
            scenario.node(&end.node).is_some_and(|node| node.kind == NodeKind::Switch)
        };
        for link in new.0.links.iter().filter(|link| old.0.link(&link.name).is_some()) {
            let ends = &link.endpoints;
            // Segments of switches may have outgrown their networks, or may have changed.
            if !ends.iter().any(|end| is_switch(&new.0, end) || is_switch(&old.0, end)) {
                for end in ends {
                    prop_assert_eq!(address(&old.1, end), address(&new.1, end));
                }
            }
        }
        let mut all: Vec<_> = new.1.nodes.iter().flat_map(|node| {
            node.loopback.iter().chain(node.interfaces.iter().flat_map(|i| &i.addresses))
        }).map(|prefix| match prefix {
            IpPrefix::V4(prefix) => std::net::IpAddr::from(prefix.address),
            IpPrefix::V6(prefix) => prefix.address.into(),
        }).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        prop_assert_eq!(all.len(), count);
    }
}

fn taken_out(done: &[Operation]) -> Vec<&String> {
    let names = done.iter().filter_map(|operation| match operation {
        Operation::TakeOut(names) => Some(names),
        _ => None,
    });
    names.flatten().collect()
}
