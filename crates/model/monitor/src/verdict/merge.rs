//! One verdict of those of several machines. Bounds are combined before they are judged: two
//! machines that each lost a tolerable number of frames may together have lost too many.
//!
//! | part of the bound | of several machines |
//! |---|---|
//! | pipes | union; of a pipe between two machines the receiver has the lateness, the sender the rate |
//! | nodes, pauses of engines | union; limits hold for each |
//! | losses | sum |
//! | timeline | the latest event of all |
//! | times | in cluster time; those to be left out are longer by the clock's bound at both ends |

use std::collections::HashMap;

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::{Collected, Coverage, Overhead, Verdict};
use crate::bound::{Alignment, Bound, Lateness, MachineBound, PipeBound, RateError, WaitBound};
use crate::bound::{merged, share};
use crate::report::SignalReport;
use crate::signal::SignalKind;
use crate::trust::Trust;

/// The part of one machine in an experiment on several machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachinePart {
    /// Name of the machine.
    pub machine: String,
    /// Its clock.
    pub clock: Alignment,
    /// When it was lost, in cluster time; `None` if it was there to the end.
    pub lost: Option<Time>,
    /// Its own verdict, with times of its own clock; `None` if there is none. Then nothing counts
    /// as observed on it.
    pub verdict: Option<Verdict>,
}

impl Verdict {
    /// The verdict on an experiment of all these machines, by the needs of its scenario: `trust`,
    /// and `brief` of its criteria. Times are cluster time.
    pub fn of_machines(parts: Vec<MachinePart>, trust: &Trust, brief: Duration) -> Self {
        let mut all = Merged::default();
        for part in parts {
            all.add(part);
        }
        all.collected().judged(trust, brief)
    }
}

/// What is known of the machines so far.
#[derive(Default)]
struct Merged {
    /// Beginning, end of the warm-up, and end.
    times: Option<(Time, Time, Time)>,
    bound: Bound,
    /// Places of pipes in the bound, by name.
    pipes: HashMap<String, usize>,
    signals: Vec<SignalReport>,
    coverage: Vec<Coverage>,
    overhead: Overhead,
}

impl Merged {
    fn add(&mut self, part: MachinePart) {
        let MachinePart { machine, clock, lost, verdict } = part;
        let mut engine = WaitBound::default();
        match verdict {
            Some(verdict) => {
                engine = aligned(verdict.bound.engine.clone(), &clock);
                self.take(&machine, &clock, verdict);
            }
            None => self.coverage.extend(SignalKind::ALL.map(|signal| unseen(&machine, signal))),
        }
        self.bound.machines.push(MachineBound { machine, engine, clock, lost });
    }

    fn take(&mut self, machine: &str, clock: &Alignment, verdict: Verdict) {
        let Verdict { from, settled, to, bound, signals, coverage, overhead, .. } = verdict;
        let [from, settled, to] = [from, settled, to].map(|at| clock.to_cluster(at));
        let times = self.times.get_or_insert((from, settled, to));
        *times = (times.0.min(from), times.1.max(settled), times.2.max(to));
        let Bound { pipes, engine: _, losses, timeline, nodes, machines: _ } = bound;
        for mut pipe in pipes {
            pipe.machines = vec![machine.to_owned()];
            pipe.bad = clock.widened(&pipe.bad);
            pipe.doubtful = clock.widened(&pipe.doubtful);
            self.add_pipe(pipe);
        }
        self.bound.nodes.extend(nodes.into_iter().map(|mut node| {
            node.machine = Some(machine.to_owned());
            for waited in [&mut node.cpu, &mut node.memory, &mut node.disk] {
                *waited = aligned(std::mem::take(waited), clock);
            }
            node
        }));
        let sum = &mut self.bound.losses;
        sum.frames += losses.frames;
        sum.perhaps += losses.perhaps;
        sum.buffers += losses.buffers;
        let latest = &mut self.bound.timeline;
        latest.latest = latest.latest.max(timeline.latest);
        latest.missed |= timeline.missed;
        self.signals.extend(signals.into_iter().map(|mut report| {
            report.machine = Some(machine.to_owned());
            for episode in &mut report.episodes {
                episode.from = clock.to_cluster(episode.from);
                episode.to = clock.to_cluster(episode.to);
            }
            report
        }));
        self.coverage.extend(
            coverage.into_iter().map(|seen| Coverage { machine: Some(machine.to_owned()), ..seen }),
        );
        let spent = &mut self.overhead;
        spent.preparation_ns += overhead.preparation_ns;
        spent.monitoring_ns += overhead.monitoring_ns;
        spent.notification_ns += overhead.notification_ns;
        spent.share += overhead.share;
        spent.elapsed_ns += overhead.elapsed_ns;
    }

    /// Adds what one machine knows of a pipe. Of a pipe between two machines, each knows a part.
    fn add_pipe(&mut self, pipe: PipeBound) {
        match self.pipes.get(&pipe.pipe) {
            Some(place) => self.bound.pipes[*place].join(pipe),
            None => {
                self.pipes.insert(pipe.pipe.clone(), self.bound.pipes.len());
                self.bound.pipes.push(pipe);
            }
        }
    }

    fn collected(self) -> Collected {
        let Self { times, mut bound, pipes: _, signals, mut coverage, overhead } = self;
        let stood = |of: &&MachineBound| (of.engine.waited, of.engine.longest);
        let most = bound.machines.iter().max_by_key(stood);
        bound.engine = most.map(|of| of.engine.clone()).unwrap_or_default();
        if bound.machines.is_empty() {
            coverage.extend(SignalKind::ALL.map(|signal| unseen("none", signal)));
        }
        let (from, settled, to) = times.unwrap_or_default();
        Collected { from, settled, to, bound, signals, coverage, overhead }
    }
}

impl PipeBound {
    /// Adds what another machine knows of the pipe.
    fn join(&mut self, other: Self) {
        let frames = self.frames + other.frames;
        self.late = self.late.joined(&other.late, frames);
        self.at_most = self.at_most.joined(&other.at_most, frames);
        self.frames = frames;
        self.rate = match (self.rate, other.rate) {
            (Some(a), Some(b)) => {
                let (busy, lost) = (a.busy + b.busy, a.lost + b.lost);
                Some(RateError { busy, lost, share: share(lost.as_nanos(), busy.as_nanos()) })
            }
            (known, more) => known.or(more),
        };
        self.machines.extend(other.machines);
        self.bad = merged(self.bad.iter().chain(&other.bad).copied());
        self.doubtful = merged(self.doubtful.iter().chain(&other.doubtful).copied());
    }
}

impl Lateness {
    /// The lateness of the frames of both. A percentile of both together is at most the greater of
    /// theirs; it is exact if one of the two has no frames.
    fn joined(&self, other: &Self, frames: u64) -> Self {
        let beyond = self.beyond + other.beyond;
        Self {
            p50: self.p50.max(other.p50),
            p99: self.p99.max(other.p99),
            p999: self.p999.max(other.p999),
            max: self.max.max(other.max),
            beyond,
            share: share(beyond, frames),
        }
    }
}

/// Waits with their times in cluster time.
fn aligned(waited: WaitBound, clock: &Alignment) -> WaitBound {
    WaitBound { bad: clock.widened(&waited.bad), ..waited }
}

/// The coverage of a signal on a machine of which there is no verdict.
fn unseen(machine: &str, signal: SignalKind) -> Coverage {
    Coverage {
        signal,
        machine: Some(machine.to_owned()),
        observed: false,
        probes: Vec::new(),
        blind_spots: vec!["there is no verdict of this machine".into()],
        threshold: None,
    }
}
