//! How the machine's scheduler treats a worker thread. Not here: what the worker does with its time.

use netloom_units::{Duration, Time};
use nix::errno::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How urgent a worker thread is to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// Ahead of all ordinary threads (`SCHED_FIFO`, lowest priority).
    RealTime,
    /// An ordinary thread with a larger share (nice −15).
    Favoured,
    /// An ordinary thread.
    #[default]
    Normal,
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
pub(crate) struct Urgency {
    /// What the machine permits.
    granted: Scheduling,
    now: Scheduling,
    /// For how long it was awake, less what its sleep has made up for; at most [`PATIENCE`].
    awake: Duration,
    /// Until when that is counted.
    known: Time,
}

const PATIENCE: Duration = Duration::from_millis(100);
/// A sleep makes up for so many times its length: a worker that sleeps a tenth of the time stays urgent.
const RESTS: u64 = 9;

impl Urgency {
    /// For the calling thread, which gets `wanted` or what the machine permits of it.
    pub fn new(wanted: Scheduling, now: Time) -> Self {
        let granted = wanted.enter();
        Self { granted, now: granted, awake: Duration::ZERO, known: now }
    }

    /// Of a thread that has not begun.
    pub fn none(now: Time) -> Self {
        let (granted, awake) = (Scheduling::Normal, Duration::ZERO);
        Self { granted, now: granted, awake, known: now }
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
        self.awake = Duration::from_nanos(self.awake.as_nanos().saturating_sub(rested));
        self.known = now;
        // Half, so that it does not change with every sleep.
        if self.now != self.granted && self.awake.as_nanos() < PATIENCE.as_nanos() / 2 {
            self.now = self.granted.enter();
        }
    }

    /// The thread is still awake.
    #[inline]
    pub fn awake(&mut self, now: Time) {
        self.awake += now.since(self.known);
        self.known = now;
        if self.awake > PATIENCE {
            self.awake = PATIENCE;
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
            let mut urgency = Urgency::new(Scheduling::RealTime, at(0));
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
            let mut urgency = Urgency::new(Scheduling::RealTime, at(0));
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
    fn an_ordinary_worker_stays_one() {
        in_thread(|| {
            let mut urgency = Urgency::new(Scheduling::Normal, at(0));
            urgency.awake(at(1000));
            urgency.slept(at(1000), at(1001));
            assert_eq!((urgency.granted(), policy_now()), (Scheduling::Normal, libc::SCHED_OTHER));
        });
    }
}
