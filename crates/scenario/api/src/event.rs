//! Events of an experiment, as a numbered stream (server-sent events at `GET /v1/events`).

use netloom_medium::{AssociationChange, AssociationEvent};
use netloom_monitor::{Change, Signal};
use netloom_scenario::Route;
use netloom_units::Time;
use netloom_units::readable::seconds;
use serde::{Deserialize, Serialize};

use crate::apply::ApplyStep;
use crate::change::{LinkChange, route_in_words};
use crate::medium::MediumRequest;
use crate::state::Phase;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// Counts from 0 without gaps.
    pub number: u64,
    /// When: nanoseconds since zero, when all that runs from the start was ready; negative before
    /// that. An event that is sent before zero is known has the time since the network was up.
    pub time: Time,
    /// The machine that recorded it, in a run on several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The event itself.
    #[serde(flatten)]
    pub what: What,
}

impl Event {
    /// Returns the event with all its times counted from `zero`.
    #[must_use]
    pub fn counted_from(self, zero: Time) -> Self {
        Self { time: self.time.counted_from(zero), what: self.what.counted_from(zero), ..self }
    }
}

/// Kinds of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum What {
    /// The experiment entered a phase.
    Phase {
        /// Which.
        phase: Phase,
    },
    /// Links were changed.
    Changed {
        /// Who asked.
        by: Origin,
        /// Changes of links.
        changes: Vec<LinkChange>,
    },
    /// A shared medium or its stations were changed.
    MediumChanged {
        /// Who asked.
        by: Origin,
        /// The medium.
        medium: String,
        /// Change of the medium.
        #[serde(flatten)]
        change: Box<MediumRequest>,
    },
    /// Losses between pairs of stations were set.
    LossesSet {
        /// The medium.
        medium: String,
        /// Number of pairs.
        pairs: u64,
    },
    /// Two nodes on a shared medium can decode each other from now on, or cannot any more.
    Neighbour {
        /// The medium.
        medium: String,
        /// The two.
        pair: [String; 2],
        /// Whether they can.
        up: bool,
    },
    /// Where nodes on shared media are that have moved: columns, the first node at the first `x`,
    /// `y` and `z`, in m.
    Positions {
        /// The nodes.
        nodes: Vec<String>,
        /// Metres to the east.
        x: Vec<f64>,
        /// Metres to the north.
        y: Vec<f64>,
        /// Metres upwards.
        z: Vec<f64>,
    },
    /// A route of a node was changed.
    RouteChanged {
        /// Who asked.
        by: Origin,
        /// The node.
        node: String,
        /// The route that was there; of several next hops, the first.
        was: Option<Route>,
        /// The route that is there instead.
        is: Option<Route>,
    },
    /// The routes of a simulated network are now the shortest paths without what is down.
    Rerouted {
        /// Links that no route leads over, by name.
        down: Vec<String>,
    },
    /// Another scenario took the place of the one in force.
    Applied {
        /// Steps that were carried out.
        steps: Vec<ApplyStep>,
    },
    /// A change could not be made.
    ChangeFailed {
        /// Who asked.
        by: Origin,
        /// Why not.
        reason: String,
    },
    /// A process of the scenario was started.
    ProcessStarted {
        /// The process.
        process: String,
        /// The node.
        node: String,
        /// Process id in the node.
        pid: u32,
    },
    /// A process passed its `ready` test.
    ProcessReady {
        /// The process.
        process: String,
        /// The node.
        node: String,
    },
    /// A process ended.
    ProcessEnded {
        /// The process.
        process: String,
        /// The node.
        node: String,
        /// Exit code; 128 + the signal's number if a signal ended it.
        code: i32,
    },
    /// A process could not be started.
    ProcessFailed {
        /// The process.
        process: String,
        /// The node.
        node: String,
        /// Why.
        reason: String,
    },
    /// A service of a node is ready.
    ServiceReady {
        /// The service.
        service: String,
        /// The node.
        node: String,
    },
    /// A service's health changed.
    ServiceHealth {
        /// The service.
        service: String,
        /// The node.
        node: String,
        /// Whether it does its work.
        healthy: bool,
    },
    /// A service ended although nobody had asked it to.
    ServiceEnded {
        /// The service.
        service: String,
        /// The node.
        node: String,
        /// Exit code; 128 + the signal's number if a signal ended it.
        code: i32,
    },
    /// A node failed: all that ran in it was killed.
    NodeFailed {
        /// The node.
        node: String,
    },
    /// A node that had failed works again: its services are being started.
    NodeRecovered {
        /// The node.
        node: String,
    },
    /// A command of the timeline ended.
    CommandEnded {
        /// The node.
        node: String,
        /// The command.
        command: Vec<String>,
        /// Its exit code.
        code: i32,
        /// Standard output and error together, the first 64 KiB.
        output: String,
    },
    /// An event of the timeline happened, or never will.
    Timeline {
        /// Which, its planned and its actual time.
        #[serde(flatten)]
        status: TimelineStatus,
    },
    /// An expectation about a process was met, or was not: once the process has ended, or else at
    /// the end of the run.
    Expectation {
        /// Which.
        #[serde(flatten)]
        status: ExpectationStatus,
    },
    /// The kernel killed processes of a node because a limit on memory was reached: the node's, its
    /// group's, or the experiment's.
    MemoryKilled {
        /// The node.
        node: String,
        /// How many.
        processes: u64,
    },
    /// A station that had no access point has one from now on.
    Associated {
        /// The station's node.
        node: String,
        /// The medium.
        medium: String,
        /// The access point.
        access_point: String,
        /// When it decided so: between then and now it heard and sent nothing.
        since: Time,
    },
    /// A station has another access point from now on.
    HandedOver {
        /// The station's node.
        node: String,
        /// The medium.
        medium: String,
        /// The access point that it left.
        from: String,
        /// The one that it has.
        to: String,
        /// When it decided so: between then and now it heard and sent nothing.
        since: Time,
    },
    /// A station has no access point any more.
    Left {
        /// The station's node.
        node: String,
        /// The medium.
        medium: String,
        /// The access point that it left.
        access_point: String,
    },
    /// Contention for the machine began, grew, or ended.
    Contention {
        /// Which, how much, and through whom.
        signal: Signal,
    },
    /// Check this before you trust the result.
    Warning {
        /// Text of the warning.
        message: String,
    },
    /// The run is over.
    RunEnded {
        /// Why.
        reason: EndReason,
    },
}

