//! Measures how late sleeping threads wake that have the scheduling class of the data plane's
//! workers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Result;
use netloom_dataplane::{Scheduling, measure_wake_ups};
use netloom_profile::WakeUps;
use netloom_units::Duration;

/// Length of each sleep. Workers sleep about as long while frames are under way.
const PERIOD: Duration = Duration::from_millis(1);

/// Measures wake-ups for as long as `lasts`, beside whatever the machine does.
///
/// # Errors
/// If a thread cannot be created.
pub fn idle(lasts: Duration) -> Result<WakeUps> {
    let (scheduling, late) = measure_wake_ups(Scheduling::RealTime, PERIOD, lasts)?;
    Ok(WakeUps {
        scheduling: class(scheduling),
        count: late.count,
        p50_us: late.p50_ns as f64 / 1e3,
        p99_us: late.p99_ns as f64 / 1e3,
        max_us: late.max_ns as f64 / 1e3,
    })
}

/// Measures wake-ups like [`idle`], beside an ordinary thread for each CPU that computes without a
/// break.
///
/// # Errors
/// If a thread cannot be created.
pub fn busy(lasts: Duration) -> Result<WakeUps> {
    let stop = AtomicBool::new(false);
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cpus {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let measured = idle(lasts);
        stop.store(true, Ordering::Relaxed);
        measured
    })
}

fn class(scheduling: Scheduling) -> netloom_profile::Scheduling {
    match scheduling {
        Scheduling::RealTime => netloom_profile::Scheduling::RealTime,
        Scheduling::Favoured => netloom_profile::Scheduling::Favoured,
        Scheduling::Normal => netloom_profile::Scheduling::Normal,
    }
}
