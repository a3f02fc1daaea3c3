//! The scenario's timeline → changes of links and routes at their exact times, and what is recorded
//! of them.

use anyhow::{Context, Result};
use netloom_api::change::{LinkChange, action_in_words};
use netloom_api::event::{Origin, What};
use netloom_api::summary::TimelineStatus;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_results::EventFile;
use netloom_scenario::{RouteChange, Scenario, Start, TimelineAction};
use netloom_sim::{Change, RouteError};
use netloom_units::Time;

use crate::describe::{Described, route};

/// The events of a timeline that happen, in the order of the scenario.
#[derive(Default)]
pub struct Timeline(Vec<Happening>);

struct Happening {
    status: TimelineStatus,
    at: Option<Time>,
    changes: Vec<LinkChange>,
    /// The number of what the simulator makes of it, by time.
    made: Option<usize>,
}

impl Timeline {
    /// The timeline of a scenario, and the changes that the simulator is to make, by time.
    pub fn new(scenario: &Scenario, described: &Described) -> Result<(Self, Vec<Change>)> {
        let mut timeline = Self::default();
        let mut made: Vec<(usize, Change)> = Vec::new();
        for (number, event) in scenario.happenings().into_iter().enumerate() {
            let changes = LinkChange::of_action(scenario, &event.action);
            let at = match (&event.at, &event.action) {
                (_, TimelineAction::Run { .. }) | (Start::After { .. }, _) => None,
                (Start::At(after), _) => Some(Time::ZERO + *after),
            };
            if let Some(at) = at {
                let route = match &event.action {
                    TimelineAction::Route { node, change } => {
                        Some(of_route(node, change, described)?)
                    }
                    _ => None,
                };
                made.push((number, Change { at, changes: pipes(&changes, described)?, route }));
            }
            let event = action_in_words(&event.action, &changes);
            let (planned, happened, failure) = (at, None, None);
            let status = TimelineStatus { number, event, planned, happened, failure };
            timeline.0.push(Happening { status, at, changes, made: None });
        }
        // Stable: those at one time stay in their order.
        made.sort_by_key(|(_, change)| change.at);
        for (place, (number, _)) in made.iter().enumerate() {
            timeline.0[*number].made = Some(place);
        }
        Ok((timeline, made.into_iter().map(|(_, change)| change).collect()))
    }

    /// Records what has happened up to and including `now`, by time; what was `refused`, as failed.
    pub fn record(&mut self, now: Time, refused: &[(usize, RouteError)], events: &mut EventFile) {
        let due = |one: &&mut Happening| {
            one.status.happened.is_none()
                && one.status.failure.is_none()
                && one.at.is_some_and(|at| at <= now)
        };
        let mut due: Vec<&mut Happening> = self.0.iter_mut().filter(due).collect();
        due.sort_by_key(|one| one.at);
        for one in due {
            let at = one.at.unwrap_or(now);
            match refused.iter().find(|(made, _)| Some(*made) == one.made) {
                Some((_, error)) => one.status.failure = Some(error.to_string()),
                None => one.status.happened = one.at,
            }
            let changes = std::mem::take(&mut one.changes);
            if !changes.is_empty() {
                events.record(at, What::Changed { by: Origin::Timeline, changes });
            }
            events.record(at, What::Timeline { status: one.status.clone() });
        }
    }

    /// How all events went.
    pub fn statuses(self) -> Vec<TimelineStatus> {
        self.0.into_iter().map(|one| one.status).collect()
    }
}

/// A node's place, and what becomes of its route.
fn of_route(
    node: &str,
    change: &RouteChange,
    described: &Described,
) -> Result<(u32, netloom_sim::RouteChange)> {
    let number = described.nodes.get(node);
    let number = *number.with_context(|| format!("there is no node `{node}` with routes"))?;
    let planned = |added| route(added, &described.interfaces[number as usize]);
    let change = match change {
        RouteChange::Add(added) => netloom_sim::RouteChange::Add(planned(added)),
        RouteChange::Replace(new) => netloom_sim::RouteChange::Replace(planned(new)),
        RouteChange::Remove(to) => netloom_sim::RouteChange::Remove(*to),
    };
    Ok((number, change))
}

/// Changes of links as those of pipes.
fn pipes(
    changes: &[LinkChange],
    described: &Described,
) -> Result<Vec<(PipeId, netloom_link::PipeChange)>> {
    let mut all = Vec::new();
    for LinkChange { link, direction, change } in changes {
        let number = described.links.get(link);
        let number = *number.with_context(|| format!("there is no link `{link}` to change"))?;
        let directions: &[Direction] = match direction {
            netloom_scenario::Direction::Both => &Direction::BOTH,
            netloom_scenario::Direction::Forward => &[Direction::Forward],
            netloom_scenario::Direction::Reverse => &[Direction::Reverse],
        };
        all.extend(directions.iter().map(|direction| {
            (PipeId { link: LinkId(number), direction: *direction }, change.clone())
        }));
    }
    Ok(all)
}
