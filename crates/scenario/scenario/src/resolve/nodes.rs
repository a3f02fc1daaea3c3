//! Nodes: their kinds, and the properties that they inherit from defaults, kinds and groups.

use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use netloom_document::{Diagnostic, Spanned};
use netloom_mobility::Mobility;

use super::congestion::SYSCTL;
use super::names;
use super::report::Report;
use super::routes;
use super::software::SoftwareDraft;
use crate::limits::Limits;
use crate::outside::Outside;
use crate::raw::{RawFamily, RawNode, RawNodeProps, RawOrigin, RawRoute, RawTopology};
use crate::software::Software;
use crate::spec::{
    Interface, Kernel, Loopback, LoopbackAddress, Medium, Node, NodeKind, NodeLoad, Routing,
    SpanningTree,
};

/// A node while it is being resolved.
pub(super) struct NodeDraft<'a> {
    pub name: &'a Spanned<String>,
    pub raw: &'a Spanned<RawNode>,
    pub kind: NodeKind,
    pub groups: Vec<String>,
    /// Software, apart from the network stack; set by [`super::software`].
    pub software: Software,
    /// Properties of a medium, if the node is one; set by [`super::media`].
    pub medium: Option<Arc<Medium>>,
    /// Mobility model with the data of its files; set by [`super::media`].
    pub mobility: Option<Mobility>,
    pub props: NodeProps<'a>,
    /// Filled in when links are resolved.
    pub interfaces: Vec<Interface>,
}

/// The properties of a node after all layers.
#[derive(Default)]
pub(super) struct NodeProps<'a> {
    simulated: Option<bool>,
    kernel: Option<Kernel>,
    /// The value in the file; [`NodeDraft::routing`] is the effective one.
    routing: Option<Routing>,
    /// Whether a service provides the routes.
    pub routed_by_service: bool,
    pub routes: Vec<&'a Spanned<RawRoute>>,
    loopback_ipv4: Option<LoopbackAddress<Ipv4Addr>>,
    loopback_ipv6: Option<LoopbackAddress<Ipv6Addr>>,
    pub ipv4: Option<RawFamily>,
    pub ipv6: Option<RawFamily>,
    pub sysctls: BTreeMap<String, String>,
    pub mtu: Option<u32>,
    pub mobility: Option<&'a Spanned<Mobility>>,
    pub software: SoftwareDraft<'a>,
    limits: Limits,
    pub machine: Option<&'a Spanned<String>>,
    pub together: Option<&'a Spanned<String>>,
    pub apart: Option<&'a Spanned<String>>,
    load: NodeLoad,
    spanning_tree: Option<SpanningTree>,
}

