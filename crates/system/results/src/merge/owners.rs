//! Which machine knows what: a node's machine all that happens in it, the sender's machine all of a
//! pipe but the hand-over at its far end.

use std::collections::{BTreeMap, HashMap};

use netloom_link::Direction;
use netloom_scenario::Scenario;

/// Machines of nodes and links. Nothing is known of a node without a machine: whoever has something
/// of it is right.
pub(super) struct Owners<'m> {
    placement: &'m BTreeMap<String, String>,
    /// The machines of both ends of each link.
    links: HashMap<&'m str, [Option<&'m str>; 2]>,
}

impl<'m> Owners<'m> {
    pub fn new(scenario: &'m Scenario, placement: &'m BTreeMap<String, String>) -> Self {
        let machine = |node: &str| placement.get(node).map(String::as_str);
        let links = scenario.links.iter().map(|link| {
            let [a, b] = &link.endpoints;
            (link.name.as_str(), [machine(&a.node), machine(&b.node)])
        });
        Self { links: links.collect(), placement }
    }

    /// Whether `machine` knows what happened in a node.
    pub fn has_node(&self, machine: &str, node: &str) -> bool {
        self.placement.get(node).is_none_or(|own| own == machine)
    }

    /// Whether `machine` has the beginning of a pipe.
    pub fn sends(&self, machine: &str, link: &str, direction: Direction) -> bool {
        self.end(link, direction.index()).is_none_or(|own| own == machine)
    }

    /// Whether `machine` has the far end of a pipe.
    pub fn receives(&self, machine: &str, link: &str, direction: Direction) -> bool {
        self.end(link, 1 - direction.index()).is_none_or(|own| own == machine)
    }

    fn end(&self, link: &str, end: usize) -> Option<&'m str> {
        self.links.get(link)?[end]
    }
}

/// The direction with this name.
pub(super) fn direction(name: &str) -> Option<Direction> {
    Direction::BOTH.into_iter().find(|direction| direction.name() == name)
}
