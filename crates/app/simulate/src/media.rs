//! Changes of shared media, in the simulator's types.

use std::sync::Arc;

use netloom_fabric::{LinkId, SegmentId};
use netloom_medium::{MediumChange, StationId};
use netloom_plan::station_change;
use netloom_scenario::{NodeKind, Scenario, TimelineAction};
use netloom_sim::MediumAlteration;

use crate::describe::Described;

/// Returns the changes of shared media that an action of the timeline makes.
pub fn alterations(
    scenario: &Scenario,
    described: &Described,
    action: &TimelineAction,
) -> Vec<MediumAlteration> {
    match action {
        TimelineAction::SetMedia { changes } => {
            let of_media = changes.iter().filter_map(|(name, set)| {
                let change = MediumChange { medium: set.clone(), ..MediumChange::default() };
                alteration(scenario, described, name, change)
            });
            of_media.collect()
        }
        TimelineAction::SetStation { node, change } => {
            let Some(id) = number(scenario, node).map(StationId) else { return Vec::new() };
            let links = scenario.links.iter().filter(|link| link.endpoints[0].node == *node);
            let media = links.map(|link| link.endpoints[1].node.as_str());
            media
                .filter_map(|name| {
                    alteration(scenario, described, name, station_change(id, change))
                })
                .collect()
        }
        TimelineAction::SetLink { .. }
        | TimelineAction::SetNode { .. }
        | TimelineAction::Run { .. }
        | TimelineAction::Route { .. } => Vec::new(),
    }
}

/// Returns a change of the medium called `name`, if there is one that has a link.
fn alteration(
    scenario: &Scenario,
    described: &Described,
    name: &str,
    change: MediumChange,
) -> Option<MediumAlteration> {
    scenario.node(name).filter(|node| node.kind == NodeKind::Medium)?;
    let link = scenario.links.iter().find(|link| link.endpoints[1].node == name)?;
    let link = LinkId(*described.links.get(&link.name)?);
    let medium = SegmentId(number(scenario, name)?);
    Some(MediumAlteration { medium, link, change: Arc::new(change) })
}

/// Returns the number of a node among all nodes.
fn number(scenario: &Scenario, name: &str) -> Option<u32> {
    let position = scenario.nodes.iter().position(|node| node.name == name)?;
    u32::try_from(position).ok()
}
