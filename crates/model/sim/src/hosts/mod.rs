//! The nodes of a cell, and what they do with packets: a [`Net`] of [`Hosts`]. Not here: links
//! (`plant`), and traffic, which receives the packets that are for a node itself (`traffic`).
//!
//! | module | contents |
//! |---|---|
//! | `net` | nodes with the links below them: [`Net`] |
//! | `forwarding`, `errors` | receives, sends, forwards, fragments; error messages |
//! | `node`, `stack`, `route` | a node, its state as a host, and its routes: [`Node`] |
//! | `neighbours`, `owners` | the Ethernet addresses of neighbours; who has which address |
//! | `changes` | changes of nodes and their routes |
//! | `border`, `leaving` | real nodes, and the packets that arrive there: [`Leaving`] |
//! | `path` | the path of packets through the network: [`Hop`] |

mod border;
mod changes;
mod errors;
mod forwarding;
mod leaving;
mod neighbours;
mod net;
mod node;
mod owners;
mod path;
mod route;
mod stack;

use std::sync::Arc;

use crate::network::InterfaceId;
use crate::own::Own;
use crate::{AddressBook, AddressId};

pub(crate) use forwarding::Sending;
pub use leaving::Leaving;
pub(crate) use neighbours::Neighbours;
pub(crate) use net::Net;
pub(crate) use node::Node;
pub use node::NodeCounts;
pub(crate) use owners::Owners;
pub use path::{Hop, NoPath};
pub(crate) use route::Exit;
pub(crate) use stack::{FIRST_PORT, PORTS, Peer, Stack};

/// The nodes of a cell, and what all cells know of addresses.
#[derive(Debug)]
pub(crate) struct Hosts {
    nodes: Own<Node>,
    book: Arc<AddressBook>,
    /// Number of addresses that the network itself has. Real nodes add others.
    known_addresses: usize,
    neighbours: Arc<Neighbours>,
    owners: Arc<Owners>,
    /// Packets that have arrived at real nodes.
    leaving: Vec<Leaving>,
}

impl Hosts {
    /// Returns no nodes.
    pub fn new(book: Arc<AddressBook>, neighbours: Arc<Neighbours>, owners: Arc<Owners>) -> Self {
        let known_addresses = book.len();
        Self {
            nodes: Own::default(),
            book,
            known_addresses,
            neighbours,
            owners,
            leaving: Vec::new(),
        }
    }

    /// Adds a node.
    pub fn add(&mut self, number: u32, node: Node) {
        self.nodes.put(number, node);
    }

    /// Whether a node is in this cell.
    pub fn has(&self, node: u32) -> bool {
        self.nodes.get(node).is_some()
    }

    /// Number of nodes in this cell.
    pub fn count(&self) -> usize {
        self.nodes.iter().count()
    }

    /// All addresses of the network.
    pub fn book(&self) -> &AddressBook {
        &self.book
    }

    /// Returns where packets of a node to an address go.
    #[inline]
    pub fn exit(&mut self, node: u32, to: AddressId) -> Exit {
        self.nodes[node].exit(to, &self.book, &self.neighbours)
    }

    /// Returns the source address of a node's packets to `to`, which leave by `exit`.
    pub fn source(&self, node: u32, exit: Exit, to: AddressId, v6: bool) -> Option<AddressId> {
        self.nodes[node].source(exit, to, v6)
    }

    /// Ethernet address of an interface.
    pub fn mac(&self, at: InterfaceId) -> [u8; 6] {
        self.nodes[at.node].interfaces[at.interface as usize].mac
    }

    /// MTU of an interface.
    pub fn mtu(&self, node: u32, interface: u32) -> u32 {
        self.nodes[node].interfaces[interface as usize].mtu
    }

    /// Number of interfaces of a node.
    pub fn interfaces(&self, node: u32) -> usize {
        self.nodes[node].interfaces.len()
    }

    /// Whether a node has failed, so that nothing runs in it.
    pub fn has_failed(&self, node: u32) -> bool {
        self.nodes[node].has_failed
    }

    /// State of a node as a host.
    pub fn stack(&mut self, node: u32) -> &mut Stack {
        &mut self.nodes[node].stack
    }

    /// Returns the flow whose connections a node with the address `from` opens to a port of `node`.
    pub fn listener(&self, node: u32, port: u16, from: AddressId) -> Option<u32> {
        self.nodes[node].stack.listener(port, self.owners.of(from))
    }

    /// Counts a packet for whose port no socket is open.
    pub fn count_no_port(&mut self, node: u32) {
        self.nodes[node].counts.no_port += 1;
    }

    /// Returns the packets that nodes did not pass on, counted together.
    pub fn counts(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        self.nodes.iter().for_each(|(_, node)| all += node.counts);
        all
    }

    /// Takes the packets that have arrived at real nodes, in order.
    pub fn take_leaving(&mut self) -> Vec<Leaving> {
        std::mem::take(&mut self.leaving)
    }
}
