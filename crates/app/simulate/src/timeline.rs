//! Turns the scenario's timeline into changes of links and routes at their exact times, and records
//! them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_api::change::LinkChange;
use netloom_api::event::TimelineStatus;
use netloom_api::event::{Origin, What};
use netloom_course::{Event, pipes};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_plan::Plan;
use netloom_scenario::{Lasting, NodeState, RouteChange, Scenario, Start, TimelineAction};
use netloom_sim::{Change, NodeChange, RouteChanged, RouteError};
use netloom_units::Time;

use crate::describe::{Described, in_scenario, route};
use crate::fluid::Course;
use crate::media;
use crate::rerouting::{Events, Rerouting};

/// The outcomes of changes of routes, by the index of the change among all that the simulator
/// makes.
pub type Routes = BTreeMap<u32, Result<RouteChanged, RouteError>>;

/// The events of a timeline.
#[derive(Default)]
pub struct Timeline {
    /// In the order of the scenario.
    all: Vec<Happening>,
    /// Nodes that have failed and not recovered.
    failed: HashSet<String>,
    rerouting: Rerouting,
}

struct Happening {
    event: Event,
    at: Option<Time>,
    /// Index of the simulator's change for this event, by time.
    made: Option<usize>,
    /// The node whose route changes, and the names of its interfaces.
    at_node: Option<(String, Vec<String>)>,
    /// The node that fails or recovers.
    node: Option<(String, NodeChange)>,
}

impl Timeline {
    /// Returns the timeline of a scenario, its fluid traffic, and the changes that the simulator
    /// has to make, by time.
    pub fn new(
        scenario: &Scenario,
        plan: &Arc<Plan>,
        described: &Described,
    ) -> Result<(Self, Course, Vec<Change>)> {
        let mut timeline = Self::default();
        let mut made: Vec<(Option<usize>, Option<Lasting>, Change)> = Vec::new();
        for (number, event) in scenario.happenings().into_iter().enumerate() {
            let mut planned = Event::new(scenario, number, &event);
            let at = match (&event.at, &event.action) {
                (_, TimelineAction::Run { .. }) | (Start::After { .. }, _) => None,
                (Start::At(after), _) => Some(Time::ZERO + *after),
            };
            let (mut route, mut at_node) = (None, None);
            if let TimelineAction::Route { node, change } = &event.action {
                let (place, interfaces) = at_routes(node, described)?;
                route = Some((place, of_route(change, interfaces)));
                at_node = Some((node.clone(), interfaces.clone()));
            }
            let becomes = node_change(&event);
            let node =
                becomes.and_then(|(node, change)| Some((*described.nodes.get(node)?, change)));
            // Nothing but what is under way happens after the end of the run.
            let within = |at: &Time| scenario.duration.is_none_or(|end| *at <= Time::ZERO + end);
            let happens = at.filter(within);
            if let Some(at) = happens {
                let media = media::alterations(scenario, described, &event.action);
                let changes = pipes(&planned.links, |LinkChange { link, change, .. }| {
                    let number = described.links.get(link);
                    let number =
                        number.with_context(|| format!("there is no link `{link}` to change"))?;
                    Ok((LinkId(*number), change.simulated()))
                })?;
                let change = Change { at, changes, media, route, node, routes: None };
                made.push((Some(number), event.lasting, change));
            }
            let node = becomes.map(|(node, change)| (node.to_owned(), change));
            planned.status.planned = at;
            let (event, at, made) = (planned, happens, None);
            timeline.all.push(Happening { event, at, made, at_node, node });
        }
        // The sort is stable: simultaneous changes stay in order, and routes follow all of them.
        made.sort_by_key(|(.., change)| change.at);
        check_backgrounds(scenario, described, made.iter().map(|(.., change)| change))?;
        let changes = made.iter().map(|(.., change)| change);
        let (rerouting, follow) = Rerouting::new(scenario, plan, changes)?;
        timeline.rerouting = rerouting;
        made.extend(follow.into_iter().map(|change| (None, None, change)));
        made.sort_by_key(|(.., change)| change.at);
        join_pairs(&mut made);
        let changes = made.iter().map(|(.., change)| change.clone()).collect();
        let (course, follow) = Course::new(scenario, plan, described, changes)?;
        made.extend(follow.into_iter().map(|change| (None, None, change)));
        made.sort_by_key(|(.., change)| change.at);
        join_pairs(&mut made);
        for (place, (number, ..)) in made.iter().enumerate() {
            if let Some(number) = number {
                timeline.all[*number].made = Some(place);
            }
        }
        Ok((timeline, course, made.into_iter().map(|(.., change)| change).collect()))
    }

    /// Records what has happened in the simulation by now, in order of time. A change of a route
    /// that the simulation refused is recorded as failed.
    pub fn record(&mut self, (now, routes): (Time, Routes), events: Events<'_>) {
        let due = |one: &&mut Happening| {
            one.event.status.happened.is_none()
                && one.event.status.failure.is_none()
                && one.at.is_some_and(|at| at <= now)
        };
        let mut due: Vec<&mut Happening> = self.all.iter_mut().filter(due).collect();
        due.sort_by_key(|one| one.at);
        for one in due {
            let at = one.at.unwrap_or(now);
            self.rerouting.record(|other| other < at, events);
            one.event.record_changes(at, events);
            let becomes = one.node.take().filter(|_| one.made.is_some());
            if let Some(what) = becomes.and_then(|of| becomes_of(of, &mut self.failed)) {
                events(at, what);
            }
            match one.made.and_then(|made| routes.get(&(made as u32))) {
                None => one.event.status.happened = one.at,
                Some(outcome) => one.record_route(at, outcome, events),
            }
            events(at, What::Timeline { status: one.event.status.clone() });
        }
        self.rerouting.record(|at| at <= now, events);
    }

