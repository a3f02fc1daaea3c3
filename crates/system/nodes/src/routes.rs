//! Routes of a node that come or go while it lives. Not here: those that follow from a plan
//! (`changing`).

use netloom_plan::RoutePlan;
use netloom_scenario::{Route, RouteChange};

use crate::stack::configure::Indices;
use crate::stack::netlink::{Netlink, Refused};
use crate::stack::requests;
use crate::{Network, NodeError};

impl Network {
    /// Changes a route of a node.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`]; [`NodeError::System`] if the kernel refuses it: there is such a
    /// route already, or none to take away, or no way to the next hop.
    pub fn change_route(&self, node: &str, change: &RouteChange) -> Result<(), NodeError> {
        self.node(node)?;
        let work = || Ok(change_here(node, change));
        let done = self.inside(node, work);
        done.map_err(|error| NodeError::in_node(node, "change a route", error))?
    }
}

fn change_here(node: &str, change: &RouteChange) -> Result<(), NodeError> {
    let mut indices = Indices::of(node);
    let route;
    let request = match change {
        RouteChange::Add(added) => {
            route = plan(added);
            requests::route(&route, indices.of_route(&route)?).if_new()
        }
        RouteChange::Replace(new) => {
            route = plan(new);
            requests::route(&route, indices.of_route(&route)?)
        }
        RouteChange::Remove(to) => requests::no_route_to(*to),
    };
    let opened = Netlink::open();
    let mut netlink =
        opened.map_err(|error| NodeError::in_node(node, "open a netlink socket", error))?;
    let refused = |Refused { what, source }| match (change, source.raw_os_error()) {
        (RouteChange::Remove(to), Some(libc::ESRCH)) => {
            let none = std::io::Error::other("there is none");
            NodeError::in_node(node, format!("take away the route to {to}"), none)
        }
        _ => NodeError::in_node(node, what, source),
    };
    netlink.apply([request]).map_err(refused)
}

fn plan(route: &Route) -> RoutePlan {
    RoutePlan {
        to: route.to.network(),
        via: route.via,
        interface: route.interface.as_deref().map(Into::into),
        metric: route.metric,
    }
}
