//! The path of packets through a network, as its nodes would forward them now. Not here: whether
//! the packets arrive.

use std::net::IpAddr;

use netloom_fabric::PipeId;

use super::Net;
use super::route::Exit;
use crate::network::InterfaceId;
use crate::plant::Way;

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

impl Net {
    /// Returns the next step from a node, or `None` if the node has the address. `first`: the node
    /// is the sender, which need not forward.
    pub fn hop(&mut self, node: u32, to: IpAddr, first: bool) -> Result<Option<Hop>, NoPath> {
        let destination = self.hosts.book.find(to).ok_or(NoPath::NoRoute(node))?;
        let exit = self.hosts.exit(node, destination);
        let state = &self.hosts.nodes[node];
        let interface = match exit {
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
                let (pipe, to) = self.plant.ends(number);
                Ok(Some(Hop { from, pipe, to }))
            }
            Way::Island { .. } => Err(NoPath::Fabric(from)),
            Way::Nothing => Err(NoPath::NoRoute(node)),
        }
    }
}
