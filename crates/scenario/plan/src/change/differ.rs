//! The comparison of two networks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use netloom_scenario::{
    Direction, Endpoint, IpPrefix, Link, MacAddress, Node, NodeKind, PortTree, Scenario,
    SpanningTree,
};

use super::devices::{Device, End, Turnover};
use super::{Change, Changes, Existence, Inside, Network, Operation};
use crate::cidr::Cidr;
use crate::{InterfacePlan, NodePlan, OutsidePlan, Plan, RoutePlan};

/// Operations by the step to which they belong.
#[derive(Default)]
struct Steps {
    limits: Vec<Operation>,
    made: Vec<Operation>,
    taken_out: Vec<String>,
    /// Removals that must precede `replacements`.
    removed_first: Vec<Operation>,
    /// What is made under a name or in a place that a removal has left.
    replacements: Vec<Operation>,
    put_in: bool,
    changed: Vec<Operation>,
    settings: Vec<Operation>,
    started: Vec<String>,
    removed: Vec<Operation>,
}

impl Steps {
    fn in_order(self) -> Vec<Operation> {
        let mut all = self.limits;
        all.extend(self.made);
        let rewires = self.put_in || !self.taken_out.is_empty();
        all.extend(rewires.then_some(Operation::TakeOut(self.taken_out)));
        all.extend(self.removed_first);
        all.extend(self.replacements);
        all.extend(rewires.then_some(Operation::PutIn));
        all.extend(self.changed);
        all.extend(self.settings);
        all.extend((!self.started.is_empty()).then_some(Operation::Start(self.started)));
        all.extend(self.removed);
        all
    }
}

pub(super) struct Differ<'a> {
    old: Network<'a>,
    new: Network<'a>,
    old_nodes: HashMap<&'a str, &'a NodePlan>,
    new_nodes: HashMap<&'a str, &'a NodePlan>,
    /// Places of the old nodes in their plan.
    old_index: HashMap<&'a str, usize>,
    /// Nodes that are made anew, with the reasons.
    replaced: BTreeMap<&'a str, String>,
    devices: Turnover<'a>,
    /// Ends of devices that are removed before others are made.
    freed: BTreeSet<End<'a>>,
    inside: &'a Inside,
}

impl<'a> Differ<'a> {
    /// Creates a comparison of `old` and `new`.
    pub fn new(old: Network<'a>, new: Network<'a>, inside: &'a Inside) -> Self {
        let by_name = |plan: &'a Plan| plan.nodes.iter().map(|n| (n.name.as_str(), n)).collect();
        let before: HashMap<&str, &Node> =
            old.scenario.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
        let replaced = new.scenario.nodes.iter().filter_map(|node| {
            let before = before.get(node.name.as_str())?;
            let why = replacement(before, node).or_else(|| inside.anew.get(&node.name).cloned());
            let why = why.or_else(|| other_group((old.scenario, before), (new.scenario, node)))?;
            Some((node.name.as_str(), why))
        });
        let replaced: BTreeMap<&str, String> = replaced.collect();
        let is_replaced = |node: &str| replaced.contains_key(node);
        let mut differ = Self {
            devices: Turnover::between(old.plan, new.plan, is_replaced),
            freed: BTreeSet::new(),
            replaced,
            inside,
            old,
            new,
            old_nodes: by_name(old.plan),
            new_nodes: by_name(new.plan),
            old_index: (0..).zip(&old.plan.nodes).map(|(i, n)| (n.name.as_str(), i)).collect(),
        };
        let Turnover { going, made, .. } = &differ.devices;
        let freed = going.iter().filter(|device| differ.conflicts(**device, made));
        differ.freed = freed.flat_map(|device| device.ends()).collect();
        differ
    }

    /// Returns the changes from one network to the other.
    pub fn changes(&self) -> Changes {
        let mut steps = Steps::default();
        self.limits(&mut steps);
        self.nodes(&mut steps);
        self.interfaces(&mut steps);
        self.outside(&mut steps);
        let links = self.links(&mut steps);
        self.settings(&mut steps);
        let replaced = self.replaced.iter().map(|(node, why)| ((*node).into(), why.clone()));
        Changes {
            operations: steps.in_order(),
            replaced_nodes: replaced.collect(),
            links,
            switches: self.switches(),
        }
    }

