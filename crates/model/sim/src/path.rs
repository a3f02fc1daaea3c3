//! The path of packets through a network, as its nodes would forward them now. Not here: whether
//! the packets arrive.

use std::net::IpAddr;

use netloom_fabric::PipeId;

use crate::Simulation;
use crate::cell::Cell;
use crate::network::InterfaceId;
use crate::node::Way;
use crate::route::Exit;

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The interface through which the packet leaves.
    pub from: InterfaceId,
    /// The pipe that it takes.
    pub pipe: PipeId,
    /// The interface at the other end.
    pub to: InterfaceId,
}

/// The reason why there is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPath {
    /// A node has no route, or no neighbour has the address of its next hop.
    NoRoute(u32),
    /// A node does not forward.
    NotForwarding(u32),
    /// The link at this interface ends at a switch, or its queues examine headers.
    Fabric(InterfaceId),
    /// The path returns to a node.
    Loop(u32),
}

impl Simulation {
    /// Returns the path of packets from a node to an address.
    ///
    /// # Errors
    /// The reason why there is no path over links that the event core drives.
    pub fn path(&mut self, from: u32, to: IpAddr) -> Result<Vec<Hop>, NoPath> {
        let nodes = self.cells.iter().map(|cell| cell.nodes.iter().count()).sum();
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
        let cell = self.cells.iter_mut().find(|cell| cell.nodes.get(node).is_some());
        cell.ok_or(NoPath::NoRoute(node))?.hop(node, to, first)
    }
}

impl Cell {
    fn hop(&mut self, node: u32, to: IpAddr, first: bool) -> Result<Option<Hop>, NoPath> {
        let destination = self.book.find(to).ok_or(NoPath::NoRoute(node))?;
        let state = &mut self.nodes[node];
        let interface = match state.exit(destination, &self.book, &self.neighbours) {
            Exit::Local => return Ok(None),
            Exit::NoRoute | Exit::NoHost => return Err(NoPath::NoRoute(node)),
            Exit::Out { .. } if !first && !state.forwards => {
                return Err(NoPath::NotForwarding(node));
            }
            Exit::Out { interface, .. } => interface,
        };
        let from = InterfaceId { node, interface };
        match state.interfaces[interface as usize].way {
            Way::Pipe(number) => {
                let wire = &self.wires[number];
                Ok(Some(Hop { from, pipe: wire.id, to: wire.to }))
            }
            Way::Island { .. } => Err(NoPath::Fabric(from)),
            Way::Nothing => Err(NoPath::NoRoute(node)),
        }
    }
}
