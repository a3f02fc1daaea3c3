//! A network at a given time: positions of nodes, links that are up, and stations that hear each
//! other. Events that depend on a process are ignored, because their times are unknown before a
//! run.

use std::collections::HashMap;

use netloom_link::LinkState;
use netloom_mobility::{Geographic, Point, Trajectory};
use netloom_units::{Duration, Power, Time};

use crate::spec::{Direction, Link, NodeKind, Scenario, Start, StationChange, TimelineAction};

/// A scenario at a given time.
pub struct Snapshot<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Position of each node: metres to the east and to the north, or, on a map, degrees of
    /// longitude and latitude.
    pub places: Vec<Option<[f64; 2]>>,
    /// Whether each node is a satellite.
    pub satellites: Vec<bool>,
    /// Whether positions are on a map of the Earth.
    pub is_map: bool,
    /// Wired links that are up, with the indices of their nodes.
    pub links: Vec<Wire<'a>>,
    /// Pairs of stations that hear each other, each with the index of its medium.
    pub hears: Vec<(usize, (usize, usize))>,
    /// Stations, each with its reach in m.
    pub reaches: Vec<(usize, f64)>,
}

/// A link between two nodes.
pub struct Wire<'a> {
    /// The link.
    pub link: &'a Link,
    /// The indices of its nodes.
    pub ends: (usize, usize),
}

impl<'a> Snapshot<'a> {
    /// Computes the state of the scenario at a time of a run.
    ///
    /// # Errors
    /// No node has a position.
    pub fn new(scenario: &'a Scenario, at: Duration) -> Result<Self, String> {
        let now = Time::ZERO + at;
        let nodes = scenario.nodes.iter().enumerate();
        let index: HashMap<&str, usize> =
            nodes.map(|(index, node)| (node.name.as_str(), index)).collect();
        let events = happened(scenario, at);
        let up = up(scenario, &events);
        let mut snapshot = Self {
            scenario,
            places: vec![None; scenario.nodes.len()],
            satellites: vec![false; scenario.nodes.len()],
            is_map: !scenario.constellations.is_empty(),
            links: Vec::new(),
            hears: Vec::new(),
            reaches: Vec::new(),
        };
        let points = snapshot.stations(&index, &events, &up, now)?;
        for (node, point) in &points {
            snapshot.places[*node] = match (snapshot.is_map, scenario.plane()) {
                (false, _) => Some([point.x, point.y]),
                (true, Some(plane)) => {
                    let Geographic { lat, lon, .. } = plane.place(*point);
                    Some([lon, lat])
                }
                // Positions in metres cannot be drawn on a map.
                (true, None) => None,
            };
        }
        snapshot.sky(&index, at)?;
        if snapshot.places.iter().all(Option::is_none) {
            return Err("no node of this scenario has a place: give nodes on shared media a \
                        `position`, or leave `--at` out"
                .into());
        }
        for (number, link) in scenario.links.iter().enumerate() {
            let [a, b] = link.endpoints.each_ref().map(|end| index.get(end.node.as_str()));
            let (Some(a), Some(b)) = (a, b) else { continue };
            if up[number] && scenario.nodes[*b].kind != NodeKind::Medium {
                snapshot.links.push(Wire { link, ends: (*a, *b) });
            }
        }
        Ok(snapshot)
    }

