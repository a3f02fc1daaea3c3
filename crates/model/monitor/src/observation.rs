//! What probes and the engine see. Not here: what follows from it (`criterion`).
//!
//! There are two ways to see: *events*, each at its time, and *intervals*, which say what happened since
//! the last look (`over`, a length of time that ends when the observation is made). Event-driven probes
//! give events, polling ones intervals; both go to the same criteria.

use netloom_units::{Dilation, Duration, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bound::PipeFrames;
use crate::party::Party;
use crate::signal::{Buffer, DropCause, Pressure, SignalKind};

/// Something that was seen; its time goes beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    /// The name of something that observations number. To be told before its first observation is
    /// reported to people; may be told again.
    Named {
        /// What has the name.
        what: Subject,
        /// The name.
        name: String,
    },
    /// From now on a probe watches what a signal needs.
    Watched {
        /// The signal.
        signal: SignalKind,
        /// The probe's name.
        probe: String,
        /// What of it this probe cannot see, in words.
        cannot_see: Vec<String>,
        /// Whether that is so much that the signal does not count as observed by this probe alone.
        partial: bool,
    },
    /// A probe does not watch, or watches no longer, what a signal needs.
    Unwatched {
        /// The signal.
        signal: SignalKind,
        /// The probe's name.
        probe: String,
        /// Why, in words.
        why: String,
    },
    /// Where the threshold of a signal comes from that is not the same on every machine, or why it has none.
    Threshold {
        /// The signal.
        signal: SignalKind,
        /// Where from, or why not, in words.
        from: String,
    },
    /// The experiment has warmed up: what ended before now is reported, but not held against it.
    Settled,
    /// All that happened until now has been told, so that what goes on or ended in silence is seen. What is told later is not
    /// of times before.
    Looked,

    /// Frames left the engine after their scheduled release.
    Lateness {
        /// Whose frames: the sending node if it is known, else [`Party::Engine`].
        party: Party,
        /// How late; punctual frames are told too, with their small delay.
        delay: Duration,
        /// How many wire frames were so late.
        frames: u64,
    },
    /// How frames left a pipe for an interface. To be made once a second or so of every pipe that
    /// frames left; it gives the error bound, and no signal.
    Frames(PipeFrames),
    /// The engine did not run for a while that ends now: a worker neither slept by its own wish nor
    /// looked at its devices. To be measured by a thread of the workers' own priority: one of lower
    /// priority only shows that the CPU was busy.
    Pause {
        /// How long.
        lasted: Duration,
    },
    /// Frames were lost anywhere but in the model of a link.
    Drops {
        /// Where.
        cause: DropCause,
        /// Whose frames. [`Party::Unattributed`] if they may not have been the experiment's.
        party: Party,
        /// How many wire frames.
        frames: u64,
    },

    /// Packets found no room in a buffer of a node's socket, since the last look.
    Overrun {
        /// Which buffer.
        of: Buffer,
        /// The node.
        party: Party,
        /// How many packets.
        packets: u64,
    },

    /// A CPU turned to something else. A probe of events tells the state of every CPU when it starts, so
    /// that a process that never gives the CPU away is seen.
    CpuSwitch {
        /// The CPU.
        cpu: u32,
        /// On whose behalf it now runs; nothing if it is idle.
        to: Option<Party>,
    },
    /// What a CPU did. Of no effect for a CPU of which switches are observed.
    CpuInterval {
        /// The CPU.
        cpu: u32,
        /// The length of the interval.
        over: Duration,
        /// How long it was idle; zero only if no idle moment could be seen.
        idle: Duration,
    },
    /// A stretch of a CPU without an idle moment. From the first on, intervals of that CPU are of no
    /// effect, and of silence nothing follows.
    CpuStretch {
        /// The CPU.
        cpu: u32,
        /// The stretch, with CPU time in ns.
        stretch: BusyStretch,
    },
    /// A task of a node waited for a CPU. Times at which several did count once.
    Waited {
        /// The node.
        party: Party,
        /// How long ago it could run and did not.
        began: Duration,
        /// How long ago it ran.
        ended: Duration,
        /// How late it was with its work when it began to wait, since it had waited before and not slept since.
        carried: Duration,
        /// Who had the CPU meanwhile, for the longest time in one piece. [`Party::Unattributed`] if nobody had, as
        /// on a machine that stood still, or if it could not be told.
        #[serde(default)]
        by: Party,
    },
    /// Tasks of a node waited for a CPU, as far as that is known by its mean; when is not, so that all of it counts.
    RunQueue {
        /// The node.
        party: Party,
        /// How long a task that could run did not.
        delay: Duration,
        /// How many waits were so long. None are worth telling, too: the node is observed.
        times: u64,
    },

    /// An event of the run's timeline happened.
    Event {
        /// How long after its time.
        late: Duration,
    },
    /// The run ended, and an event of its timeline that was due had not happened.
    MissedEvent {
        /// For how long it had been due.
        due_for: Duration,
    },

    /// A period of a symbiotic run was simulated, and pipes between real hosts follow it from now
    /// on.
    Simulated {
        /// How long a period is.
        period: Duration,
        /// How long ago this one ended.
        took: Duration,
    },

    /// Real flows of a symbiotic run were compared with their twins over the last periods: by how
    /// much the one that differs most does so, as a share of its twin's.
    Compared {
        /// Its mean delay; nothing where there was too little to compare.
        delay: Option<f64>,
        /// Its throughput.
        throughput: Option<f64>,
    },

    /// Frames of a node were forwarded: counted once, where they leave the node.
    Forwarded {
        /// Which way.
        route: Route,
        /// The sending node.
        party: Party,
        /// How much, as on the wire.
        size: Size,
        /// Zero for an event.
        over: Duration,
    },
    /// Pages were read in or written out.
    Paged {
        /// Which way.
        direction: Direction,
        /// Why.
        cause: PageCause,
        /// Whose pages.
        party: Party,
        /// How many.
        pages: u64,
        /// Zero for an event.
        over: Duration,
    },
    /// A request was issued to a disk.
    DiskIssued {
        /// The disk.
        disk: u32,
        /// On whose behalf.
        party: Party,
    },
    /// A disk completed a request.
    DiskCompleted {
        /// The disk.
        disk: u32,
    },
    /// What a disk did. Of no effect for a disk of which requests are observed.
    DiskInterval {
        /// The disk.
        disk: u32,
        /// The length of the interval.
        over: Duration,
        /// How long no request was pending; zero only if no such moment could be seen.
        idle: Duration,
    },
    /// A stretch of a disk with requests pending. From the first on, intervals of that disk are of no
    /// effect, and of silence nothing follows.
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
        /// For how long in all.
        stolen: Duration,
        /// Within which time.
        over: Duration,
    },
    /// Tasks stood still for want of a resource (PSI, the `some` line).
    Stalled {
        /// What they waited for.
        of: Pressure,
        /// Whose tasks; [`Party::Unattributed`] for those of the whole machine.
        party: Party,
        /// For how long at least one of them waited.
        stalled: Duration,
        /// Within which time.
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
    /// What a party used of a resource, where the signal itself does not tell. Divides a part of the signal's
    /// shares; adds nothing to it.
    Used {
        /// The signal whose shares it divides.
        of: SignalKind,
        /// Which part of them.
        divides: Divided,
        /// Who used it; [`Party::Unattributed`] for what is known to be of nobody else named.
        party: Party,
        /// How much, in a unit of which only proportions matter.
        amount: u64,
        /// Within which time.
        over: Duration,
    },
}

