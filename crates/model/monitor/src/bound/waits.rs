//! Collects how long the programs of nodes, and the engine, waited: second by second, so that
//! single seconds can be left out.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::{NodeBound, Span, WaitBound, merged, part_of};
use crate::names::Names;
use crate::party::{Party, Who};
use crate::report::SignalReport;
use crate::signal::{Pressure, Resource};
use crate::trust::Trust;
use crate::window::Covered;

const SECOND: u64 = 1_000_000_000;

/// Time during which somebody waited.
#[derive(Debug, Clone, Default)]
struct Waited {
    seconds: BTreeMap<u64, u64>,
    times: u64,
    longest: Duration,
}

/// Observed waits of nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waits(BTreeMap<Party, Node>);

#[derive(Debug, Clone, Default)]
struct Node {
    /// When a task waited for a CPU for longer than tolerated. Times at which several tasks waited
    /// count once.
    covered: Covered,
    cpu: Waited,
    memory: Waited,
    disk: Waited,
}

/// Times during which the engine did not run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pauses {
    waited: Waited,
    covered: Covered,
}

/// How far before a new wait the covered times are kept.
const KEPT: Duration = Duration::from_secs(10);

impl Waits {
    /// A task of a node waited for a CPU from `from` to `to`, and was late by `carried` before
    /// that.
    pub fn cpu(
        &mut self,
        party: Party,
        (from, to): (Time, Time),
        carried: Duration,
        trust: &Trust,
    ) {
        let until = to - trust.delay.saturating_sub(carried);
        if until <= from {
            return;
        }
        let node = self.0.entry(party).or_default();
        node.covered.forget_before(from - KEPT);
        let new = node.covered.add(from, until);
        node.cpu.add(from, until, new);
        node.cpu.longest = node.cpu.longest.max(to.since(from));
    }

    /// Tasks of a node waited for a CPU `times` times, `delay` long in the mean, at unknown times.
    pub fn cpu_about(
        &mut self,
        party: Party,
        at: Time,
        delay: Duration,
        times: u64,
        trust: &Trust,
    ) {
        let beyond = delay.saturating_sub(trust.delay).as_nanos().saturating_mul(times);
        if beyond > 0 {
            let node = self.0.entry(party).or_default();
            node.cpu.add(at, at, Duration::from_nanos(beyond));
            node.cpu.longest = node.cpu.longest.max(delay);
        }
    }

    /// Tasks of a node stood still for lack of a resource.
    pub fn stalled(
        &mut self,
        of: Pressure,
        party: Party,
        (from, to): (Time, Time),
        stalled: Duration,
    ) {
        if stalled == Duration::ZERO || !matches!(party, Party::Node(_)) {
            return;
        }
        let node = self.0.entry(party).or_default();
        let waited = match of {
            // Observations of single waits for a CPU are more exact.
            Pressure::Cpu => return,
            Pressure::Memory => &mut node.memory,
            Pressure::Io => &mut node.disk,
        };
        waited.add(from, to, stalled);
        waited.longest = waited.longest.max(stalled);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The bounds of the nodes that waited. A wait for a disk counts while `signals` report a disk
    /// that others kept busy.
    pub fn bounds(
        &self,
        names: &Names,
        signals: &[SignalReport],
        (from, to): (Time, Time),
        trust: &Trust,
    ) -> Vec<NodeBound> {
        let bound = |(party, node): (&Party, &Node)| {
            let Who::Node { name } = names.who(*party) else { return None };
            let contended = disks_of_others(signals, &name);
            let bound = NodeBound {
                cpu: node.cpu.bound(from, to, trust),
                memory: node.memory.bound(from, to, trust),
                disk: node.disk.within(&contended).bound(from, to, trust),
                node: name,
                machine: None,
            };
            let all = [&bound.cpu, &bound.memory, &bound.disk];
            (!all.iter().all(|waited| waited.is_nothing())).then_some(bound)
        };
        self.0.iter().filter_map(bound).collect()
    }
}

impl Pauses {
    /// The engine did not run from `from` to `to`. A pause counts once, however many observers
    /// report it.
    pub fn add(&mut self, from: Time, to: Time) {
        self.covered.forget_before(from - KEPT);
        let new = self.covered.add(from, to);
        self.waited.add(from, to, new);
        self.waited.longest = self.waited.longest.max(to.since(from));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.waited = Waited::default();
    }

