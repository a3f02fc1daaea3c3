//! Shared media, their stations, and the stations that these reach.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use netloom_api::event::What;
use netloom_api::medium::{MediumStatus, Neighbour, Neighbours, Position, StationStatus};
use netloom_fabric::{AirLogPart, MediumView, Neighbourhood, SegmentId, StationView};
use netloom_medium::{NeighbourChange, Point, StationId};
use netloom_results::MediaSample;
use netloom_scenario::Endpoint;
use netloom_sim::MOST_WATCHED;
use netloom_units::Time;

use crate::deployment::Deployment;
use crate::live::{self, Live, LiveNetwork};

/// Returns the shared media that this machine carries, in the order of the scenario, with the
/// stations that each station reaches if `with_neighbours`.
pub fn media_sample(
    live: &Live,
    deployment: &Deployment,
    with_neighbours: bool,
) -> Result<MediaSample> {
    let views = live.dataplane.media()?;
    let reached = match with_neighbours {
        true => live.dataplane.neighbours(&views)?,
        false => Vec::new(),
    };
    let names = names(deployment);
    Ok(MediaSample {
        media: views.into_iter().filter_map(|view| status(deployment, view)).collect(),
        neighbours: reached.iter().filter_map(|of| named(of, &names)).collect(),
    })
}

/// News of shared media.
#[derive(Default)]
pub struct News {
    /// Pairs that have appeared or disappeared, as events with their times.
    pub pairs: Vec<(Time, What)>,
    /// Positions of nodes, in m.
    pub places: BTreeMap<String, [f64; 3]>,
}

/// Returns the news of shared media of real nodes since the last call, with positions if
/// `with_places`.
pub fn media_news(network: &LiveNetwork, with_places: bool) -> Result<News> {
    let (deployment, news) = network.with_deployment(|live, deployment| {
        Ok((deployment.clone(), live.dataplane.media_news(MOST_WATCHED, with_places)?))
    })?;
    if news.places.is_empty() && news.changes.is_empty() {
        return Ok(News::default());
    }
    let names = names(&deployment);
    let places = news.places.iter().filter_map(|(id, place)| {
        let Point { x, y, z } = (*place)?;
        Some(((*names.get(&id.0)?).to_owned(), [x, y, z]))
    });
    Ok(News { places: places.collect(), pairs: neighbour_events(&names, &news.changes) })
}

/// Returns the entries of the air logs of media that this machine carries since the last call, by
/// medium.
pub fn take_air_logs(live: &Live, deployment: &Deployment) -> Result<Vec<(String, Vec<u8>)>> {
    let names = names(deployment);
    let named = |part: AirLogPart| Some(((*names.get(&part.medium.0)?).to_owned(), part.bytes));
    Ok(live.dataplane.take_air_logs()?.into_iter().filter_map(named).collect())
}

fn status(deployment: &Deployment, view: MediumView) -> Option<MediumStatus> {
    let names = names(deployment);
    let name = *names.get(&view.id.0)?;
    let links = deployment.mine.scenario.links.iter().filter_map(|link| {
        let [member, medium] = &link.endpoints;
        (medium.node == name).then_some((member.node.as_str(), member))
    });
    let interfaces: HashMap<&str, &Endpoint> = links.collect();
    let station = |view: StationView| {
        let interface = interfaces.get(names.get(&view.id.0)?)?;
        Some(StationStatus {
            interface: (*interface).clone(),
            position: view.position.map(|Point { x, y, z }| Position { x, y, z }),
            on: view.on,
            queued: view.queued,
            window: view.window,
            statistics: (&view.counters).into(),
        })
    };
    let stations = view.stations.into_iter().filter_map(station).collect();
    Some(MediumStatus { name: name.into(), config: view.config, stations })
}

/// Returns the nodes that a node reaches on each of its media.
pub fn neighbours(network: &LiveNetwork, node: &str) -> Result<Vec<Neighbours>> {
    network.with_deployment(|alive, deployment| {
        let station = live::media::station_id(deployment, node)?;
        let names = names(deployment);
        let mut all = Vec::new();
        for medium in live::media::media_of(&deployment.mine.scenario, node) {
            let medium = live::media::medium_id(deployment, medium)?;
            let of = alive.dataplane.neighbours_of(medium, station)?;
            all.extend(of.iter().filter_map(|of| named(of, &names)));
        }
        if all.is_empty() {
            bail!("`{node}` is on no shared medium");
        }
        Ok(all)
    })
}

/// Returns pairs that have appeared or disappeared, as events with their times.
fn neighbour_events(
    names: &HashMap<u32, &str>,
    changes: &[(SegmentId, NeighbourChange)],
) -> Vec<(Time, What)> {
    let name = |number: u32| names.get(&number).map(|name| (*name).to_owned());
    let event = |(medium, change): &(SegmentId, NeighbourChange)| {
        let (a, b) = change.pair;
        let pair = [name(a.0)?, name(b.0)?];
        Some((change.at, What::Neighbour { medium: name(medium.0)?, pair, up: change.up }))
    };
    changes.iter().filter_map(event).collect()
}

fn named(of: &Neighbourhood, names: &HashMap<u32, &str>) -> Option<Neighbours> {
    let name = |id: StationId| names.get(&id.0).map(|name| (*name).to_owned());
    Some(Neighbours {
        medium: (*names.get(&of.medium.0)?).into(),
        node: name(of.station)?,
        neighbours: of.reached.iter().filter_map(|view| Neighbour::new(view, &name)).collect(),
    })
}

/// Returns the nodes' names, by number.
fn names(deployment: &Deployment) -> HashMap<u32, &str> {
    let nodes = deployment.mine.scenario.nodes.iter();
    nodes.filter_map(|node| Some((deployment.number(&node.name)?, node.name.as_str()))).collect()
}
