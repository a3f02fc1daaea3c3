//! The network of a scenario's text, as a drawing needs it.

use std::collections::BTreeMap;

use netloom_scenario::{Diagnostic, Endpoint, NodeKind};
use serde::{Deserialize, Serialize};

/// A request for the network of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GraphRequest {
    /// The text.
    pub text: String,
    /// Path of its file, relative to the server's folder.
    #[serde(default)]
    pub file: Option<String>,
    /// Whether points are wanted.
    #[serde(default)]
    pub layout: bool,
}

/// The network of a text, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Graph {
    /// Whether the scenario can be used. If not, nodes and links are those that the text names.
    pub valid: bool,
    /// Name of the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// The links.
    pub links: Vec<GraphLink>,
    /// Keys of the text that stand for several nodes.
    pub stacks: Vec<Stack>,
    /// Length of a hop in the unit of `drawing.positions`, in which `point` times this is written;
    /// none if nodes are drawn at places on the Earth, or the scenario cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<f64>,
}

/// A node of the network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphNode {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: NodeKind,
    /// Whether it is simulated.
    pub simulated: bool,
    /// Whether it has a kernel of its own.
    pub own_kernel: bool,
    /// Where it is at the beginning, on the plane of shared media, in m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 2]>,
    /// Its point on paper, to the right and downwards, if a layout was asked for. The unit is about
    /// one hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 2]>,
    /// Whether `drawing.positions` says so.
    pub drawn: bool,
    /// Services that it runs.
    pub services: Vec<String>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A link of the network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphLink {
    /// Its name.
    pub name: String,
    /// Its ends. An interface that a text which cannot be used leaves open is empty.
    pub ends: [Endpoint; 2],
    /// Whether the kernel carries it.
    pub direct: bool,
    /// Properties from the first end to the second, in words.
    pub forward: String,
    /// Properties from the second end to the first, in words.
    pub reverse: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a part of the network comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GraphOrigin"))]
pub struct Origin {
    /// First line of the text that says it, from 1. Absent for what no single place of the text
    /// says, like satellites of a constellation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Line of the character after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<usize>,
    /// Place among the stacks of the one that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<usize>,
    /// Path of the key that generates it, if its own lines are not in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A key of the text that stands for several nodes, like `n[1-50]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stack {
    /// The key.
    pub written: String,
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// First line of the key, from 1.
    pub line: usize,
    /// Line of the character after the last one of its value.
    pub end_line: usize,
}

/// A network to lay out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LayoutRequest {
    /// Number of nodes.
    pub count: usize,
    /// Places of the two ends of each link.
    pub edges: Vec<(usize, usize)>,
    /// Nodes that stay at their points: place, x and y.
    #[serde(default)]
    pub fixed: Vec<(usize, f64, f64)>,
}

/// Points of nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layout {
    /// A point for each node. The unit is about one hop.
    pub points: Vec<[f64; 2]>,
}

/// The values in force for each node and link, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resolved {
    /// Values of nodes.
    pub nodes: BTreeMap<String, Vec<ResolvedValue>>,
    /// Values of links, by their names: for both directions unless the key says otherwise.
    pub links: BTreeMap<String, Vec<ResolvedValue>>,
}

/// A value and its layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResolvedValue {
    /// The key.
    pub key: String,
    /// The value in force, as in a scenario.
    pub value: String,
    /// Where it comes from, as a path in the text: `topology.defaults.node`,
    /// `topology.kinds.router`, `topology.groups.leaves`, `topology.nodes.n[1-5]` or
    /// `topology.links.3`.
    pub layer: String,
    /// Line of the value, from 1.
    pub line: usize,
}
