//! The small network of a symbiotic run: a simulation of only the links on the paths between real
//! hosts, with these hosts at its border. The last pipe of each chain does to frames what the whole
//! chain does, and the other pipes take no time. Routers forward, so that hop limits, error
//! messages and routes are those of the whole network. Not here: the clock and the devices of real
//! hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, PipeConfig};
use netloom_plan::Plan;
use netloom_scenario::{Endpoint, Scenario};

use super::{Calibrators, Order, RealPipe, Shrunk, SmallPipeOf};
use crate::Joined;
use crate::describe::{Part, describe};
use crate::joined::borders;

/// The small network, before there is a report.
pub struct SmallNetwork {
    /// Links of the small network, with real hosts at their border.
    pub joined: Joined,
    /// The calibrated pipes.
    pub follower: Follower,
}

/// The calibrated pipes of a small network.
#[derive(Debug, Clone)]
pub struct Follower {
    /// The locations of the pipes, in the order of [`Shrunk::pipes`].
    places: Vec<PipeId>,
    /// Links of the small network, as users see them.
    pub links: Vec<SmallLinkOf>,
    /// Counts of the pipes at the last calibration.
    counted: Vec<[u64; 3]>,
}

/// A link of the small network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallLinkOf {
    /// Name of the link.
    pub name: String,
    /// The interfaces at its ends.
    pub endpoints: [Endpoint; 2],
    /// Pipes of the link, in the order of [`Direction::BOTH`].
    pub pipes: [PipeId; 2],
}

impl SmallNetwork {
    /// Returns the small network of a scenario. `plan` has all of the scenario's nodes.
    ///
    /// # Errors
    /// If parts of the scenario contradict each other.
    pub fn new(
        scenario: &Scenario,
        plan: &Arc<Plan>,
        shrunk: &Shrunk,
        calibrators: &Calibrators,
    ) -> Result<Self> {
        let mut described = describe(scenario, plan, Part::All)?;
        let is_real = |node: &str| shrunk.hosts.iter().any(|host| host.name == node);
        let pruned: BTreeSet<LinkId> = shrunk.pruned.iter().map(|pipe| pipe.id.link).collect();
        let is_here = |(number, link): &(u32, &netloom_scenario::Link)| {
            pruned.contains(&LinkId(*number)) || link.endpoints.iter().any(|end| is_real(&end.node))
        };
        let kept: Vec<_> = (0..).zip(&scenario.links).filter(is_here).collect();
        let numbers: BTreeMap<LinkId, LinkId> =
            kept.iter().zip(0..).map(|((whole, _), here)| (LinkId(*whole), LinkId(here))).collect();
        let here = |pipe: PipeId| PipeId { link: numbers[&pipe.link], ..pipe };
        let network = &mut described.network;
        for (number, node) in (0..).zip(&mut network.nodes) {
            node.real = plan.nodes.get(number).is_some_and(|planned| is_real(&planned.name));
        }
        let links = kept.iter().map(|(number, _)| &network.links[*number as usize]).cloned();
        let mut links: Vec<_> = links.collect();
        for link in &mut links {
            link.pipes = [PipeConfig::default(), PipeConfig::default()];
            link.taps = Default::default();
        }
        let last =
            |pipe: &SmallPipeOf| pipe.chain.last().map(|place| here(shrunk.pruned[*place].id));
        let places: Vec<PipeId> = shrunk.pipes.iter().filter_map(last).collect();
        for (place, idle) in places.iter().zip(calibrators.idle()) {
            links[place.link.index()].pipes[place.direction.index()] = idle.clone();
        }
        network.links = links;
        let kept: Vec<&netloom_scenario::Link> = kept.into_iter().map(|(_, link)| link).collect();
        let links = small_links(shrunk, &|pipe| scenario_end(scenario, pipe), &here);
        let borders = borders(plan, &kept, &described.nodes, &is_real)?;
        let joined = Joined::around(described.network, borders);
        let counted = vec![[0; 3]; places.len()];
        Ok(Self { joined, follower: Follower { places, links, counted } })
    }
}

impl Follower {
    /// Applies the orders to all small pipes at one time. Returns what the pipes had done by then.
    pub fn apply(&mut self, joined: &mut Joined, orders: &[Order]) -> Vec<RealPipe> {
        let all = self.places.iter().zip(orders).zip(&mut self.counted);
        let apply = |((place, order), counted): ((&PipeId, &Order), &mut [u64; 3])| {
            let (_, statistics) = joined.statistics(*place, None);
            let now = [
                statistics.offered.frames,
                statistics.dropped.total().frames,
                statistics.delivered.frames,
            ];
            let before = std::mem::replace(counted, now);
            let [offered, lost, left] = [0, 1, 2].map(|one| now[one].saturating_sub(before[one]));
            let steered = joined.cell().steer(*place, |pipe, now| order.apply(pipe, now));
            RealPipe { backlog: steered.unwrap_or_default(), offered, lost, left }
        };
        all.map(apply).collect()
    }
}

/// Returns the interface that a pipe leads from.
fn scenario_end(scenario: &Scenario, pipe: PipeId) -> Endpoint {
    scenario.links[pipe.link.index()].endpoints[pipe.direction.index()].clone()
}

fn small_links(
    shrunk: &Shrunk,
    end: &dyn Fn(PipeId) -> Endpoint,
    here: &dyn Fn(PipeId) -> PipeId,
) -> Vec<SmallLinkOf> {
    let links = (0..shrunk.small.links.len()).map(|number| {
        let of_link = |pipe: &&SmallPipeOf| pipe.place.link == number;
        let known = || shrunk.pipes.iter().filter(of_link);
        // In a direction in which no real traffic goes, the chain is the reverse of the other
        // direction's.
        let chain = |direction: Direction| -> Vec<PipeId> {
            let ids = |pipe: &SmallPipeOf| -> Vec<PipeId> {
                pipe.chain.iter().map(|place| shrunk.pruned[*place].id).collect()
            };
            let own = known().find(|pipe| pipe.place.direction == direction).map(ids);
            own.unwrap_or_else(|| {
                let other = known().next().map(ids).unwrap_or_default();
                let turned = |pipe: &PipeId| PipeId {
                    direction: Direction::from_end(1 - pipe.direction.index()),
                    ..*pipe
                };
                other.iter().rev().map(turned).collect()
            })
        };
        let chains = Direction::BOTH.map(chain);
        let name = known().next().map_or("", |pipe| &pipe.name);
        let name = name.rsplit_once('/').map_or(name, |(link, _)| link).to_owned();
        SmallLinkOf {
            name,
            endpoints: chains.each_ref().map(|chain| end(chain[0])),
            pipes: chains.map(|chain| here(chain[chain.len() - 1])),
        }
    });
    links.collect()
}
