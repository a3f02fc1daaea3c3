//! Selects the best probes for this machine, and prepares them in two steps.

use std::path::Path;

use netloom_units::Duration;

use crate::bpf::{
    Block, Kernel, Loader, Looking, Missing, PreparedBlock, PreparedScheduler, Scheduler, Tasks,
    Why,
};
use crate::cpu::Cpu;
use crate::disks::Disks;
use crate::neighbours::Neighbours;
use crate::places::ProcRoots;
use crate::pressure::Pressures;
use crate::probe::Probe;
use crate::probes::Probes;
use crate::processes::Processes;
use crate::refaults::Refaults;
use crate::softnet::Softnet;
use crate::uplinks::Uplinks;
use crate::vmstat::Vmstat;

/// The best probes that this machine permits, prepared as far as possible before the nodes exist:
/// loading programs into the kernel takes tens of milliseconds.
pub struct Prepared {
    scheduler: Result<PreparedScheduler, Why>,
    block: Result<PreparedBlock, Why>,
    /// `None` if the kernel refuses it. Then files are read instead, which serves as well.
    tasks: Option<Tasks>,
}

impl Prepared {
    /// Prepares probes for at most `nodes` nodes, whose waits for a CPU count if they are longer
    /// than `tolerated`. The process file system is at `proc`.
    pub fn new(nodes: usize, tolerated: Duration, proc: &Path) -> Self {
        let kernel = Kernel::of_this_machine(nodes, tolerated, proc);
        let mut loader = Loader::new(&kernel);
        Self {
            scheduler: Scheduler::prepare(nodes, &mut loader),
            block: Block::prepare(&mut loader),
            tasks: Tasks::prepare(&mut loader).ok(),
        }
    }

    /// Attaches the programs and returns all probes.
    pub fn start(self, places: &ProcRoots) -> Probes {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        let mut waits_polled = true;
        match self.scheduler.and_then(|prepared| Scheduler::start(prepared, places)) {
            Ok((scheduler, waits)) => {
                probes.push(Box::new(Looking::at(scheduler)));
                probes.push(Box::new(Cpu::only_steal(places)));
                waits_polled = waits.is_none();
                probes.extend(waits.map(|waits| Box::new(Looking::at(waits)) as Box<dyn Probe>));
            }
            Err(why) => {
                let (name, signals) = Scheduler::NAMED;
                probes.push(Box::new(Missing::new(name, signals, &why)));
                probes.push(Box::new(Cpu::new(places)));
            }
        }
        match self.block.and_then(|prepared| Block::start(prepared, places)) {
            Ok(block) => probes.push(Box::new(Looking::at(block))),
            Err(why) => {
                let (name, signals) = Block::NAMED;
                probes.push(Box::new(Missing::new(name, signals, &why)));
                probes.push(Box::new(Disks::new(places)));
            }
        }
        probes.push(Box::new(Processes::new(places, waits_polled, self.tasks)));
        probes.extend(always_polling(places));
        Probes::of(probes)
    }
}

impl Probes {
    /// The best probes that this machine permits: event-driven ones if possible, polling ones for
    /// the rest. Each signal that cannot be event-driven is reported with the reason.
    pub fn best(places: &ProcRoots) -> Self {
        Prepared::new(places.nodes.len(), places.tolerated_wait, &places.proc).start(places)
    }

    /// Polling probes of what a host has for all links: whether its CPUs have idle moments, and
    /// frames that the kernel loses. There are no nodes.
    pub fn of_a_host(places: &ProcRoots) -> Self {
        Self::of(vec![Box::new(Cpu::new(places)), Box::new(Softnet::new(places))])
    }

    /// All polling probes of this crate, and no others.
    pub fn polling(places: &ProcRoots) -> Self {
        let mut probes: Vec<Box<dyn Probe>> = vec![
            Box::new(Cpu::new(places)),
            Box::new(Processes::new(places, true, None)),
            Box::new(Disks::new(places)),
        ];
        probes.extend(always_polling(places));
        Self::of(probes)
    }
}

/// Probes that have no event-driven counterpart.
fn always_polling(places: &ProcRoots) -> [Box<dyn Probe>; 7] {
    [
        Box::new(Pressures::new(places)),
        Box::new(Refaults::new(places)),
        Box::new(Vmstat::new(places)),
        Box::new(Softnet::new(places)),
        Box::new(Neighbours::of_ipv4(places)),
        Box::new(Neighbours::of_ipv6(places)),
        Box::new(Uplinks::new(places)),
    ]
}
