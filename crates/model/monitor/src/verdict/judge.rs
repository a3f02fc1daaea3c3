//! The rules by which a run is judged: how much frames and programs suffered, compared with what
//! the run needs ([`Trust`]). The gravest finding decides, separately for links and for programs.
//!
//! | | valid | invalid |
//! |---|---|---|
//! | a pipe | at most `share` of its frames **may** have been later than `delay`, none later than `stall`; its busy line may have lacked at most `share` of its rate | more **were** later when they were handed over |
//! | the engine | it stood still for at most `share` of the run, never for `stall` | it stood still for longer |
//! | losses | at most `losses` frames were lost outside the model | more were, and they were the experiment's |
//! | the timeline | no event was later than `timeline` | one was ten times later, or never happened |
//! | a symbiotic run | pipes followed the simulation within a period, and real flows behaved like their twins | pipes were late for two periods in turn, or later than three periods |
//! | several machines | each clock was known within its limit, and links were longer than the way between their machines | a machine was lost, or a change came after its instant |
//! | a node | its programs waited for at most `waits` of the run | they waited for longer |
//!
//! A run is **suspect** if it is neither. The cases are:
//!
//! - More suffered than tolerated, but in no more than a [`TENTH`] of the run. Those times are
//!   marked and can be left out.
//! - More may have suffered than tolerated, but it was not measured.
//! - A single frame was late, of few.
//! - An event was later than needed. The results contain its time.
//! - A socket had no room for packets. Perhaps nobody was meant to read them.
//! - An effect was not observed, and its causes were observed, or could not be observed either.
//!
//! Causes (CPU, steal, disk, pressure, pages, traffic) explain a finding of their machine. Alone
//! they make none. The time before the experiment had warmed up does not count. On several machines
//! the limits hold for each pipe, each node and each engine; losses are summed up.

use netloom_units::{Duration, Time};

use super::{Concern, Coverage, Finding, Judgement, causes, reasons};
use crate::bound::{Bound, NodeBound, PipeBound, Span, WaitBound, length};
use crate::party::Who;
use crate::report::SignalReport;
use crate::signal::{Pressure, Resource, SignalKind};
use crate::trust::Trust;
use crate::words::of_machine;

/// The part of a run that may be left out for the rest to be used.
const TENTH: f64 = 0.1;

/// An event that is later than tolerated by this factor was not part of the run that was meant.
const MISPLACED: u64 = 10;

/// All data that a verdict rests on.
pub(crate) struct Evidence<'a> {
    pub bound: &'a Bound,
    pub signals: &'a [SignalReport],
    pub coverage: &'a [Coverage],
    pub trust: &'a Trust,
    /// A metric of an application that was above its limit for no longer than this is brief.
    pub brief: Duration,
    /// The time that counts.
    pub run: Span,
}

/// The findings on a run, the gravest first.
pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = evidence
        .pipes()
        .chain(evidence.engines())
        .chain(evidence.losses())
        .chain(evidence.timeline())
        .chain(evidence.simulation())
        .chain(evidence.machines())
        .chain(evidence.nodes())
        .chain(evidence.metrics())
        .chain(evidence.not_observed())
        .collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.judgement));
    findings
}

