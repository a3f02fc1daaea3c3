//! How many runs at a time: by CPUs and memory, and whether the disk has room for another.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_scenario::Threads;
use netloom_sweep::Mode;
use nix::sched::sched_getaffinity;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::statvfs::statvfs;
use nix::unistd::Pid;

use super::setup::Setup;
use crate::args;

/// Memory of a run, as a multiple of that of the largest so far.
const MARGIN: f64 = 1.3;

/// Room on the disk below which no run begins, in bytes.
const LEAST_DISK: u64 = 4 << 20;

/// How many runs at a time.
pub struct Room {
    /// Greatest number of runs at a time.
    pub jobs: usize,
    /// Whether memory may make them fewer.
    by_memory: bool,
    /// CPUs of this process.
    cpus: Vec<usize>,
    /// Whether each run has CPUs of its own.
    divides: bool,
}

impl Room {
    /// Returns how many runs there may be at a time.
    pub fn new(args: &args::Sweep, setup: &Setup) -> Result<Self> {
        let set = sched_getaffinity(Pid::from_raw(0)).context("cannot count the CPUs")?;
        let is_there = |cpu: &usize| set.is_set(*cpu).unwrap_or(false);
        let cpus: Vec<usize> = (0..nix::sched::CpuSet::count()).filter(is_there).collect();
        let is_simulated = setup.sweep.mode == Mode::Simulate;
        let machines = setup.machines.as_ref();
        if let Some(there) = machines.filter(|machines| machines.local.is_none()) {
            let jobs = there.list.len().max(1);
            return Ok(Self { jobs, by_memory: false, cpus, divides: false });
        }
        // Machines that are made on this one are no more than places here.
        let local = machines.and_then(|machines| NonZeroU32::new(machines.list.len() as u32));
        let wanted = match local.map(args::Jobs::Number).or(args.jobs) {
            None if is_simulated => args::Jobs::Auto,
            None => args::Jobs::Number(NonZeroU32::MIN),
            Some(wanted) => wanted,
        };
        let each = match is_simulated {
            true => threads(setup),
            false => args.cpus_each.get() as usize,
        };
        let most = (cpus.len() / each).max(1);
        let jobs = match wanted {
            args::Jobs::Auto => most,
            args::Jobs::Number(number) if is_simulated => number.get() as usize,
            args::Jobs::Number(number) => {
                let number = number.get() as usize;
                if number > most {
                    note!(
                        "note: {} CPUs bear {most} emulated run(s) of {each} CPUs at a time, not \
                         {number}; `--cpus-each` changes that",
                        cpus.len()
                    );
                }
                number.min(most)
            }
        };
        let by_memory = is_simulated && wanted == args::Jobs::Auto;
        Ok(Self { jobs, by_memory, cpus, divides: !is_simulated && jobs > 1 })
    }

    /// Whether several emulated runs are to be tested before they are trusted.
    pub fn is_to_be_tested(&self) -> bool {
        self.divides && self.jobs > 1
    }

    /// Halves the number of runs at a time.
    pub fn halve(&mut self) {
        self.jobs /= 2;
        self.divides &= self.jobs > 1;
    }

    /// Returns the CPUs of one of the runs at a time; none if it may have all.
    pub fn cpus(&self, slot: usize) -> Vec<usize> {
        if !self.divides {
            return Vec::new();
        }
        let each = self.cpus.len() / self.jobs;
        self.cpus[slot * each..(slot + 1) * each].to_vec()
    }

    /// Whether another run may begin beside `running` ones.
    pub fn bears_another(&self, running: usize) -> bool {
        if running == 0 || !self.by_memory {
            return true;
        }
        // Before the first run has ended, nobody knows what one takes.
        let largest = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss());
        let largest = largest as f64 * 1024.0 * MARGIN;
        largest > 0.0 && available().is_some_and(|available| available as f64 > largest)
    }
}

/// Returns the greatest number of threads of a simulated run.
fn threads(setup: &Setup) -> usize {
    let of = setup.loaded.iter().map(|loaded| match loaded.scenario.simulation.threads {
        Threads::Of(number) => number.get() as usize,
        Threads::Auto => usize::MAX,
    });
    of.max().unwrap_or(1)
}

/// Returns the memory that is free for new programs, in bytes, if the kernel knows.
fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Checks that a disk has room for the results of another run.
///
/// # Errors
/// If it is as good as full.
pub fn has_disk(folder: &Path) -> Result<()> {
    let disk = statvfs(folder).with_context(|| format!("cannot look at {}", folder.display()))?;
    let free = disk.blocks_available() * disk.fragment_size();
    if free < LEAST_DISK {
        bail!(
            "the disk of {} is full: {} kB are left, and a run needs {} kB at least; all finished \
             runs are kept: make room, and the same command goes on from here",
            folder.display(),
            free >> 10,
            LEAST_DISK >> 10
        );
    }
    Ok(())
}