impl NodeDraft<'_> {
    pub fn is_switch(&self) -> bool {
        self.kind == NodeKind::Switch
    }

    /// Whether the node joins links inside the engine.
    pub fn is_segment(&self) -> bool {
        self.kind.is_segment()
    }

    /// Whether the node is simulated.
    pub fn is_simulated(&self) -> bool {
        self.props.simulated == Some(true)
    }

    /// Makes the node simulated.
    pub fn simulate(&mut self) {
        self.props.simulated = Some(true);
    }

    /// Returns the kernel that the node runs on.
    pub fn kernel(&self) -> Kernel {
        self.props.kernel.filter(|_| self.kind.has_stack()).unwrap_or_default()
    }

    /// Returns the limits on the machine's resources that the node's processes may use.
    pub fn limits(&self) -> Limits {
        if self.kind.has_stack() { self.props.limits } else { Limits::default() }
    }

    /// Returns the spanning tree options of a switch that runs a spanning tree.
    pub fn spanning_tree(&self) -> Option<SpanningTree> {
        self.props.spanning_tree.filter(|_| self.is_switch())
    }

    /// Returns the source of the node's routes. The default is the routing daemon among its
    /// services, if it has one.
    pub fn routing(&self) -> Routing {
        let by_default =
            if self.props.routed_by_service { Routing::Daemon } else { Routing::default() };
        self.props.routing.unwrap_or(by_default)
    }

    /// Returns the kind of outside that the node stands for, if it does.
    pub fn outside(&self) -> Option<Outside> {
        (self.kind == NodeKind::Outside).then(|| Outside::of_name(&self.name.value)).flatten()
    }

    /// Returns the loopback addresses.
    pub fn loopback(&self) -> Loopback {
        fn family<A>(given: Option<LoopbackAddress<A>>, auto: bool) -> LoopbackAddress<A> {
            given.unwrap_or(if auto { LoopbackAddress::Auto } else { LoopbackAddress::None })
        }
        let props = &self.props;
        let auto = |family| self.kind == NodeKind::Router && family != Some(RawFamily::None);
        if !self.kind.has_stack() {
            return Loopback { ipv4: LoopbackAddress::None, ipv6: LoopbackAddress::None };
        }
        Loopback {
            ipv4: family(props.loopback_ipv4, auto(props.ipv4)),
            ipv6: family(props.loopback_ipv6, auto(props.ipv6)),
        }
    }

    /// Returns the resolved node.
    pub fn finish(&self) -> Node {
        let has_stack = self.kind.has_stack();
        let routes = self.props.routes.iter().filter(|_| has_stack);
        let routes = routes.map(|route| routes::finish(route));
        Node {
            name: self.name.value.clone(),
            kind: self.kind,
            simulated: self.is_simulated(),
            kernel: self.kernel(),
            groups: self.groups.clone(),
            interfaces: self.interfaces.clone(),
            routing: if has_stack { self.routing() } else { Routing::None },
            routes: routes.collect(),
            loopback: self.loopback(),
            sysctls: if has_stack { self.props.sysctls.clone() } else { BTreeMap::new() },
            software: self.software.clone(),
            limits: self.limits(),
            machine: self.props.machine.map(|machine| machine.value.clone()),
            together: self.props.together.map(|label| label.value.clone()),
            apart: self.props.apart.map(|label| label.value.clone()),
            load: if has_stack { self.props.load } else { NodeLoad::default() },
            publish: self.raw.head.publish.iter().map(|publish| publish.value.0).collect(),
            spanning_tree: self.spanning_tree(),
            medium: self.medium.clone(),
            position: self.raw.head.position.as_ref().map(|place| place.value),
            mobility: self.mobility.clone(),
        }
    }
}

/// Resolves all nodes except their interfaces.
pub(super) fn drafts<'a>(topology: &'a RawTopology, report: &mut Report<'_>) -> Vec<NodeDraft<'a>> {
    if topology.nodes.0.is_empty()
        && !report.is_incomplete_in_file(&["topology", "nodes"])
        && let Some(span) = report.key_in_file(&["topology", "nodes"])
    {
        let help = "name at least one, like `a:`";
        report.error(Diagnostic::error(span, "there are no nodes").with_help(help));
    }
    check_groups(topology, report);
    check_names(topology, report);
    check_switch_kind(report);
    let drafts = topology.nodes.iter().map(|(name, raw)| draft(topology, name, raw, report));
    drafts.collect()
}

