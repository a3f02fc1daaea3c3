//! All criteria. Passes each observation to its criterion.

use netloom_units::Time;

use super::Criterion;
use super::application::Applications;
use super::cpu::Cpus;
use super::disk::Disks;
use super::divergence::Divergence;
use super::drops::Drops;
use super::lateness::Lateness;
use super::machines::Machines;
use super::memory::Memory;
use super::network::Network;
use super::parts_of_time::PartsOfTime;
use super::run_queue::RunQueues;
use super::simulation::Simulation;
use super::timeline::Timeline;
use crate::criteria::Criteria;
use crate::names::{Names, ResourceId};
use crate::observation::{Observation, Subject};
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct All {
    lateness: Lateness,
    drops: Drops,
    buffers: Drops,
    cpus: Cpus,
    run_queues: RunQueues,
    network: Network,
    memory: Memory,
    disks: Disks,
    steal: PartsOfTime,
    pressure: PartsOfTime,
    applications: Applications,
    timeline: Timeline,
    simulation: Simulation,
    divergence: Divergence,
    machines: Machines,
}

made_of!(
    All: lateness,
    drops,
    buffers,
    cpus,
    run_queues,
    network,
    memory,
    disks,
    steal,
    pressure,
    applications,
    timeline,
    simulation,
    divergence,
    machines
);

impl All {
    pub fn new(criteria: &Criteria) -> Self {
        Self {
            lateness: Lateness::new(&criteria.lateness),
            drops: Drops::new(SignalKind::UnmodelledDrop),
            buffers: Drops::new(SignalKind::Buffers),
            cpus: Cpus::new(&criteria.cpu),
            run_queues: RunQueues::new(&criteria.run_queue),
            network: Network::new(criteria),
            memory: Memory::new(criteria),
            disks: Disks::new(&criteria.disk),
            steal: PartsOfTime::new(SignalKind::Steal, &criteria.steal),
            pressure: PartsOfTime::new(SignalKind::Pressure, &criteria.pressure),
            applications: Applications::new(&criteria.application),
            timeline: Timeline::new(&criteria.timeline),
            simulation: Simulation::default(),
            divergence: Divergence::default(),
            machines: Machines::default(),
        }
    }

    /// The tracker of a signal on a resource, if something was observed there.
    pub fn tracker(&self, signal: SignalKind, place: ResourceId) -> Option<&Tracker> {
        match signal {
            // There are as many of these as nodes, so they are not searched one by one.
            SignalKind::RunQueue => self.run_queues.tracker(place),
            SignalKind::Pressure => self.pressure.tracker(place),
            _ => {
                let mut found = None;
                self.visit(&mut |tracker| {
                    if (tracker.signal, tracker.place) == (signal, place) {
                        found = Some(tracker);
                    }
                });
                found
            }
        }
    }

    /// Passes an observation to its criterion. Ignores observations that belong to none: names,
    /// probes, uses and the end of the warm-up are handled by the monitor.
    pub fn observe(
        &mut self,
        at: Time,
        observation: &Observation,
        names: &Names,
        out: &mut Outbox,
    ) {
        use Observation as O;
        match *observation {
            O::Lateness { party, delay, frames } => {
                self.lateness.late(at, party, delay, frames, out);
            }
            O::Pause { lasted } => self.lateness.paused(at, lasted, out),
            O::Drops { cause, party, frames } => {
                self.drops.lost(at, ResourceId::Losses(cause), party, frames, out);
            }
            O::Overrun { of, party, packets } => {
                self.buffers.lost(at, ResourceId::Buffer(of, party), party, packets, out);
            }
            O::CpuSwitch { cpu, to } => self.cpus.switch(at, cpu, to, out),
            O::CpuInterval { cpu, over, idle } => self.cpus.interval(at, cpu, over, idle, out),
            O::CpuStretch { cpu, ref stretch } => self.cpus.stretch(at, cpu, stretch, out),
            O::Waited { party, began, ended, carried, by } => {
                self.run_queues.waited(at, party, (began, ended), carried, by, out);
            }
            O::RunQueue { party, delay, times } => {
                self.run_queues.waited_about(at, party, delay, times, out);
            }
            O::Forwarded { route, party, size, over } => {
                self.network.forwarded(at, route, party, size, over, out);
            }
            O::Paged { direction, cause, party, pages, over } => {
                self.memory.paged(at, (direction, cause), party, pages, over, out);
            }
            O::DiskIssued { disk, party } => self.disks.issued(at, disk, party, out),
            O::DiskCompleted { disk } => self.disks.completed(at, disk, out),
            O::DiskInterval { disk, over, idle } => self.disks.interval(at, disk, over, idle, out),
            O::DiskStretch { disk, ref stretch } => self.disks.stretch(at, disk, stretch, out),
            O::Steal { cpu, stolen, over } => {
                self.steal.took(at, ResourceId::Cpu(cpu), Party::Hypervisor, stolen, over, out);
            }
            O::Stalled { of, party, stalled, over } => {
                let place = ResourceId::Pressure(of, party);
                self.pressure.took(at, place, party, stalled, over, out);
            }
            O::Metric { metric, party, value } => {
                let name = names.of(Subject::Metric(metric));
                self.applications.reported(at, (metric, &name), party, value, out);
            }
            O::Event { late } => self.timeline.happened(at, late, out),
            O::MissedEvent { due_for } => self.timeline.missed(at, due_for, out),
            O::Simulated { period, took } => self.simulation.followed(at, period, took, out),
            O::Compared { delay, throughput } => {
                self.divergence.compared(at, delay, throughput, out);
            }
            O::ClockBound { machine, bound, limit } => {
                self.machines.bounded(at, machine, bound, limit, out);
            }
            O::Uncovered { pipe, lacks } => self.machines.uncovered(at, pipe, lacks, out),
            O::ChangedLate { late } => self.machines.changed_late(at, late, out),
            O::Frames(_)
            | O::Named { .. }
            | O::Watched { .. }
            | O::Unwatched { .. }
            | O::Threshold { .. }
            | O::Settled
            | O::Looked
            | O::Used { .. } => {}
        }
    }
}
