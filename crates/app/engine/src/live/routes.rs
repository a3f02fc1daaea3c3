//! Changes to routes of nodes, by request, while the network lives.

use anyhow::{Context, Result, bail};
use netloom_nodes::{Network, RouteChanged};
use netloom_scenario::{IpPrefix, Route, RouteChange};

/// Changes routes of a node one after the other. If one of them fails, the changes before it are
/// undone.
pub fn change(network: &Network, node: &str, changes: &[RouteChange]) -> Result<Vec<RouteChanged>> {
    changes.iter().try_for_each(check)?;
    let mut done: Vec<RouteChanged> = Vec::with_capacity(changes.len());
    for change in changes {
        match network.change_route(node, change) {
            Ok(changed) => done.push(changed),
            Err(error) => {
                for changed in done.iter().rev() {
                    let taken_back = network.take_route_back(node, changed);
                    taken_back.with_context(|| format!("{error}; and what was done stays"))?;
                }
                return Err(error.into());
            }
        }
    }
    Ok(done)
}

/// Refuses a change that a scenario could not express.
fn check(change: &RouteChange) -> Result<()> {
    let to = change.destination();
    if to != to.network() {
        bail!("`{to}` is an address in a subnet, not a subnet; write `{}`", to.network());
    }
    let (RouteChange::Add(route) | RouteChange::Replace(route)) = change else { return Ok(()) };
    match route {
        Route { via: None, interface: None, .. } => {
            bail!("the route to {to} leads nowhere: it has neither `via` nor `interface`")
        }
        Route { via: Some(via), .. } if via.is_ipv4() != matches!(to, IpPrefix::V4(_)) => {
            bail!("the next hop {via} and the destination {to} differ in family")
        }
        _ => Ok(()),
    }
}