    /// The bound of the pauses.
    pub fn bound(&self, (from, to): (Time, Time), trust: &Trust) -> WaitBound {
        self.waited.bound_by(from, to, trust.share.value(), trust.stall)
    }
}

/// Times during which a disk was kept busy by others than this node.
fn disks_of_others(signals: &[SignalReport], node: &str) -> Vec<Span> {
    let is_disk = |report: &&SignalReport| matches!(report.on, Resource::Disk { .. });
    let is_it = |who: &Who| matches!(who, Who::Node { name } if name == node);
    let others = signals.iter().filter(is_disk).flat_map(SignalReport::counted).filter(|episode| {
        let own = episode.shares.iter().filter(|share| is_it(&share.who));
        own.map(|share| share.share).sum::<f64>() < 0.5
    });
    merged(others.map(|episode| Span { from: episode.from, to: episode.to }))
}

impl Waited {
    /// Adds a wait, spread evenly over the time from `from` to `to`.
    fn add(&mut self, from: Time, to: Time, waited: Duration) {
        if waited == Duration::ZERO {
            return;
        }
        self.times += 1;
        let (from, to) = (from.as_nanos(), to.as_nanos().max(from.as_nanos() + 1));
        let mut left = waited.as_nanos();
        for second in from / SECOND..=(to - 1) / SECOND {
            let (begin, end) = (from.max(second * SECOND), to.min((second + 1) * SECOND));
            let part = u128::from(waited.as_nanos()) * u128::from(end - begin);
            // The last second gets the remainder of the rounding.
            let part = if end == to { left } else { (part / u128::from(to - from)) as u64 };
            left -= part.min(left);
            *self.seconds.entry(second).or_default() += part;
        }
    }

    /// The part of the waits in seconds that meet `spans`.
    fn within(&self, spans: &[Span]) -> Self {
        let meets = |second: &u64| spans.iter().any(|span| span.meets(&whole(*second)));
        let seconds = self.seconds.iter().filter(|(second, _)| meets(second));
        let seconds: BTreeMap<u64, u64> = seconds.map(|(second, ns)| (*second, *ns)).collect();
        let any = !seconds.is_empty();
        Self {
            seconds,
            times: if any { self.times } else { 0 },
            longest: if any { self.longest } else { Duration::ZERO },
        }
    }

    fn bound(&self, from: Time, to: Time, trust: &Trust) -> WaitBound {
        self.bound_by(from, to, trust.waits.value(), Duration::from_nanos(u64::MAX))
    }

    /// The bound of the waits. A second is bad if more than `share` of it was waited, or more than
    /// `stall`.
    fn bound_by(&self, from: Time, to: Time, share: f64, stall: Duration) -> WaitBound {
        let is_bad = |ns: u64| ns as f64 > share * SECOND as f64 || ns > stall.as_nanos();
        let bad = self.seconds.iter().filter(|(_, ns)| is_bad(**ns));
        let waited = Duration::from_nanos(self.seconds.values().sum());
        WaitBound {
            waited,
            times: self.times,
            longest: self.longest,
            share: part_of(waited, from, to),
            bad: merged(bad.map(|(second, _)| clipped(whole(*second), from, to))),
        }
    }
}

fn whole(second: u64) -> Span {
    let at = |second: u64| Time::from_nanos(second.saturating_mul(SECOND));
    Span { from: at(second), to: at(second + 1) }
}

fn clipped(span: Span, from: Time, to: Time) -> Span {
    Span { from: span.from.max(from).min(to), to: span.to.min(to).max(from) }
}
