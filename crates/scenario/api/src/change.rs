//! Changes that can be made while an experiment runs.

pub use netloom_link::PipeChange;
use netloom_link::notation::WrittenChange;
use netloom_scenario::{
    Direction, Disk, Happening, Link, NodeState, Position, Route, RouteChange, Scenario,
    StationChange, TimelineAction,
};
use netloom_units::Time;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Changes of links, applied together at one instant or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChangeRequest {
    /// The changes, in order.
    pub changes: Vec<LinkChange>,
}

/// A change of one link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkChange {
    /// Name of the link.
    pub link: String,
    /// Pipes of the link that change.
    #[serde(default)]
    pub direction: Direction,
    /// New properties. The notations of other tools (`netem`, `tbf`, `dummynet`) are accepted as in
    /// a scenario.
    #[serde(deserialize_with = "written_change")]
    #[cfg_attr(feature = "schema", schemars(with = "WrittenChange"))]
    pub change: PipeChange,
}

impl LinkChange {
    /// Returns the changes of links that an event of the timeline makes. A command or a route makes
    /// none, nor does the end of a failure: the links come back by events of their own.
    pub fn of_happening(scenario: &Scenario, happening: &Happening) -> Vec<Self> {
        match &happening.action {
            TimelineAction::SetNode { .. } if happening.takes_back() => Vec::new(),
            TimelineAction::SetLink { link, direction, change } => {
                let (link, direction) = (link.clone(), *direction);
                vec![Self { link, direction, change: (**change).clone() }]
            }
            TimelineAction::SetNode { node, state, .. } => {
                let change = PipeChange { state: Some(state.of_links()), ..PipeChange::default() };
                let at_node = scenario
                    .links
                    .iter()
                    .filter(|link| link.endpoints.iter().any(|endpoint| endpoint.node == *node));
                let of_link = |link: &Link| Self {
                    link: link.name.clone(),
                    direction: Direction::Both,
                    change: change.clone(),
                };
                at_node.map(of_link).collect()
            }
            TimelineAction::Run { .. }
            | TimelineAction::Route { .. }
            | TimelineAction::SetMedia { .. }
            | TimelineAction::SetStation { .. } => Vec::new(),
        }
    }

    /// Describes the change in one line: `link uplink (forward): rate 10Mbit/s, delay 5ms`.
    pub fn in_words(&self) -> String {
        // Every change is an object of properties, which JSON can represent.
        let properties = serde_json::to_value(&self.change).unwrap_or_default();
        let words = |(key, value): (&String, &Value)| match value {
            Value::String(text) => format!("{key} {text}"),
            other => format!("{key} {other}"),
        };
        let words: Vec<String> = properties.as_object().into_iter().flatten().map(words).collect();
        let direction = match self.direction {
            Direction::Both => "",
            Direction::Forward => " (forward)",
            Direction::Reverse => " (reverse)",
        };
        format!("link {}{direction}: {}", self.link, words.join(", "))
    }
}

/// Describes an event of the timeline in one line. `changes` are the changes of links that it
/// makes.
pub fn happening_in_words(happening: &Happening, changes: &[LinkChange]) -> String {
    match &happening.action {
        TimelineAction::SetLink { .. } => {
            changes.iter().map(LinkChange::in_words).collect::<Vec<_>>().join(", ")
        }
        TimelineAction::SetNode { node, .. } if happening.takes_back() => {
            format!("node {node}: works again")
        }
        TimelineAction::SetNode { node, state, disk } => {
            let state = match (state, disk) {
                (NodeState::Up, _) => "up",
                (NodeState::Down, _) => "down",
                (NodeState::Failed, Disk::Keep) => "failed",
                (NodeState::Failed, Disk::Lose) => "failed, its files lost",
            };
            format!("node {node}: {state}")
        }
        TimelineAction::Run { node, command } => {
            format!("`{}` in {node}", command.argv().join(" "))
        }
        TimelineAction::SetMedia { changes } => {
            let words = changes.iter().map(|(name, change)| {
                let keys = change.keys().join(", ");
                format!("medium {name}: {keys}")
            });
            words.collect::<Vec<_>>().join("; ")
        }
        TimelineAction::SetStation { node, change } => {
            format!("node {node}: {}", station_in_words(change))
        }
        TimelineAction::Route { node, change } if happening.takes_back() => {
            format!("node {node}: route to {} as before", change.destination())
        }
        TimelineAction::Route { node, change } => {
            format!("node {node}: {}", change_in_words(change))
        }
    }
}

/// Describes the change of a node's stations in one line.
fn station_in_words(change: &StationChange) -> String {
    let StationChange { on, power, rate, cw, to, speed } = change;
    let place = |Position { x, y, z }: &Position| format!("[{x}m, {y}m, {z}m]");
    let how_fast = speed.map_or(String::new(), |speed| format!(" at {speed}"));
    let words = [
        on.map(|on| format!("radio {}", if on { "on" } else { "off" })),
        power.map(|power| format!("power {power}")),
        rate.map(|rate| format!("rate {rate}")),
        cw.map(|cw| format!("cw [{}, {}]", cw.0, cw.1)),
        to.as_ref().map(|to| format!("to {}{how_fast}", place(to))),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Describes the change of a route in one line.
fn change_in_words(change: &RouteChange) -> String {
    match change {
        RouteChange::Remove(to) => format!("no route to {to}"),
        RouteChange::Add(route) => format!("route {}", route_in_words(route)),
        RouteChange::Replace(route) => format!("route from now on {}", route_in_words(route)),
    }
}

/// Describes a route in one line: `to 10.9.0.0/16 via 10.0.0.1 on eth1 with metric 5`.
pub fn route_in_words(route: &Route) -> String {
    let via = route.via.map_or(String::new(), |via| format!(" via {via}"));
    let interface = route.interface.as_ref().map_or(String::new(), |name| format!(" on {name}"));
    let metric = route.metric.map_or(String::new(), |metric| format!(" with metric {metric}"));
    format!("to {}{via}{interface}{metric}", route.to)
}

/// The time at which changes were applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeResponse {
    /// Time of the changes, in nanoseconds since zero.
    pub at: Time,
}

/// Changes of a node's routes, applied one after the other. If one of them fails, those before it
/// are reverted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RoutesRequest {
    /// The changes, in order.
    pub changes: Vec<RouteChange>,
}

/// Results of changing routes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoutesResponse {
    /// Time at which all changes had been made, in nanoseconds since zero.
    pub at: Time,
    /// Result of each change, in order.
    pub routes: Vec<ChangedRoute>,
}

/// A route before and after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedRoute {
    /// The previous route; if it had several next hops, with the first of them. Absent if there was
    /// none.
    pub was: Option<Route>,
    /// The new route. Absent if there is none.
    pub is: Option<Route>,
}

fn written_change<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PipeChange, D::Error> {
    WrittenChange::deserialize(deserializer).map(|written| written.0)
}
