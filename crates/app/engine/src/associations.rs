//! Follows stations that join access points and leave them: records events, and sets the carriers
//! of their interfaces. Not here: which access point a station chooses (`netloom-medium`).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use netloom_api::event::What;
use netloom_fabric::{AssociationChange, AssociationEvent, SegmentId};
use tokio::task::JoinHandle;

use crate::deployment::Deployment;
use crate::events::EventLog;
use crate::live::{Live, LiveNetwork};

/// Period of queries to media. Events have the exact time; carriers follow within this period.
const PERIOD: Duration = Duration::from_millis(50);

/// Follows the associations of stations.
pub struct Associations {
    /// The network of the stations.
    pub network: Arc<LiveNetwork>,
    /// The log in which associations are recorded.
    pub events: Arc<EventLog>,
}

impl Associations {
    /// Follows associations for as long as the network lives.
    pub fn start(self) -> JoinHandle<()> {
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PERIOD).await;
                if let Err(error) = tokio::task::block_in_place(|| self.look()) {
                    let words = netloom_api::in_words(error.as_ref());
                    self.events.warn(format!("carriers of stations do not follow: {words}"));
                    return;
                }
            }
        })
    }

    fn look(&self) -> Result<()> {
        let taken = self.network.with_deployment(|live, deployment| {
            let mut media =
                deployment.mine.scenario.nodes.iter().filter_map(|node| node.medium.as_ref());
            if media.all(|medium| medium.access_points.is_empty()) {
                return Ok(Ok((deployment.clone(), Vec::new())));
            }
            Ok(live.dataplane.take_associations().map(|taken| (deployment.clone(), taken)))
        });
        // The outer error means that the network is being taken down.
        let Ok(taken) = taken else { return Ok(()) };
        let (deployment, happened) = taken?;
        if happened.is_empty() {
            return Ok(());
        }
        let numbered = deployment.mine.scenario.nodes.iter().filter_map(|node| {
            let number = deployment.number(&node.name)?;
            Some((number, node.name.as_str()))
        });
        let names: HashMap<u32, &str> = numbered.collect();
        for (medium, event) in happened {
            let name = |number: u32| names.get(&number).copied().map(str::to_owned);
            let Some(what) = What::of_association(medium.0, &event, name) else { continue };
            self.events.record_at(event.at, what);
            let follow = |live: &Live| Ok(follow(live, &deployment, &names, (medium, &event)));
            if let Ok(followed) = self.network.with(follow) {
                followed?;
            }
        }
        Ok(())
    }
}

/// Takes the carrier of a station's interface away when it leaves, and restores it when it joins.
fn follow(
    live: &Live,
    deployment: &Deployment,
    names: &HashMap<u32, &str>,
    (medium, event): (SegmentId, &AssociationEvent),
) -> Result<()> {
    let up = match event.what {
        AssociationChange::Associated { .. } => true,
        AssociationChange::Left { .. } => false,
        // A station that is handed over keeps its carrier, as under Linux.
        AssociationChange::HandedOver { .. } => return Ok(()),
    };
    let [node, medium] = [event.station.0, medium.0].map(|number| names.get(&number).copied());
    let mut links = deployment.modelled_links();
    let link = links.find(|(_, link)| {
        let [member, other] = &link.endpoints;
        Some(&*member.node) == node && Some(&*other.node) == medium
    });
    if let Some((link, _)) = link {
        live.dataplane.set_carrier(link, 0, up)?;
    }
    Ok(())
}
