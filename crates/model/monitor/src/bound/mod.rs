//! By how much a run may be wrong: what is stated beside its verdict. Not here: how it is collected
//! (`pipes`, `waits`), and what follows from it (`verdict`).

mod histogram;
mod marks;
mod pipes;
mod spans;
mod waits;

use netloom_units::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::signal::Resource;
use crate::verdict::SignalReport;

pub use marks::Marks;
pub(crate) use pipes::Pipes;
pub use spans::Span;
pub(crate) use spans::{length, merged, overlap};
pub(crate) use waits::{Pauses, Waits};

/// By how much a run may be wrong, since it had warmed up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// Each pipe that frames left for an interface.
    pub pipes: Vec<PipeBound>,
    /// For how long the engine did not run at all: what came meanwhile was taken in late.
    pub engine: WaitBound,
    /// What was lost outside the model.
    pub losses: Losses,
    /// The timeline.
    pub timeline: TimelineBound,
    /// Each node whose programs were seen to wait.
    pub nodes: Vec<NodeBound>,
}

/// By how much the frames of one pipe were late, and its line slow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PipeBound {
    /// The link, and the direction: `a--b/forward`.
    pub pipe: String,
    /// Wire frames that left it for an interface.
    pub frames: u64,
    /// How late they were handed over after their release: what a frame log shows.
    pub late: Lateness,
    /// The same, and how much earlier they could have been released if the engine had seen every
    /// frame when it came. An upper bound: senders who wait for answers have adapted.
    pub at_most: Lateness,
    /// What the line lacked of its rate while it was busy; nothing if it never was.
    pub rate: Option<RateError>,
    /// Times in which more frames than needed were late, or one stood still for too long.
    pub bad: Vec<Span>,
    /// Other times in which that may be so, by `at_most`.
    pub doubtful: Vec<Span>,
}

/// How late frames were.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Lateness {
    /// The median: not below the true one, and less than a quarter above.
    pub p50: Duration,
    /// The 99th percentile, likewise.
    pub p99: Duration,
    /// The 99.9th percentile, likewise.
    pub p999: Duration,
    /// The latest, likewise.
    pub max: Duration,
    /// How many wire frames were later than `trust.delay`.
    pub beyond: u64,
    /// `beyond` as a share of all.
    pub share: f64,
}

/// What a line lacked of its rate in seconds in which it was busy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateError {
    /// How long it was busy.
    pub busy: Duration,
    /// For how much of that it may have stood idle although a frame was there, unseen.
    pub lost: Duration,
    /// `lost` as a share of `busy`.
    pub share: f64,
}

/// What was lost outside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Losses {
    /// Wire frames of the experiment.
    pub frames: u64,
    /// Wire frames that may have been somebody else's.
    pub perhaps: u64,
    /// Packets for which sockets of nodes had no room.
    pub buffers: u64,
}

/// How exactly the timeline was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TimelineBound {
    /// How late its latest event was.
    pub latest: Duration,
    /// Whether an event that was due never happened.
    pub missed: bool,
}

/// For how long the programs of a node waited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeBound {
    /// The node.
    pub node: String,
    /// For a CPU, for longer than `trust.delay` each time: the time beyond that.
    pub cpu: WaitBound,
    /// For memory.
    pub memory: WaitBound,
    /// For a disk that others kept busy.
    pub disk: WaitBound,
}

/// For how long somebody waited.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WaitBound {
    /// In all.
    pub waited: Duration,
    /// How often.
    pub times: u64,
    /// The longest time in one piece, as far as that is known.
    pub longest: Duration,
    /// `waited` as a share of the run.
    pub share: f64,
    /// The seconds of the run in which it was more than needed.
    pub bad: Vec<Span>,
}

/// How frames left a pipe for an interface within some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PipeFrames {
    /// The pipe, by the number of its name.
    pub pipe: u32,
    /// Within which time, which ends when this is observed.
    pub over: Duration,
    /// How late they were handed over.
    pub late: LateFrames,
    /// How late they were, with how much earlier they could have been released.
    pub at_most: LateFrames,
    /// For how long they were on a line.
    pub busy: Duration,
    /// For how long the line may have been idle although a frame was there, unseen.
    pub lost: Duration,
}

/// Wire frames by how late they were.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LateFrames {
    /// How many were at most so late and later than the entry before says, in rising order.
    pub by: Vec<(Duration, u64)>,
    /// How many were later than the tolerance.
    pub beyond: u64,
    /// That tolerance.
    pub tolerance: Duration,
}

impl LateFrames {
    /// How many frames there are.
    pub fn frames(&self) -> u64 {
        self.by.iter().map(|(_, frames)| frames).sum()
    }

    /// How many were later than `delay`: exactly where that is the tolerance, and otherwise not too
    /// few.
    pub fn beyond(&self, delay: Duration) -> u64 {
        if delay == self.tolerance {
            return self.beyond;
        }
        self.by.iter().filter(|(late, _)| *late > delay).map(|(_, frames)| frames).sum()
    }

    /// How late the latest was at most.
    pub fn max(&self) -> Duration {
        self.by.iter().map(|(late, _)| *late).max().unwrap_or_default()
    }
}

impl Losses {
    /// What the signals counted.
    pub(crate) fn of(signals: &[SignalReport]) -> Self {
        let mut losses = Self::default();
        for report in signals {
            // An episode's peak is how many were lost in it.
            let lost: f64 = report.counted().map(|episode| episode.peak).sum();
            let sum = match report.on {
                Resource::Losses { .. } if report.is_nobodys() => &mut losses.perhaps,
                Resource::Losses { .. } => &mut losses.frames,
                Resource::Buffer { .. } => &mut losses.buffers,
                _ => continue,
            };
            *sum += lost as u64;
        }
        losses
    }
}

impl TimelineBound {
    /// What the signals say of the timeline.
    pub(crate) fn of(signals: &[SignalReport]) -> Self {
        let on = |on: Resource| signals.iter().find(move |report| report.on == on);
        let latest = on(Resource::Events).and_then(|report| report.worst).unwrap_or(0.0);
        let missed = on(Resource::MissedEvents).is_some_and(|r| r.counted().next().is_some());
        Self { latest: Duration::from_nanos(latest as u64), missed }
    }
}

impl WaitBound {
    /// Whether there is anything to say.
    pub(crate) fn is_nothing(&self) -> bool {
        self.waited == Duration::ZERO
    }
}

/// The share of a number of frames; of none, 0.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A share of a time.
pub(crate) fn part_of(part: Duration, from: Time, to: Time) -> f64 {
    share(part.as_nanos(), to.since(from).as_nanos())
}
