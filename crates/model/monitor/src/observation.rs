//! Observations of probes and of the engine. Not here: what follows from them (`criterion`).
//!
//! There are two kinds: *events*, each at its time, and *intervals*, which report what happened
//! since the probe's last look (`over`, a length of time that ends when the observation is made).
//! Event-driven probes give events, polling probes give intervals. Both go to the same criteria.

use netloom_units::{Dilation, Duration, Size};
use serde::{Deserialize, Serialize};

use crate::bound::PipeFrames;
use crate::party::Party;
use crate::signal::{Buffer, DropCause, Pressure, SignalKind};

/// An observation. Its time is passed beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    /// Names something that observations refer to by number. It comes before the first observation
    /// of that number is reported to people, and may come again.
    Named {
        /// The thing that is named.
        what: Subject,
        /// The name.
        name: String,
    },
    /// A probe starts to watch what a signal needs.
    Watched {
        /// The signal.
        signal: SignalKind,
        /// The probe's name.
        probe: String,
        /// The parts of the signal that this probe cannot observe, in words.
        cannot_see: Vec<String>,
        /// Whether the probe misses so much that the signal does not count as observed by it alone.
        partial: bool,
    },
    /// A probe does not watch, or no longer watches, what a signal needs.
    Unwatched {
        /// The signal.
        signal: SignalKind,
        /// The probe's name.
        probe: String,
        /// Why, in words.
        why: String,
    },
    /// Origin of a threshold that differs between machines, or the reason why there is none.
    Threshold {
        /// The signal.
        signal: SignalKind,
        /// The origin or the reason, in words.
        from: String,
    },
    /// The experiment has warmed up. Contention that ended before is reported, but does not count
    /// against the run.
    Settled,
    /// Every observation up to this time has been delivered, so conditions that go on or ended in
    /// silence can be detected. No later observation is of an earlier time.
    Looked,

    /// Frames left the engine after their scheduled release.
    Lateness {
        /// Whose frames: the sending node if it is known, else [`Party::Engine`].
        party: Party,
        /// How late. Punctual frames are reported too, with their small delay.
        delay: Duration,
        /// Number of wire frames that were so late.
        frames: u64,
    },
    /// How frames left a pipe for an interface. Observed about once a second for every pipe that
    /// frames left. It feeds the error bound, and causes no signal.
    Frames(PipeFrames),
    /// The engine did not run for a while that ends now: a worker neither slept by its own choice
    /// nor polled its devices. A thread of the workers' own priority has to measure this: a thread
    /// of lower priority would only show that the CPU was busy.
    Pause {
        /// Length of the pause.
        lasted: Duration,
    },
    /// Frames were lost anywhere but in the model of a link.
    Drops {
        /// Where they were lost.
        cause: DropCause,
        /// Whose frames. [`Party::Unattributed`] if they may not have been the experiment's.
        party: Party,
        /// Number of wire frames.
        frames: u64,
    },

    /// Packets found no room in a buffer of a node's socket since the last look.
    Overrun {
        /// The buffer.
        of: Buffer,
        /// The node.
        party: Party,
        /// Number of packets.
        packets: u64,
    },

    /// A CPU switched to another task. An event-driven probe reports the state of every CPU when it
    /// starts, so that a process that never gives up its CPU is observed.
    CpuSwitch {
        /// The CPU.
        cpu: u32,
        /// The party for which the CPU now runs; `None` if it is idle.
        to: Option<Party>,
    },
    /// Activity of a CPU during an interval. Ignored for a CPU whose switches are observed.
    CpuInterval {
        /// The CPU.
        cpu: u32,
        /// The length of the interval.
        over: Duration,
        /// Idle time; zero only if no idle moment could be observed.
        idle: Duration,
    },
    /// A stretch of a CPU without an idle moment. From the first stretch on, intervals of that CPU
    /// are ignored, and silence means nothing.
    CpuStretch {
        /// The CPU.
        cpu: u32,
        /// The stretch, with CPU time in ns.
        stretch: BusyStretch,
    },
    /// A task of a node waited for a CPU. Times at which several tasks waited count once.
    Waited {
        /// The node.
        party: Party,
        /// How long ago it became runnable.
        began: Duration,
        /// How long ago it began to run.
        ended: Duration,
        /// How far behind with its work it was when it began to wait: it had waited before and not
        /// slept since.
        carried: Duration,
        /// The party that held the CPU meanwhile, for the longest time in one piece.
        /// [`Party::Unattributed`] if nobody did, as on a machine that stood still, or if it is
        /// unknown.
        #[serde(default)]
        by: Party,
    },
    /// Tasks of a node waited for a CPU, and only the mean of the waits is known. Their times are
    /// not known, so every wait counts in full.
    RunQueue {
        /// The node.
        party: Party,
        /// How long runnable tasks waited, in the mean.
        delay: Duration,
        /// Number of such waits. Zero is reported too: it shows that the node is observed.
        times: u64,
    },

    /// An event of the run's timeline happened.
    Event {
        /// How long after its scheduled time.
        late: Duration,
    },
    /// The run ended before an event of its timeline that was due.
    MissedEvent {
        /// How long it had been due.
        due_for: Duration,
    },

    /// A period of a symbiotic run was simulated. Pipes between real hosts follow it from now on.
    Simulated {
        /// Length of a period.
        period: Duration,
        /// How long ago this period ended.
        took: Duration,
    },

    /// Real flows of a symbiotic run were compared with their twins over the last periods. The
    /// values are the largest difference, as a share of the twin's.
    Compared {
        /// Difference of the mean delay; `None` if there was too little to compare.
        delay: Option<f64>,
        /// Difference of the throughput; `None` if there was too little to compare.
        throughput: Option<f64>,
    },

    /// How exactly the clock of another machine of the experiment is known.
    ClockBound {
        /// The machine, to which a name belongs.
        machine: u32,
        /// The other clock is nowhere further from its estimate than this. For a clock that has
        /// stepped, the length of the step.
        bound: Duration,
        /// The largest bound with which links between the two machines are as exact as needed.
        limit: Duration,
    },
    /// A link between machines takes less time than the way between them, so its frames leave as
    /// they come (`cut: any`).
    Uncovered {
        /// The pipe, to which a name belongs.
        pipe: u32,
        /// How much longer the way is than the pipe's least delay.
        lacks: Duration,
    },
    /// A change came after the instant at which all machines were to make it, and was made at once.
    ChangedLate {
        /// How long after the instant.
        late: Duration,
    },

    /// Frames of a node were forwarded. They are counted once, where they leave the node.
    Forwarded {
        /// The route that they took.
        route: Route,
        /// The sending node.
        party: Party,
        /// Amount of data, as on the wire.
        size: Size,
        /// Length of the interval; zero for an event.
        over: Duration,
    },
    /// Pages were read in or written out.
    Paged {
        /// The direction.
        direction: Direction,
        /// The cause.
        cause: PageCause,
        /// The party whose pages they are.
        party: Party,
        /// Number of pages.
        pages: u64,
        /// Length of the interval; zero for an event.
        over: Duration,
    },
    /// A request was issued to a disk.
    DiskIssued {
        /// The disk.
        disk: u32,
        /// The party for which it was issued.
        party: Party,
    },
    /// A disk completed a request.
    DiskCompleted {
        /// The disk.
        disk: u32,
    },
    /// Activity of a disk during an interval. Ignored for a disk whose requests are observed.
    DiskInterval {
        /// The disk.
        disk: u32,
        /// The length of the interval.
        over: Duration,
        /// Time without a pending request; zero only if no such moment could be observed.
        idle: Duration,
    },
    /// A stretch of a disk with requests pending. From the first stretch on, intervals of that disk
    /// are ignored, and silence means nothing.
    DiskStretch {
        /// The disk.
        disk: u32,
        /// The stretch, with time in ns.
        stretch: BusyStretch,
    },
    /// The hypervisor gave a CPU to others.
    Steal {
        /// The CPU.
        cpu: u32,
        /// The time that was taken, in all.
        stolen: Duration,
        /// Length of the interval.
        over: Duration,
    },
    /// Tasks stood still for lack of a resource (PSI, the `some` line).
    Stalled {
        /// The resource.
        of: Pressure,
        /// Whose tasks; [`Party::Unattributed`] for those of the whole machine.
        party: Party,
        /// Time during which at least one of them waited.
        stalled: Duration,
        /// Length of the interval.
        over: Duration,
    },
    /// An application reported a value.
    Metric {
        /// The metric.
        metric: u32,
        /// The node that reported it.
        party: Party,
        /// The value, in the metric's own unit.
        value: f64,
    },
    /// A party's use of a resource, where the signal itself does not say whose use it is. It
    /// divides a part of the signal's shares, and adds nothing to them.
    Used {
        /// The signal whose shares it divides.
        of: SignalKind,
        /// The part of the shares that is divided.
        divides: Divided,
        /// The party that used it; [`Party::Unattributed`] for use that is known to belong to no
        /// party that is named elsewhere.
        party: Party,
        /// Amount, in any unit: only proportions matter.
        amount: u64,
        /// Length of the interval.
        over: Duration,
    },
}

