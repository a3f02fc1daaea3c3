//! Events of the timeline, and the notation of their times.

use std::collections::BTreeMap;

use netloom_link::{LinkState, PipeChange};
use netloom_medium::MediumProperties;
use netloom_traffic::DurationDistribution;
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::{Command, Direction, Route, StationChange};
use crate::address::IpPrefix;

/// An event of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineEvent {
    /// Time of the event.
    pub at: Start,
    /// Action of the event.
    pub action: TimelineAction,
    /// Repetition and duration. Absent: the event happens once and is not reverted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

/// Repetition of an event, and the time at which it is reverted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// It happens once and is reverted after this time.
    Lasts(Duration),
    /// It repeats.
    Recurs(Recurs),
    /// It happens at random times.
    Fails(Fails),
}

/// Repetition of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recurs {
    /// Period of the repetition.
    pub every: Duration,
    /// Largest number of times that it happens.
    pub times: Option<u64>,
    /// Time before which it repeats.
    pub until: Option<Duration>,
    /// Duration of each change. Absent: it is not reverted.
    pub lasts: Option<Duration>,
}

/// Random failures. The random numbers are those of the stream `timeline/NUMBER`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fails {
    /// Time that it works before each failure.
    pub after: DurationDistribution,
    /// Duration of each failure.
    pub lasts: DurationDistribution,
    /// Time before which it fails.
    pub until: Option<Duration>,
}

/// Action of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum TimelineAction {
    /// A link's properties change.
    SetLink {
        /// The link's name.
        link: String,
        /// Pipes of the link that change.
        direction: Direction,
        /// New values of the link's properties.
        change: Box<PipeChange>,
    },
    /// All links of a node go down or up, or the node itself fails or recovers.
    SetNode {
        /// The node's name.
        node: String,
        /// The new state.
        state: NodeState,
        /// What becomes of the node's files if it fails.
        #[serde(default, skip_serializing_if = "Disk::is_kept")]
        disk: Disk,
    },
    /// Properties of shared media change. All properties of a medium change at the same time.
    SetMedia {
        /// New values of properties, by the names of the media.
        changes: BTreeMap<String, MediumProperties>,
    },
    /// Stations of a node on shared media change.
    SetStation {
        /// The node's name.
        node: String,
        /// New values of the stations' properties.
        change: StationChange,
    },
    /// A command runs in a node. Its output is kept with the event.
    Run {
        /// The node's name.
        node: String,
        /// The command.
        command: Command,
    },
    /// A route of a node is added or removed.
    Route {
        /// The node's name.
        node: String,
        /// Change of the node's routes.
        change: RouteChange,
    },
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Its links are up. If it had failed, its services start again.
    Up,
    /// Its links are down. Its processes keep running.
    Down,
    /// Its links are down, and all its processes and services are killed.
    Failed,
}

/// What becomes of a node's files when it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Disk {
    /// They stay, but for those in `/run` and `/dev/shm`.
    #[default]
    Keep,
    /// They are as they were when the node was made.
    Lose,
}

impl Disk {
    /// Whether files stay.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_kept(&self) -> bool {
        *self == Self::Keep
    }
}

impl NodeState {
    /// Returns the state of the node's links.
    pub fn of_links(self) -> LinkState {
        match self {
            Self::Up => LinkState::Up,
            Self::Down | Self::Failed => LinkState::Down,
        }
    }
}

/// A change of a node's routes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RouteChange {
    /// Adds the route. No route with the same destination and metric may exist.
    Add(Route),
    /// Adds the route, replacing the one with the same destination and metric if there is one.
    Replace(Route),
    /// Removes the route to this destination, the one with the lowest metric if there are several.
    /// One must exist.
    Remove(IpPrefix),
}

impl RouteChange {
    /// Returns the destination of the route that changes.
    pub fn destination(&self) -> IpPrefix {
        match self {
            Self::Add(route) | Self::Replace(route) => route.to,
            Self::Remove(to) => *to,
        }
    }
}

/// Time at which something begins. Times count from when the network is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// This time.
    At(Duration),
    /// `delay` after a process has reached a milestone in every node in which it runs.
    After {
        /// The process' name.
        process: String,
        /// The milestone.
        when: Milestone,
        /// Additional delay after the milestone.
        delay: Duration,
    },
}

/// A point in a process' life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Milestone {
    /// It has been started.
    Started,
    /// Its `ready` test has passed.
    #[default]
    Ready,
    /// It has ended.
    Done,
}
