//! How late sleeping threads wake, of the class that the data plane's workers have.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Result;
use netloom_dataplane::{Scheduling, measure_wake_ups};
use netloom_profile::WakeUps;
use netloom_units::Duration;

/// How long each sleep is: the workers' are about as long while frames are under way.
const PERIOD: Duration = Duration::from_millis(1);

/// Sleeps over and over for as long as `lasts`, beside whatever the machine does.
///
/// # Errors
/// If there are no more threads to be had.
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

/// The same beside an ordinary thread for each CPU that computes without a break.
///
/// # Errors
/// If there are no more threads to be had.
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