impl Observation {
    /// What a probe of the machine has observed, in the time of an experiment that is dilated so.
    #[must_use]
    pub fn dilated(mut self, dilation: Dilation) -> Self {
        let convert = |times: &mut [&mut Duration]| {
            times.iter_mut().for_each(|time| **time = dilation.to_experiment(**time));
        };
        match &mut self {
            Self::CpuInterval { over, idle, .. } | Self::DiskInterval { over, idle, .. } => {
                let is_never_idle = *idle == Duration::ZERO;
                convert(&mut [over, idle]);
                // Zero says that it was never idle.
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
            | Self::DiskIssued { .. }
            | Self::DiskCompleted { .. }
            | Self::Metric { .. } => {}
        }
        self
    }
}

/// A part of a signal's shares that is divided in proportion to what parties used.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Divided {
    /// What is of nobody known: only the sum was observed. Divided first, so that the engine may get of it.
    Unattributed,
    /// What is the engine's: it works on behalf of nodes. What it does for itself is divided to itself.
    Engine,
}

impl Divided {
    /// Whose part it is.
    pub(crate) fn party(self) -> Party {
        match self {
            Self::Unattributed => Party::Unattributed,
            Self::Engine => Party::Engine,
        }
    }
}

/// A stretch in which something was busy without a break, exactly, by a probe that keeps it and is asked
/// from time to time. Times are lengths that end when the observation is made. A stretch may be told often,
/// and when another is told, it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BusyStretch {
    /// Tells stretches of the same resource apart.
    pub number: u64,
    /// How long ago it began.
    pub began: Duration,
    /// How long ago it ended; nothing if it goes on.
    pub ended: Option<Duration>,
    /// Who used how much of it since it was last told.
    pub by: Vec<(Party, u64)>,
}

impl BusyStretch {
    /// None: idle now. Its number is zero.
    pub fn none() -> Self {
        Self { number: 0, began: Duration::ZERO, ended: Some(Duration::ZERO), by: Vec::new() }
    }
}

/// What observations number.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    /// An application's metric. Its name is the one that the criteria have.
    Metric(u32),
}

impl Subject {
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Node(number)
            | Self::Process(number)
            | Self::Disk(number)
            | Self::Uplink(number)
            | Self::Pipe(number)
            | Self::Metric(number) => number,
        }
    }
}

/// Which way frames go.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// To another node on this machine.
    Internal,
    /// Through an uplink, by a number that its probe chose.
    Uplink(u32),
}

/// Which way pages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the disk.
    In,
    /// To the disk.
    Out,
}

/// Why a page was read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageCause {
    /// It was swapped.
    Swap,
    /// A node's task needed a page that was not in memory: a major fault, or one that had been evicted
    /// shortly before (a refault). Programs start with some.
    Fault,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_did_is_told_in_the_experiments_time() {
        let ms = Duration::from_millis;
        let by = |text: &str| text.parse::<Dilation>().unwrap();
        let steal = |stolen, over| Observation::Steal { cpu: 0, stolen, over };
        assert_eq!(steal(ms(50), ms(100)).dilated(by("10")), steal(ms(5), ms(10)));
        assert_eq!(steal(ms(50), ms(100)).dilated(by("0.5")), steal(ms(100), ms(200)));
        let stretch = |began, ended, used| Observation::CpuStretch {
            cpu: 1,
            stretch: BusyStretch { number: 7, began, ended, by: vec![(Party::Engine, used)] },
        };
        let told = stretch(ms(100), Some(ms(20)), 40).dilated(by("10"));
        assert_eq!(told, stretch(ms(10), Some(ms(2)), 4));
        // A moment of idleness is not lost.
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
