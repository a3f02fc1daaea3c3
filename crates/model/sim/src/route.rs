//! Where a node sends a packet: its routing table, and what it has found out so far. Not here: how
//! the table is made (`netloom-plan`).

use std::net::IpAddr;

use crate::AddressId;
use crate::network::{Node, Route, RouteChange, RouteError};

/// Where packets for an address go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The node has the address.
    Local,
    /// Out of an interface to the neighbour with that Ethernet address.
    Out {
        /// The interface.
        interface: u32,
        /// The neighbour.
        mac: [u8; 6],
    },
    /// There is no route.
    NoRoute,
    /// The last network has no such host.
    NoHost,
}

/// A step of a route: the interface and who is asked for on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub interface: u32,
    pub neighbour: IpAddr,
}

/// The routing table of a node: the longest prefix wins, of equal ones the lowest metric.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The longest prefix first, of equal ones the lowest metric.
    routes: Vec<Route>,
}

impl Table {
    /// The table of `node`.
    pub fn new(node: &Node) -> Self {
        let connected = (0..).zip(&node.interfaces).flat_map(|(number, interface)| {
            interface.addresses.iter().map(move |address| Route {
                to: *address,
                via: None,
                interface: Some(number),
                metric: 0,
            })
        });
        let mut table = Self::default();
        table.add(connected.chain(node.routes.iter().cloned()));
        table
    }

    /// Adds routes.
    pub fn add(&mut self, routes: impl IntoIterator<Item = Route>) {
        self.routes.extend(routes);
        self.routes.sort_by_key(|route| (std::cmp::Reverse(route.to.length()), route.metric));
    }

    /// Changes a route.
    pub fn change(&mut self, change: &RouteChange) -> Result<(), RouteError> {
        let new = match change {
            RouteChange::Add(route) | RouteChange::Replace(route) => route,
            RouteChange::Remove(to) => {
                let first = self.routes.iter().position(|route| route.to.network() == *to);
                self.routes.remove(first.ok_or(RouteError::Missing)?);
                return Ok(());
            }
        };
        let is_same = |route: &Route| route.to.network() == new.to && route.metric == new.metric;
        let place = self.routes.iter().position(is_same);
        if place.is_some() && matches!(change, RouteChange::Add(_)) {
            return Err(RouteError::Exists);
        }
        if let Some(via) = new.via
            && !self.routes.iter().any(|route| route.via.is_none() && route.to.contains(via))
        {
            return Err(RouteError::NoNeighbour);
        }
        if let Some(place) = place {
            self.routes.remove(place);
        }
        self.add([new.clone()]);
        Ok(())
    }

    /// The first step to `address`.
    pub fn step(&self, address: IpAddr) -> Option<Step> {
        // A next hop is a neighbour itself: at most one step of looking it up.
        let found = self.routes.iter().find(|route| route.to.contains(address))?;
        let neighbour = found.via.unwrap_or(address);
        let interface = found.interface.or_else(|| {
            let on_link = |route: &&Route| route.via.is_none() && route.to.contains(neighbour);
            self.routes.iter().find(on_link)?.interface
        })?;
        Some(Step { interface, neighbour })
    }
}

/// What was found out about addresses: a hash table without iteration, so that what happens never
/// depends on it.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// A power of two of places, half of them empty at least.
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

/// Spreads numbers that follow each other (Fibonacci hashing, Knuth 6.4).
#[inline]
fn spread(id: AddressId) -> usize {
    (id.0.wrapping_mul(0x9e37_79b9) >> 7) as usize
}
