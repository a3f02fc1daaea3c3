//! The way of packets through a network, as its nodes would forward them now. Not here: whether
//! they arrive.

use std::net::IpAddr;

use netloom_fabric::PipeId;

use crate::Simulation;
use crate::cell::Cell;
use crate::network::InterfaceId;
use crate::node::Way;
use crate::route::Exit;

/// A step of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The interface by which the packet leaves.
    pub from: InterfaceId,
    /// The pipe that it takes.
    pub pipe: PipeId,
    /// The interface at the other end.
    pub to: InterfaceId,
}

/// Why there is no way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPath {
    /// A node has no route, or no neighbour with the address of its next hop.
    NoRoute(u32),
    /// A node does not forward.
    NotForwarding(u32),
    /// A link there ends at a switch, or its queues look at headers.
    Fabric(InterfaceId),
    /// It goes round.
    Loop(u32),
}

impl Simulation {
    /// The way of packets from a node to an address.
    ///
    /// # Errors
    /// Why there is none over links that the event core drives.
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

    /// The next step from a node, which may be the `first` one; none if it has the address.
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