    /// Returns the outcomes of all events.
    pub fn statuses(&self) -> Vec<TimelineStatus> {
        self.all.iter().map(|one| one.event.status.clone()).collect()
    }
}

impl Happening {
    /// Records the outcome of a change of a route.
    fn record_route(
        &mut self,
        at: Time,
        outcome: &Result<RouteChanged, RouteError>,
        events: Events<'_>,
    ) {
        let by = Origin::Timeline;
        match (outcome, &self.at_node) {
            (Ok(RouteChanged { was, is }), Some((node, interfaces))) => {
                self.event.status.happened = self.at;
                let [was, is] = [was, is]
                    .map(|route| route.as_ref().map(|route| in_scenario(route, interfaces)));
                events(at, What::RouteChanged { by, node: node.clone(), was, is });
            }
            (Ok(_), None) => self.event.status.happened = self.at,
            (Err(error), _) => {
                let reason = error.to_string();
                self.event.status.failure = Some(reason.clone());
                events(at, What::ChangeFailed { by, reason });
            }
        }
    }
}

/// Returns the node that fails or recovers at an event.
fn node_change(event: &netloom_scenario::Happening) -> Option<(&str, NodeChange)> {
    let change = match &event.action {
        TimelineAction::SetNode { state: NodeState::Failed, .. } if !event.takes_back() => {
            NodeChange::Fails
        }
        TimelineAction::SetNode { state: NodeState::Failed | NodeState::Up, .. } => {
            NodeChange::Recovers
        }
        _ => return None,
    };
    let TimelineAction::SetNode { node, .. } = &event.action else { return None };
    Some((node, change))
}

/// Returns the event to record when a node fails or recovers. A node that works does not recover.
fn becomes_of((node, change): (String, NodeChange), failed: &mut HashSet<String>) -> Option<What> {
    match change {
        NodeChange::Fails => {
            failed.insert(node.clone());
            Some(What::NodeFailed { node })
        }
        NodeChange::Recovers => failed.remove(&node).then_some(What::NodeRecovered { node }),
    }
}

/// Returns the number of a node whose routes change, and the names of its interfaces.
fn at_routes<'d>(node: &str, described: &'d Described) -> Result<(u32, &'d Vec<String>)> {
    let number = described.nodes.get(node);
    let number = *number.with_context(|| format!("there is no node `{node}` with routes"))?;
    Ok((number, &described.interfaces[number as usize]))
}

/// Converts a change of a route, in a node whose interfaces have these names, for the simulator.
fn of_route(change: &RouteChange, interfaces: &[String]) -> netloom_sim::RouteChange {
    match change {
        RouteChange::Add(added) => netloom_sim::RouteChange::Add(route(added, interfaces)),
        RouteChange::Replace(new) => netloom_sim::RouteChange::Replace(route(new, interfaces)),
        RouteChange::Remove(to) => netloom_sim::RouteChange::Remove(*to),
    }
}

/// Makes the second change of each pair undo the first.
fn join_pairs(made: &mut [(Option<usize>, Option<Lasting>, Change)]) {
    let mut first = HashMap::new();
    for (place, (_, lasting, change)) in made.iter_mut().enumerate() {
        match (lasting, &mut change.route) {
            (Some(Lasting::Begins(pair)), _) => _ = first.insert(*pair, place),
            (Some(Lasting::Ends(pair)), Some((_, change))) => {
                // Without the first change, the second one is refused.
                let earlier = first.get(pair).copied().unwrap_or(usize::MAX);
                *change = netloom_sim::RouteChange::TakeBack(earlier);
            }
            _ => {}
        }
    }
}

/// Rejects changes, in order of time, after which a pipe cannot have its fluid background.
fn check_backgrounds<'c>(
    scenario: &Scenario,
    described: &Described,
    changes: impl Iterator<Item = &'c Change>,
) -> Result<()> {
    let mut configs = HashMap::new();
    for link in &scenario.links {
        let Some(number) = described.links.get(&link.name) else { continue };
        for (direction, config) in
            [(Direction::Forward, &link.forward), (Direction::Reverse, &link.reverse)]
        {
            let name = format!("{}/{}", link.name, direction.name());
            configs.insert(PipeId { link: LinkId(*number), direction }, (name, config.clone()));
        }
    }
    for change in changes {
        for (pipe, set) in &change.changes {
            let Some((name, config)) = configs.get_mut(pipe) else { continue };
            set.apply_to(config);
            if config.background.has_fluid() && !set.concerns_background().is_empty() {
                let checked = config.background.check(config);
                checked.with_context(|| {
                    let at = change.at.since(Time::ZERO);
                    format!("timeline, at {at}: the background of {name} cannot be")
                })?;
            }
        }
    }
    Ok(())
}
