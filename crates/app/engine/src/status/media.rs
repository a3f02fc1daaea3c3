//! Shared media and their stations.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use netloom_api::medium::{AccessDelay, MediumStatus, Position, StationStatistics, StationStatus};
use netloom_fabric::{MediumView, StationView};
use netloom_link::Count;
use netloom_medium::{FrameLoss, Losses, Point, StationCounters};
use netloom_scenario::Endpoint;

use crate::deployment::Deployment;
use crate::live::LiveNetwork;

/// All shared media, in the order of the scenario.
pub fn media(network: &LiveNetwork) -> Result<Vec<MediumStatus>> {
    let (deployment, views) = network
        .with_deployment(|live, deployment| Ok((deployment.clone(), live.dataplane.media()?)))?;
    Ok(views.into_iter().filter_map(|view| status(&deployment, view)).collect())
}

fn status(deployment: &Deployment, view: MediumView) -> Option<MediumStatus> {
    let numbered = deployment
        .scenario
        .nodes
        .iter()
        .filter_map(|node| Some((deployment.number(&node.name)?, node.name.as_str())));
    let names: HashMap<u32, &str> = numbered.collect();
    let name = *names.get(&view.id.0)?;
    let links = deployment.scenario.links.iter().filter_map(|link| {
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
            statistics: statistics(&view.counters),
        })
    };
    let stations = view.stations.into_iter().filter_map(station).collect();
    Some(MediumStatus { name: name.into(), config: view.config, stations })
}

/// What a station has counted, in the API's words.
pub fn statistics(counters: &StationCounters) -> StationStatistics {
    let done = counters.sent.frames + counters.failed.frames;
    let quantile = |share| counters.access_delay.quantile(share, done);
    StationStatistics {
        offered: counters.offered,
        sent: counters.sent,
        failed: counters.failed,
        received: counters.received,
        dropped: by_reason(&counters.drops),
        missed: by_reason(&counters.missed),
        attempts: counters.attempts,
        retries: counters.retries,
        collisions: counters.collisions,
        airtime_ns: counters.airtime,
        busy_ns: counters.busy,
        access_delay: (done > 0)
            .then(|| AccessDelay { p50_ns: quantile(0.5), p99_ns: quantile(0.99) }),
    }
}

/// Those reasons for which something was lost.
fn by_reason(losses: &Losses) -> BTreeMap<String, Count> {
    let all = FrameLoss::ALL.into_iter().map(|reason| (reason.name().into(), losses.of(reason)));
    all.filter(|(_, count)| count.frames > 0).collect()
}
