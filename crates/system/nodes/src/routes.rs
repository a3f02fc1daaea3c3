//! Changes of a node's routes while it runs, and their reversal. Not here: changes that follow from
//! a plan (`changing`).

use std::ffi::CStr;
use std::io;

use netlink_packet_route::AddressFamily;
use netlink_packet_route::route::{RouteHeader, RouteMessage};
use netloom_plan::RoutePlan;
use netloom_scenario::{IpPrefix, Route, RouteChange};
use nix::net::if_::if_nameindex;

use crate::stack::configure::Indices;
use crate::stack::netlink::{Netlink, Refused, Request};
use crate::stack::requests;
use crate::{Network, NodeError};

/// The change of a node's route, with the data that reverts it.
#[derive(Debug, Clone)]
pub struct RouteChanged {
    /// The previous route; if it had several next hops, with the first of them. `None` if there was
    /// none.
    pub was: Option<Route>,
    /// The new route. `None` if there is none.
    pub is: Option<Route>,
    /// The previous route, as the kernel described it.
    before: Option<RouteMessage>,
}

impl Network {
    /// Changes a route of a node.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`]; [`NodeError::System`] if the kernel refuses: the route to add
    /// exists, the route to remove does not, or the next hop cannot be reached.
    pub fn change_route(
        &self,
        node: &str,
        change: &RouteChange,
    ) -> Result<RouteChanged, NodeError> {
        self.at_routes(node, || change_here(node, change))
    }

    /// Reverts a change of a route: restores what it removed or replaced, and removes what it
    /// added.
    ///
    /// # Errors
    /// As for [`change_route`](Self::change_route).
    pub fn take_route_back(
        &self,
        node: &str,
        changed: &RouteChanged,
    ) -> Result<RouteChanged, NodeError> {
        self.at_routes(node, || take_back_here(node, changed))
    }

    fn at_routes<T: Send>(
        &self,
        node: &str,
        work: impl FnOnce() -> Result<T, NodeError> + Send,
    ) -> Result<T, NodeError> {
        self.node(node)?;
        let done = self.enter(node, || Ok(work()));
        done.map_err(|error| NodeError::in_node(node, "change a route", error))?
    }
}

fn change_here(node: &str, change: &RouteChange) -> Result<RouteChanged, NodeError> {
    let mut routes = Routes::open(node)?;
    match change {
        RouteChange::Add(route) => {
            let plan = RoutePlan::from(route);
            let index = Indices::of(node).of_route(&plan)?;
            routes.apply(requests::route(&plan, index).if_new())?;
            Ok(RouteChanged { was: None, is: Some(route.clone()), before: None })
        }
        RouteChange::Replace(route) => {
            let plan = RoutePlan::from(route);
            let before = routes.find(plan.to, Some(plan.metric()))?;
            let index = Indices::of(node).of_route(&plan)?;
            routes.apply(requests::route(&plan, index))?;
            Ok(RouteChanged { was: described(&before), is: Some(route.clone()), before })
        }
        RouteChange::Remove(to) => {
            let before = routes.find(to.network(), None)?;
            routes.apply(requests::no_route_to(*to))?;
            Ok(RouteChanged { was: described(&before), is: None, before })
        }
    }
}

fn take_back_here(node: &str, changed: &RouteChanged) -> Result<RouteChanged, NodeError> {
    let mut routes = Routes::open(node)?;
    let key = match (&changed.before, &changed.is) {
        (Some(before), _) => requests::destination(before).zip(Some(requests::metric(before))),
        (None, Some(is)) => Some((is.to.network(), RoutePlan::from(is).metric())),
        (None, None) => None,
    };
    // There was no route, and there is none: nothing to revert.
    let Some((to, metric)) = key else { return Ok(changed.clone()) };
    let now = routes.find(to, Some(metric))?;
    match (&changed.before, &changed.is) {
        (Some(before), _) => routes.apply(requests::route_again(before))?,
        (None, Some(is)) => {
            let plan = RoutePlan::from(is);
            let index = Indices::of(node).of_route(&plan)?;
            routes.apply(requests::no_route(&plan, index))?;
        }
        (None, None) => {}
    }
    Ok(RouteChanged { was: described(&now), is: changed.was.clone(), before: now })
}

/// The routes of the node in whose namespace the calling thread is.
struct Routes<'a> {
    node: &'a str,
    netlink: Netlink,
}

impl<'a> Routes<'a> {
    fn open(node: &'a str) -> Result<Self, NodeError> {
        let netlink = Netlink::open()
            .map_err(|error| NodeError::in_node(node, "open a netlink socket", error))?;
        Ok(Self { node, netlink })
    }

    /// Returns the route to a destination with this metric, or the one with the lowest metric.
    fn find(
        &mut self,
        to: IpPrefix,
        metric: Option<u32>,
    ) -> Result<Option<RouteMessage>, NodeError> {
        let family = match to {
            IpPrefix::V4(_) => AddressFamily::Inet,
            IpPrefix::V6(_) => AddressFamily::Inet6,
        };
        let all = self.netlink.routes(family);
        let all = all.map_err(|error| NodeError::in_node(self.node, "read its routes", error))?;
        let there = all.into_iter().filter(|route| {
            route.header.table == RouteHeader::RT_TABLE_MAIN
                && requests::destination(route) == Some(to)
                && metric.is_none_or(|metric| requests::metric(route) == metric)
        });
        Ok(there.min_by_key(requests::metric))
    }

    fn apply(&mut self, request: Request) -> Result<(), NodeError> {
        let refused = |Refused { what, source }| {
            let source = match source.raw_os_error() {
                Some(libc::ESRCH) => io::Error::other("there is none"),
                Some(libc::EEXIST) => {
                    io::Error::other("there is one with its destination and metric already")
                }
                _ => source,
            };
            NodeError::in_node(self.node, what, source)
        };
        self.netlink.apply([request]).map_err(refused)
    }
}

/// Converts a route that the kernel has described.
fn described(route: &Option<RouteMessage>) -> Option<Route> {
    let route = route.as_ref()?;
    let (via, index) = requests::next_hop(&route.attributes);
    let metric = requests::metric(route);
    let to = requests::destination(route)?;
    let is_default = metric == RoutePlan::default_metric(to);
    Some(Route {
        to,
        via,
        interface: index.and_then(name),
        metric: (!is_default).then_some(metric),
    })
}

/// Returns the name of an interface of the calling thread's namespace.
fn name(index: u32) -> Option<String> {
    let all = if_nameindex().ok()?;
    let found = all.iter().find(|interface| interface.index() == index)?;
    CStr::to_str(found.name()).ok().map(Into::into)
}