impl Observation {
    /// Converts an observation of the machine to the experiment's time, which is dilated.
    #[must_use]
    pub fn dilated(mut self, dilation: Dilation) -> Self {
        let convert = |times: &mut [&mut Duration]| {
            times.iter_mut().for_each(|time| **time = dilation.to_experiment(**time));
        };
        match &mut self {
            Self::CpuInterval { over, idle, .. } | Self::DiskInterval { over, idle, .. } => {
                let is_never_idle = *idle == Duration::ZERO;
                convert(&mut [over, idle]);
                // Zero would mean that it was never idle.
                *idle = (*idle).max(Duration::from_nanos(u64::from(!is_never_idle)));
            }
            Self::CpuStretch { stretch, .. } | Self::DiskStretch { stretch, .. } => {
                convert(&mut [&mut stretch.began]);
                stretch.ended = stretch.ended.map(|ended| dilation.to_experiment(ended));
                for (_, used) in &mut stretch.by {
                    *used = dilation.to_experiment(Duration::from_nanos(*used)).as_nanos();
                }
            }
            Self::Waited { began, ended, carried, .. } => convert(&mut [began, ended, carried]),
            Self::RunQueue { delay, .. } => convert(&mut [delay]),
            Self::Forwarded { over, .. } | Self::Paged { over, .. } | Self::Used { over, .. } => {
                convert(&mut [over]);
            }
            Self::Steal { stolen: part, over, .. } | Self::Stalled { stalled: part, over, .. } => {
                convert(&mut [part, over]);
            }
            Self::Named { .. }
            | Self::Watched { .. }
            | Self::Unwatched { .. }
            | Self::Threshold { .. }
            | Self::Settled
            | Self::Looked
            | Self::Lateness { .. }
            | Self::Frames(_)
            | Self::Pause { .. }
            | Self::Drops { .. }
            | Self::Overrun { .. }
            | Self::CpuSwitch { .. }
            | Self::Event { .. }
            | Self::MissedEvent { .. }
            | Self::Simulated { .. }
            | Self::Compared { .. }
            | Self::ClockBound { .. }
            | Self::Uncovered { .. }
            | Self::ChangedLate { .. }
            | Self::DiskIssued { .. }
            | Self::DiskCompleted { .. }
            | Self::Metric { .. } => {}
        }
        self
    }
}

