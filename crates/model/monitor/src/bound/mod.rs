//! Error bound: by how much a run may be wrong, as reported beside its verdict. Not here: how it is
//! collected (`pipes`, `waits`), and what follows from it (`verdict`).

mod alignment;
mod histogram;
mod marks;
mod pipes;
mod spans;
mod waits;

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::report::SignalReport;
use crate::signal::Resource;

pub use alignment::Alignment;
pub use marks::Marks;
pub(crate) use pipes::Pipes;
pub use spans::Span;
pub(crate) use spans::{length, merged, overlap};
pub(crate) use waits::{Pauses, Waits};

/// By how much a run may be wrong, from the end of its warm-up on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bound {
    /// Bounds of the pipes that frames left for an interface.
    pub pipes: Vec<PipeBound>,
    /// Time during which the engine did not run at all. Frames that came meanwhile were read late.
    /// Of several machines, that of the engine that stood still for the longest time.
    pub engine: WaitBound,
    /// Losses outside the model.
    pub losses: Losses,
    /// Punctuality of the timeline.
    pub timeline: TimelineBound,
    /// Bounds of the nodes whose programs were observed to wait.
    pub nodes: Vec<NodeBound>,
    /// Bounds of the machines, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineBound>,
}

/// What one of several machines did to a run as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineBound {
    /// The machine.
    pub machine: String,
    /// Time during which its engine did not run at all.
    pub engine: WaitBound,
    /// Its clock, within a bound.
    pub clock: Alignment,
    /// When it was lost; absent if it was there to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Time>,
}

/// How late the frames of one pipe were, and how slow its line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PipeBound {
    /// The link and the direction: `a--b/forward`.
    pub pipe: String,
    /// The machines of its ends, if the experiment has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<String>,
    /// Number of wire frames that left the pipe for an interface.
    pub frames: u64,
    /// Time between release and hand-over, as a frame log shows it.
    pub late: Lateness,
    /// Upper bound of the lateness. It adds to `late` how much earlier frames could have been
    /// released if the engine had read every frame when it came, and between two machines by how
    /// much their clocks may differ. Senders that wait for answers have
    /// adapted, so this bound may be too high.
    pub at_most: Lateness,
    /// Shortfall of the line's rate while it was busy; `None` if it never was.
    pub rate: Option<RateError>,
    /// Times in which more frames than tolerated were late, or one was held up for too long.
    pub bad: Vec<Span>,
    /// Further times in which that may have happened, according to `at_most`.
    pub doubtful: Vec<Span>,
}

/// Lateness of frames.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lateness {
    /// The median. It is not below the true one, and less than a quarter above it.
    pub p50: Duration,
    /// The 99th percentile, equally exact.
    pub p99: Duration,
    /// The 99.9th percentile, equally exact.
    pub p999: Duration,
    /// The maximum, equally exact.
    pub max: Duration,
    /// Number of wire frames that were later than `trust.delay`.
    pub beyond: u64,
    /// `beyond` as a share of all frames.
    pub share: f64,
}

/// Shortfall of a line's rate, in the seconds in which the line was busy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RateError {
    /// Time during which it was busy.
    pub busy: Duration,
    /// The part of that time during which it may have been idle although a frame waited that the
    /// engine had not read yet.
    pub lost: Duration,
    /// `lost` as a share of `busy`.
    pub share: f64,
}

/// Losses outside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Losses {
    /// Number of wire frames of the experiment.
    pub frames: u64,
    /// Number of wire frames that may have been somebody else's.
    pub perhaps: u64,
    /// Number of packets for which sockets of nodes had no room.
    pub buffers: u64,
}

/// Punctuality of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimelineBound {
    /// Lateness of its latest event.
    pub latest: Duration,
    /// Whether an event that was due never happened.
    pub missed: bool,
}

