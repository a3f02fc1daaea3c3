//! Routing services in virtual time: no protocol runs, and routers have the routes that an ideal
//! one would converge to. These are the planner's: shortest paths by the protocol's metrics. Not
//! here: how routes are computed (`netloom-plan`).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use netloom_scenario::service::OptionValue;
use netloom_scenario::{IpFamily, Node, NodeKind, Routing, Scenario, ServiceUse, TimelineAction};
use netloom_units::Duration;

/// Services that make no routes of their own in a network whose links work.
const HELPERS: [&str; 2] = ["zebra", "bfd"];
/// Files that services replace with what they generate.
const CONFIGURATIONS: [&str; 2] = ["/etc/frr/", "/etc/bird/"];

/// An interior routing protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Protocol {
    Ospf,
    Ospf6,
    Isis,
    Rip,
}

impl Protocol {
    fn carries(self, family: IpFamily) -> bool {
        match self {
            Self::Ospf | Self::Rip => family == IpFamily::Ipv4,
            Self::Ospf6 => family == IpFamily::Ipv6,
            Self::Isis => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ospf => "ospf",
            Self::Ospf6 => "ospf6",
            Self::Isis => "isis",
            Self::Rip => "rip",
        }
    }
}

/// The services of a scenario, as far as their routes can be computed.
#[derive(Debug, Default)]
pub struct Services {
    /// Reasons why they cannot.
    pub errors: Vec<String>,
    /// A description of what stands for them, if there are any.
    pub note: Option<String>,
}

impl Services {
    /// Returns what is to be known of a scenario's services.
    pub fn of(scenario: &Scenario) -> Self {
        let mut services = Self::default();
        let mut interior = BTreeMap::new();
        for node in &scenario.nodes {
            services.node(node);
            if node.kind == NodeKind::Router {
                interior.insert(node.name.as_str(), protocols(node));
            }
        }
        if scenario.nodes.iter().all(|node| node.software.services.is_empty()) {
            return services;
        }
        services.alike(&interior);
        services.areas(scenario);
        services.systems(scenario, &interior);
        services.switches(scenario);
        let all: BTreeSet<Protocol> = interior.values().flatten().copied().collect();
        services.families(scenario, &all);
        let names: Vec<&str> = all.iter().map(|one| one.name()).collect();
        if !names.is_empty() {
            services.note = Some(format!(
                "no routing protocol runs ({}): routers have the shortest paths from the start, \
                 and others {} after a link goes down or up (`simulation: {{reroute: …}}`)",
                names.join(", "),
                scenario.simulation.reroute.unwrap_or_default()
            ));
        }
        services
    }

    fn cannot(&mut self, what: String) {
        self.errors.push(format!("{what}: leave it out, or run without `--simulate`"));
    }

    fn node(&mut self, node: &Node) {
        let name = &node.name;
        for (service, of) in &node.software.services {
            let is_on = |option: &str| text(of, option) == Some("true");
            let what = match service.as_str() {
                _ if of.template != *service => Some(String::new()),
                "zebra" if is_on("ra") => Some(" (`ra: true`)".into()),
                "bird" if is_on("babel") => Some(" (`babel: true`)".into()),
                "bird" if !is_on("ospf") => Some(" without OSPF".into()),
                "bgp" if !list(of, "networks").is_empty() => Some(" (`networks`)".into()),
                "bgp" | "bird" | "ospf" | "ospf6" | "isis" | "rip" => {
                    let from = list(of, "redistribute");
                    let mut words = from.iter().filter_map(|one| one.split_whitespace().next());
                    let outside = words.find(|one| ["kernel", "static", "babel"].contains(one));
                    outside.map(|one| format!(" (`redistribute: [{one}]`)"))
                }
                helper if HELPERS.contains(&helper) => None,
                _ => Some(String::new()),
            };
            if let Some(what) = what {
                self.cannot(format!(
                    "service `{service}`{what} of node `{name}` cannot be simulated"
                ));
            }
        }
        let is_ours = |path: &&String| CONFIGURATIONS.iter().any(|one| path.starts_with(one));
        if node.software.services.is_empty() {
            return;
        }
        if let Some(path) = node.software.files.keys().find(is_ours) {
            self.cannot(format!(
                "file `{path}` of node `{name}`, which replaces what its services generate, \
                 cannot be simulated"
            ));
        }
    }

    /// Checks that all routers speak the same interior protocols.
    fn alike(&mut self, interior: &BTreeMap<&str, BTreeSet<Protocol>>) {
        let mut all = interior.iter();
        let Some((first, of_first)) = all.next() else { return };
        if let Some((other, of_other)) = all.find(|(_, of_other)| *of_other != of_first) {
            let [first_words, other_words] = [of_first, of_other].map(words);
            self.errors.push(format!(
                "router `{first}` speaks {first_words} and `{other}` {other_words}, so that not \
                 all learn all routes: give all routers the same protocols, or run without \
                 `--simulate`"
            ));
        }
    }

    /// Checks that OSPF has one area, and IS-IS one level.
    fn areas(&mut self, scenario: &Scenario) {
        for (service, option, what) in [
            ("ospf", "area", "areas"),
            ("ospf6", "area", "areas"),
            ("bird", "area", "areas"),
            ("isis", "level", "levels"),
        ] {
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            for node in &scenario.nodes {
                let Some(of) = node.software.services.get(service) else { continue };
                let own = node
                    .interfaces
                    .iter()
                    .filter_map(|one| one.services.get(service)?.get(option).and_then(single));
                seen.extend(text(of, option).into_iter().chain(own));
            }
            if seen.len() > 1 {
                let all = seen.into_iter().collect::<Vec<_>>().join(", ");
                self.cannot(format!("{what} of `{service}` ({all}) cannot be simulated"));
            }
        }
    }