/// A part of a signal's shares that is divided in proportion to what parties used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Divided {
    /// The part that belongs to no known party: only the sum was observed. It is divided first, so
    /// that the engine may get some of it.
    Unattributed,
    /// The part of the engine, which works on behalf of nodes. What it does for itself stays its
    /// own.
    Engine,
}

impl Divided {
    /// The party whose part is divided.
    pub(crate) fn party(self) -> Party {
        match self {
            Self::Unattributed => Party::Unattributed,
            Self::Engine => Party::Engine,
        }
    }
}

/// A stretch during which something was busy without a break. It is exact, and comes from a probe
/// that records stretches and is polled from time to time. Times are lengths that end when the
/// observation is made. A stretch may be reported many times. It is over once another stretch is
/// reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BusyStretch {
    /// Distinguishes stretches of the same resource.
    pub number: u64,
    /// How long ago it began.
    pub began: Duration,
    /// How long ago it ended; `None` while it goes on.
    pub ended: Option<Duration>,
    /// The parties that used the resource since the stretch was last reported, and how much each
    /// did.
    pub by: Vec<(Party, u64)>,
}

impl BusyStretch {
    /// No stretch: the resource is idle now. Its number is zero.
    pub fn none() -> Self {
        Self { number: 0, began: Duration::ZERO, ended: Some(Duration::ZERO), by: Vec::new() }
    }
}

