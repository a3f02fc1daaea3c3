//! The part of the network that this machine's kernel and the data plane carry, as a carrier.

use std::collections::HashMap;
use std::sync::MutexGuard;

use anyhow::{Context, Result};
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::state::LinkStatus;
use netloom_course::{Carrier, PipeLook, Prepared, check_backgrounds, pipes};
use netloom_fabric::PipeId;
use netloom_link::{PipeChange, PipeConfig, Window};
use netloom_results::MediaSample;
use netloom_scenario::{Endpoint, Link};
use netloom_units::Time;

use super::Live;
use super::pacing::Order;
use crate::deployment::Deployment;
use crate::interfaces::{self, InterfaceStates};
use crate::status;

/// The live network with the deployment in force.
pub struct Real<'l> {
    /// The network, which the caller holds.
    pub live: &'l Live,
    /// The deployment in force in it.
    pub deployment: &'l Deployment,
}

impl Carrier for Real<'_> {
    fn has(&self, link: &str) -> bool {
        self.deployment.mine.scenario.link(link).is_some()
    }

    fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        status::links(self.live, self.deployment, window)
    }

    fn looks(&self) -> Result<Vec<[PipeLook; 2]>> {
        status::looks(self.live, self.deployment)
    }

    fn media(&self, with_neighbours: bool) -> Result<MediaSample> {
        status::media_sample(self.live, self.deployment, with_neighbours)
    }

    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>> {
        status::take_air_logs(self.live, self.deployment)
    }

    /// Returns none: programs in nodes send them.
    fn flows(&self) -> Result<Vec<FlowStatus>> {
        Ok(Vec::new())
    }

    fn prepare<'c>(&'c self, changes: &[LinkChange]) -> Result<Box<dyn Prepared + 'c>> {
        let Self { live, deployment } = *self;
        let batch = pipes(changes, |change| {
            let link = deployment.modelled(&change.link)?;
            let mut resolved = change.change.clone();
            if let Some(asked) = &mut resolved.compensate {
                *asked = deployment.compensation(&change.link, *asked)?;
            }
            Ok((link, resolved))
        })?;
        let mut configs = None;
        check_backgrounds(&batch, |pipe| config(live, pipe, &mut configs))?;
        let paced = live.paced.orders(&live.dataplane, deployment, &batch)?;
        let cables = Cables::of(live, deployment, changes)?;
        Ok(Box::new(PreparedReal { live, deployment, batch, paced, cables }))
    }
}

/// Returns the configuration of a pipe of the data plane, from `configs` once these are known.
fn config(
    live: &Live,
    pipe: PipeId,
    configs: &mut Option<HashMap<PipeId, PipeConfig>>,
) -> Result<PipeConfig> {
    let known = match configs {
        Some(known) => known,
        None => {
            let pipes = live.dataplane.pipes().context("the pipes cannot be looked at")?;
            configs.insert(pipes.into_iter().map(|pipe| (pipe.id, pipe.config)).collect())
        }
    };
    known.get(&pipe).cloned().context("the data plane does not have a pipe of the scenario")
}

/// Changes that can be made.
struct PreparedReal<'l> {
    live: &'l Live,
    deployment: &'l Deployment,
    batch: Vec<(PipeId, PipeChange)>,
    paced: Vec<Order<'l>>,
    /// The cables that the changes may cut or restore, if there are any.
    cables: Option<Cables<'l>>,
}

impl Prepared for PreparedReal<'_> {
    /// Makes the changes now: no other carrier has made its changes before.
    fn commit(&mut self, _at: Option<Time>) -> Result<Time> {
        self.live.dataplane.change(&self.batch).context("the data plane did not take the change")
    }

    fn settle(self: Box<Self>) -> Result<()> {
        let Self { live, deployment, paced, cables, .. } = *self;
        cables.map_or(Ok(()), |cables| cables.follow(live, deployment))?;
        live.paced.follow(live, &deployment.mine.scenario, &paced)
    }
}

/// Links that are switched on or off, before that. Frames that interfaces drop because a link is
/// cut are not counted as read too late by the engine.
struct Cables<'l> {
    /// One change at a time: the account compares the counts before and after it.
    _turn: MutexGuard<'l, ()>,
    switched: Vec<&'l Link>,
    were_cut: Vec<bool>,
    at_first: InterfaceStates,
}

impl<'l> Cables<'l> {
    fn of(
        live: &'l Live,
        deployment: &'l Deployment,
        changes: &[LinkChange],
    ) -> Result<Option<Self>> {
        let switched: Vec<&Link> = changes
            .iter()
            .filter(|change| change.change.state.is_some())
            .filter_map(|change| deployment.mine.scenario.link(&change.link))
            .collect();
        if switched.is_empty() {
            return Ok(None);
        }
        let turn = live.overflow.turn();
        let all: Vec<Endpoint> =
            switched.iter().flat_map(|link| deployment.interfaces_of(link)).collect();
        let at_first = interfaces::states(&live.network, &all)?;
        let were_cut = switched.iter().map(|link| is_cut(live, deployment, link)).collect();
        Ok(Some(Self { _turn: turn, switched, were_cut, at_first }))
    }

    fn follow(self, live: &Live, deployment: &Deployment) -> Result<()> {
        let became = |cut: bool| -> Vec<Endpoint> {
            let changed = self.switched.iter().zip(&self.were_cut).filter(|(link, was_cut)| {
                **was_cut != cut && is_cut(live, deployment, link) == cut
            });
            changed.flat_map(|(link, _)| deployment.interfaces_of(link)).collect()
        };
        live.overflow.lost(&self.at_first, &became(true));
        let restored = became(false);
        if !restored.is_empty() {
            live.overflow.restored(&live.network, &restored)?;
        }
        Ok(())
    }
}

/// Whether both directions of a link of the data plane are down.
fn is_cut(live: &Live, deployment: &Deployment, link: &Link) -> bool {
    deployment.links.get(&link.name).is_some_and(|id| live.dataplane.is_cut(*id))
}
