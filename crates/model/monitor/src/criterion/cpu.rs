//! CPUs without an idle moment: `t_s[i] − t_e[i−1] ≥ θ_c` (Maier 2011, Eq. 4.2), for each CPU,
//! tested at every switch and on a timer.
//!
//! If switches are observed, shares are the CPU time of each party since the CPU was last idle. If
//! stretches are observed, they contain the shares. If intervals are observed, the time is
//! unattributed until uses of the CPU are reported.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::{Criterion, nanos};
use crate::criteria::Busy;
use crate::names::ResourceId;
use crate::observation::BusyStretch;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::stretch::Stretch;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Cpus {
    longest: Duration,
    cpus: BTreeMap<u32, Cpu>,
}

made_of!(Cpus: cpus);

#[derive(Debug, Clone)]
struct Cpu {
    stretch: Stretch,
    /// Whether its switches are observed.
    switches: bool,
    /// Whether its stretches are observed.
    stretches: bool,
    /// The party that runs, and the time from which on its CPU time has not been counted yet.
    running: Option<(Party, Time)>,
}

impl Cpus {
    pub fn new(criteria: &Busy) -> Self {
        Self { longest: criteria.longest, cpus: BTreeMap::new() }
    }

    pub fn switch(&mut self, at: Time, cpu: u32, to: Option<Party>, out: &mut Outbox) {
        let cpu = self.cpu(cpu);
        cpu.switches = true;
        cpu.count(at);
        match to {
            Some(_) => {
                cpu.stretch.busy(at);
                cpu.stretch.still(at, out);
            }
            None => cpu.stretch.idle(at, out),
        }
        cpu.running = to.map(|party| (party, at));
    }

    pub fn interval(
        &mut self,
        at: Time,
        cpu: u32,
        over: Duration,
        idle: Duration,
        out: &mut Outbox,
    ) {
        let cpu = self.cpu(cpu);
        if !cpu.switches && !cpu.stretches {
            cpu.stretch.interval(at, over, idle, out);
        }
    }

    pub fn stretch(&mut self, at: Time, cpu: u32, stretch: &BusyStretch, out: &mut Outbox) {
        let cpu = self.cpu(cpu);
        cpu.stretches = true;
        cpu.stretch.reported(at, stretch, out);
    }

    fn cpu(&mut self, cpu: u32) -> &mut Cpu {
        let longest = self.longest;
        self.cpus.entry(cpu).or_insert_with(|| {
            let tracker = Tracker::new(SignalKind::Cpu, ResourceId::Cpu(cpu), Some(nanos(longest)));
            let stretch = Stretch::new(tracker, longest);
            Cpu { stretch, switches: false, stretches: false, running: None }
        })
    }
}

impl Cpu {
    /// Counts the CPU time of the running party, until `at`.
    fn count(&mut self, at: Time) {
        if let Some((party, since)) = &mut self.running {
            self.stretch.add(*party, at.since(*since).as_nanos());
            *since = at.max(*since);
        }
    }
}

impl Criterion for Cpu {
    fn tick(&mut self, now: Time, out: &mut Outbox) {
        self.count(now);
        self.stretch.tick(now, self.switches, out);
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker)) {
        visitor(&self.stretch.tracker);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker)) {
        visitor(&mut self.stretch.tracker);
    }
}
