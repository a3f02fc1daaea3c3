//! Which interfaces reach each other on layer 2: the path of a frame over links and switches, from
//! VLAN to VLAN. Not here: addresses, routes, and what links do to frames.
//!
//! Two interfaces reach each other if frames pass in both directions. A frame belongs to one VLAN
//! or to none. On a switch that interprets VLAN tags, the port decides the VLAN; elsewhere, the
//! frame's tag does.

use std::collections::{HashMap, HashSet, VecDeque};

use netloom_link::{PortVlans, Tag, Vid};

use crate::spec::{Interface, Scenario};

/// An interface, by index: `scenario.nodes[node].interfaces[interface]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InterfaceIndex {
    /// Index of the node.
    pub node: usize,
    /// Index of the interface in that node.
    pub interface: usize,
}

/// The links of a network, as layer-2 frames cross them.
#[derive(Debug)]
pub struct Layer2<'a> {
    /// For each node: whether it is a segment, and its interfaces.
    nodes: Vec<(bool, &'a [Interface])>,
    /// For each interface: the port at the other end of its link, the link's index, and whether
    /// frames from this interface cross the link's forward pipe.
    wires: HashMap<InterfaceIndex, (InterfaceIndex, usize, bool)>,
    /// Sub-interfaces, by parent interface and VLAN.
    subinterfaces: HashMap<(InterfaceIndex, Vid), InterfaceIndex>,
}

/// A frame's location: a port, and a VLAN or none.
type TaggedPort = (InterfaceIndex, Option<Vid>);

impl<'a> Layer2<'a> {
    /// Creates the network of `nodes` (for each: whether it is a segment, and its interfaces) and
    /// `links` (for each: its two ends, or `None` if the link is left out).
    pub fn new(
        nodes: impl Iterator<Item = (bool, &'a [Interface])>,
        links: impl Iterator<Item = Option<[InterfaceIndex; 2]>>,
    ) -> Self {
        let mut layer2 =
            Self { nodes: nodes.collect(), wires: HashMap::new(), subinterfaces: HashMap::new() };
        for (index, ends) in links.enumerate() {
            let Some([a, b]) = ends else { continue };
            layer2.wires.insert(a, (b, index, true));
            layer2.wires.insert(b, (a, index, false));
        }
        for (node, (_, interfaces)) in layer2.nodes.iter().enumerate() {
            for interface in 0..interfaces.len() {
                let port = InterfaceIndex { node, interface };
                if let (parent, Some(vlan)) = layer2.origin(port) {
                    layer2.subinterfaces.insert((parent, vlan), port);
                }
            }
        }
        layer2
    }

    /// Creates the network of a scenario whose links have these ends.
    pub fn of(scenario: &'a Scenario, ends: impl Iterator<Item = [InterfaceIndex; 2]>) -> Self {
        Self::without(scenario, ends.map(Some))
    }

    /// Creates the network of a scenario whose links have these ends, without the links that have
    /// none.
    pub fn without(
        scenario: &'a Scenario,
        ends: impl Iterator<Item = Option<[InterfaceIndex; 2]>>,
    ) -> Self {
        let nodes = scenario.nodes.iter();
        let nodes = nodes.map(|node| (node.kind.is_segment(), &node.interfaces[..]));
        Self::new(nodes, ends)
    }

    /// Returns every interface with a network stack that `from` reaches and that reaches `from`,
    /// nearest first. Each comes with a value for the path with the fewest links: it begins as
    /// `start`, and `cross` derives the next value for each link of the path, from the link's index
    /// and whether the path uses its forward pipe.
    pub fn reached<T: Clone>(
        &self,
        from: InterfaceIndex,
        start: T,
        cross: impl Fn(&T, usize, bool) -> T,
    ) -> Vec<(InterfaceIndex, T)> {
        let mut reached = vec![];
        let from = self.origin(from);
        let (mut seen, mut entered) = (HashSet::from([from]), HashSet::new());
        let mut queue = VecDeque::from([(from, start)]);
        while let Some((at, way)) = queue.pop_front() {
            let Some((next, link, forward)) = self.over_wire(at) else { continue };
            if !seen.insert(next) {
                continue;
            }
            let way = cross(&way, link, forward);
            let (port, vlan) = next;
            if !self.is_segment(port) {
                reached.extend(self.receiver(next).map(|receiver| (receiver, way)));
            } else if entered.insert((port.node, vlan)) {
                let ports = 0..self.nodes[port.node].1.len();
                let others = ports
                    .map(|interface| InterfaceIndex { node: port.node, interface })
                    .filter(|other| self.leads_out(*other, vlan))
                    .map(|other| (other, vlan));
                for other in others {
                    if seen.insert(other) {
                        queue.push_back((other, way.clone()));
                    }
                }
            }
        }
        reached
    }

    /// Returns where the frames of an interface enter the network. For a sub-interface, that is its
    /// parent, in its VLAN.
    fn origin(&self, port: InterfaceIndex) -> TaggedPort {
        let interfaces = self.nodes[port.node].1;
        let Some(sub) = &interfaces[port.interface].subinterface else { return (port, None) };
        let parent = interfaces.iter().position(|interface| interface.name == sub.of);
        match parent {
            Some(interface) => (InterfaceIndex { interface, ..port }, Some(sub.vlan)),
            None => (port, None),
        }
    }

    /// Returns the interface that receives a frame which has arrived at a node with a network
    /// stack.
    fn receiver(&self, (port, vlan): TaggedPort) -> Option<InterfaceIndex> {
        match vlan {
            None => Some(port),
            Some(vlan) => self.subinterfaces.get(&(port, vlan)).copied(),
        }
    }

    /// Returns the other end of the link at this location, if frames pass in both directions.
    fn over_wire(&self, at: TaggedPort) -> Option<(TaggedPort, usize, bool)> {
        let (port, vlan) = at;
        let (other, link, forward) = *self.wires.get(&port)?;
        let there = self.take(other, self.tag_out(port, vlan))?;
        let back = self.take(port, self.tag_out(other, there))?;
        (back == vlan).then_some(((other, there), link, forward))
    }

    /// Returns the tag of a frame that leaves by `port`.
    fn tag_out(&self, port: InterfaceIndex, vlan: Option<Vid>) -> Option<Vid> {
        vlan.filter(|_| self.rules(port).is_none_or(|rules| rules.untagged() != vlan))
    }

    /// Returns the VLAN of a frame that enters by `port` with this tag; the outer `None` means that
    /// the port rejects it.
    fn take(&self, port: InterfaceIndex, tag: Option<Vid>) -> Option<Option<Vid>> {
        match self.rules(port) {
            None => Some(tag),
            Some(rules) => rules.classify(tag.map(|vlan| Tag(vlan.number()))).ok().map(Some),
        }
    }

    /// Whether a switch sends frames of `vlan` out of `port`.
    fn leads_out(&self, port: InterfaceIndex, vlan: Option<Vid>) -> bool {
        match (self.rules(port), vlan) {
            (Some(rules), Some(vlan)) => rules.carries(vlan),
            _ => true,
        }
    }

    fn rules(&self, port: InterfaceIndex) -> Option<&PortVlans> {
        self.nodes[port.node].1[port.interface].vlan.as_ref()
    }

    fn is_segment(&self, port: InterfaceIndex) -> bool {
        self.nodes[port.node].0
    }
}
