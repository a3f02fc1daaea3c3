//! What of a timeline happens on this machine.

use netloom_api::change::LinkChange;
use netloom_scenario::{Endpoint, Happening, Link, TimelineAction};

use crate::deployment::Deployment;

/// What this machine has to do with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The event is its own: it makes it happen and reports it.
    Acts,
    /// The event is another machine's, which reports it. Ends of links here change with it.
    Follows,
}

/// Returns the happenings that this machine has to do with, each with its number in the timeline.
pub(super) fn happenings(deployment: &Deployment) -> Vec<(usize, Happening, Role)> {
    let all = deployment.whole.scenario.happenings().into_iter().enumerate();
    match deployment.member {
        None => {
            let mine = deployment.mine.scenario.happenings().into_iter().enumerate();
            mine.map(|(number, event)| (number, event, Role::Acts)).collect()
        }
        Some(_) => {
            let role = |(number, event): (usize, Happening)| {
                let role = role(deployment, &event.action)?;
                Some((number, event, role))
            };
            all.filter_map(role).collect()
        }
    }
}

/// Returns what this machine has to do with an action. The end of a link that its name says first
/// has the link's events, and a node its own.
fn role(deployment: &Deployment, action: &TimelineAction) -> Option<Role> {
    let (owner, links): (&str, Vec<&Link>) = match action {
        TimelineAction::SetLink { link, .. } => {
            let link = deployment.whole.scenario.link(link)?;
            (&link.endpoints[0].node, vec![link])
        }
        TimelineAction::SetNode { node, .. } => {
            let at_node = |link: &&Link| link.endpoints.iter().any(|end| end.node == *node);
            (node, deployment.mine.scenario.links.iter().filter(at_node).collect())
        }
        TimelineAction::SetMedia { changes } => (changes.keys().next()?, Vec::new()),
        TimelineAction::SetStation { node, .. }
        | TimelineAction::Run { node, .. }
        | TimelineAction::Route { node, .. } => (node, Vec::new()),
    };
    let ends_here = |end: &Endpoint| deployment.is_here(&end.node);
    if deployment.is_here(owner) {
        Some(Role::Acts)
    } else {
        let follows = links.iter().any(|link| link.endpoints.iter().any(ends_here));
        follows.then_some(Role::Follows)
    }
}

/// Returns the changes of links with an end on this machine.
pub(super) fn here(deployment: &Deployment, changes: Vec<LinkChange>) -> Vec<LinkChange> {
    let is_here = |change: &LinkChange| deployment.mine.scenario.link(&change.link).is_some();
    match deployment.member {
        None => changes,
        Some(_) => changes.into_iter().filter(is_here).collect(),
    }
}