    /// Computes positions of the stations of media, and which of them hear each other.
    fn stations(
        &mut self,
        index: &HashMap<&str, usize>,
        events: &[(Duration, TimelineAction)],
        up: &[bool],
        now: Time,
    ) -> Result<HashMap<usize, Point>, String> {
        let mut points: HashMap<usize, Point> = HashMap::new();
        let mut members: HashMap<usize, Vec<(usize, Option<Power>)>> = HashMap::new();
        for (number, link) in self.scenario.links.iter().enumerate() {
            let [member, medium] = link.endpoints.each_ref().map(|end| index[end.node.as_str()]);
            if self.scenario.nodes[medium].kind != NodeKind::Medium {
                continue;
            }
            let node = &self.scenario.nodes[member];
            let mut trajectory =
                self.scenario.trajectory(node).map_err(|error| error.to_string())?;
            let (mut on, mut power) = (true, None);
            for (at, action) in events {
                let TimelineAction::SetStation { node: name, change } = action else { continue };
                if *name == node.name {
                    follow(&mut trajectory, Time::ZERO + *at, change);
                    on = change.on.unwrap_or(on);
                    power = change.power.or(power);
                }
            }
            trajectory.extend(now);
            if !trajectory.on(now) {
                continue;
            }
            points.insert(member, trajectory.position(now));
            if up[number] && on {
                members.entry(medium).or_default().push((member, power));
            }
        }
        for (number, node) in self.scenario.nodes.iter().enumerate() {
            let (Some(medium), Some(members)) = (&node.medium, members.get(&number)) else {
                continue;
            };
            let reach = |power: &Option<Power>| medium.config.reach(*power);
            // Most stations use the medium's power.
            let usual = reach(&None);
            let reaches: Vec<(usize, f64)> = members
                .iter()
                .filter_map(|(member, power)| {
                    let own = if power.is_some() { reach(power) } else { usual };
                    Some((*member, own?))
                })
                .collect();
            for (place, (a, far)) in reaches.iter().enumerate() {
                let others = reaches[place + 1..].iter();
                let near =
                    others.filter(|(b, other)| points[a].distance(points[b]) <= far.min(*other));
                self.hears.extend(near.map(|(b, _)| (number, (*a, *b))));
            }
            self.reaches.extend(reaches);
        }
        Ok(points)
    }

    /// Computes positions of satellites and of their places on the ground.
    fn sky(&mut self, index: &HashMap<&str, usize>, at: Duration) -> Result<(), String> {
        let now = Time::ZERO + at;
        for constellation in &self.scenario.constellations {
            let sky = constellation.sky(at).map_err(|error| error.to_string())?;
            for (number, satellite) in sky.satellites.iter().enumerate() {
                let below = sky.earth.below(satellite.as_ref(), now);
                let node = index[constellation.satellite(number).as_str()];
                self.places[node] = Some([below.lon, below.lat]);
                self.satellites[node] = true;
            }
            for (station, place) in &constellation.ground {
                self.places[index[station.as_str()]] = Some([place.lon, place.lat]);
            }
        }
        Ok(())
    }
}

/// Returns the events up to a time, in order, with their times.
fn happened(scenario: &Scenario, until: Duration) -> Vec<(Duration, TimelineAction)> {
    let all = scenario.happenings().into_iter().filter_map(|happening| match happening.at {
        Start::At(at) if at <= until => Some((at, happening.action)),
        Start::At(_) | Start::After { .. } => None,
    });
    let mut all: Vec<(Duration, TimelineAction)> = all.collect();
    // The sort is stable: events at the same time stay in order.
    all.sort_by_key(|(at, _)| *at);
    all
}

/// Returns whether each link is up in both directions.
fn up(scenario: &Scenario, events: &[(Duration, TimelineAction)]) -> Vec<bool> {
    let links = scenario.links.iter();
    let mut states: Vec<[LinkState; 2]> =
        links.map(|link| [link.forward.state, link.reverse.state]).collect();
    let numbers: HashMap<&str, usize> =
        scenario.links.iter().enumerate().map(|(number, link)| (&*link.name, number)).collect();
    for (_, action) in events {
        match action {
            TimelineAction::SetLink { link, direction, change } => {
                let (Some(number), Some(state)) = (numbers.get(link.as_str()), change.state) else {
                    continue;
                };
                if *direction != Direction::Reverse {
                    states[*number][0] = state;
                }
                if *direction != Direction::Forward {
                    states[*number][1] = state;
                }
            }
            TimelineAction::SetNode { node, state, .. } => {
                for (link, states) in scenario.links.iter().zip(&mut states) {
                    if link.endpoints.iter().any(|end| end.node == *node) {
                        *states = [state.of_links(); 2];
                    }
                }
            }
            TimelineAction::SetMedia { .. }
            | TimelineAction::SetStation { .. }
            | TimelineAction::Run { .. }
            | TimelineAction::Route { .. } => {}
        }
    }
    states.into_iter().map(|states| states == [LinkState::Up; 2]).collect()
}

/// Applies a movement of the timeline to a trajectory.
fn follow(trajectory: &mut Trajectory, at: Time, change: &StationChange) {
    let Some(to) = change.to else { return };
    let to = Point::new(to.x, to.y, to.z);
    match change.speed {
        Some(speed) => trajectory.redirect(at, to, speed),
        None => trajectory.place(at, to),
    }
}