    /// Returns the node in both networks, if it stays.
    fn both(&self, name: &str) -> Option<(&'a NodePlan, &'a NodePlan)> {
        let both = self.old_nodes.get(name).zip(self.new_nodes.get(name));
        both.filter(|_| !self.replaced.contains_key(name)).map(|(old, new)| (*old, *new))
    }

    fn limits(&self, steps: &mut Steps) {
        let (old, new) = (&self.old.plan.limits, &self.new.plan.limits);
        // Removed groups stay until their nodes have been removed, because an undo may bring these
        // back.
        let mut both = new.clone();
        for (group, limits) in &old.groups {
            both.groups.entry(group.clone()).or_insert(*limits);
        }
        let come = Change::between(old.clone(), both.clone());
        steps.limits.extend(come.map(Operation::SharedLimits));
        let go = Change::between(both, new.clone());
        steps.settings.extend(go.map(Operation::SharedLimits));
        for node in &self.new.plan.nodes {
            let Some((old, new)) = self.both(&node.name) else { continue };
            let limits = |change| Operation::Limits { node: node.name.clone(), change };
            steps.limits.extend(Change::between(old.limits, new.limits).map(limits));
        }
    }

    fn nodes(&self, steps: &mut Steps) {
        let begins = |node: &&Node| {
            let has_come = self.both(&node.name).is_none() && node.kind.has_stack();
            let runs = !node.software.startup.is_empty() || !node.software.services.is_empty();
            has_come && runs || self.inside.restarted.contains(&node.name)
        };
        let begin = self.new.scenario.nodes.iter().filter(begins);
        steps.started = begin.map(|node| node.name.clone()).collect();
        let bare =
            |node: &NodePlan| NodePlan { interfaces: vec![], routes: vec![], ..node.clone() };
        for node in &self.new.plan.nodes {
            let made = || Operation::Node(Existence::Made(bare(node)));
            if self.replaced.contains_key(node.name.as_str()) {
                steps.replacements.push(made());
            } else if !self.old_nodes.contains_key(node.name.as_str()) {
                steps.made.push(made());
            }
        }
        for node in &self.old.plan.nodes {
            let removed = || Operation::Node(Existence::Removed(bare(node)));
            if self.replaced.contains_key(node.name.as_str()) {
                steps.removed_first.push(removed());
            } else if !self.new_nodes.contains_key(node.name.as_str()) {
                steps.removed.push(removed());
            }
        }
    }

    fn interfaces(&self, steps: &mut Steps) {
        let Turnover { coming, going, made, removed } = &self.devices;
        for device in coming {
            let operation = device.operation(&self.new_nodes, true);
            let waits = self.conflicts(*device, removed);
            let steps = if waits { &mut steps.replacements } else { &mut steps.made };
            steps.extend(operation);
        }
        // Interfaces are removed before their nodes.
        let mut removed_first: Vec<Operation> = self.removed_routes_without_interface().collect();
        let mut later = vec![];
        for device in going {
            let operation = device.operation(&self.old_nodes, false);
            if self.conflicts(*device, made) {
                removed_first.extend(device.ends().flat_map(|end| self.freed(end)));
                removed_first.extend(operation);
            } else if device.ends().any(|(node, _)| self.new_nodes.contains_key(node)) {
                later.extend(operation);
            }
            // Otherwise the device disappears with its nodes.
        }
        steps.removed_first.splice(0..0, removed_first);
        steps.removed.splice(0..0, later);
    }

    /// Adds the changes of ends of links outside. An end that differs in any way is made anew. A
    /// name of the machine can be used only once, so the old end is removed first.
    fn outside(&self, steps: &mut Steps) {
        let (old, new) = (&self.old.plan.outside, &self.new.plan.outside);
        let coming: Vec<&OutsidePlan> = new.iter().filter(|end| !old.contains(end)).collect();
        let going: Vec<&OutsidePlan> = old.iter().filter(|end| !new.contains(end)).collect();
        let shares_device = |end: &OutsidePlan, others: &[&OutsidePlan]| {
            others.iter().any(|other| other.device == end.device)
        };
        for end in &coming {
            let waits = shares_device(end, &going);
            let steps = if waits { &mut steps.replacements } else { &mut steps.made };
            steps.push(Operation::Outside(Existence::Made((*end).clone())));
        }
        let (removed_first, rest): (Vec<_>, Vec<_>) =
            going.into_iter().partition(|end| shares_device(end, &coming));
        let removed = |end: &OutsidePlan| Operation::Outside(Existence::Removed(end.clone()));
        steps.removed_first.extend(removed_first.into_iter().map(removed));
        // Ends are removed before nodes: removing a device that somebody holds may fail, and
        // removed nodes cannot be brought back.
        steps.removed.splice(0..0, rest.into_iter().map(removed));
    }