impl Evidence<'_> {
    /// One finding for all pipes with the same judgement. It describes the worst of them.
    fn pipes(&self) -> impl Iterator<Item = Finding> {
        [Judgement::Invalid, Judgement::Suspect].into_iter().filter_map(|judgement| {
            let is_such = |pipe: &&PipeBound| self.pipe(pipe) == judgement;
            let mut such: Vec<&PipeBound> = self.bound.pipes.iter().filter(is_such).collect();
            // Of equals the first by name, whatever their order.
            such.sort_by(|a, b| worse(b).total_cmp(&worse(a)).then_with(|| a.pipe.cmp(&b.pipe)));
            let worst = such.first()?;
            let bad = if worst.bad.is_empty() { &worst.doubtful } else { &worst.bad };
            let why = reasons::pipe(worst, self.trust) + &reasons::others(such.len(), "pipe");
            let on = Resource::Pipe { name: worst.pipe.clone() };
            let about = (Concern::Links, judgement, SignalKind::Lateness);
            Some(self.finding(about, on, &worst.machines, why, bad))
        })
    }

    fn pipe(&self, pipe: &PipeBound) -> Judgement {
        let Trust { share, stall, .. } = self.trust;
        let share = share.value();
        if pipe.late.share > share || pipe.late.max > *stall {
            // A single late frame among few does not make a percentile.
            let is_single = share > 0.0 && pipe.late.beyond <= 1 && pipe.late.max <= *stall;
            return if is_single { Judgement::Suspect } else { self.left_out(&pipe.bad) };
        }
        let lacks_rate = pipe.rate.is_some_and(|rate| rate.share > share);
        match pipe.at_most.share > share || pipe.at_most.max > *stall || lacks_rate {
            true => Judgement::Suspect,
            false => Judgement::Valid,
        }
    }

    /// Judges what is beyond tolerance: suspect if the rest of the run can be used, else invalid.
    fn left_out(&self, bad: &[Span]) -> Judgement {
        let run = self.run.to.since(self.run.from).as_secs_f64();
        match length(bad).as_secs_f64() <= TENTH * run {
            true => Judgement::Suspect,
            false => Judgement::Invalid,
        }
    }

    /// A finding for each engine that stood still for too long.
    fn engines(&self) -> impl Iterator<Item = Finding> {
        let trust = self.trust;
        let is_beyond = |(_, pauses): &(Option<&str>, &WaitBound)| {
            pauses.share > trust.share.value() || pauses.longest > trust.stall
        };
        self.bound.engines().filter(is_beyond).map(move |(machine, pauses)| {
            let about = (Concern::Links, self.left_out(&pauses.bad), SignalKind::Lateness);
            let machines: Vec<String> = machine.map(str::to_owned).into_iter().collect();
            let why = reasons::engine(machine, pauses, trust);
            self.finding(about, Resource::Engine, &machines, why, &pauses.bad)
        })
    }

    fn losses(&self) -> impl Iterator<Item = Finding> {
        let (losses, allowed) = (self.bound.losses, self.trust.losses);
        let judged = move |report: &SignalReport| match report.on {
            // Whether a program reads its socket is the scenario's business. Only people know if it
            // was meant to.
            Resource::Buffer { .. } => Some(Judgement::Suspect),
            Resource::Losses { .. } if report.is_nobodys() => {
                (losses.frames + losses.perhaps > allowed).then_some(Judgement::Suspect)
            }
            Resource::Losses { .. } => (losses.frames > allowed).then_some(Judgement::Invalid),
            _ => None,
        };
        self.contended()
            .filter_map(move |report| Some(self.found(Concern::Links, judged(report)?, report)))
    }

    fn timeline(&self) -> impl Iterator<Item = Finding> {
        let needed = self.trust.timeline.as_nanos();
        let judged = move |report: &SignalReport| match report.on {
            Resource::MissedEvents => Some(Judgement::Invalid),
            Resource::Events => {
                let worst = report.worst.unwrap_or(0.0);
                match worst {
                    _ if worst <= needed as f64 => None,
                    _ if worst <= needed.saturating_mul(MISPLACED) as f64 => {
                        Some(Judgement::Suspect)
                    }
                    _ => Some(Judgement::Invalid),
                }
            }
            _ => None,
        };
        self.contended()
            .filter_map(move |report| Some(self.found(Concern::Links, judged(report)?, report)))
    }

    fn simulation(&self) -> impl Iterator<Item = Finding> {
        let judged = |report: &SignalReport| match report.on {
            Resource::LostPeriods => Some(Judgement::Invalid),
            Resource::Periods | Resource::FlowDelay | Resource::FlowThroughput => {
                Some(Judgement::Suspect)
            }
            _ => None,
        };
        self.contended()
            .filter_map(move |report| Some(self.found(Concern::Links, judged(report)?, report)))
    }

    /// Findings that only an experiment on several machines has.
    fn machines(&self) -> impl Iterator<Item = Finding> {
        let judged = |report: &SignalReport| match report.signal {
            SignalKind::Clock | SignalKind::Tunnel => Some(Judgement::Suspect),
            SignalKind::ChangeLate => Some(Judgement::Invalid),
            _ => None,
        };
        let seen = self
            .contended()
            .filter_map(move |report| Some(self.found(Concern::Links, judged(report)?, report)));
        let lost = self.bound.machines.iter().filter_map(|of| {
            Some(Finding {
                about: Concern::Links,
                judgement: Judgement::Invalid,
                signal: SignalKind::MachineLost,
                on: Some(Resource::Machine { name: of.machine.clone() }),
                machine: Some(of.machine.clone()),
                why: format!("machine lost: {} at {:.1} s", of.machine, of.lost?.as_secs_f64()),
            })
        });
        lost.chain(seen)
    }

    /// One finding for each resource that nodes waited for and each judgement. It describes the
    /// worst node.
    fn nodes(&self) -> impl Iterator<Item = Finding> {
        type Waits = fn(&NodeBound) -> &WaitBound;
        let kinds: [(Waits, &str, Option<Pressure>); 3] = [
            (|node| &node.cpu, "a CPU", None),
            (|node| &node.memory, "memory", Some(Pressure::Memory)),
            (|node| &node.disk, "a disk that others kept busy", Some(Pressure::Io)),
        ];
        let judgements = [Judgement::Invalid, Judgement::Suspect];
        let all = kinds.into_iter().flat_map(move |kind| judgements.map(|grade| (kind, grade)));
        all.filter_map(move |((waits, what, of), judgement)| {
            let is_beyond = |node: &&NodeBound| waits(node).share > self.trust.waits.value();
            let is_such = |node: &&NodeBound| self.left_out(&waits(node).bad) == judgement;
            let nodes = self.bound.nodes.iter().filter(is_beyond).filter(is_such);
            let mut such: Vec<&NodeBound> = nodes.collect();
            let share = |node: &NodeBound| waits(node).share;
            such.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.node.cmp(&b.node)));
            let worst = such.first()?;
            let who = Who::Node { name: worst.node.clone() };
            let (signal, on) = match of {
                None => (SignalKind::RunQueue, Resource::RunQueue { who }),
                Some(of) => (SignalKind::Pressure, Resource::Pressure { of, who }),
            };
            let waited = waits(worst);
            let why = reasons::node(&worst.node, what, waited, self.trust)
                + &reasons::others(such.len(), "node");
            let about = (Concern::Programs, judgement, signal);
            let machines: Vec<String> = worst.machine.iter().cloned().collect();
            Some(self.finding(about, on, &machines, why, &waited.bad))
        })
    }

    /// Metrics of applications above the limit that the scenario gives.
    fn metrics(&self) -> impl Iterator<Item = Finding> {
        let is_metric = |report: &&SignalReport| matches!(report.on, Resource::Metric { .. });
        self.contended().filter(is_metric).map(|report| {
            let is_slight = report.held <= self.brief || is_marginal(report);
            let judgement = if is_slight { Judgement::Suspect } else { Judgement::Invalid };
            self.found(Concern::Programs, judgement, report)
        })
    }

    /// Findings on effects that nobody could observe, if their causes were observed on the same
    /// machine, or could not be observed there either.
    fn not_observed(&self) -> impl Iterator<Item = Finding> {
        use SignalKind as S;
        const EFFECTS: [(Concern, S, &[S]); 4] = [
            (Concern::Links, S::Lateness, &[]),
            (Concern::Links, S::UnmodelledDrop, &[]),
            (Concern::Programs, S::RunQueue, &[S::Cpu]),
            (Concern::Programs, S::Pressure, &[S::MemoryIn, S::MemoryOut, S::Disk]),
        ];
        let unseen = |signal: S| {
            self.coverage.iter().filter(move |cover| cover.signal == signal && !cover.observed)
        };
        EFFECTS.into_iter().flat_map(move |(about, effect, causes)| {
            unseen(effect).filter_map(move |coverage| {
                let machine = &coverage.machine;
                let contended = || {
                    let mut there = self.contended().filter(|report| report.machine == *machine);
                    there.any(|report| causes.contains(&report.signal))
                };
                let hidden = |cause: &S| unseen(*cause).any(|cover| cover.machine == *machine);
                let matters = causes.is_empty() || contended() || causes.iter().any(hidden);
                let of = of_machine(machine.as_deref());
                matters.then(|| Finding {
                    about,
                    judgement: Judgement::Suspect,
                    signal: effect,
                    on: None,
                    machine: machine.clone(),
                    why: format!("{effect}{of}: {}", coverage.blind_spots.join("; ")),
                })
            })
        })
    }

    fn contended(&self) -> impl Iterator<Item = &SignalReport> {
        self.signals.iter().filter(|report| report.counted().next().is_some())
    }

    fn found(&self, about: Concern, judgement: Judgement, report: &SignalReport) -> Finding {
        let why = report.in_words();
        let (on, machine) = (Some(report.on.clone()), report.machine.clone());
        Finding { about, judgement, signal: report.signal, on, machine, why }
    }

    /// A finding, together with the contention of its machines during its bad times.
    fn finding(
        &self,
        (about, judgement, signal): (Concern, Judgement, SignalKind),
        on: Resource,
        machines: &[String],
        why: String,
        bad: &[Span],
    ) -> Finding {
        let meanwhile = causes::meanwhile(self.signals, bad, machines);
        let why = why + &reasons::when(bad, self.run) + &meanwhile;
        let machine = match machines {
            [only] => Some(only.clone()),
            _ => None,
        };
        Finding { about, judgement, signal, on: Some(on), machine, why }
    }
}

