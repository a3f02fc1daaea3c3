//! Changes to shared media while the network lives: their properties, and the positions of their
//! stations. Not here: who asked for them, and their records.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail};
use netloom_api::medium::{
    LossesRequest, MediumRequest, Position, PositionsRequest, StationChange,
};
use netloom_fabric::SegmentId;
use netloom_medium::{MediumChange, MediumProperties, StationId};
use netloom_plan::station_change;
use netloom_scenario::{NodeKind, Scenario};
use netloom_units::Time;

use super::{Live, LiveNetwork};
use crate::deployment::{Deployment, unknown};

/// Changes a medium and its stations at one instant.
pub fn change(network: &LiveNetwork, medium: &str, request: &MediumRequest) -> Result<Time> {
    network.with_deployment(|live, deployment| {
        let id = medium_id(deployment, medium)?;
        let mut change = MediumChange { medium: request.set.clone(), ..MediumChange::default() };
        for station in &request.stations {
            if !media_of(&deployment.mine.scenario, &station.node).any(|name| name == medium) {
                bail!("`{}` has no station on `{medium}`", station.node);
            }
            add(
                &mut change,
                station_change(station_id(deployment, &station.node)?, &station.change),
            );
        }
        Ok(live.dataplane.change_medium(id, change)?)
    })
}

/// Changes properties of media, each at one instant.
pub fn set(network: &LiveNetwork, changes: &BTreeMap<String, MediumProperties>) -> Result<Time> {
    network.with_deployment(|live, deployment| {
        let changes = changes.iter().map(|(name, set)| {
            let change = MediumChange { medium: set.clone(), ..MediumChange::default() };
            Ok((medium_id(deployment, name)?, change))
        });
        carry_out(live, changes.collect::<Result<_>>()?)
    })
}

/// Moves nodes to other positions, at one instant for all nodes on one medium.
pub fn place(network: &LiveNetwork, request: &PositionsRequest) -> Result<Time> {
    let PositionsRequest { nodes, x, y, z } = request;
    let is_short = |column: &[f64]| column.len() != nodes.len();
    if is_short(x) || is_short(y) || z.as_deref().is_some_and(is_short) {
        bail!("there must be one `x` and one `y`, and one `z` or none, for each of `nodes`");
    }
    let numbers = || x.iter().chain(y).chain(z.iter().flatten());
    if let Some(number) = numbers().find(|number| !number.is_finite()) {
        bail!("{number} is no place");
    }
    let places = nodes.iter().enumerate().map(|(row, node)| {
        let up = z.as_ref().map_or(0.0, |z| z[row]);
        let to = Some(Position { x: x[row], y: y[row], z: up });
        (node.as_str(), StationChange { to, ..StationChange::default() })
    });
    let places: Vec<(&str, StationChange)> = places.collect();
    network.with_deployment(|live, deployment| {
        carry_out(live, of_nodes(deployment, places.iter().map(|(node, to)| (*node, to)))?)
    })
}

/// Sets losses between pairs of stations of a medium, all at one instant.
pub fn set_losses(network: &LiveNetwork, medium: &str, request: &LossesRequest) -> Result<Time> {
    let LossesRequest { from, to, loss } = request;
    if from.len() != to.len() || from.len() != loss.len() {
        bail!(
            "there must be as many `to` and `loss` as `from`; there are {}, {} and {}",
            to.len(),
            loss.len(),
            from.len()
        );
    }
    if let Some(number) = loss.iter().find(|loss| !loss.is_finite()) {
        bail!("{number} dB is no loss; for a pair that never hears each other, write 300");
    }
    network.with_deployment(|live, deployment| {
        let id = medium_id(deployment, medium)?;
        let members: HashMap<&str, StationId> = members(deployment, medium).collect();
        let station = |node: &str| {
            let id = members.get(node).copied();
            id.with_context(|| unknown("member", node, members.keys().copied()).to_string())
        };
        let pairs = from.iter().zip(to).zip(loss);
        let losses = pairs.map(|((from, to), loss)| Ok((station(from)?, station(to)?, *loss)));
        let losses = losses.collect::<Result<_>>()?;
        let change = MediumChange { losses, ..MediumChange::default() };
        Ok(live.dataplane.change_medium(id, change)?)
    })
}