    /// Whether the device cannot exist beside `others`: an end of it is one of them, or is in a
    /// node that is made anew.
    fn conflicts(&self, device: Device<'_>, others: &HashSet<End<'_>>) -> bool {
        device.ends().any(|end| others.contains(&end) || self.replaced.contains_key(end.0))
    }

    /// Returns the removal of everything that disappears with an interface. It is explicit, so that
    /// undoing it brings everything back.
    fn freed(&self, (node, interface): End<'_>) -> Vec<Operation> {
        let Some(plan) = self.old_nodes.get(node) else { return vec![] };
        let routes = self.gone_routes(plan, |over| over == Some(interface));
        let parameters = plan.sysctls.iter().filter(|(key, _)| names(key, interface));
        let parameters = parameters.map(|(key, value)| Operation::Parameter {
            node: node.into(),
            key: key.clone(),
            change: Change { from: Some(value.clone()), to: None },
        });
        routes.into_iter().chain(parameters).collect()
    }

    /// Returns the removal of routes without an interface, in the nodes of which an interface is
    /// removed. It comes before the interfaces are removed, so undoing it adds the routes when all
    /// interfaces are back.
    fn removed_routes_without_interface(&self) -> impl Iterator<Item = Operation> {
        let nodes: BTreeSet<&str> = self.freed.iter().map(|(node, _)| *node).collect();
        let plans = nodes.into_iter().filter_map(|node| self.old_nodes.get(node));
        plans.filter_map(|plan| self.gone_routes(plan, |over| over.is_none()))
    }

    /// Returns the removal of the old routes of a node for whose interface `is_over` holds, if
    /// there are any.
    fn gone_routes(
        &self,
        node: &NodePlan,
        is_over: impl Fn(Option<&str>) -> bool,
    ) -> Option<Operation> {
        let index = *self.old_index.get(node.name.as_str())?;
        let mut from = self.old.plan.routes(index);
        from.retain(|route| is_over(route.interface.as_deref()));
        let change = Change { from, to: vec![] };
        (!change.from.is_empty()).then(|| Operation::Routes { node: node.name.clone(), change })
    }

    fn links(&self, steps: &mut Steps) -> Change<Vec<String>> {
        let old: HashMap<&str, &Link> =
            self.old.scenario.links.iter().map(|link| (link.name.as_str(), link)).collect();
        let same = self.new.scenario.links.iter().filter(|link| {
            old.get(link.name.as_str()).is_some_and(|old| self.is_same_link(old, link))
        });
        let staying: HashSet<&str> = same.map(|link| link.name.as_str()).collect();
        let stays = |link: &Link| staying.contains(link.name.as_str());
        let names = |links: &[Link]| -> Vec<String> {
            links.iter().filter(|link| !stays(link)).map(|link| link.name.clone()).collect()
        };
        let links =
            Change { from: names(&self.old.scenario.links), to: names(&self.new.scenario.links) };
        let modelled = self.old.scenario.modelled_links().filter(|link| !stays(link));
        steps.taken_out = modelled.map(|link| link.name.clone()).collect();
        let order =
            |scenario: &'a Scenario| scenario.modelled_links().map(|link| link.name.as_str());
        steps.put_in =
            !links.to.is_empty() || !order(self.old.scenario).eq(order(self.new.scenario));
        for link in self.new.scenario.modelled_links().filter(|link| stays(link)) {
            let Some(before) = old.get(link.name.as_str()) else { continue };
            steps.changed.extend(changed_pipes(before, link));
        }
        steps.changed.extend(self.media());
        links
    }

