//! Scheduling class of worker threads. Not here: what workers do with their time.

use netloom_units::{Dilation, Duration, Time};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Scheduling class of a worker thread.
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

/// CPU and scheduling class of a worker thread.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkerPlace {
    /// Scheduling class that the owner wants.
    pub scheduling: Scheduling,
    /// CPU that only this worker uses.
    pub dedicated_cpu: Option<usize>,
}

/// Binds the calling thread to a CPU.
pub(crate) fn stay_on(cpu: usize) -> Result<(), Errno> {
    let mut cpus = CpuSet::new();
    cpus.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &cpus)
}

/// Lowest priority of real-time threads.
const PRIORITY: libc::c_int = 1;
const NICE: libc::c_int = -15;

impl Scheduling {
    /// Gives the calling thread this class, or the next lower one that the machine permits.
    pub fn enter(self) -> Self {
        let attempts = match self {
            Self::RealTime => &[Self::RealTime, Self::Favoured][..],
            Self::Favoured => &[Self::Favoured],
            Self::Normal => &[],
        };
        let permitted = attempts.iter().find(|class| class.set().is_ok());
        permitted.copied().unwrap_or(Self::Normal)
    }

    /// Gives the calling thread this class, or the next lower one that the machine permits, with a
    /// priority above the workers'. For a thread that runs for microseconds.
    pub(crate) fn enter_ahead(self) {
        if self.enter() == Self::RealTime {
            // Permitted, because the class was.
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

/// Real-time budget of a worker, which keeps it from starving the machine. A worker that has been
/// awake for 100 ms longer than its sleep makes up for becomes an ordinary, favoured thread
/// until it has slept enough. A worker that is awake for so long has too much work to keep its
/// times anyway. The kernel stops a real-time thread that leaves others less than a twentieth of a
/// CPU, for 50 ms at a time.
#[derive(Debug)]
pub struct RealTimeBudget {
    /// Class that the machine permits.
    granted: Scheduling,
    now: Scheduling,
    /// [`MOST_AWAKE`] and [`MOST_AHEAD`], in the experiment's time.
    most_awake: Duration,
    most_ahead: Duration,
    /// Time awake, minus what sleep has made up for; at most `patience`.
    awake: Duration,
    /// Time awake minus time asleep; at most twice `spree`.
    ahead: Duration,
    /// Time up to which both are counted.
    known: Time,
}

const MOST_AWAKE: Duration = Duration::from_millis(100);
/// Time by which a worker on a dedicated CPU may be awake for longer than it sleeps. Without this
/// limit, a worker that sleeps only as much as keeps its class would be stopped by the kernel for
/// 50 ms at a time.
const MOST_AHEAD: Duration = Duration::from_millis(10);
/// Factor by which a sleep makes up for time awake: a worker that sleeps a tenth of the time keeps
/// its class.
const SLEEP_FACTOR: u64 = 9;

impl RealTimeBudget {
    /// Creates the budget of the calling thread, and gives the thread the class `wanted`, or the
    /// best one that the machine permits. Times are those of an experiment with this `dilation`.
    pub fn new(wanted: Scheduling, now: Time, dilation: Dilation) -> Self {
        Self {
            most_awake: dilation.to_experiment(MOST_AWAKE),
            most_ahead: dilation.to_experiment(MOST_AHEAD),
            ..Self::of(wanted.enter(), now)
        }
    }

    /// Creates the budget of a thread that has not begun.
    pub fn none(now: Time) -> Self {
        Self::of(Scheduling::Normal, now)
    }

    fn of(granted: Scheduling, now: Time) -> Self {
        let (awake, ahead) = (Duration::ZERO, Duration::ZERO);
        let (most_awake, most_ahead) = (MOST_AWAKE, MOST_AHEAD);
        Self { granted, now: granted, most_awake, most_ahead, awake, ahead, known: now }
    }

    /// Whether the thread has been awake for longer than it slept, by more than a spree. A worker
    /// on a dedicated CPU then sleeps instead of waiting awake: it keeps its class, and nothing
    /// delays its wake-up.
    #[inline]
    pub fn is_far_ahead(&self) -> bool {
        self.ahead > self.most_ahead
    }

    /// Returns the class that the machine permits.
    pub fn granted(&self) -> Scheduling {
        self.granted
    }

    /// Records that the thread slept from `since` until `now`.
    #[inline]
    pub fn slept(&mut self, since: Time, now: Time) {
        self.awake(since);
        let rested = now.since(since).as_nanos().saturating_mul(SLEEP_FACTOR);
        self.awake = self.awake.saturating_sub(Duration::from_nanos(rested));
        self.ahead = self.ahead.saturating_sub(now.since(since));
        self.known = now;
        // Half, so that the class does not change with every sleep.
        if self.now != self.granted && self.awake.as_nanos() < self.most_awake.as_nanos() / 2 {
            self.now = self.granted.enter();
        }
    }

    /// Records that the thread is still awake.
    #[inline]
    pub fn awake(&mut self, now: Time) {
        let lasted = now.since(self.known);
        self.awake += lasted;
        self.ahead = (self.ahead + lasted).min(self.most_ahead + self.most_ahead);
        self.known = now;
        if self.awake > self.most_awake {
            self.awake = self.most_awake;
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

    /// Returns the calling thread's policy.
    fn policy_now() -> libc::c_int {
        // SAFETY: 0 is the calling thread.
        unsafe { libc::sched_getscheduler(0) & !libc::SCHED_RESET_ON_FORK }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Runs `work` in a thread of its own, because the class belongs to the thread.
    fn in_thread(work: impl FnOnce() + Send + 'static) {
        thread::spawn(work).join().unwrap();
    }

    #[test]
    fn a_worker_that_does_not_sleep_is_not_real_time_until_it_does() {
        in_thread(|| {
            let mut budget = RealTimeBudget::new(Scheduling::RealTime, at(0), Dilation::NONE);
            if budget.granted() != Scheduling::RealTime {
                println!("skipped: this machine permits no real-time threads");
                return;
            }
            budget.awake(at(100));
            assert_eq!(policy_now(), libc::SCHED_FIFO);
            budget.awake(at(101));
            assert_eq!(policy_now(), libc::SCHED_OTHER);
            budget.slept(at(101), at(102));
            assert_eq!(policy_now(), libc::SCHED_OTHER);
            budget.slept(at(102), at(112));
            assert_eq!(policy_now(), libc::SCHED_FIFO);
            budget.awake(at(211));
            assert_eq!(policy_now(), libc::SCHED_FIFO);
            assert_eq!(budget.granted(), Scheduling::RealTime);
        });
    }

    #[test]
    fn short_sleeps_are_not_enough() {
        in_thread(|| {
            let mut budget = RealTimeBudget::new(Scheduling::RealTime, at(0), Dilation::NONE);
            if budget.granted() != Scheduling::RealTime {
                println!("skipped: this machine permits no real-time threads");
                return;
            }
            // Asleep for a twentieth of the time.
            for period in 0..20 {
                budget.slept(at(period * 20 + 19), at(period * 20 + 20));
            }
            assert_eq!(policy_now(), libc::SCHED_OTHER);
        });
    }

    #[test]
    fn sleep_makes_up_for_a_spree() {
        let mut budget = RealTimeBudget::none(at(0));
        budget.awake(at(10));
        assert!(!budget.is_far_ahead());
        budget.awake(at(11));
        assert!(budget.is_far_ahead());
        budget.slept(at(11), at(12));
        assert!(!budget.is_far_ahead());
        // Earlier times do not count.
        budget.awake(at(1000));
        budget.slept(at(1000), at(1010));
        assert!(!budget.is_far_ahead());
    }

    #[test]
    fn an_ordinary_worker_stays_one() {
        in_thread(|| {
            let mut budget = RealTimeBudget::new(Scheduling::Normal, at(0), Dilation::NONE);
            budget.awake(at(1000));
            budget.slept(at(1000), at(1001));
            assert_eq!((budget.granted(), policy_now()), (Scheduling::Normal, libc::SCHED_OTHER));
        });
    }
}
