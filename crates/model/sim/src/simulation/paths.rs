//! The path of packets through all cells. Not here: each step of it (`hosts::path`).

use std::net::IpAddr;

use super::Simulation;
use crate::hosts::{Hop, NoPath};

impl Simulation {
    /// Returns the path of packets from a node to an address.
    ///
    /// # Errors
    /// The reason why there is no path over links that the event core drives.
    pub fn path(&mut self, from: u32, to: IpAddr) -> Result<Vec<Hop>, NoPath> {
        let nodes = self.cells.iter().map(|cell| cell.net.hosts.count()).sum();
        let (mut hops, mut at): (Vec<Hop>, u32) = (Vec::new(), from);
        while let Some(hop) = self.hop(at, to, at == from)? {
            if hops.len() >= nodes {
                return Err(NoPath::Loop(at));
            }
            at = hop.to.node;
            hops.push(hop);
        }
        Ok(hops)
    }

    /// Returns the next step from a node, or `None` if the node has the address. `first`: the node
    /// is the sender, which need not forward.
    fn hop(&mut self, node: u32, to: IpAddr, first: bool) -> Result<Option<Hop>, NoPath> {
        let cell = self.cells.iter_mut().find(|cell| cell.net.hosts.has(node));
        cell.ok_or(NoPath::NoRoute(node))?.net.hop(node, to, first)
    }
}
