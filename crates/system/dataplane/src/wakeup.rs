//! Threads that are woken periodically and measure how late that happens: an ordinary one, which
//! measures the machine's own timers, and the pulse, which has the class of the workers: whatever
//! keeps it from running delays them too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use netloom_units::{Duration, Time};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};

use crate::scheduling::Scheduling;
use crate::thread_clock::ThreadClock;
use crate::timing::{Latencies, LatencySummary};
use crate::{Clock, DataplaneError};

/// Period of the ordinary thread.
const WAKE_UP: Duration = Duration::from_millis(10);
/// Period of the pulse: this much of a pause may be missed. A beat costs 20 to 50 µs, or more if
/// interrupts are charged to it. Then beats are further apart.
const BEAT: Duration = Duration::from_millis(20);
/// Longest period of expensive beats.
const LONGEST: Duration = Duration::from_millis(50);
/// Beats may use one of this many parts of a CPU: 0.2 %.
const PARTS: u64 = 500;
/// Number of beats after which their cost is known.
const RECKONED: u64 = 50;

/// Measures how late an ordinary thread is woken.
#[derive(Debug)]
pub(crate) struct WakeupProbe {
    latencies: Arc<Mutex<Latencies>>,
    _ticker: Ticker,
}

impl WakeupProbe {
    pub fn start(clock: Clock) -> Result<Self, DataplaneError> {
        let latencies = Arc::new(Mutex::new(Latencies::default()));
        let results = Arc::clone(&latencies);
        let start = (clock, "netloom-wakeup", WAKE_UP);
        let ticker = Ticker::start(start, Scheduling::Normal, move |_, late, _| {
            results.lock().unwrap_or_else(PoisonError::into_inner).record(late, 1);
            WAKE_UP
        })?;
        Ok(Self { latencies, _ticker: ticker })
    }

    pub fn summary(&self) -> LatencySummary {
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner).summary()
    }
}

/// Measures pauses of the engine: times in which a thread with the class of its workers should run
/// and did not.
#[derive(Debug)]
pub(crate) struct Pulse {
    pauses: Arc<Mutex<Vec<(Time, Duration)>>>,
    ticker: Ticker,
}

/// Largest number of pauses that are kept. They are taken every few ms, so there is rarely more
/// than one.
const PAUSES: usize = 1000;

impl Pulse {
    /// Records pauses longer than `limit`.
    pub fn start(
        clock: Clock,
        scheduling: Scheduling,
        limit: Duration,
    ) -> Result<Self, DataplaneError> {
        let pauses = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&pauses);
        let start = (clock, "netloom-pulse", BEAT);
        let mut pace = Pace::default();
        let ticker = Ticker::start(start, scheduling, move |at, late, time| {
            if late > limit {
                let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                if noted.len() < PAUSES {
                    noted.push((at, late));
                }
            }
            pace.next(time)
        })?;
        Ok(Self { pauses, ticker })
    }

    /// Returns the end and the duration of each pause since the last call.
    pub fn take(&self) -> Vec<(Time, Duration)> {
        std::mem::take(&mut self.pauses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the CPU time of its thread.
    pub fn cpu_time(&self) -> Duration {
        self.ticker.cpu_time()
    }
}

/// Period of beats, depending on their cost.
#[derive(Debug)]
struct Pace {
    beats: u64,
    /// CPU time when the period was last computed.
    cpu_time: Duration,
    interval: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { beats: 0, cpu_time: Duration::ZERO, interval: BEAT }
    }
}

impl Pace {
    /// Returns the time until the next beat. `cpu_time` is the CPU time of the thread so far.
    fn next(&mut self, cpu_time: impl FnOnce() -> Duration) -> Duration {
        self.beats += 1;
        if self.beats.is_multiple_of(RECKONED) {
            let now = cpu_time();
            let used = now.saturating_sub(std::mem::replace(&mut self.cpu_time, now));
            let each = Duration::from_nanos(used.as_nanos() / RECKONED * PARTS);
            self.interval = each.clamp(BEAT, LONGEST);
        }
        self.interval
    }
}

