//! How the machine's scheduler treats a worker thread. Not here: what the worker does with its time.

use netloom_units::{Dilation, Duration, Time};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// How urgent a worker thread is to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheduling {
    /// Ahead of all ordinary threads (`SCHED_FIFO`, lowest priority).
    RealTime,
    /// An ordinary thread with a larger share (nice −15).
    Favoured,
    /// An ordinary thread.
    #[default]
    Normal,
}

/// Where a worker thread is to run, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkerPlace {
    /// What the owner wants.
    pub scheduling: Scheduling,
    /// The CPU that is for workers alone.
    pub dedicated_cpu: Option<usize>,
}

/// Binds the calling thread to a CPU.
pub(crate) fn stay_on(cpu: usize) -> Result<(), Errno> {
    let mut cpus = CpuSet::new();
    cpus.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &cpus)
}

/// Of real-time workers: the lowest there is.
const PRIORITY: libc::c_int = 1;
const NICE: libc::c_int = -15;

impl Scheduling {
    /// Gives the calling thread this class, or the next one down that the machine permits.
    pub fn enter(self) -> Self {
        let attempts = match self {
            Self::RealTime => &[Self::RealTime, Self::Favoured][..],
            Self::Favoured => &[Self::Favoured],
            Self::Normal => &[],
        };
        let permitted = attempts.iter().find(|class| class.set().is_ok());
        permitted.copied().unwrap_or(Self::Normal)
    }

    /// Gives the calling thread this class, or the next one down that the machine permits, and in it a
    /// place ahead of the workers: for a thread that runs for microseconds.
    pub(crate) fn enter_ahead(self) {
        if self.enter() == Self::RealTime {
            // Permitted, since the class was.
            let _ = policy(libc::SCHED_FIFO, PRIORITY + 1);
        }
    }

    fn set(self) -> Result<(), Errno> {
        match self {
            Self::RealTime => policy(libc::SCHED_FIFO, PRIORITY),
            Self::Favoured => {
                policy(libc::SCHED_OTHER, 0)?;
                // SAFETY: takes numbers only; 0 is the calling thread.
                Errno::result(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) }).map(drop)
            }
            Self::Normal => policy(libc::SCHED_OTHER, 0),
        }
    }
}

fn policy(policy: libc::c_int, priority: libc::c_int) -> Result<(), Errno> {
    // SAFETY: all zeros are valid parameters.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    let policy = policy | libc::SCHED_RESET_ON_FORK;
    // SAFETY: 0 is the calling thread; the kernel reads the parameters, which outlive the call.
    Errno::result(unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) }).map(drop)
}

/// Keeps a real-time worker from starving the machine: one that has been awake for [`PATIENCE`] more than its
/// sleep makes up for is an ordinary, favoured thread until it has slept enough. What is awake that long has more
/// to do than to be in time. The kernel stops a real-time thread that leaves others less than a twentieth of a
/// CPU, and that for 50 ms in one piece.
#[derive(Debug)]
pub struct Urgency {
    /// What the machine permits.
    granted: Scheduling,
    now: Scheduling,
    /// [`PATIENCE`] and [`SPREE`], in the time of the experiment.
    patience: Duration,
    spree: Duration,
    /// For how long it was awake, less what its sleep has made up for; at most its patience.
    awake: Duration,
    /// For how much longer it was awake than it slept; at most twice its spree.
    ahead: Duration,
    /// Until when that is counted.
    known: Time,
}

const PATIENCE: Duration = Duration::from_millis(100);
/// By how much a worker on a CPU of its own may be more awake than asleep. (One that slept only as much as keeps its class
/// was stopped by the kernel for 50 ms in one piece: frames of the abilene example were 54 to 56 ms late.)
const SPREE: Duration = Duration::from_millis(10);
/// A sleep makes up for so many times its length: a worker that sleeps a tenth of the time stays urgent.
const RESTS: u64 = 9;

impl Urgency {
    /// For the calling thread, which gets `wanted` or what the machine permits of it. Times are
    /// those of an experiment with this `dilation`.
    pub fn new(wanted: Scheduling, now: Time, dilation: Dilation) -> Self {
        Self {
            patience: dilation.to_experiment(PATIENCE),
            spree: dilation.to_experiment(SPREE),
            ..Self::of(wanted.enter(), now)
        }
    }

    /// Of a thread that has not begun.
    pub fn none(now: Time) -> Self {
        Self::of(Scheduling::Normal, now)
    }

