//! Changes of nodes and their routes while the network runs. Not here: when they are made (`cell`).

use std::sync::Arc;

use super::Hosts;
use crate::network::{NodeChange, RouteChange, RouteChanged, RouteError, RouteSource};

impl Hosts {
    /// Makes a node fail or recover, if it is in this cell. Returns whether it fails now, so that
    /// its traffic ends.
    pub fn change(&mut self, node: u32, change: NodeChange) -> bool {
        let Some(here) = self.nodes.get_mut(node) else { return false };
        let has_failed = change == NodeChange::Fails;
        std::mem::replace(&mut here.has_failed, has_failed) != has_failed && has_failed
    }

    /// Changes a route of a node, if the node is in this cell. `earlier` returns the outcome of the
    /// change that is to be taken back.
    pub fn change_route(
        &mut self,
        node: u32,
        change: &RouteChange,
        earlier: impl FnOnce(usize) -> Option<RouteChanged>,
    ) -> Option<Result<RouteChanged, RouteError>> {
        let table = self.nodes.get_mut(node)?.table();
        Some(match change {
            RouteChange::Add(route) => table.insert(route),
            RouteChange::Replace(route) => table.replace(route),
            RouteChange::Remove(to) => table.remove(*to),
            RouteChange::TakeBack(change) => match earlier(*change) {
                Some(earlier) => table.take_back(&earlier),
                None => Err(RouteError::NotMade),
            },
        })
    }

    /// Makes `source` the source of further routes of all nodes.
    pub fn reroute(&mut self, source: &Arc<dyn RouteSource>) {
        self.nodes.iter_mut().for_each(|node| node.reroute(source));
    }
}