/// A thing to which observations give a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A node, by its index in the scenario.
    Node(u32),
    /// A process, by its ID.
    Process(u32),
    /// A disk, by a number that its probe chose.
    Disk(u32),
    /// An uplink, by a number that its probe chose.
    Uplink(u32),
    /// A pipe, by a number that the engine chose.
    Pipe(u32),
    /// An application's metric. Its name is the one that the criteria use.
    Metric(u32),
    /// Another machine of the experiment, by a number that the engine chose.
    Machine(u32),
}

impl Subject {
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Node(number)
            | Self::Process(number)
            | Self::Disk(number)
            | Self::Uplink(number)
            | Self::Pipe(number)
            | Self::Metric(number)
            | Self::Machine(number) => number,
        }
    }
}

/// Route of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// To another node on this machine.
    Internal,
    /// Through an uplink, by a number that its probe chose.
    Uplink(u32),
}

/// Direction in which pages move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the disk to memory.
    In,
    /// From memory to the disk.
    Out,
}

/// Why a page was read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PageCause {
    /// It was swapped in or out.
    Swap,
    /// A node's task needed a page that was not in memory: a major fault, or a refault of a page
    /// that had been evicted shortly before. Programs start with some of these.
    Fault,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_are_converted_to_the_experiments_time() {
        let ms = Duration::from_millis;
        let by = |text: &str| text.parse::<Dilation>().unwrap();
        let steal = |stolen, over| Observation::Steal { cpu: 0, stolen, over };
        assert_eq!(steal(ms(50), ms(100)).dilated(by("10")), steal(ms(5), ms(10)));
        assert_eq!(steal(ms(50), ms(100)).dilated(by("0.5")), steal(ms(100), ms(200)));
        let stretch = |began, ended, used| Observation::CpuStretch {
            cpu: 1,
            stretch: BusyStretch { number: 7, began, ended, by: vec![(Party::Engine, used)] },
        };
        let dilated = stretch(ms(100), Some(ms(20)), 40).dilated(by("10"));
        assert_eq!(dilated, stretch(ms(10), Some(ms(2)), 4));
        // A short idle moment is not rounded to zero.
        let idle = |idle| Observation::CpuInterval { cpu: 0, over: ms(1000), idle };
        let Observation::CpuInterval { idle: kept, .. } =
            idle(Duration::from_nanos(3)).dilated(by("100"))
        else {
            panic!("another observation")
        };
        assert!(kept > Duration::ZERO);
        let waited = Observation::Lateness { party: Party::Engine, delay: ms(1), frames: 1 };
        assert_eq!(waited.clone().dilated(by("10")), waited);
    }
}
