//! What happens at a time, and how times are said.

use netloom_link::PipeChange;
use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Command, Direction};

/// Something that happens at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineEvent {
    /// When.
    pub at: Start,
    /// What.
    pub action: TimelineAction,
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
    /// All links of a node go down or up.
    SetNode {
        /// The node's name.
        node: String,
        /// The new state.
        state: netloom_link::LinkState,
    },
    /// A command is run in a node; its output is kept with the event.
    Run {
        /// The node's name.
        node: String,
        /// The command.
        command: Command,
    },
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