    /// Returns the changes of media that stay.
    fn media(&self) -> Vec<Operation> {
        let changed = |node: &Node| {
            let config = |node: &Node| Some(Box::new(node.medium.as_ref()?.config.clone()));
            let before = self.old.scenario.node(&node.name)?;
            let change = Change::between(config(before)?, config(node)?)?;
            Some(Operation::Medium { medium: node.name.clone(), change })
        };
        self.new.scenario.nodes.iter().filter_map(changed).collect()
    }

    /// Whether the link is the same in both networks, so frames in it can stay there.
    fn is_same_link(&self, old: &Link, new: &Link) -> bool {
        let same = old.direct == new.direct && old.endpoints == new.endpoints;
        same && new.endpoints.iter().all(|end| {
            !self.replaced.contains_key(end.node.as_str())
                && tags(self.old.scenario, end) == tags(self.new.scenario, end)
                && tree(self.old.scenario, end) == tree(self.new.scenario, end)
                && outside(self.old.plan, end) == outside(self.new.plan, end)
        }) && station(self.old.scenario, old) == station(self.new.scenario, new)
    }

    fn settings(&self, steps: &mut Steps) {
        let hosts =
            Change::between(self.old.plan.hosts_file.clone(), self.new.plan.hosts_file.clone());
        steps.settings.extend(hosts.map(Operation::Hosts));
        for (index, node) in self.new.plan.nodes.iter().enumerate() {
            let routes = self.new.plan.routes(index);
            let before = match self.both(&node.name) {
                Some((old, new)) => {
                    self.node_settings(old, new, steps);
                    let mut routes = self.old.plan.routes(self.old_index[old.name.as_str()]);
                    // Routes over interfaces that were in the way have disappeared with them.
                    routes.retain(|route| !self.is_freed(&node.name, route.interface.as_deref()));
                    routes
                }
                None => vec![],
            };
            steps.settings.extend(self.parameters_of_new_interfaces(node));
            steps.settings.extend(changed_routes(&node.name, before, routes));
        }
        let moved = moved(self.old.plan, self.new.plan);
        let stay = self.new.plan.nodes.iter().filter(|node| self.both(&node.name).is_some());
        steps.settings.extend(stay.flat_map(|node| forgotten(node, &moved)));
    }

    fn node_settings(&self, old: &NodePlan, new: &NodePlan, steps: &mut Steps) {
        let node = || new.name.clone();
        let keys: BTreeSet<&String> = old.sysctls.keys().chain(new.sysctls.keys()).collect();
        for key in keys {
            let value = |plan: &NodePlan| plan.sysctls.get(key).cloned();
            // The parameter of an interface that was in the way has its default now, if the
            // interface was replaced.
            let is_freed = old.interfaces.iter().any(|interface| {
                names(key, &interface.name) && self.is_freed(&old.name, Some(&interface.name))
            });
            let change = match is_freed {
                true => Change::between(None, value(new)),
                false => Change::between(value(old), value(new)),
            };
            // An unchanged parameter is set with the interface.
            let is_same = is_freed && value(old) == value(new);
            if let Some(change) = change.filter(|_| !is_same) {
                steps.settings.push(Operation::Parameter {
                    node: node(),
                    key: key.clone(),
                    change,
                });
            }
        }
        if let Some(change) = Change::between(old.loopback.clone(), new.loopback.clone()) {
            steps.settings.push(Operation::Loopback { node: node(), change });
        }
        for interface in &new.interfaces {
            let Some(before) = old.interfaces.iter().find(|old| old.name == interface.name) else {
                continue;
            };
            // An interface that is made anew is made with its new settings.
            if self.is_made(&new.name, &interface.name) {
                continue;
            }
            let change = Change::between(Box::new(before.clone()), Box::new(interface.clone()));
            let settings = |change| Operation::Settings { node: node(), change };
            steps.settings.extend(change.map(settings));
        }
    }