/// Time during which the programs of a node waited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeBound {
    /// The node.
    pub node: String,
    /// Its machine, if the experiment has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Waits for a CPU. Only the part of a wait that exceeds `trust.delay` counts.
    pub cpu: WaitBound,
    /// Waits for memory.
    pub memory: WaitBound,
    /// Waits for a disk that others kept busy.
    pub disk: WaitBound,
}

/// Time during which somebody waited.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitBound {
    /// Total time.
    pub waited: Duration,
    /// Number of waits.
    pub times: u64,
    /// The longest wait, as far as it is known.
    pub longest: Duration,
    /// `waited` as a share of the run.
    pub share: f64,
    /// The seconds of the run in which the wait was longer than tolerated.
    pub bad: Vec<Span>,
}

/// How frames left a pipe for an interface during an interval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PipeFrames {
    /// Number of the pipe, to which a name belongs.
    pub pipe: u32,
    /// Length of the interval, which ends when this is observed.
    pub over: Duration,
    /// Lateness of their hand-over.
    pub late: LateFrames,
    /// Upper bound of their lateness, which includes how much earlier they could have been
    /// released. If the pipe begins on another machine, it includes that machine's part, and the
    /// bound of its clock at that time.
    pub at_most: LateFrames,
    /// Time during which they occupied a line.
    pub busy: Duration,
    /// Time during which the line may have been idle although a frame waited that the engine had
    /// not read yet.
    pub lost: Duration,
}

/// Numbers of wire frames by lateness.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LateFrames {
    /// Pairs of a lateness and a number of frames, in rising order. The frames were at most so
    /// late, and later than the entry before.
    pub by: Vec<(Duration, u64)>,
    /// Number of frames that were later than the tolerance.
    pub beyond: u64,
    /// The tolerance that `beyond` refers to.
    pub tolerance: Duration,
}

impl LateFrames {
    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.by.iter().map(|(_, frames)| frames).sum()
    }

    /// Number of frames that were later than `delay`. It is exact if `delay` is the tolerance, and
    /// otherwise not too low.
    pub fn beyond(&self, delay: Duration) -> u64 {
        if delay == self.tolerance {
            return self.beyond;
        }
        self.by.iter().filter(|(late, _)| *late > delay).map(|(_, frames)| frames).sum()
    }

    /// Upper bound of the lateness of the latest frame.
    pub fn max(&self) -> Duration {
        self.by.iter().map(|(late, _)| *late).max().unwrap_or_default()
    }
}

impl Bound {
    /// The pauses of each engine, with the name of its machine if there are several.
    pub fn engines(&self) -> impl Iterator<Item = (Option<&str>, &WaitBound)> {
        let only = self.machines.is_empty().then_some((None, &self.engine));
        let each = self.machines.iter().map(|of| (Some(of.machine.as_str()), &of.engine));
        only.into_iter().chain(each)
    }
}

impl Losses {
    /// Sums up the losses that the signals counted.
    pub(crate) fn of(signals: &[SignalReport]) -> Self {
        let mut losses = Self::default();
        for report in signals {
            // An episode's peak is the number of frames or packets lost in it.
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
    /// Takes the punctuality of the timeline from the signals.
    pub(crate) fn of(signals: &[SignalReport]) -> Self {
        let on = |on: Resource| signals.iter().find(move |report| report.on == on);
        let latest = on(Resource::Events).and_then(|report| report.worst).unwrap_or(0.0);
        let missed = on(Resource::MissedEvents).is_some_and(|r| r.counted().next().is_some());
        Self { latest: Duration::from_nanos(latest as u64), missed }
    }
}

impl WaitBound {
    /// Whether nobody waited.
    pub(crate) fn is_nothing(&self) -> bool {
        self.waited == Duration::ZERO
    }
}

/// `part` as a share of `whole`; 0 if `whole` is 0.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// `part` as a share of the time between `from` and `to`.
pub(crate) fn part_of(part: Duration, from: Time, to: Time) -> f64 {
    share(part.as_nanos(), to.since(from).as_nanos())
}