/// Returns the nodes on a medium, with their stations.
fn members<'d>(
    deployment: &'d Deployment,
    medium: &'d str,
) -> impl Iterator<Item = (&'d str, StationId)> {
    let links = deployment.mine.scenario.links.iter().map(|link| &link.endpoints);
    links.filter(move |[_, other]| other.node == medium).filter_map(|[member, _]| {
        let number = deployment.number(&member.node)?;
        Some((member.node.as_str(), StationId(number)))
    })
}

/// Changes the stations of a node on all its media.
pub fn change_node(network: &LiveNetwork, node: &str, change: &StationChange) -> Result<Time> {
    network.with_deployment(|live, deployment| {
        carry_out(live, of_nodes(deployment, [(node, change)].into_iter())?)
    })
}

/// Turns changes of nodes into changes of the media that they are on. Links are searched once for
/// all of them, because a program may move thousands of nodes many times a second.
fn of_nodes<'c>(
    deployment: &Deployment,
    changes: impl Iterator<Item = (&'c str, &'c StationChange)>,
) -> Result<BTreeMap<SegmentId, MediumChange>> {
    let changes: Vec<_> = changes.collect();
    let mut media: HashMap<&str, Vec<SegmentId>> = HashMap::new();
    media.extend(changes.iter().map(|(node, _)| (*node, Vec::new())));
    let mut ids: HashMap<&str, Option<SegmentId>> = HashMap::new();
    for [member, other] in deployment.mine.scenario.links.iter().map(|link| &link.endpoints) {
        let Some(of_node) = media.get_mut(member.node.as_str()) else { continue };
        let id = ids.entry(&other.node).or_insert_with(|| medium_id(deployment, &other.node).ok());
        of_node.extend(*id);
    }
    let mut of_media: BTreeMap<SegmentId, MediumChange> = BTreeMap::new();
    for (node, change) in changes {
        let id = station_id(deployment, node)?;
        if media[node].is_empty() {
            bail!("`{node}` is on no shared medium");
        }
        for medium in &media[node] {
            add(of_media.entry(*medium).or_default(), station_change(id, change));
        }
    }
    Ok(of_media)
}

/// Carries out changes of media. Returns the time of the last one.
fn carry_out(live: &Live, changes: BTreeMap<SegmentId, MediumChange>) -> Result<Time> {
    let mut at = live.dataplane.now();
    for (medium, change) in changes {
        at = live.dataplane.change_medium(medium, change)?;
    }
    Ok(at)
}

/// Merges `more` into a change.
fn add(change: &mut MediumChange, more: MediumChange) {
    change.properties.extend(more.properties);
    change.movements.extend(more.movements);
}

/// Returns the media that a node is on.
pub fn media_of<'s>(scenario: &'s Scenario, node: &'s str) -> impl Iterator<Item = &'s str> {
    let links = scenario.links.iter().map(|link| &link.endpoints);
    let others = links.filter(move |[member, _]| member.node == node);
    others
        .map(|[_, other]| other.node.as_str())
        .filter(|name| scenario.node(name).is_some_and(|node| node.kind == NodeKind::Medium))
}

pub fn medium_id(deployment: &Deployment, name: &str) -> Result<SegmentId> {
    let media = deployment.mine.scenario.nodes.iter().filter(|node| node.kind == NodeKind::Medium);
    let names: Vec<&str> = media.map(|node| node.name.as_str()).collect();
    let id = deployment.number(name).filter(|_| names.contains(&name)).map(SegmentId);
    id.with_context(|| unknown("medium", name, names.into_iter()).to_string())
}

pub fn station_id(deployment: &Deployment, node: &str) -> Result<StationId> {
    let names = deployment.mine.scenario.nodes.iter().map(|node| node.name.as_str());
    let id = deployment.number(node).map(StationId);
    id.with_context(|| unknown("node", node, names).to_string())
}