    /// Returns the parameters of interfaces that are made anew, unless they are changed otherwise.
    fn parameters_of_new_interfaces(&self, node: &NodePlan) -> Vec<Operation> {
        let before = self.both(&node.name).map(|(old, _)| old);
        let interfaces = node.interfaces.iter().map(|interface| interface.name.as_str());
        let new: Vec<&str> = interfaces.filter(|name| self.is_made(&node.name, name)).collect();
        let of_new = node.sysctls.iter().filter(|(key, value)| {
            let changed = before.is_some_and(|before| before.sysctls.get(*key) != Some(*value));
            !changed && new.iter().any(|name| names(key, name))
        });
        let parameter = |(key, value): (&String, &String)| Operation::Parameter {
            node: node.name.clone(),
            key: key.clone(),
            change: Change { from: None, to: Some(value.clone()) },
        };
        of_new.map(parameter).collect()
    }

    fn is_made(&self, node: &str, interface: &str) -> bool {
        self.devices.made.contains(&(node, interface))
    }

    /// Whether [`freed`](Self::freed) has removed the routes over an interface. For routes without
    /// an interface: whether any interface of the node was freed.
    fn is_freed(&self, node: &str, interface: Option<&str>) -> bool {
        match interface {
            Some(interface) => self.freed.contains(&(node, interface)),
            None => self.freed.range((node, "")..).next().is_some_and(|(of, _)| *of == node),
        }
    }

    fn switches(&self) -> Change<Vec<String>> {
        let switches = |scenario: &'a Scenario| -> BTreeSet<&'a str> {
            let switches = scenario.nodes.iter().filter(|node| node.kind.is_segment());
            switches.map(|node| node.name.as_str()).collect()
        };
        let (old, new) = (switches(self.old.scenario), switches(self.new.scenario));
        let names = |these: &BTreeSet<&str>, those: &BTreeSet<&str>| -> Vec<String> {
            these.difference(those).map(|name| (*name).into()).collect()
        };
        Change { from: names(&old, &new), to: names(&new, &old) }
    }
}

/// Whether a parameter belongs to the interface. `sysctl` writes a dot in a name as a slash.
fn names(key: &str, interface: &str) -> bool {
    [interface.to_owned(), interface.replace('.', "/")]
        .iter()
        .any(|name| key.contains(&format!(".{name}.")) || key.contains(&format!("/{name}/")))
}

/// Returns the reason why a node must be replaced, if its kind requires it.
fn replacement(old: &Node, new: &Node) -> Option<String> {
    let is_of = |node: &Node| (node.kind.is_segment(), node.kind == NodeKind::Medium);
    (is_of(old) != is_of(new)).then(|| {
        let word = |node: &Node| format!("{:?}", node.kind).to_lowercase();
        format!("it was a {} and becomes a {}", word(old), word(new))
    })
}

/// Returns the reason why a node must be made anew because of its limits. If its group changes, the
/// past usage of its processes cannot be separated from that of others.
fn other_group(old: (&Scenario, &Node), new: (&Scenario, &Node)) -> Option<String> {
    let group = |(scenario, node): (&Scenario, &Node)| scenario.limit_group(node).map(String::from);
    let (before, after) = (group(old), group(new));
    (before != after && new.1.kind.has_stack()).then(|| match after {
        Some(group) => format!("it shares the limits of the group `{group}` now"),
        None => "it shares the limits of its group no more".into(),
    })
}

/// Returns the treatment of tags at the end of a link: by a switch port, and by sub-interfaces.
fn tags<'s>(
    scenario: &'s Scenario,
    end: &Endpoint,
) -> (Option<&'s netloom_link::PortVlans>, Vec<(&'s str, netloom_link::Vid)>) {
    let interfaces = scenario.node(&end.node).map_or(&[][..], |node| &node.interfaces);
    let port = interfaces.iter().find(|interface| interface.name == end.interface);
    let subinterfaces = interfaces.iter().filter_map(|interface| {
        let of = interface.subinterface.as_ref().filter(|sub| sub.of == end.interface)?;
        Some((interface.name.as_str(), of.vlan))
    });
    (port.and_then(|port| port.vlan.as_ref()), subinterfaces.collect())
}

/// Returns how the switch at the end of a link and its port take part in a spanning tree.
fn tree(scenario: &Scenario, end: &Endpoint) -> Option<(SpanningTree, PortTree)> {
    let node = scenario.node(&end.node)?;
    let port = node.interfaces.iter().find(|interface| interface.name == end.interface);
    Some((node.spanning_tree?, port.map(|port| port.spanning_tree).unwrap_or_default()))
}

