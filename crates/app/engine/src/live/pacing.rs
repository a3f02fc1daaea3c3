//! Interfaces that wait for a full pipe (`queue: {full: wait}`): they are paced at the rate of
//! their line, so that frames wait in the node. Not here: the pipe, and its worker, which stops
//! reading the interface of a full pipe.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use netloom_dataplane::Dataplane;
use netloom_fabric::PipeId;
use netloom_link::{Direction, PipeChange, PipeConfig, RateLimit, WhenFull};
use netloom_nodes::{Network, Pacing, PacingChange};
use netloom_scenario::{Link, Scenario};

use super::Live;
use crate::deployment::Deployment;

/// The pipes that interfaces wait for.
#[derive(Debug, Default)]
pub struct Paced(Mutex<HashSet<PipeId>>);

/// An order to start or stop pacing an interface.
pub struct Order<'d> {
    pipe: PipeId,
    link: &'d Link,
    pacing: Option<Pacing>,
}

impl Paced {
    /// Paces the interfaces of all new links of `deployment` that wait from the start.
    pub fn begin(
        &self,
        network: &Network,
        deployment: &Deployment,
        is_new: impl Fn(&Link) -> bool,
    ) -> Result<()> {
        for (id, link) in deployment.modelled_links().filter(|(_, link)| is_new(link)) {
            for (direction, config) in
                Direction::BOTH.into_iter().zip([&link.forward, &link.reverse])
            {
                let pipe = PipeId { link: id, direction };
                // The interface is new, so it is not paced yet.
                self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&pipe);
                self.carry_out(network, &deployment.mine.scenario, &[order(pipe, link, config)])?;
            }
        }
        Ok(())
    }

    /// Returns the orders for interfaces that follow from changes to pipes, all at one instant.
    ///
    /// # Errors
    /// If an interface cannot wait, or cannot wait for such a pipe.
    pub fn orders<'d>(
        &self,
        dataplane: &Dataplane,
        deployment: &'d Deployment,
        batch: &[(PipeId, PipeChange)],
    ) -> Result<Vec<Order<'d>>> {
        let paced = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asks = |change: &PipeChange| {
            change.queue.as_ref().is_some_and(|queue| queue.full == Some(WhenFull::Wait))
        };
        let concerned = |(id, change): &&(PipeId, PipeChange)| paced.contains(id) || asks(change);
        let concerned: HashSet<PipeId> =
            batch.iter().filter(concerned).map(|(id, _)| *id).collect();
        if concerned.is_empty() {
            return Ok(Vec::new());
        }
        let links: BTreeMap<_, &Link> = deployment.modelled_links().collect();
        let pipes = dataplane.pipes().context("the pipes cannot be looked at")?;
        let pipes = pipes.into_iter().filter(|pipe| concerned.contains(&pipe.id));
        let order = |pipe: netloom_dataplane::PipeStatus| {
            let mut config = pipe.config;
            let changes = batch.iter().filter(|(id, _)| *id == pipe.id);
            changes.for_each(|(_, change)| change.apply_to(&mut config));
            let link = *links.get(&pipe.id.link).ok_or_else(|| anyhow!("a link has gone"))?;
            let node = |name: &str| deployment.mine.scenario.node(name);
            link.check_waiting(pipe.id.direction.index(), &config, node).map_err(|problem| {
                anyhow!("the queue of link `{}` cannot have anybody wait: {problem}", link.name)
            })?;
            Ok(order(pipe.id, link, &config))
        };
        pipes.map(order).collect()
    }

    /// Carries out orders, after the changes that caused them.
    pub fn follow(&self, live: &Live, scenario: &Scenario, orders: &[Order<'_>]) -> Result<()> {
        self.carry_out(&live.network, scenario, orders)
    }

    fn carry_out(
        &self,
        network: &Network,
        scenario: &Scenario,
        orders: &[Order<'_>],
    ) -> Result<()> {
        for Order { pipe, link, pacing } in orders {
            let was = self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(pipe);
            let change = match (pacing, was) {
                (Some(pacing), false) => PacingChange::Begin(*pacing),
                (Some(pacing), true) => PacingChange::Follow(*pacing),
                (None, true) => PacingChange::End,
                (None, false) => continue,
            };
            let end = &link.endpoints[pipe.direction.index()];
            let node = scenario.node(&end.node);
            let interface = node.and_then(|node| {
                node.interfaces.iter().find(|interface| interface.name == end.interface)
            });
            let mtu = interface.map_or(1500, |interface| interface.mtu);
            network
                .pace(&end.node, &end.interface, mtu, change)
                .with_context(|| format!("link `{}`: `{end}` cannot be made to wait", link.name))?;
            let mut paced = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match pacing {
                Some(_) => paced.insert(*pipe),
                None => paced.remove(pipe),
            };
        }
        Ok(())
    }
}

fn order<'d>(pipe: PipeId, link: &'d Link, config: &PipeConfig) -> Order<'d> {
    let pacing = match (config.queue.full, &config.rate) {
        (WhenFull::Wait, RateLimit::Limited(rate)) => {
            Some(Pacing { rate: *rate, framing: config.framing })
        }
        _ => None,
    };
    Order { pipe, link, pacing }
}
