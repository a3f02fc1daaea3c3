//! The values that are in force for nodes and links, and the places of the text that set them: for
//! programs that show a form beside the text. Defaults that no text sets are in the schema.

use std::collections::BTreeMap;

use netloom_document::{Content, NodeId, Tree, Value, in_line};

use crate::dialect;
use crate::outline::Outline;
use crate::spec::{Node, NodeKind, Scenario};

/// A value that a text sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layered {
    /// The key; keys of mappings in it have dots between them.
    pub key: String,
    /// The value, as in the text.
    pub value: String,
    /// The path of the layer: `topology.defaults.node`, `topology.kinds.router`,
    /// `topology.groups.leaves`, `topology.nodes.n[1-5]` or `topology.links.3`.
    pub layer: String,
    /// Line of the value, from 1.
    pub line: usize,
}

/// The values of all nodes and links, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layers {
    /// Values of nodes.
    pub nodes: BTreeMap<String, Vec<Layered>>,
    /// Values of links.
    pub links: BTreeMap<String, Vec<Layered>>,
}

/// Mappings whose entries a later layer adds to; other ones it replaces.
const MERGED: [&str; 11] = [
    "sysctls", "limits", "load", "files", "env", "binds", "services", "loopback", "queue",
    "forward", "reverse",
];

/// Values by key, those of later layers in place of those of earlier ones.
type Values = BTreeMap<String, Layered>;

impl Layers {
    /// Returns the values that the text of a scenario sets.
    pub fn of(text: &str, scenario: &Scenario) -> Self {
        let Ok(tree) = dialect::parse(text) else { return Self::default() };
        let outline = Outline::of(text);
        let mut layers = Self::default();
        let written = outline.nodes.iter().filter(|node| node.section == "nodes");
        let keys: BTreeMap<&str, &str> = written
            .flat_map(|node| node.names.iter().map(|name| (name.as_str(), node.written.as_str())))
            .collect();
        for node in &scenario.nodes {
            let Some(key) = keys.get(node.name.as_str()) else { continue };
            let values = of_node(&tree, node, key).into_values().collect();
            layers.nodes.insert(node.name.clone(), values);
        }
        for (place, name) in outline.link_names(scenario) {
            let mut values = Values::new();
            lay_over(&tree, &["topology", "defaults", "link"], &mut values);
            lay_over(&tree, &["topology", "links", &place.to_string()], &mut values);
            layers.links.insert(name, values.into_values().collect());
        }
        layers
    }
}

fn of_node(tree: &Tree, node: &Node, key: &str) -> Values {
    let mut values = Values::new();
    lay_over(tree, &["topology", "defaults", "node"], &mut values);
    let kind = match node.kind {
        NodeKind::Host => "host",
        NodeKind::Router => "router",
        NodeKind::Switch | NodeKind::Medium | NodeKind::Outside => "switch",
    };
    lay_over(tree, &["topology", "kinds", kind], &mut values);
    for group in &node.groups {
        lay_over(tree, &["topology", "groups", group], &mut values);
        values.remove("members");
    }
    lay_over(tree, &["topology", "nodes", key], &mut values);
    values
}

/// Adds the values of the layer at this path, if there is one.
fn lay_over(tree: &Tree, path: &[&str], values: &mut Values) {
    let found = path.iter().try_fold(tree.root(), |at, step| match tree.content(at) {
        Content::Sequence(elements) => elements.get(step.parse::<usize>().ok()?).copied(),
        _ => tree.entry(at, step).map(|(_, value)| value),
    });
    if let Some(found) = found {
        add(tree, found, &path.join("."), "", values);
    }
}

fn add(tree: &Tree, mapping: NodeId, layer: &str, prefix: &str, values: &mut Values) {
    for &(key, value) in tree.entries(mapping) {
        let Some(key) = tree.text(key) else { continue };
        let key = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
        let inner = format!("{key}.");
        if !tree.entries(value).is_empty() {
            // What an earlier layer says of it gives way.
            values.remove(&key);
            if prefix.is_empty() && !MERGED.contains(&key.as_str()) {
                values.retain(|other, _| !other.starts_with(&inner));
            }
            add(tree, value, layer, &key, values);
            continue;
        }
        values.retain(|other, _| !other.starts_with(&inner));
        let layered = Layered {
            key: key.clone(),
            value: in_line(&Value::of(tree, value)),
            layer: layer.into(),
            line: tree.span(value).line,
        };
        values.insert(key, layered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_layers_take_precedence() {
        let text = "\
name: x
topology:
  defaults: { node: { mtu: 1400 }, link: { rate: 10Mbit/s, delay: 5ms } }
  kinds: { router: { mtu: 1450, sysctls: { net.ipv4.ip_forward: 1 } } }
  groups: { edge: { members: [a], mtu: 1500 } }
  nodes: { a: { kind: router, sysctls: { net.ipv4.tcp_ecn: 0 } }, \"n[1-2]\": { mtu: 1300 } }
  links: [ { endpoints: [a, n1], delay: 7ms }, { endpoints: [a, n2] } ]
";
        let scenario = crate::load(text).unwrap().scenario;
        let layers = Layers::of(text, &scenario);
        let layer = |values: &[Layered], key: &str| {
            let found = values.iter().find(|value| value.key == key).unwrap();
            (found.value.clone(), found.layer.clone(), found.line)
        };
        let a = &layers.nodes["a"];
        assert_eq!(layer(a, "mtu"), ("1500".into(), "topology.groups.edge".into(), 5));
        assert_eq!(
            layer(a, "sysctls.net.ipv4.ip_forward"),
            ("1".into(), "topology.kinds.router".into(), 4)
        );
        assert_eq!(
            layer(a, "sysctls.net.ipv4.tcp_ecn"),
            ("0".into(), "topology.nodes.a".into(), 6)
        );
        let n = &layers.nodes["n2"];
        assert_eq!(layer(n, "mtu"), ("1300".into(), "topology.nodes.n[1-2]".into(), 6));
        let link = &layers.links["a--n1"];
        assert_eq!(layer(link, "delay"), ("7ms".into(), "topology.links.0".into(), 7));
        assert_eq!(
            layer(&layers.links["a--n2"], "rate"),
            ("10Mbit/s".into(), "topology.defaults.link".into(), 3)
        );
    }
}
