//! Routes that avoid links which are down: when they change, and the new routes. Not here: how
//! routes are computed (`netloom-plan`).

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use netloom_api::event::What;
use netloom_link::{Delay, LinkState};
use netloom_plan::Plan;
use netloom_scenario::{Link, Scenario};
use netloom_sim::{Change, Route, RouteSource};
use netloom_units::{Duration, Time};

use crate::describe::PlannedRoutes;

/// Number of plans that are kept. All cells are at about the same time, and the plans of a network
/// that changes often would need much memory.
const KEPT: usize = 4;

/// Links that are down, by number.
type Down = BTreeSet<usize>;

/// A callback that records events with their times.
pub type Events<'r> = &'r mut dyn FnMut(Time, What);

/// The changes of all routes in a run.
#[derive(Default)]
pub struct Rerouting {
    /// Changes that have not been recorded yet, by time.
    coming: VecDeque<(Time, Vec<String>)>,
}

impl Rerouting {
    /// Makes routes follow, after a delay, the changes of links in `changes`. Returns the changes
    /// to add to these.
    ///
    /// # Errors
    /// If `plan` belongs to another scenario.
    pub fn new<'c>(
        scenario: &Scenario,
        plan: &Arc<Plan>,
        changes: impl Iterator<Item = &'c Change>,
    ) -> Result<(Self, Vec<Change>)> {
        let Some(after) = scenario.simulation.reroute else { return Ok(Default::default()) };
        let planned = down(&States::of(scenario));
        // Where delays follow a schedule, as those of satellites, the shortest path does, too.
        let mut pipes = scenario.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
        let moves = pipes.any(|pipe| matches!(pipe.delay, Delay::Schedule(_)));
        let plans = Plans { scenario: scenario.clone(), kept: Mutex::default() };
        // Whether a plan can be made does not depend on the links that are down.
        netloom_plan::rerouted(scenario, plan, |_| false, Time::ZERO)?;
        let plans = Arc::new(plans);
        let (mut all, mut coming) = (Vec::new(), VecDeque::new());
        for (at, down) in when(scenario, after, changes) {
            let source: Arc<dyn RouteSource> = match down == planned && !moves {
                true => Arc::new(PlannedRoutes(Arc::clone(plan))),
                false => Arc::new(Routes {
                    first: Arc::clone(plan),
                    plans: Arc::clone(&plans),
                    state: (down.clone(), if moves { at } else { Time::ZERO }),
                }),
            };
            let (changes, routes) = (Vec::new(), Some(source));
            all.push(Change { at, changes, media: Vec::new(), route: None, node: None, routes });
            coming.push_back((at, names(scenario, &down)));
        }
        Ok((Self { coming }, all))
    }

    /// Records the changes that have happened, in order of time. `has_happened` decides which have.
    pub fn record(&mut self, has_happened: impl Fn(Time) -> bool, events: Events<'_>) {
        let happened = self.coming.iter().take_while(|(at, _)| has_happened(*at)).count();
        for (at, down) in self.coming.drain(..happened) {
            events(at, What::Rerouted { down });
        }
    }
}

/// Returns the times at which routes change, with the links that are then down.
fn when<'c>(
    scenario: &Scenario,
    after: Duration,
    changes: impl Iterator<Item = &'c Change>,
) -> Vec<(Time, Down)> {
    let mut states = States::of(scenario);
    let mut all: Vec<(Time, Down)> = Vec::new();
    let mut known = down(&states);
    let mut changes = changes.peekable();
    while let Some(change) = changes.next() {
        states.change(change);
        // Changes at the same time count as one.
        if changes.peek().is_some_and(|next| next.at == change.at) {
            continue;
        }
        let down = down(&states);
        if down != known {
            all.push((change.at + after, down.clone()));
            known = down;
        }
    }
    all
}

/// The states of the pipes of each link.
struct States(Vec<[LinkState; 2]>);

impl States {
    /// Returns the states in the scenario.
    fn of(scenario: &Scenario) -> Self {
        let states = |link: &Link| [link.forward.state, link.reverse.state];
        Self(scenario.links.iter().map(states).collect())
    }

    fn change(&mut self, change: &Change) {
        for (pipe, set) in &change.changes {
            if let Some(state) = set.state {
                self.0[pipe.link.index()][pipe.direction.index()] = state;
            }
        }
    }
}

/// Returns the links that are down in either direction: answers cannot come back over them.
fn down(States(states): &States) -> Down {
    let is_down = |states: &[LinkState; 2]| states.contains(&LinkState::Down);
    (0..).zip(states).filter(|(_, states)| is_down(states)).map(|(link, _)| link).collect()
}

fn names(scenario: &Scenario, down: &Down) -> Vec<String> {
    down.iter().map(|link| scenario.links[*link].name.clone()).collect()
}

/// Plans of one network with different links down. They are made on demand.
#[derive(Debug)]
struct Plans {
    scenario: Scenario,
    /// The plans that were used last, with the links that are down, and the time of delays.
    kept: Mutex<VecDeque<(RouteState, Arc<Plan>)>>,
}

/// The links that are down, and the time whose delays count.
type RouteState = (Down, Time);

/// The routes that avoid the links which are down.
#[derive(Debug)]
struct Routes {
    /// The plan of the start. Its addresses stay.
    first: Arc<Plan>,
    plans: Arc<Plans>,
    state: RouteState,
}

impl RouteSource for Routes {
    fn routes(&self, node: u32) -> Vec<Route> {
        PlannedRoutes(self.plan()).routes(node)
    }
}

impl Routes {
    fn plan(&self) -> Arc<Plan> {
        // A plan is always complete when it is stored, so a poisoned lock is harmless.
        let mut kept = self.plans.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plan)) = kept.iter().find(|(state, _)| *state == self.state) {
            return Arc::clone(plan);
        }
        let (down, at) = &self.state;
        let is_down = |link| down.contains(&link);
        // Invariant: a plan was made when the run began, and links that are down cannot make it
        // fail.
        let plan = netloom_plan::rerouted(&self.plans.scenario, &self.first, is_down, *at);
        let plan = Arc::new(plan.expect("a plan can be made again"));
        kept.truncate(KEPT - 1);
        kept.push_front((self.state.clone(), Arc::clone(&plan)));
        plan
    }
}
