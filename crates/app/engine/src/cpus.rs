//! CPUs that are dedicated to workers. Not here: how a worker stays on its own
//! (`netloom-dataplane`).

use anyhow::{Context, Result};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The CPUs of the workers, or the reason why none could be dedicated.
#[derive(Debug, Default, PartialEq)]
pub struct Dedicated {
    /// Numbers of the CPUs.
    pub cpus: Vec<usize>,
    /// The reason, in words for the user.
    pub problem: Option<String>,
}

impl Dedicated {
    /// Keeps the calling thread, and all threads and processes that it starts from now on, off
    /// `wanted` of the CPUs that it may use.
    pub fn set_apart(wanted: usize) -> Result<Self> {
        if wanted == 0 {
            return Ok(Self::default());
        }
        let this = Pid::from_raw(0);
        let allowed = sched_getaffinity(this).context("cannot find out which CPUs there are")?;
        let is_allowed = |cpu: &usize| allowed.is_set(*cpu).unwrap_or(false);
        let dedicated = Self::of((0..CpuSet::count()).filter(is_allowed).collect(), wanted);
        let mut others = allowed;
        dedicated.cpus.iter().try_for_each(|cpu| others.unset(*cpu))?;
        sched_setaffinity(this, &others).context("cannot keep off the workers' CPUs")?;
        Ok(dedicated)
    }

    /// Chooses the last CPUs: the kernel's own work, interrupts above all, tends to be on the
    /// first.
    fn of(mut allowed: Vec<usize>, wanted: usize) -> Self {
        let there = allowed.len();
        if wanted >= there {
            let problem = format!(
                "workers share all CPUs with the nodes: `dedicated_cpus: {wanted}` leaves none \
                 of the {there} that the engine may use to the nodes; ask for fewer in \
                 `workers`, or leave it out"
            );
            return Self { cpus: Vec::new(), problem: Some(problem) };
        }
        Self { cpus: allowed.split_off(there - wanted), problem: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cpus_are_the_workers() {
        let dedicated = Dedicated::of(vec![0, 2, 3, 7], 2);
        assert_eq!(dedicated, Dedicated { cpus: vec![3, 7], problem: None });
    }

    #[test]
    fn nodes_keep_a_cpu() {
        let dedicated = Dedicated::of(vec![4, 5], 2);
        assert_eq!(dedicated.cpus, Vec::<usize>::new());
        assert!(dedicated.problem.unwrap().contains("none of the 2 "));
    }

    #[test]
    fn what_is_started_later_keeps_off() {
        // In a thread of its own, because the affinity belongs to the thread.
        let threads = std::thread::spawn(|| {
            let before = sched_getaffinity(Pid::from_raw(0)).unwrap();
            let dedicated = Dedicated::set_apart(1).unwrap();
            let child = std::thread::spawn(|| sched_getaffinity(Pid::from_raw(0)).unwrap());
            (before, dedicated, child.join().unwrap())
        });
        let (mut before, dedicated, child) = threads.join().unwrap();
        dedicated.cpus.iter().for_each(|cpu| before.unset(*cpu).unwrap());
        assert_eq!(child, before);
        assert_eq!(dedicated.cpus.len() == 1, dedicated.problem.is_none());
    }
}