    /// Checks that BGP stays within one system, all of whose routers have an interior protocol.
    fn systems(&mut self, scenario: &Scenario, interior: &BTreeMap<&str, BTreeSet<Protocol>>) {
        let mut systems = BTreeMap::new();
        for node in &scenario.nodes {
            for service in ["bgp", "bird"] {
                let of = node.software.services.get(service);
                if let Some(system) = of.and_then(|of| text(of, "as")) {
                    systems.entry(system).or_insert(&node.name);
                    if interior.get(node.name.as_str()).is_none_or(BTreeSet::is_empty) {
                        self.cannot(format!(
                            "`{service}` of node `{}` without an interior protocol (`ospf`, \
                             `isis`) cannot be simulated",
                            node.name
                        ));
                        return;
                    }
                }
            }
        }
        if systems.len() > 1 {
            let of = |(system, node): (&str, &String)| format!("{system} of `{node}`");
            let all = systems.into_iter().map(of).collect::<Vec<_>>().join(", ");
            self.cannot(format!(
                "BGP between systems ({all}), whose routes depend on policies, cannot be simulated"
            ));
        }
    }

    /// Checks that costs are those of links between two nodes: a protocol counts the cost of a
    /// network that switches join once.
    fn switches(&mut self, scenario: &Scenario) {
        if metric(scenario) != Routing::Cost {
            return;
        }
        let joined = |node: &&Node| {
            let ends = scenario.links.iter().filter_map(|link| {
                let [a, b] = &link.endpoints;
                let other = if a.node == node.name { b } else { a };
                (a.node == node.name || b.node == node.name).then_some(&other.node)
            });
            let others = ends.filter_map(|end| scenario.node(end));
            node.kind.is_segment()
                && others.filter(|other| other.kind != NodeKind::Host).count() > 1
        };
        if let Some(node) = scenario.nodes.iter().find(joined) {
            self.cannot(format!(
                "a `cost` beside `{}`, which joins several routers, cannot be simulated",
                node.name
            ));
        }
    }

    fn families(&mut self, scenario: &Scenario, all: &BTreeSet<Protocol>) {
        for traffic in &scenario.traffic {
            let family = traffic.family.unwrap_or(IpFamily::Ipv4);
            if !all.is_empty() && !all.iter().any(|one| one.carries(family)) {
                let words = words(all);
                self.cannot(format!(
                    "traffic `{}` cannot go over {family:?}, for which {words} makes no routes",
                    traffic.name
                ));
                return;
            }
        }
    }
}

/// Returns the scenario with planned routes in place of routing services that [`Services::of`] has
/// no error about. Routes follow what is down.
pub fn routed(scenario: &Scenario) -> Cow<'_, Scenario> {
    if scenario.nodes.iter().all(|node| node.software.services.is_empty()) {
        return Cow::Borrowed(scenario);
    }
    let mut routed = scenario.clone();
    let by_metric = metric(scenario);
    for node in &mut routed.nodes {
        if node.routing == Routing::Daemon && !protocols(node).is_empty() {
            let is_rip = |one: &Protocol| *one == Protocol::Rip;
            let counts_hops = protocols(node).iter().all(is_rip);
            node.routing = if counts_hops { Routing::Hops } else { by_metric };
        }
        node.software.services.clear();
    }
    let changes_routes = |action: &TimelineAction| matches!(action, TimelineAction::Route { .. });
    if !routed.timeline.iter().any(|event| changes_routes(&event.action)) {
        routed.simulation.reroute.get_or_insert(Duration::ZERO);
    }
    Cow::Owned(routed)
}

/// Returns the metric of protocols that have costs: those of links, if any link has one.
fn metric(scenario: &Scenario) -> Routing {
    let has_costs = scenario.links.iter().any(|link| link.costs != [1, 1]);
    if has_costs { Routing::Cost } else { Routing::Hops }
}

/// Returns the interior protocols of a node.
fn protocols(node: &Node) -> BTreeSet<Protocol> {
    let of = |(service, of): (&String, &ServiceUse)| match service.as_str() {
        _ if of.template != *service => None,
        "ospf" => Some(Protocol::Ospf),
        "bird" if text(of, "ospf") == Some("true") => Some(Protocol::Ospf),
        "ospf6" => Some(Protocol::Ospf6),
        "isis" => Some(Protocol::Isis),
        "rip" => Some(Protocol::Rip),
        _ => None,
    };
    node.software.services.iter().filter_map(of).collect()
}

fn words(protocols: &BTreeSet<Protocol>) -> String {
    match protocols.iter().map(|one| one.name()).collect::<Vec<_>>()[..] {
        [] => "none".into(),
        ref names => names.join(" and "),
    }
}

fn single(value: &OptionValue) -> Option<&str> {
    match value {
        OptionValue::Text(text) => Some(text),
        OptionValue::List(_) => None,
    }
}

fn text<'s>(service: &'s ServiceUse, option: &str) -> Option<&'s str> {
    service.options.get(option).and_then(single)
}

fn list<'s>(service: &'s ServiceUse, option: &str) -> &'s [String] {
    match service.options.get(option) {
        Some(OptionValue::List(texts)) => texts,
        Some(OptionValue::Text(text)) => std::slice::from_ref(text),
        None => &[],
    }
}
