//! A network as it is described to the simulator, every address and route decided. Not here: who
//! decides them (`netloom-plan`), and how it runs (`cell`).

use std::net::IpAddr;
use std::sync::Arc;

use netloom_fabric::{LinkEnd, LinkId, PipeId, SegmentId};
use netloom_link::{IpPrefix, PipeChange, PipeConfig};
use netloom_medium::MediumChange;
use netloom_units::Time;

/// A network, and what happens to its links.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// Seed of all random streams.
    pub seed: u64,
    /// Hosts and routers.
    pub nodes: Vec<Node>,
    /// All links. A link's identity is its place here.
    pub links: Vec<Link>,
    /// Which node and which of its interfaces each port of the links is.
    pub ports: Vec<InterfaceId>,
    /// Which interfaces hear each other.
    pub segments: Vec<Vec<InterfaceId>>,
    /// Changes of links, by time.
    pub timeline: Vec<Change>,
    /// Who knows further routes of nodes.
    pub routes: Option<Arc<dyn RouteSource>>,
}

/// Who knows the routes of nodes, and is asked for those of one when a packet first needs them: all
/// tables of a large network at once would take long.
pub trait RouteSource: std::fmt::Debug + Send + Sync {
    /// The routes of a node, by its place, beside those of [`Node::routes`] and those to the
    /// networks of its interfaces.
    fn routes(&self, node: u32) -> Vec<Route>;
}

/// An interface of a node, both by their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId {
    /// The node.
    pub node: u32,
    /// Its interface.
    pub interface: u32,
}

/// A host or a router.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Whether it forwards packets.
    pub forwards: bool,
    /// Whether it is no node of the simulation, but one that is joined to it: what it sends comes
    /// by [`Cell::enter`](crate::Cell::enter), and what it gets leaves by
    /// [`Cell::take_leaving`](crate::Cell::take_leaving).
    pub real: bool,
    /// Addresses that are no interface's.
    pub loopback: Vec<IpAddr>,
    /// Its interfaces.
    pub interfaces: Vec<Interface>,
    /// Its routes beside those to the networks of its interfaces.
    pub routes: Vec<Route>,
}

/// An interface of a node.
#[derive(Debug, Clone)]
pub struct Interface {
    /// Ethernet address.
    pub mac: [u8; 6],
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Its addresses with the lengths of their prefixes.
    pub addresses: Vec<IpPrefix>,
}

/// A route of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Destinations.
    pub to: IpPrefix,
    /// Next hop; without one, destinations are neighbours.
    pub via: Option<IpAddr>,
    /// Place of the interface, where the next hop does not say it.
    pub interface: Option<u32>,
    /// The lowest wins among routes to the same destinations.
    pub metric: u32,
}

/// A link.
#[derive(Debug, Clone)]
pub struct Link {
    /// Its name, from which its random streams have theirs.
    pub name: String,
    /// What it joins; ports are places in [`Network::ports`].
    pub ends: [LinkEnd; 2],
    /// What its pipes run on, in the order of [`netloom_link::Direction::BOTH`].
    pub pipes: [PipeConfig; 2],
    /// Whether what happens to its frames is logged.
    pub logged: bool,
    /// The captures at each of its ends.
    pub taps: [Vec<Tap>; 2],
}

/// A capture at an end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tap {
    /// What tells it from others.
    pub capture: u32,
    /// Whether it shows what the link drops.
    pub drops: bool,
}

/// Changes of links, or of routes, at one time.
#[derive(Debug, Clone)]
pub struct Change {
    /// When.
    pub at: Time,
    /// All of them, made before any frame moves.
    pub changes: Vec<(PipeId, PipeChange)>,
    /// Shared media that change.
    pub media: Vec<MediumAlteration>,
    /// A node, by its place, and what becomes of its routes.
    pub route: Option<(u32, RouteChange)>,
    /// A node, by its place, and what becomes of it.
    pub node: Option<(u32, NodeChange)>,
    /// Who knows the further routes of all nodes from then on, instead of who did before. Single
    /// routes that the timeline has changed are then again as they were.
    pub routes: Option<Arc<dyn RouteSource>>,
}

/// A shared medium that changes.
#[derive(Debug, Clone)]
pub struct MediumAlteration {
    /// The medium.
    pub medium: SegmentId,
    /// A link that ends at it.
    pub link: LinkId,
    /// What changes.
    pub change: Arc<MediumChange>,
}

/// What becomes of a node. Its links are not meant by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeChange {
    /// Nothing runs in it any more: what it sends ends, and its sockets are gone without a word to
    /// their peers. Routes and interfaces stay.
    Fails,
    /// What begins to send from now on does. What has ended does not begin again.
    Recovers,
}

/// A route that comes or goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteChange {
    /// It comes; one with the same destination and metric must not be there.
    Add(Route),
    /// It comes instead of the one with the same destination and metric, if there is one.
    Replace(Route),
    /// The first of those to this destination goes.
    Remove(IpPrefix),
    /// What an earlier change of the timeline, by its place, took away or replaced is there again,
    /// and what it added is not.
    TakeBack(usize),
}

/// What became of a route.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RouteChanged {
    /// The route that was there.
    pub was: Option<Route>,
    /// The route that is there instead.
    pub is: Option<Route>,
}

/// Why a route cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// One with the same destination and metric is there.
    #[error("there is such a route already")]
    Exists,
    /// None leads there.
    #[error("there is no such route")]
    Missing,
    /// The next hop is no neighbour.
    #[error("its next hop is no neighbour")]
    NoNeighbour,
    /// The change that was to be taken back was not made.
    #[error("the change was not made that this ends")]
    NotMade,
}

impl RouteError {
    /// All of them.
    pub(crate) const ALL: [Self; 4] =
        [Self::Exists, Self::Missing, Self::NoNeighbour, Self::NotMade];
}