/// A thread that wakes periodically. It ends when it is dropped. Its period is in the machine's
/// time, because its cost is too.
#[derive(Debug)]
struct Ticker {
    time: Arc<OnceLock<ThreadClock>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts the thread, which first wakes after `first`. `note` receives the time at which the
    /// thread woke, how late that was, and a function that returns its CPU time; it returns the
    /// time until the next wake-up.
    fn start(
        (clock, name, first): (Clock, &str, Duration),
        scheduling: Scheduling,
        mut note: impl FnMut(Time, Duration, &dyn Fn() -> Duration) -> Duration + Send + 'static,
    ) -> Result<Self, DataplaneError> {
        let (time, stop) = (Arc::new(OnceLock::new()), Arc::new(AtomicBool::new(false)));
        let (own, ended) = (Arc::clone(&time), Arc::clone(&stop));
        let thread = thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                scheduling.enter_ahead();
                exact_timers();
                let time = own.get_or_init(ThreadClock::of_this_thread);
                let cpu_time = || time.read().unwrap_or_default();
                tick(clock, first, &ended, &mut |at, late| note(at, late, &cpu_time));
            })
            .map_err(DataplaneError::system("start a wake-up probe"))?;
        Ok(Self { time, stop, thread: Some(thread) })
    }

    fn cpu_time(&self) -> Duration {
        self.time.get().and_then(|clock| clock.read()).unwrap_or_default()
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic there needs no report here.
            let _ = thread.join();
        }
    }
}

fn tick(
    clock: Clock,
    first: Duration,
    ended: &AtomicBool,
    note: &mut dyn FnMut(Time, Duration) -> Duration,
) {
    let mut interval = first;
    let mut next = clock.now();
    while !ended.load(Ordering::Relaxed) {
        let step = clock.dilation().to_experiment(interval);
        next += step;
        let now = clock.now();
        if next <= now {
            // Do not catch up after a long pause: one sample has recorded it.
            next = now + step;
        }
        if let Some(woke) = sleep_until(clock, next) {
            interval = note(woke, woke.since(next));
        }
    }
}

/// Repeats sleeps of `period` for the time `lasts`, in a thread with the class `wanted`, or the
/// next lower one that the machine permits. Returns that class, and how late the thread woke.
///
/// # Errors
/// The thread cannot be started.
pub fn measure_wake_ups(
    wanted: Scheduling,
    period: Duration,
    lasts: Duration,
) -> Result<(Scheduling, LatencySummary), DataplaneError> {
    thread::scope(|scope| {
        let measured = thread::Builder::new()
            .name("netloom-wake-ups".into())
            .spawn_scoped(scope, || sleep(wanted, period, lasts))
            .map_err(DataplaneError::system("start a thread that measures wake-ups"))?;
        Ok(measured.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn sleep(wanted: Scheduling, period: Duration, lasts: Duration) -> (Scheduling, LatencySummary) {
    let granted = wanted.enter();
    exact_timers();
    let clock = Clock::since(Instant::now());
    let (end, mut late) = (Time::ZERO + lasts, Latencies::default());
    while clock.now() < end {
        let next = clock.now() + period;
        if let Some(woke) = sleep_until(clock, next) {
            late.record(woke.since(next), 1);
        }
    }
    (granted, late.summary())
}

/// Sleeps until `time`. Returns the time at which the thread woke, or `None` if a signal woke it.
fn sleep_until(clock: Clock, time: Time) -> Option<Time> {
    let until = TimeSpec::from_duration(std::time::Duration::from_nanos(clock.on_machine(time)));
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until).ok().map(|_| clock.now())
}

/// Makes the kernel not round this thread's timers.
pub(crate) fn exact_timers() {
    // Cannot fail with a positive slack. If it did, wake-ups would be 50 µs later.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_are_rarer_while_they_are_dear() {
        let (mut pace, mut cpu_time) = (Pace::default(), Duration::ZERO);
        let mut second = |each_us| {
            let intervals = (0..RECKONED).map(|_| {
                cpu_time += Duration::from_micros(each_us);
                pace.next(|| cpu_time)
            });
            intervals.last().unwrap()
        };
        let intervals =
            [10, 40, 60, 1000, 40].map(|each_us| second(each_us).as_nanos() / 1_000_000);
        assert_eq!(intervals, [20, 20, 30, 50, 20]);
    }

    #[test]
    fn every_sleep_is_measured() {
        let (period, lasts) = (Duration::from_millis(1), Duration::from_millis(50));
        let (scheduling, late) = measure_wake_ups(Scheduling::Normal, period, lasts).unwrap();
        assert_eq!(scheduling, Scheduling::Normal);
        assert!((1..=50).contains(&late.count), "{late:?}");
        assert!(late.p50_ns <= late.max_ns);
    }
}