    fn of(granted: Scheduling, now: Time) -> Self {
        let (awake, ahead) = (Duration::ZERO, Duration::ZERO);
        let (patience, spree) = (PATIENCE, SPREE);
        Self { granted, now: granted, patience, spree, awake, ahead, known: now }
    }

    /// Whether the thread has been awake for longer than it slept, by a spree. A worker that has a CPU for itself sleeps
    /// then rather than wait awake: it keeps its class, and nobody keeps it from waking in time.
    #[inline]
    pub fn is_on_a_spree(&self) -> bool {
        self.ahead > self.spree
    }

    /// What the machine permits.
    pub fn granted(&self) -> Scheduling {
        self.granted
    }

    /// The thread has slept from `since` until `now`.
    #[inline]
    pub fn slept(&mut self, since: Time, now: Time) {
        self.awake(since);
        let rested = now.since(since).as_nanos().saturating_mul(RESTS);
        self.awake = self.awake.saturating_sub(Duration::from_nanos(rested));
        self.ahead = self.ahead.saturating_sub(now.since(since));
        self.known = now;
        // Half, so that it does not change with every sleep.
        if self.now != self.granted && self.awake.as_nanos() < self.patience.as_nanos() / 2 {
            self.now = self.granted.enter();
        }
    }

    /// The thread is still awake.
    #[inline]
    pub fn awake(&mut self, now: Time) {
        let lasted = now.since(self.known);
        self.awake += lasted;
        self.ahead = (self.ahead + lasted).min(self.spree + self.spree);
        self.known = now;
        if self.awake > self.patience {
            self.awake = self.patience;
            if self.now == Scheduling::RealTime {
                self.now = Scheduling::Favoured.enter();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// The calling thread's policy.
    fn policy_now() -> libc::c_int {
        // SAFETY: 0 is the calling thread.
        unsafe { libc::sched_getscheduler(0) & !libc::SCHED_RESET_ON_FORK }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// In a thread of its own, because the class is the thread's.
    fn in_thread(work: impl FnOnce() + Send + 'static) {
        thread::spawn(work).join().unwrap();
    }

    #[test]
    fn a_worker_that_does_not_sleep_is_not_real_time_until_it_does() {
        in_thread(|| {
            let mut urgency = Urgency::new(Scheduling::RealTime, at(0), Dilation::NONE);
            if urgency.granted() != Scheduling::RealTime {
                eprintln!("SKIPPED: this machine permits no real-time threads");
                return;
            }
            urgency.awake(at(100));
            assert_eq!(policy_now(), libc::SCHED_FIFO);
            urgency.awake(at(101));
            assert_eq!(policy_now(), libc::SCHED_OTHER);
            urgency.slept(at(101), at(102));
            assert_eq!(policy_now(), libc::SCHED_OTHER);
            urgency.slept(at(102), at(112));
            assert_eq!(policy_now(), libc::SCHED_FIFO);
            urgency.awake(at(211));
            assert_eq!(policy_now(), libc::SCHED_FIFO);
            assert_eq!(urgency.granted(), Scheduling::RealTime);
        });
    }

    #[test]
    fn short_sleeps_are_not_enough() {
        in_thread(|| {
            let mut urgency = Urgency::new(Scheduling::RealTime, at(0), Dilation::NONE);
            if urgency.granted() != Scheduling::RealTime {
                eprintln!("SKIPPED: this machine permits no real-time threads");
                return;
            }
            // A twentieth of the time.
            for period in 0..20 {
                urgency.slept(at(period * 20 + 19), at(period * 20 + 20));
            }
            assert_eq!(policy_now(), libc::SCHED_OTHER);
        });
    }

    #[test]
    fn sleep_makes_up_for_a_spree() {
        let mut urgency = Urgency::none(at(0));
        urgency.awake(at(10));
        assert!(!urgency.is_on_a_spree());
        urgency.awake(at(11));
        assert!(urgency.is_on_a_spree());
        urgency.slept(at(11), at(12));
        assert!(!urgency.is_on_a_spree());
        // What was long ago does not count.
        urgency.awake(at(1000));
        urgency.slept(at(1000), at(1010));
        assert!(!urgency.is_on_a_spree());
    }

    #[test]
    fn an_ordinary_worker_stays_one() {
        in_thread(|| {
            let mut urgency = Urgency::new(Scheduling::Normal, at(0), Dilation::NONE);
            urgency.awake(at(1000));
            urgency.slept(at(1000), at(1001));
            assert_eq!((urgency.granted(), policy_now()), (Scheduling::Normal, libc::SCHED_OTHER));
        });
    }
}
