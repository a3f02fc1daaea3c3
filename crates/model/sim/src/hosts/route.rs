//! Routes of a node: its routing table, and the results that it has cached. Not here: how the table
//! is made (`netloom-plan`).

use std::net::IpAddr;

use netloom_link::IpPrefix;

use crate::AddressId;
use crate::network::{Node, Route, RouteChanged, RouteError};

/// The way that packets to an address take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The node has the address.
    Local,
    /// Out through an interface, to the neighbour with this Ethernet address.
    Out {
        /// The interface.
        interface: u32,
        /// The neighbour's Ethernet address.
        mac: [u8; 6],
    },
    /// There is no route.
    NoRoute,
    /// No host on the last network has the address.
    NoHost,
}

/// A step of a route: the interface, and the neighbour on it that receives the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub interface: u32,
    pub neighbour: IpAddr,
}

/// Returns the routes of a node to the networks of its interfaces, and those of its description.
pub(crate) fn own_routes(node: &Node) -> Vec<Route> {
    let connected = (0..).zip(&node.interfaces).flat_map(|(number, interface)| {
        interface.addresses.iter().map(move |address| Route {
            to: *address,
            via: None,
            interface: Some(number),
            metric: 0,
        })
    });
    connected.chain(node.routes.iter().cloned()).collect()
}

/// The routing table of a node. The longest prefix wins, and among equal prefixes the lowest
/// metric.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Sorted by descending prefix length, then by network, then by metric.
    routes: Vec<Route>,
    /// Place after the last route of each prefix length.
    ends: Vec<usize>,
}

impl Table {
    /// Returns the table of these routes.
    pub fn new(routes: Vec<Route>) -> Self {
        let mut table = Self::default();
        table.add(routes);
        table
    }

    /// Adds routes.
    pub fn add(&mut self, routes: impl IntoIterator<Item = Route>) {
        self.routes.extend(routes);
        self.order();
    }

    fn order(&mut self) {
        self.routes.sort_by_key(|Route { to, metric, .. }| {
            (std::cmp::Reverse(to.length()), to.network(), *metric)
        });
        let mut end = 0;
        self.ends.clear();
        for alike in self.routes.chunk_by(|a, b| a.to.length() == b.to.length()) {
            end += alike.len();
            self.ends.push(end);
        }
    }

    /// Adds a route.
    ///
    /// # Errors
    /// If a route with its destination and metric exists, or its next hop is not a neighbour.
    pub fn insert(&mut self, route: &Route) -> Result<RouteChanged, RouteError> {
        match self.place(route) {
            Some(_) => Err(RouteError::Exists),
            None => self.replace(route),
        }
    }

    /// Adds a route, in place of the one with its destination and metric, if there is one.
    ///
    /// # Errors
    /// If its next hop is not a neighbour.
    pub fn replace(&mut self, route: &Route) -> Result<RouteChanged, RouteError> {
        let is_near =
            |via| self.routes.iter().any(|route| route.via.is_none() && route.to.contains(via));
        if !route.via.is_none_or(is_near) {
            return Err(RouteError::NoNeighbour);
        }
        let was = self.place(route).map(|place| self.routes.remove(place));
        self.add([route.clone()]);
        Ok(RouteChanged { was, is: Some(route.clone()) })
    }

    /// Removes the route to a destination: of several, the one with the lowest metric.
    ///
    /// # Errors
    /// If there is no route to it.
    pub fn remove(&mut self, to: IpPrefix) -> Result<RouteChanged, RouteError> {
        let first = self.routes.iter().position(|route| route.to.network() == to);
        let was = self.routes.remove(first.ok_or(RouteError::Missing)?);
        self.order();
        Ok(RouteChanged { was: Some(was), is: None })
    }

    /// Undoes an earlier change.
    ///
    /// # Errors
    /// If the route that the change added is gone.
    pub fn take_back(&mut self, earlier: &RouteChanged) -> Result<RouteChanged, RouteError> {
        let is = earlier.was.clone();
        let was = match (&earlier.was, &earlier.is) {
            (Some(before), _) => self.place(before).map(|place| self.routes.remove(place)),
            (None, Some(added)) => {
                let place = self.routes.iter().position(|route| route == added);
                Some(self.routes.remove(place.ok_or(RouteError::Missing)?))
            }
            (None, None) => None,
        };
        self.add(is.clone());
        Ok(RouteChanged { was, is })
    }

    /// Returns the place of the route with the same destination and metric as `other`.
    fn place(&self, other: &Route) -> Option<usize> {
        let key = |route: &Route| (route.to.network(), route.metric);
        self.routes.iter().position(|route| key(route) == key(other))
    }

    /// Returns the first step to `address`.
    pub fn step(&self, address: IpAddr) -> Option<Step> {
        // A next hop is a neighbour itself, so one more lookup suffices.
        let found = self.find(address, |_| true)?;
        let neighbour = found.via.unwrap_or(address);
        let on_link = || self.find(neighbour, |route| route.via.is_none())?.interface;
        let interface = found.interface.or_else(on_link)?;
        Some(Step { interface, neighbour })
    }

    /// Returns the first wanted route to `address`, by a binary search for each prefix length.
    fn find(&self, address: IpAddr, is_wanted: impl Fn(&Route) -> bool) -> Option<&Route> {
        let mut begin = 0;
        for end in &self.ends {
            let alike = &self.routes[begin..*end];
            begin = *end;
            let Some(wanted) = IpPrefix::new(address, alike[0].to.length()) else { continue };
            let network = wanted.network();
            let first = alike.partition_point(|route| route.to.network() < network);
            let mut same = alike[first..].iter().take_while(|route| route.to.network() == network);
            if let Some(found) = same.find(|route| is_wanted(route)) {
                return Some(found);
            }
        }
        None
    }
}

/// Cached exits of addresses: a hash table that is never iterated, so that results cannot depend on
/// its order.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// A power of two places, at least half of them empty.
    places: Vec<Option<(AddressId, Exit)>>,
    filled: usize,
}

impl Known {
    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    #[inline]
    pub fn find(&self, id: AddressId) -> Option<Exit> {
        let mask = self.places.len().checked_sub(1)?;
        let mut place = spread(id) & mask;
        while let Some((known, exit)) = self.places[place] {
            if known == id {
                return Some(exit);
            }
            place = (place + 1) & mask;
        }
        None
    }

    pub fn enter(&mut self, id: AddressId, exit: Exit) {
        if self.filled * 2 >= self.places.len() {
            let places = (self.places.len() * 2).max(8);
            let before = std::mem::replace(&mut self.places, vec![None; places]);
            before.into_iter().flatten().for_each(|(id, exit)| self.put(id, exit));
        }
        self.put(id, exit);
        self.filled += 1;
    }

    fn put(&mut self, id: AddressId, exit: Exit) {
        let mask = self.places.len() - 1;
        let mut place = spread(id) & mask;
        while self.places[place].is_some() {
            place = (place + 1) & mask;
        }
        self.places[place] = Some((id, exit));
    }
}

/// Spreads consecutive numbers (Fibonacci hashing, Knuth 6.4).
#[inline]
fn spread(id: AddressId) -> usize {
    (id.0.wrapping_mul(0x9e37_79b9) >> 7) as usize
}