impl What {
    /// Converts an association event of the medium with this number. `name` returns the names of
    /// nodes. Returns `None` if one of the nodes has been removed.
    pub fn of_association(
        medium: u32,
        event: &AssociationEvent,
        name: impl Fn(u32) -> Option<String>,
    ) -> Option<Self> {
        let (node, medium) = (name(event.station.0)?, name(medium)?);
        Some(match event.what {
            AssociationChange::Associated { to, since } => {
                Self::Associated { node, medium, access_point: name(to.0)?, since }
            }
            AssociationChange::HandedOver { from, to, since } => {
                let (from, to) = (name(from.0)?, name(to.0)?);
                Self::HandedOver { node, medium, from, to, since }
            }
            AssociationChange::Left { from } => {
                Self::Left { node, medium, access_point: name(from.0)? }
            }
        })
    }

    /// Counts times of associations from `zero`. Those of other events have their zero already.
    fn counted_from(mut self, zero: Time) -> Self {
        if let Self::Associated { since, .. } | Self::HandedOver { since, .. } = &mut self {
            *since = since.counted_from(zero);
        }
        self
    }

    /// Describes the event in one line.
    pub fn in_words(&self) -> String {
        match self {
            Self::Phase { phase } => format!("phase: {}", format!("{phase:?}").to_lowercase()),
            Self::Changed { changes, .. } => {
                let changes: Vec<String> = changes.iter().map(LinkChange::in_words).collect();
                changes.join(", ")
            }
            Self::MediumChanged { medium, change, .. } => {
                format!("medium {medium}: {}", change.in_words())
            }
            Self::LossesSet { medium, pairs } => {
                format!("medium {medium}: losses of {pairs} pairs were set")
            }
            Self::Neighbour { medium, pair: [a, b], up } => {
                let now = if *up { "reach" } else { "do not reach" };
                format!("medium {medium}: {a} and {b} {now} each other")
            }
            Self::Positions { nodes, x, y, .. } => positions_in_words(nodes, x, y),
            Self::RouteChanged { node, was, is, .. } => {
                let words = |route: &Option<Route>| {
                    route
                        .as_ref()
                        .map_or("none".into(), |of| format!("route {}", route_in_words(of)))
                };
                format!("node {node}: {} instead of {}", words(is), words(was))
            }
            Self::Rerouted { down } if down.is_empty() => "routes lead over all links".into(),
            Self::Rerouted { down } => format!("routes lead around {}", down.join(", ")),
            Self::Applied { steps } => {
                let steps: Vec<String> = steps.iter().map(ApplyStep::in_words).collect();
                format!("applied: {}", steps.join(", "))
            }
            Self::ChangeFailed { reason, .. } => format!("a change failed: {reason}"),
            Self::ProcessStarted { process, node, .. } => format!("{process}@{node} started"),
            Self::ProcessReady { process, node } => format!("{process}@{node} ready"),
            Self::ProcessEnded { process, node, code } => {
                format!("{process}@{node} ended with code {code}")
            }
            Self::ProcessFailed { process, node, reason } => format!("{process}@{node} {reason}"),
            Self::ServiceReady { service, node } => format!("service {service}@{node} ready"),
            Self::ServiceHealth { service, node, healthy } => {
                let now = if *healthy { "does its work again" } else { "does not do its work" };
                format!("service {service}@{node} {now}")
            }
            Self::ServiceEnded { service, node, code } => {
                format!("service {service}@{node} ended with code {code}")
            }
            Self::NodeFailed { node } => format!("node {node} failed: all in it was killed"),
            Self::NodeRecovered { node } => format!("node {node} works again"),
            Self::CommandEnded { node, command, code, .. } => {
                format!("`{}` in {node} ended with code {code}", command.join(" "))
            }
            Self::Timeline { status } => status.in_words(),
            Self::Expectation { status } => status.in_words(),
            Self::MemoryKilled { node, processes } => {
                let processes = counted_processes(*processes);
                format!("the kernel killed {processes} in {node}: a limit on memory was reached")
            }
            Self::Associated { node, medium, access_point, .. } => {
                format!("{node} joined {access_point} on {medium}")
            }
            Self::HandedOver { node, medium, from, to, .. } => {
                format!("{node} went from {from} to {to} on {medium}")
            }
            Self::Left { node, medium, access_point } => {
                format!("{node} left {access_point} on {medium}")
            }
            Self::Contention { signal } => {
                let change = match signal.change {
                    Change::Began => "began",
                    Change::Grew => "grew",
                    Change::Ended => "ended",
                };
                format!("contention {change}: {} on {}", signal.signal, signal.on)
            }
            Self::Warning { message } => format!("warning: {message}"),
            Self::RunEnded { reason } => format!("run ended: {}", reason.in_words()),
        }
    }
}

