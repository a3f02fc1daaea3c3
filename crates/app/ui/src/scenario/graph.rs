//! The network of a text, as a drawing needs it.

use std::collections::HashMap;

use netloom_api::ui::graph::{Graph, GraphLink, GraphNode, Origin, Stack};
use netloom_drawing::{Places, edges, layout};
use netloom_link::PipeConfig;
use netloom_scenario::snapshot::Snapshot;
use netloom_scenario::{
    Diagnostics, DrawnAt, Endpoint, Loaded, NodeKind, Outline, Scenario, Span, WrittenLink,
};
use netloom_units::Duration;

/// Returns the network of a text.
pub fn of(text: &str, loaded: Result<Loaded, Diagnostics>, with_layout: bool) -> Graph {
    let outline = Outline::of(text);
    let stacks: Vec<Stack> = outline.nodes.iter().filter_map(stack).collect();
    let origins = origins(&outline);
    match loaded {
        Ok(Loaded { scenario, warnings }) => {
            let mut graph = Graph {
                valid: true,
                nodes: nodes(&scenario, &origins),
                links: links(&scenario, &outline.links),
                name: Some(scenario.name.clone()),
                diagnostics: warnings.iter().cloned().collect(),
                stacks,
                unit: None,
            };
            if with_layout {
                draw(&mut graph, &scenario);
            }
            graph
        }
        Err(findings) => {
            let mut graph = Graph {
                valid: false,
                name: None,
                diagnostics: findings.iter().cloned().collect(),
                nodes: written_nodes(&outline, &origins),
                links: outline.links.iter().map(written_link).collect(),
                stacks,
                unit: None,
            };
            if with_layout {
                lay_out(&mut graph);
            }
            graph
        }
    }
}

/// Gives all nodes the points at which `netloom graph` draws them.
fn draw(graph: &mut Graph, scenario: &Scenario) {
    let places = Places::new(scenario, &edges(scenario));
    let written = &scenario.drawing.positions;
    let on_earth = written.values().any(|position| matches!(position, DrawnAt::Earth { .. }));
    graph.unit = (!on_earth).then_some(places.unit);
    for (node, point) in graph.nodes.iter_mut().zip(places.points) {
        node.point = Some(point);
        node.drawn = written.contains_key(&node.name);
    }
}

fn stack(node: &netloom_scenario::WrittenNode) -> Option<Stack> {
    (node.names.len() > 1).then(|| Stack {
        written: node.written.clone(),
        nodes: node.names.clone(),
        line: node.span.line,
        end_line: node.span.end_line,
    })
}

fn at(span: Span) -> Origin {
    let (line, end_line) = (Some(span.line), Some(span.end_line));
    Origin { line, end_line, ..Origin::default() }
}

/// Returns where each node that the text names comes from.
fn origins(outline: &Outline) -> HashMap<&str, Origin> {
    let mut stacks = 0;
    let mut origins = HashMap::new();
    for node in &outline.nodes {
        let stack = (node.names.len() > 1).then(|| {
            stacks += 1;
            stacks - 1
        });
        for name in &node.names {
            origins.insert(name.as_str(), Origin { stack, ..at(node.span) });
        }
    }
    origins
}

fn nodes(scenario: &Scenario, origins: &HashMap<&str, Origin>) -> Vec<GraphNode> {
    // Without positions there is no snapshot.
    let snapshot = Snapshot::new(scenario, Duration::ZERO);
    let places = snapshot.map(|snapshot| snapshot.places).unwrap_or_default();
    let constellation = || {
        let by = (!scenario.constellations.is_empty()).then(|| "topology.constellations".into());
        Origin { by, ..Origin::default() }
    };
    let node = |(place, node): (usize, &netloom_scenario::Node)| GraphNode {
        name: node.name.clone(),
        kind: node.kind,
        simulated: node.simulated,
        own_kernel: node.kernel == netloom_scenario::Kernel::Own,
        position: places.get(place).copied().flatten(),
        point: None,
        drawn: false,
        services: node.software.services.keys().cloned().collect(),
        origin: origins.get(node.name.as_str()).cloned().unwrap_or_else(constellation),
    };
    scenario.nodes.iter().enumerate().map(node).collect()
}

/// Returns the links of a scenario. Those that the text writes come in its order, so each is found
/// by the nodes at its ends.
fn links(scenario: &Scenario, written: &[WrittenLink]) -> Vec<GraphLink> {
    let mut written = written.iter().peekable();
    let mut links = Vec::with_capacity(scenario.links.len());
    for link in &scenario.links {
        let own = written.next_if(|written| written.joins(link));
        links.push(GraphLink {
            name: link.name.clone(),
            ends: link.endpoints.clone(),
            direct: link.direct,
            forward: in_words(&link.forward),
            reverse: in_words(&link.reverse),
            origin: own.map(|written| at(written.span)).unwrap_or_default(),
        });
    }
    links
}

/// Returns the node of an end, which may name an interface, too.
fn node_of(end: &str) -> &str {
    end.split(':').next().unwrap_or(end)
}

fn in_words(pipe: &PipeConfig) -> String {
    pipe.in_words().join(", ")
}

fn written_nodes(outline: &Outline, origins: &HashMap<&str, Origin>) -> Vec<GraphNode> {
    let named =
        outline.nodes.iter().flat_map(|node| node.names.iter().map(move |name| (node, name)));
    let node = |(node, name): (&netloom_scenario::WrittenNode, &String)| GraphNode {
        name: name.clone(),
        kind: match (node.section, node.kind.as_deref()) {
            ("media", _) => NodeKind::Medium,
            (_, Some("router")) => NodeKind::Router,
            (_, Some("switch")) => NodeKind::Switch,
            _ => NodeKind::Host,
        },
        simulated: false,
        own_kernel: false,
        position: None,
        point: None,
        drawn: false,
        services: Vec::new(),
        origin: origins.get(name.as_str()).cloned().unwrap_or_default(),
    };
    named.filter(|(node, _)| node.section != "constellations").map(node).collect()
}

fn written_link(link: &WrittenLink) -> GraphLink {
    let [a, b] = &link.ends;
    let end = |text: &String| {
        let node = node_of(text);
        let interface = text[node.len()..].trim_start_matches(':');
        Endpoint { node: node.into(), interface: interface.into() }
    };
    GraphLink {
        name: link.name.clone().unwrap_or_else(|| format!("{}--{}", node_of(a), node_of(b))),
        ends: [end(a), end(b)],
        direct: false,
        forward: String::new(),
        reverse: String::new(),
        origin: at(link.span),
    }
}

/// Gives all nodes of a text that is no scenario points.
fn lay_out(graph: &mut Graph) {
    let names = graph.nodes.iter().enumerate().map(|(place, node)| (node.name.as_str(), place));
    let places: HashMap<&str, usize> = names.collect();
    let edge = |link: &GraphLink| {
        let [a, b] = &link.ends;
        Some((*places.get(a.node.as_str())?, *places.get(b.node.as_str())?))
    };
    let edges: Vec<(usize, usize)> = graph.links.iter().filter_map(edge).collect();
    let points = layout::place(graph.nodes.len(), &edges);
    for (node, point) in graph.nodes.iter_mut().zip(points) {
        node.point = Some(point);
    }
}
