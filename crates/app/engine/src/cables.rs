//! Follows what nodes do to their ends of links, as cables do: an interface that its node takes
//! down, deletes or moves away leaves the other end without a carrier until it is up again,
//! wherever that is. Interfaces with another MTU take other frames. Not here: carriers of links
//! that are cut (`live`), and of stations (`associations`).

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::thread;

use anyhow::{Context, Result};
use netloom_fabric::LinkId;
use netloom_nodes::{InterfaceSetting, InterfaceWatch, Watched};
use netloom_scenario::{Endpoint, Kernel, Link};

use crate::deployment::Deployment;
use crate::events::EventLog;
use crate::interfaces::{InterfaceStates, states};
use crate::live::{Live, LiveNetwork};

/// Follows the ends of links.
pub struct Cables {
    /// The network with the links.
    pub network: Arc<LiveNetwork>,
    /// The log for errors.
    pub events: Arc<EventLog>,
}

/// The ends of links that are watched, each under its place in the list, and the network that had
/// them: a later one may have others under the same identities.
struct Ends {
    of: Arc<Deployment>,
    list: Vec<(LinkId, usize)>,
}

/// An end of a link whose interface has changed. Without a state, it has been deleted.
struct Change {
    link: LinkId,
    end: usize,
    state: Option<InterfaceSetting>,
}

impl Cables {
    /// Follows the ends for as long as the network lives.
    pub fn start(self) -> Result<()> {
        self.follow_own_kernels()?;
        let run = move || {
            if let Err(error) = self.run() {
                let words = netloom_api::in_words(error.as_ref());
                self.events.warn(format!("carriers do not follow what nodes do: {words}"));
            }
        };
        thread::Builder::new().name("cables".into()).spawn(run).context("cannot start a thread")?;
        Ok(())
    }

    /// Follows nodes with kernels of their own, whose agents report.
    fn follow_own_kernels(&self) -> Result<()> {
        self.network.with_deployment(|live, deployment| {
            let own = |node: &&netloom_scenario::Node| node.kernel == Kernel::Own;
            for node in deployment.mine.scenario.nodes.iter().filter(own) {
                let (name, network) = (node.name.clone(), Arc::downgrade(&self.network));
                let events = Arc::clone(&self.events);
                let report = move |interface: &str, state: InterfaceSetting| {
                    let Some(network) = Weak::upgrade(&network) else { return };
                    let end = Endpoint { node: name.clone(), interface: interface.into() };
                    if let Err(error) = follow_interface(&network, &end, state) {
                        let words = netloom_api::in_words(error.as_ref());
                        events.warn(format!("the cable of {end} does not follow: {words}"));
                    }
                };
                live.network.kernels().report_interfaces(&node.name, Arc::new(report));
            }
            Ok(())
        })
    }

    fn run(&self) -> Result<()> {
        // Once for each wiring: `apply` brings other links.
        loop {
            let mut watch = InterfaceWatch::new(&self.network.rewired)
                .context("cannot watch interfaces of nodes")?;
            let Some(ends) = self.watch_all(&mut watch)? else { return Ok(()) };
            loop {
                let changes = watch.wait().context("cannot watch interfaces of nodes")?;
                if self.network.rewired.read().is_ok() {
                    break;
                }
                if self.follow(&mut watch, &ends, changes)?.is_none() {
                    return Ok(());
                }
            }
        }
    }

    /// Watches all interfaces at ends of links. Returns `None` if the network is being taken down.
    fn watch_all(&self, watch: &mut InterfaceWatch) -> Result<Option<Ends>> {
        let Ok((deployment, places)) = self.network.with_deployment(|live, deployment| {
            Ok((Arc::clone(deployment), live.dataplane.places()))
        }) else {
            return Ok(None);
        };
        let own_kernels: HashMap<&str, bool> = deployment
            .mine
            .scenario
            .nodes
            .iter()
            .map(|node| (node.name.as_str(), node.kernel == Kernel::Own))
            .collect();
        let links: HashMap<LinkId, &Link> = deployment.modelled_links().collect();
        let mut list = Vec::new();
        for (id, end, place) in places {
            let node = links.get(&id).map(|link| link.endpoints[end].node.as_str());
            let is_watched = node.is_some_and(|node| own_kernels.get(node) == Some(&false));
            let Some(place) = place.filter(|_| is_watched) else { continue };
            let added = watch.add(list.len() as u64, place.name, place.namespace);
            added.context("cannot watch interfaces of nodes")?;
            list.push((id, end));
        }
        drop(links);
        Ok(Some(Ends { of: deployment, list }))
    }