fn counted_processes(processes: u64) -> String {
    match processes {
        1 => "a process".to_owned(),
        more => format!("{more} processes"),
    }
}

fn positions_in_words(nodes: &[String], x: &[f64], y: &[f64]) -> String {
    let places = nodes.iter().zip(x.iter().zip(y));
    let places = places.map(|(node, (x, y))| format!("{node} at ({x:.2}, {y:.2}) m"));
    places.collect::<Vec<_>>().join(", ")
}

/// Who asked for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The scenario's timeline.
    Timeline,
    /// A request to the API.
    Request,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All that was to be done is done.
    Completed,
    /// The scenario's `duration` has passed.
    Duration,
    /// Something had failed, and the run was to end then (`--fail-fast`).
    Failed,
    /// The user asked for it (Ctrl-C, `destroy`).
    Interrupted,
    /// The program that had started the run went away.
    ClientGone,
    /// Contention began, and the scenario's `monitor.on_contention` is `abort`.
    Contention,
    /// The experiment's state directory went away, so that no command could have found it any more.
    StateGone,
}

impl EndReason {
    /// Describes the end of the run in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Completed => "all that was to be done was done",
            Self::Duration => "the scenario's duration had passed",
            Self::Failed => "something had failed, and it was to end then",
            Self::Interrupted => "it was interrupted",
            Self::ClientGone => "the program that had started it went away",
            Self::Contention => "contention began, and the scenario has it abort then",
            Self::StateGone => "its state directory had been removed",
        }
    }
}

/// An event of the timeline, with its planned and actual time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineStatus {
    /// Index in the scenario's timeline, counted from 0.
    #[serde(rename = "timeline")]
    pub number: usize,
    /// Description of the event.
    #[serde(rename = "action")]
    pub event: String,
    /// Planned time, in nanoseconds since zero. Absent if its start condition was not met.
    pub planned: Option<Time>,
    /// Actual time, in nanoseconds since zero. Absent if the event did not happen.
    pub happened: Option<Time>,
    /// Reason of the failure, if the event failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl TimelineStatus {
    /// Returns the status with its times counted from `zero`.
    #[must_use]
    pub fn counted_from(self, zero: Time) -> Self {
        let count = |time: Option<Time>| time.map(|time| time.counted_from(zero));
        Self { planned: count(self.planned), happened: count(self.happened), ..self }
    }

    /// Describes in one line what happened and how late, or why it did not happen.
    pub fn in_words(&self) -> String {
        let late = match (self.planned, self.happened) {
            (Some(planned), Some(happened)) => {
                format!(", {} after its time", seconds(happened.since(planned)))
            }
            _ => String::new(),
        };
        match &self.failure {
            Some(failure) => format!("timeline: {}: {failure}", self.event),
            None => format!("timeline: {}{late}", self.event),
        }
    }
}

/// An expectation about a process in one node, and whether it was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpectationStatus {
    /// Name of the process.
    pub process: String,
    /// Name of the node.
    pub node: String,
    /// Description of the expectation.
    pub expected: String,
    /// Whether it was met.
    pub met: bool,
    /// Description of what happened instead. Empty if it was met.
    pub found: String,
}

impl ExpectationStatus {
    /// Describes what was expected and not met, as a failure of the run.
    pub fn failure(&self) -> String {
        let Self { process, node, expected, found, .. } = self;
        format!("of `{process}` in `{node}` was expected {expected}, but {found}")
    }

    /// Describes in one line what was expected, and whether it was met.
    pub fn in_words(&self) -> String {
        let Self { process, node, expected, met, found } = self;
        match met {
            true => format!("expectation met: {process}@{node}: {expected}"),
            false => format!("expectation not met: {process}@{node}: {expected}, but {found}"),
        }
    }
}
