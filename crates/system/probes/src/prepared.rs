//! The best probes of this machine, made ready in two steps.

use std::path::Path;

use netloom_units::Duration;

use crate::bpf::{
    Block, Kernel, Loader, Looking, Missing, PreparedBlock, PreparedScheduler, Scheduler, Tasks,
    Why,
};
use crate::cpu::Cpu;
use crate::disks::Disks;
use crate::places::Places;
use crate::probe::{Probe, Probes, always_polling};
use crate::processes::Processes;

/// The best probes that this machine permits, as far as they can be made ready before the nodes are
/// there: to have the kernel take programs takes tens of milliseconds.
pub struct Prepared {
    scheduler: Result<PreparedScheduler, Why>,
    block: Result<PreparedBlock, Why>,
    /// Without them, files are as good.
    tasks: Option<Tasks>,
}

impl Prepared {
    /// For so many nodes at most, of whose waits for a CPU those count that are longer than
    /// `tolerated`, with the process file system at `proc`.
    pub fn new(nodes: usize, tolerated: Duration, proc: &Path) -> Self {
        let kernel = Kernel::of_this_machine(nodes, tolerated, proc);
        let mut loader = Loader::new(&kernel);
        Self {
            scheduler: Scheduler::prepare(nodes, &mut loader),
            block: Block::prepare(&mut loader),
            tasks: Tasks::prepare(&mut loader).ok(),
        }
    }

    /// Begins to watch.
    pub fn start(self, places: &Places) -> Probes {
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