    /// Follows changes of the interfaces at `ends`. Returns `None` if the network is being taken
    /// down.
    fn follow(
        &self,
        watch: &mut InterfaceWatch,
        ends: &Ends,
        changes: Vec<Watched>,
    ) -> Result<Option<()>> {
        let mut moved = Vec::new();
        let changes = changes.into_iter().filter_map(|Watched { token, state }| {
            let (link, end) = *ends.list.get(usize::try_from(token).ok()?)?;
            if state.is_none() {
                moved.push((token, link, end));
            }
            Some(Change { link, end, state })
        });
        let changes: Vec<Change> = changes.collect();
        // The outer error means that the network is being taken down.
        let Ok((followed, places)) = self.network.with_deployment(|live, deployment| {
            // What `apply` removed meanwhile is no end of a link of now.
            if !Arc::ptr_eq(deployment, &ends.of) {
                return Ok((Ok(()), Vec::new()));
            }
            let places: Vec<_> = moved
                .iter()
                .filter_map(|(token, link, end)| {
                    Some((*token, live.dataplane.place_of(*link, *end)?))
                })
                .collect();
            Ok((follow(live, deployment, &changes), places))
        }) else {
            return Ok(None);
        };
        followed?;
        for (token, place) in places {
            // Its new namespace may be gone already, and the interface with it.
            let _ = watch.add(token, place.name, place.namespace);
        }
        Ok(Some(()))
    }
}

/// Follows a change of one interface.
fn follow_interface(
    network: &LiveNetwork,
    interface: &Endpoint,
    state: InterfaceSetting,
) -> Result<()> {
    let followed = network.with_deployment(|live, deployment| {
        let at = |(id, link): (LinkId, &Link)| {
            let end = link.endpoints.iter().position(|endpoint| endpoint == interface)?;
            Some(Change { link: id, end, state: Some(state) })
        };
        let changes: Vec<Change> = deployment.modelled_links().find_map(at).into_iter().collect();
        Ok(follow(live, deployment, &changes))
    });
    followed.unwrap_or(Ok(()))
}

/// Follows changes: those by which interfaces lose their carriers, then the others. Frames that
/// interfaces drop without a carrier are not counted as read too late by the engine.
fn follow(live: &Live, deployment: &Deployment, changes: &[Change]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let _turn = live.overflow.turn();
    let links: HashMap<LinkId, &Link> = deployment.modelled_links().collect();
    let others = |change: &Change| -> Vec<Endpoint> {
        let Some(link) = links.get(&change.link) else { return Vec::new() };
        let other = &link.endpoints[1 - change.end];
        match deployment.mine.plan.node(&other.node) {
            Some(_) => deployment.mine.scenario.interfaces_at(other),
            None => Vec::new(),
        }
    };
    let has_carrier = |change: &Change| {
        live.dataplane.has_carrier(change.link, 1 - change.end).unwrap_or_default()
    };
    let mut restored = Vec::new();
    for change in changes {
        let up = change.state.is_some_and(|state| state.up);
        let mtu = change.state.map(|state| state.mtu).filter(|mtu| *mtu > 0);
        let had = has_carrier(change);
        let before = match had && !up {
            true => states(&live.network, &others(change))?,
            false => InterfaceStates::new(),
        };
        live.dataplane.set_end(change.link, change.end, up, mtu)?;
        match (had, has_carrier(change)) {
            (true, false) => live.overflow.lost(&before, &others(change)),
            (false, true) => restored.extend(others(change)),
            _ => {}
        }
    }
    if !restored.is_empty() {
        live.overflow.restored(&live.network, &restored)?;
    }
    Ok(())
}
