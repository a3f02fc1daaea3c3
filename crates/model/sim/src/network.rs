//! The description of a network for the simulator, in which every address and route is decided. Not
//! here: the decisions (`netloom-plan`), and how the network runs (`cell`).

use std::net::IpAddr;
use std::sync::Arc;

use netloom_fabric::{LinkEnd, LinkId, PipeId, SegmentId};
use netloom_link::{IpPrefix, PipeChange, PipeConfig};
use netloom_medium::MediumChange;
use netloom_units::Time;

/// A network, and the changes of its links.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// Seed of all random streams.
    pub seed: u64,
    /// Hosts and routers.
    pub nodes: Vec<Node>,
    /// All links. A link is identified by its place here.
    pub links: Vec<Link>,
    /// The interface that each port of the links belongs to.
    pub ports: Vec<InterfaceId>,
    /// Groups of interfaces that hear each other.
    pub segments: Vec<Vec<InterfaceId>>,
    /// Changes of links, by time.
    pub timeline: Vec<Change>,
    /// A source of further routes of nodes.
    pub routes: Option<Arc<dyn RouteSource>>,
}

/// A source of the routes of nodes. It is asked for a node's routes when a packet first needs them,
/// because all tables of a large network at once would take long.
pub trait RouteSource: std::fmt::Debug + Send + Sync {
    /// Returns the routes of a node, given by number, beyond those of [`Node::routes`] and those to
    /// the networks of its interfaces.
    fn routes(&self, node: u32) -> Vec<Route>;
}

/// An interface of a node, both given by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId {
    /// Number of the node.
    pub node: u32,
    /// Number of its interface.
    pub interface: u32,
}

/// A host or a router.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Name of the node.
    pub name: String,
    /// Whether it forwards packets.
    pub forwards: bool,
    /// Whether the node is a real one that is joined to the simulation. Its packets enter by
    /// [`Cell::enter`](crate::Cell::enter), and those for it leave by
    /// [`Cell::take_leaving`](crate::Cell::take_leaving).
    pub real: bool,
    /// Addresses that belong to no interface.
    pub loopback: Vec<IpAddr>,
    /// Interfaces of the node.
    pub interfaces: Vec<Interface>,
    /// Routes beyond those to the networks of its interfaces.
    pub routes: Vec<Route>,
}

/// An interface of a node.
#[derive(Debug, Clone)]
pub struct Interface {
    /// Ethernet address.
    pub mac: [u8; 6],
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Addresses of the interface, with prefix lengths.
    pub addresses: Vec<IpPrefix>,
}

/// A route of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Destinations.
    pub to: IpPrefix,
    /// Next hop. `None`: the destinations are neighbours.
    pub via: Option<IpAddr>,
    /// Number of the interface, if the next hop does not determine it.
    pub interface: Option<u32>,
    /// Among routes to the same destinations, the one with the lowest metric wins.
    pub metric: u32,
}

/// A link.
#[derive(Debug, Clone)]
pub struct Link {
    /// Name of the link, from which the names of its random streams are made.
    pub name: String,
    /// The two things that the link joins. Ports are places in [`Network::ports`].
    pub ends: [LinkEnd; 2],
    /// Configurations of its pipes, in the order of [`netloom_link::Direction::BOTH`].
    pub pipes: [PipeConfig; 2],
    /// MTUs of the interfaces at its ends. `None`: frames of any length are taken there.
    pub mtus: [Option<u32>; 2],
    /// Whether the events of its frames are logged.
    pub logged: bool,
    /// The captures at each of its ends.
    pub taps: [Vec<Tap>; 2],
}

/// A capture at an end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tap {
    /// Identifies the capture.
    pub capture: u32,
    /// Whether the capture shows frames that the link drops.
    pub drops: bool,
}

/// Changes of a network at one time.
#[derive(Debug, Clone)]
pub struct Change {
    /// Time of the changes.
    pub at: Time,
    /// Changes of pipes. All are made before any frame moves.
    pub changes: Vec<(PipeId, PipeChange)>,
    /// Changes of shared media.
    pub media: Vec<MediumAlteration>,
    /// A node's number, and the change of its routes.
    pub route: Option<(u32, RouteChange)>,
    /// A node's number, and the change of its state.
    pub node: Option<(u32, NodeChange)>,
    /// The source of further routes of all nodes from then on, in place of the one before. It
    /// undoes changes of single routes that the timeline has made.
    pub routes: Option<Arc<dyn RouteSource>>,
}

/// A change of a shared medium.
#[derive(Debug, Clone)]
pub struct MediumAlteration {
    /// The medium.
    pub medium: SegmentId,
    /// A link that ends at the medium.
    pub link: LinkId,
    /// The change.
    pub change: Arc<MediumChange>,
}

/// A change of a node's state. It does not affect the node's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeChange {
    /// Nothing runs in the node any more: its traffic ends, and its sockets disappear without
    /// notice to their peers. Routes and interfaces stay.
    Fails,
    /// Traffic that starts from now on is sent. Traffic that has ended does not start again.
    Recovers,
}

/// A change of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteChange {
    /// Adds a route. No route may have the same destination and metric.
    Add(Route),
    /// Adds a route, in place of the one with the same destination and metric, if there is one.
    Replace(Route),
    /// Removes the first of the routes to this destination.
    Remove(IpPrefix),
    /// Undoes an earlier change, given by its place in the timeline: restores the route that it
    /// removed or replaced, and removes the route that it added.
    TakeBack(usize),
}

/// The outcome of a change of a route.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RouteChanged {
    /// The route before the change.
    pub was: Option<Route>,
    /// The route after the change.
    pub is: Option<Route>,
}

/// The reason why a route cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// A route with the same destination and metric exists.
    #[error("there is such a route already")]
    Exists,
    /// No route leads there.
    #[error("there is no such route")]
    Missing,
    /// The next hop is not a neighbour.
    #[error("its next hop is no neighbour")]
    NoNeighbour,
    /// The change to be undone was not made.
    #[error("the change was not made that this ends")]
    NotMade,
}

impl RouteError {
    /// All reasons.
    pub(crate) const ALL: [Self; 4] =
        [Self::Exists, Self::Missing, Self::NoNeighbour, Self::NotMade];
}