/// Key by which pipes of the same judgement are ordered: the worst pipe has the largest.
fn worse(pipe: &PipeBound) -> f64 {
    pipe.late.share + pipe.at_most.share * 1e-3
}

/// Whether the worst value is less than twice the threshold.
fn is_marginal(report: &SignalReport) -> bool {
    let peak = report.counted().map(|episode| episode.peak).fold(0.0, f64::max);
    report.threshold.is_some_and(|threshold| peak < 2.0 * threshold)
}

/// The gravest judgement of all findings on `about`.
pub(crate) fn word(findings: &[Finding], about: Concern) -> Judgement {
    let judgements = findings.iter().filter(|finding| finding.about == about);
    judgements.map(|finding| finding.judgement).max().unwrap_or_default()
}

/// All times that are to be left out.
pub(crate) fn bad_times(bound: &Bound) -> Vec<Span> {
    let pipes = bound.pipes.iter().map(|pipe| &pipe.bad);
    let waits = |node: &NodeBound| [&node.cpu, &node.memory, &node.disk].map(|w| w.bad.clone());
    let nodes = bound.nodes.iter().flat_map(waits).flatten();
    let engines = bound.engines().flat_map(|(_, pauses)| &pauses.bad);
    crate::bound::merged(pipes.flatten().chain(engines).copied().chain(nodes))
}

/// The time that counts: the run without its warm-up.
pub(crate) fn counted(from: Time, settled: Time, to: Time) -> Span {
    Span { from: settled.max(from), to }
}

#[cfg(test)]
mod tests;