/// Returns the properties of the station that a link has on a medium, and its position.
fn station<'s>(scenario: &'s Scenario, link: &'s Link) -> Option<impl PartialEq + use<'s>> {
    let [member, medium] = &link.endpoints;
    let medium = scenario.node(&medium.node)?.medium.as_ref()?;
    let node = scenario.node(&member.node)?;
    let interface = node.interfaces.iter().find(|one| one.name == member.interface)?;
    let is_access_point = medium.access_points.contains(&member.node);
    Some((&interface.station, is_access_point, &node.position, &node.mobility))
}

/// Returns the plan of the end outside, if it is one.
fn outside<'p>(plan: &'p Plan, end: &Endpoint) -> Option<&'p OutsidePlan> {
    plan.outside.iter().find(|outside| outside.end == *end)
}

fn changed_pipes(old: &Link, new: &Link) -> Vec<Operation> {
    let change = |direction, from: &netloom_link::PipeConfig, to: &netloom_link::PipeConfig| {
        let change =
            Change { from: Box::new(to.change_to(from)), to: Box::new(from.change_to(to)) };
        let link = new.name.clone();
        (!change.to.is_empty()).then_some(Operation::Link { link, direction, change })
    };
    if old.forward == old.reverse && new.forward == new.reverse {
        return change(Direction::Both, &old.forward, &new.forward).into_iter().collect();
    }
    let forward = change(Direction::Forward, &old.forward, &new.forward);
    forward.into_iter().chain(change(Direction::Reverse, &old.reverse, &new.reverse)).collect()
}

/// Returns the addresses that belong to another interface or device now.
fn moved(old: &Plan, new: &Plan) -> BTreeSet<Cidr> {
    let owners = |plan: &Plan| -> HashMap<Cidr, MacAddress> {
        let interfaces = plan.nodes.iter().flat_map(|node| &node.interfaces);
        let addresses = interfaces.flat_map(|interface| {
            let address = |prefix: &IpPrefix| {
                let cidr = Cidr::from(*prefix);
                (cidr.family.host(cidr.bits), interface.mac)
            };
            interface.addresses.iter().map(address)
        });
        addresses.collect()
    };
    let old_owners = owners(old);
    let differs = |(address, mac): (Cidr, MacAddress)| {
        old_owners.get(&address).is_some_and(|old| *old != mac).then_some(address)
    };
    let moved = owners(new).into_iter().filter_map(differs);
    moved.chain(at_new_devices(old, new)).collect()
}

/// Returns the machine's addresses at new devices. Others may have had them before, with other
/// Ethernet addresses.
fn at_new_devices<'p>(old: &'p Plan, new: &'p Plan) -> impl Iterator<Item = Cidr> + 'p {
    let come = new.outside.iter().filter(|end| !old.outside.contains(end));
    come.flat_map(|end| &end.addresses).map(|prefix| {
        let cidr = Cidr::from(*prefix);
        cidr.family.host(cidr.bits)
    })
}

/// Returns operations for the interfaces of a node whose networks contain one of these addresses.
fn forgotten(node: &NodePlan, moved: &BTreeSet<Cidr>) -> Vec<Operation> {
    let is_near = |prefix: &IpPrefix| {
        let network = Cidr::from(*prefix);
        let host = |bits| network.family.host(bits);
        moved.range(host(network.first())..=host(network.last())).next().is_some()
    };
    let near = node.interfaces.iter().filter(|interface| interface.addresses.iter().any(is_near));
    let operation = |interface: &InterfacePlan| Operation::Neighbours {
        node: node.name.clone(),
        interface: interface.name.clone(),
    };
    near.map(operation).collect()
}

fn changed_routes(node: &str, old: Vec<RoutePlan>, new: Vec<RoutePlan>) -> Option<Operation> {
    let missing = |these: &[RoutePlan], those: &[RoutePlan]| -> Vec<RoutePlan> {
        let those: HashSet<&RoutePlan> = those.iter().collect();
        these.iter().filter(|route| !those.contains(route)).cloned().collect()
    };
    let change = Change { from: missing(&old, &new), to: missing(&new, &old) };
    let is_same = change.from.is_empty() && change.to.is_empty();
    (!is_same).then(|| Operation::Routes { node: node.into(), change })
}
