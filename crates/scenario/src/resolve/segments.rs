//! Layer-2 segments: which interfaces hear each other. Switches join links to segments; a loop of
//! switches is an error, since there is no spanning tree.

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::diagnostic::Diagnostic;

/// The interfaces of one segment: indices of a node and of an interface of it. Ports of switches
/// are not among them.
pub(super) type Segment = Vec<(usize, usize)>;

/// All segments.
pub(super) fn find(
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    report: &mut Report<'_>,
) -> Vec<Segment> {
    let mut joined = Joined((0..nodes.len()).collect());
    for link in links {
        let Some([a, b]) = &link.ends else { continue };
        if !nodes[a.node].is_switch() || !nodes[b.node].is_switch() {
            continue;
        }
        if !joined.join(a.node, b.node) {
            let message = format!(
                "this link closes a loop of switches: `{}` and `{}` are joined already",
                a.node_name, b.node_name
            );
            report.error(Diagnostic::error(link.endpoints_span(), message).with_help(
                "frames would circle for ever, there is no spanning tree; leave the link out",
            ));
        }
    }
    gather(nodes, links, &mut joined)
}

fn gather(nodes: &[NodeDraft<'_>], links: &[LinkDraft<'_>], joined: &mut Joined) -> Vec<Segment> {
    let mut of_switches: Vec<Segment> = vec![Vec::new(); nodes.len()];
    let mut segments = Vec::new();
    for link in links {
        let Some(ends) = &link.ends else { continue };
        let hosts = ends.iter().filter(|end| !nodes[end.node].is_switch());
        let hosts = hosts.filter_map(|end| {
            let mut interfaces = nodes[end.node].interfaces.iter();
            let index = interfaces.position(|interface| interface.name == end.interface)?;
            Some((end.node, index))
        });
        match ends.iter().find(|end| nodes[end.node].is_switch()) {
            Some(switch) => of_switches[joined.root(switch.node)].extend(hosts),
            None => segments.push(hosts.collect()),
        }
    }
    segments.extend(of_switches.into_iter().filter(|segment| !segment.is_empty()));
    segments
}

/// Sets of nodes that are joined (union-find with path halving).
struct Joined(Vec<usize>);

impl Joined {
    fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    /// Joins two sets; whether they were two.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
        a != b
    }
}