fn draft<'a>(
    topology: &'a RawTopology,
    name: &'a Spanned<String>,
    raw: &'a Spanned<RawNode>,
    report: &mut Report<'_>,
) -> NodeDraft<'a> {
    let made = match raw.head.origin {
        RawOrigin::Written | RawOrigin::Constellation => None,
        RawOrigin::Outside => Some(NodeKind::Outside),
        RawOrigin::Medium => Some(NodeKind::Medium),
    };
    if let Some(kind) = made {
        return NodeDraft {
            name,
            raw,
            kind,
            groups: vec![],
            medium: None,
            mobility: None,
            props: NodeProps::default(),
            interfaces: vec![],
            software: Software::default(),
        };
    }
    let groups = groups_of(topology, name, raw, report);
    let of_groups = groups.iter().filter_map(|group| topology.groups.find(group));
    let group_kind = of_groups.clone().filter_map(|group| group.head.kind).next_back();
    let kind = raw.head.kind.or(group_kind).or(topology.defaults.node.head.kind);
    let kind = kind.map(NodeKind::from).unwrap_or_default();
    let of_kind = match kind {
        NodeKind::Host => &topology.kinds.host,
        NodeKind::Router => &topology.kinds.router,
        NodeKind::Switch | NodeKind::Medium | NodeKind::Outside => &topology.kinds.switch,
    };
    let mut props = NodeProps::default();
    let tcp = topology.tcp.as_ref().map(|tcp| (SYSCTL.to_owned(), tcp.value.clone()));
    props.sysctls.extend(tcp);
    props.lay_over(&topology.defaults.node.rest, report);
    props.lay_over(of_kind, report);
    of_groups.for_each(|group| props.lay_over(&group.rest, report));
    props.lay_over(&raw.rest, report);
    let draft = NodeDraft {
        name,
        raw,
        kind,
        groups,
        medium: None,
        mobility: None,
        software: Software::default(),
        props,
        interfaces: Vec::new(),
    };
    check_switch(&draft, report);
    draft
}

impl<'a> NodeProps<'a> {
    /// Overrides these properties with those that `layer` sets.
    fn lay_over(&mut self, layer: &'a RawNodeProps, report: &mut Report<'_>) {
        self.simulated = layer.simulated.or(self.simulated);
        self.kernel = layer.kernel.or(self.kernel);
        self.routing = layer.routing.or(self.routing);
        self.routes.extend(&layer.routes);
        if let Some(loopback) = layer.loopback {
            self.loopback_ipv4 = loopback.ipv4.or(self.loopback_ipv4);
            self.loopback_ipv6 = loopback.ipv6.or(self.loopback_ipv6);
        }
        self.ipv4 = layer.ipv4.or(self.ipv4);
        self.ipv6 = layer.ipv6.or(self.ipv6);
        self.mobility = layer.mobility.as_ref().or(self.mobility);
        self.mtu = layer.mtu.map(|mtu| mtu.0).or(self.mtu);
        if let Some(spanning_tree) = layer.spanning_tree {
            self.spanning_tree = spanning_tree.0;
        }
        if let Some(limits) = &layer.limits {
            limits.lay_over(&mut self.limits);
        }
        self.machine = layer.machine.as_ref().or(self.machine);
        self.together = layer.together.as_ref().or(self.together);
        self.apart = layer.apart.as_ref().or(self.apart);
        if let Some(load) = layer.load {
            load.lay_over(&mut self.load);
        }
        for (key, value) in layer.sysctls.iter() {
            check_sysctl(key, report);
            self.sysctls.insert(key.value.clone(), value.0.clone());
        }
        self.software.lay_over(layer);
    }
}

/// Returns the groups of a node: those that list it as a member, in the order of the file, followed
/// by those that the node names.
fn groups_of(
    topology: &RawTopology,
    name: &Spanned<String>,
    raw: &Spanned<RawNode>,
    report: &mut Report<'_>,
) -> Vec<String> {
    if let (Some(_), Some(_), Some(span)) =
        (&raw.head.group, &raw.head.groups, report.key(raw.id, &["group"]))
    {
        let message = format!("node `{}` has both `group` and `groups`", name.value);
        report.error(Diagnostic::error(span, message).with_help("put them all in `groups`"));
    }
    let has_member = |members: &[Spanned<String>]| members.iter().any(|m| m.value == name.value);
    let of_members = topology.groups.iter().filter(|(_, group)| has_member(&group.head.members));
    let mut groups: Vec<String> = of_members.map(|(group, _)| group.value.clone()).collect();
    for group in raw.head.group.iter().chain(raw.head.groups.iter().flatten()) {
        if !report.written_keys(&["topology", "groups"]).any(|known| known == group.value) {
            let known: Vec<&str> = report.written_keys(&["topology", "groups"]).collect();
            let help = report
                .did_you_mean(&group.value, "the groups are", known)
                .or_else(|| Some(format!("add `{}:` under `topology.groups`", group.value)));
            let message = format!("there is no group `{}`", group.value);
            report.error(Diagnostic::error(group.span, message).with_optional_help(help));
        } else if !groups.contains(&group.value) {
            groups.push(group.value.clone());
        }
    }
    groups
}

