//! How late the machine wakes a thread of the workers' class: what bounds the data plane's exactness.

use std::thread;
use std::time::Instant;

use netloom_units::{Duration, Time};

use crate::scheduling::Scheduling;
use crate::timing::{Latencies, LatencySummary, exact_timers, sleep_until};
use crate::{Clock, DataplaneError};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sleep_is_measured() {
        let (period, lasts) = (Duration::from_millis(1), Duration::from_millis(50));
        let (scheduling, late) = measure_wake_ups(Scheduling::Normal, period, lasts).unwrap();
        assert_eq!(scheduling, Scheduling::Normal);
        assert!((1..=50).contains(&late.count), "{late:?}");
        assert!(late.p50_ns <= late.max_ns);
    }
}
