//! Threads that ask to be woken from time to time and see how late they are: an ordinary one, by which the
//! machine's own timers are known, and the pulse, as urgent as the workers: what keeps it from running keeps
//! them too.

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

/// Between two wake-ups of the ordinary thread.
const WAKE_UP: Duration = Duration::from_millis(10);
/// Between two beats of the pulse: so much of a pause may be missed. A beat costs 20 to 50 µs, or more where it is charged
/// with interrupts: then beats are further apart.
const BEAT: Duration = Duration::from_millis(20);
/// Between two that are dear, at most.
const LONGEST: Duration = Duration::from_millis(50);
/// Of a CPU beats may use one of so many parts: 0.2 %.
const PARTS: u64 = 500;
/// After so many, what they cost is known.
const RECKONED: u64 = 50;

/// How late an ordinary thread is woken.
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

/// Pauses of the engine: times in which a thread as urgent as its workers wanted to run and did not.
#[derive(Debug)]
pub(crate) struct Pulse {
    pauses: Arc<Mutex<Vec<(Time, Duration)>>>,
    ticker: Ticker,
}

/// Pauses kept. Taken every few ms, there is rarely more than one.
const PAUSES: usize = 1000;

impl Pulse {
    /// Notes pauses longer than `limit`.
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

    /// When each ended and how long it lasted, since the last call.
    pub fn take(&self) -> Vec<(Time, Duration)> {
        std::mem::take(&mut self.pauses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The CPU time of its thread.
    pub fn cpu_time(&self) -> Duration {
        self.ticker.cpu_time()
    }
}

/// How far apart beats are, by what they cost.
#[derive(Debug)]
struct Pace {
    beats: u64,
    /// When it was last reckoned.
    cpu_time: Duration,
    interval: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { beats: 0, cpu_time: Duration::ZERO, interval: BEAT }
    }
}

impl Pace {
    /// When the next beat is due after this one, of a thread that has used so much `cpu_time`.
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

/// A thread that wakes again and again; ends when it is dropped. How far apart that is, is the
/// machine's time: that is what it costs.
#[derive(Debug)]
struct Ticker {
    time: Arc<OnceLock<ThreadClock>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// `note` is told when the thread woke and how late that was, and can ask for its CPU time; it says when the thread is
    /// to wake again. The first time, that is after `first`.
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
            // A panic there has nothing to tell here.
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
            // Do not hurry through what a long pause made us miss: one sample told of it.
            next = now + step;
        }
        if let Some(woke) = sleep_until(clock, next) {
            interval = note(woke, woke.since(next));
        }
    }
}

/// Sleeps `period` over and over for as long as `lasts`, in a thread of its own and of the class `wanted`, or
/// the next one down that the machine permits; which one that was, and how late the thread woke.
///
/// # Errors
/// If the thread cannot be started.
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

/// Sleeps until `time`; when the thread woke, unless a signal woke it before.
fn sleep_until(clock: Clock, time: Time) -> Option<Time> {
    let until = TimeSpec::from_duration(std::time::Duration::from_nanos(clock.on_machine(time)));
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until).ok().map(|_| clock.now())
}

/// Asks the kernel not to round this thread's timers.
pub(crate) fn exact_timers() {
    // Cannot fail with a positive slack; if it did, wake-ups would be 50 µs later.
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