fn check_groups(topology: &RawTopology, report: &mut Report<'_>) {
    for (name, group) in topology.groups.iter() {
        names::check("a group", &name.value, name.span, report);
        for member in &group.head.members {
            let known = report.node_names();
            if known.contains(&member.value) {
                continue;
            }
            let message = format!(
                "group `{}` has a member `{}`, but there is no such node",
                name.value, member.value
            );
            let help = report.did_you_mean(&member.value, "the nodes are", known.iter());
            report.error(Diagnostic::error(member.span, message).with_optional_help(help));
        }
    }
}

fn check_names(topology: &RawTopology, report: &mut Report<'_>) {
    let mut seen = HashMap::new();
    let is_named = |origin| matches!(origin, RawOrigin::Written | RawOrigin::Constellation);
    for (name, _) in topology.nodes.iter().filter(|(_, node)| is_named(node.head.origin)) {
        names::node(name, report);
        if let Some((first, span)) =
            seen.insert(name.value.to_lowercase(), (name.value.as_str(), name.span))
        {
            let message = format!(
                "nodes `{first}` and `{}` differ only in case, which host names ignore",
                name.value
            );
            report.error(
                Diagnostic::error(name.span, message)
                    .with_related(span, "the first one is here")
                    .with_help("rename one of them"),
            );
        }
    }
}

fn check_sysctl(key: &Spanned<String>, report: &mut Report<'_>) {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let mut parts = key.value.split('.');
    if parts.next() == Some("net") && parts.clone().count() > 0 && parts.all(is_part) {
        return;
    }
    report.error(
        Diagnostic::error(
            key.span,
            format!("`{}` is not a parameter of a node's network stack", key.value),
        )
        .with_help("those are called `net.…` with dots, like `net.ipv4.tcp_congestion_control`"),
    );
}

/// Keys that only nodes with a network stack can have.
const STACK_KEYS: &[&str] = &[
    "kernel", "routing", "routes", "loopback", "ipv4", "ipv6", "sysctls", "limits", "load",
    "publish", "root", "files", "env", "binds", "startup", "services",
];

/// Keys that only switches can have.
const SWITCH_KEYS: &[&str] = &["spanning_tree"];

fn check_switch(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    for key in SWITCH_KEYS.iter().filter(|_| !node.is_switch()) {
        if let Some(span) = report.key(node.raw.id, &[key]) {
            let message = format!("`{}` is no switch", node.name.value);
            let help = format!("leave `{key}` out, or write `kind: switch`");
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
    for key in STACK_KEYS.iter().filter(|_| node.is_switch()) {
        if let Some(span) = report.key(node.raw.id, &[key]) {
            let message = format!("`{}` is a switch and has no network stack", node.name.value);
            report.error(Diagnostic::error(span, message).with_help(format!("leave `{key}` out")));
        }
    }
}

fn check_switch_kind(report: &mut Report<'_>) {
    for (kind, key) in
        ["host", "router"].into_iter().flat_map(|k| SWITCH_KEYS.iter().map(move |key| (k, key)))
    {
        if let Some(span) = report.key_in_file(&["topology", "kinds", kind, key]) {
            let message = format!("a {kind} is no switch");
            report.error(Diagnostic::error(span, message).with_help(format!("leave `{key}` out")));
        }
    }
    for key in STACK_KEYS {
        if let Some(span) = report.key_in_file(&["topology", "kinds", "switch", key]) {
            let message = "switches have no network stack";
            report.error(Diagnostic::error(span, message).with_help(format!("leave `{key}` out")));
        }
    }
}
