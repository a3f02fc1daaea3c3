//! What happens at a time, and how times are said.

use std::collections::BTreeMap;

use netloom_link::{LinkState, PipeChange};
use netloom_medium::MediumProperties;
use netloom_traffic::DurationDistribution;
use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Command, Direction, Route, StationChange};
use crate::address::IpPrefix;

/// Something that happens at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineEvent {
    /// When.
    pub at: Start,
    /// What.
    pub action: TimelineAction,
    /// How often, and for how long; without it once, and for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

/// How often something happens, and when it is taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Once; what was changed comes back after this time.
    Lasts(Duration),
    /// Again and again.
    Recurs(Recurs),
    /// At random times.
    Fails(Fails),
}

/// How something recurs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recurs {
    /// From one time to the next.
    pub every: Duration,
    /// How often at most.
    pub times: Option<u64>,
    /// Before which time.
    pub until: Option<Duration>,
    /// For how long each time; without, for good.
    pub lasts: Option<Duration>,
}

/// How something fails. The random numbers are those of the stream `timeline/NUMBER`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fails {
    /// How long it works.
    pub after: DurationDistribution,
    /// How long it fails then.
    pub lasts: DurationDistribution,
    /// Before which time it fails.
    pub until: Option<Duration>,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum TimelineAction {
    /// A link's properties change.
    SetLink {
        /// The link's name.
        link: String,
        /// Which of its pipes.
        direction: Direction,
        /// What changes.
        change: Box<PipeChange>,
    },
    /// All links of a node go down or up; with them, the node fails or works again.
    SetNode {
        /// The node's name.
        node: String,
        /// The new state.
        state: NodeState,
    },
    /// Properties of shared media change, all at one time for each.
    SetMedia {
        /// Names of media, and what changes.
        changes: BTreeMap<String, MediumProperties>,
    },
    /// Stations of a node on shared media change.
    SetStation {
        /// The node's name.
        node: String,
        /// What changes.
        change: StationChange,
    },
    /// A command is run in a node; its output is kept with the event.
    Run {
        /// The node's name.
        node: String,
        /// The command.
        command: Command,
    },
    /// A route of a node comes or goes.
    Route {
        /// The node's name.
        node: String,
        /// What comes or goes.
        change: RouteChange,
    },
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Its links are up; if it had failed, its services are started again.
    Up,
    /// Its links are down; what runs in it goes on.
    Down,
    /// Its links are down, and nothing runs in it: all its processes and services are killed.
    Failed,
}

impl NodeState {
    /// The state of the node's links.
    pub fn of_links(self) -> LinkState {
        match self {
            Self::Up => LinkState::Up,
            Self::Down | Self::Failed => LinkState::Down,
        }
    }
}

/// A route that comes or goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouteChange {
    /// It comes; one with the same destination and metric must not be there.
    Add(Route),
    /// It comes instead of the one with the same destination and metric, if there is one.
    Replace(Route),
    /// That with the lowest metric of those to this destination goes; there must be one.
    Remove(IpPrefix),
}

impl RouteChange {
    /// The destinations whose route comes or goes.
    pub fn destination(&self) -> IpPrefix {
        match self {
            Self::Add(route) | Self::Replace(route) => route.to,
            Self::Remove(to) => *to,
        }
    }
}

/// When something begins. Times count from the moment the network is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At this time.
    At(Duration),
    /// When a process has reached a milestone (in every node in which it runs), and `delay` more.
    After {
        /// The process' name.
        process: String,
        /// The milestone.
        when: Milestone,
        /// Time to wait after it.
        delay: Duration,
    },
}

/// A point in a process' life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Milestone {
    /// It was started.
    Started,
    /// Its `ready` test has passed.
    #[default]
    Ready,
    /// It has ended.
    Done,
}
