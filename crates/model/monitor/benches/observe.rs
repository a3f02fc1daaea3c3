//! Cost of an observation, compared with the least that anything could do with it: check its kind
//! and sum up. `cargo bench -p netloom-monitor`.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::hint::black_box;
use std::time::Instant;

use netloom_monitor::{Criteria, Monitor, Observation as O, Party, Route, Trust};
use netloom_units::{Duration, Size, Time};

const OBSERVATIONS: u64 = 1_000_000;
const NODES: u32 = 50;

fn main() {
    println!(
        "ns per observation, best of 5 runs of {OBSERVATIONS}; and as a multiple of reading it"
    );
    println!("{:<34}{:>8}{:>8}{:>10}", "observation", "ns", "×", "signals");
    let party = |n: u64| Party::Node((n % u64::from(NODES)) as u32);
    row("CPU switch", 2_000, |n| {
        // A CPU that is idle one time in four: a hundred thousand switches in 200 ms.
        O::CpuSwitch { cpu: (n % 4) as u32, to: (n / 4 % 4 != 0).then(|| party(n)) }
    });
    let traffic = |n| O::Forwarded {
        route: Route::Internal,
        party: party(n),
        size: Size::from_bytes(1500),
        over: Duration::ZERO,
    };
    row("traffic, below the threshold", 2_000, traffic);
    row("traffic, above the threshold", 500, traffic);
    row("lateness, punctual", 2_000, |n| O::Lateness {
        party: party(n),
        delay: Duration::from_micros(5 + n * 7919 % 200),
        frames: 1,
    });
    row("lateness, above the tolerance", 2_000, |n| O::Lateness {
        party: party(n),
        delay: Duration::from_micros(5 + n * 7919 % 2000),
        frames: 1,
    });
    row("wait for a CPU, longer than the tolerance", 2_000, |n| O::Waited {
        party: party(n),
        began: Duration::from_micros(1_000 + n * 7919 % 2000),
        ended: Duration::from_micros(n * 104_729 % 1000),
        carried: Duration::ZERO,
        by: party(n + 1),
    });
    row("disk request", 50_000, |n| match n % 2 {
        0 => O::DiskIssued { disk: 0, party: party(n) },
        _ => O::DiskCompleted { disk: 0 },
    });
}

fn row(name: &str, apart_ns: u64, observation: impl Fn(u64) -> O) {
    // 12 Gbit/s: between the two traffic rates.
    let criteria = r#"{"net_internal": {"rate": "12Gbit/s"}}"#;
    let observations: Vec<(Time, O)> =
        (0..OBSERVATIONS).map(|n| (Time::from_nanos(n * apart_ns), observation(n))).collect();
    let (mut best, mut least, mut signals) = (f64::MAX, f64::MAX, 0);
    for _ in 0..5 {
        let criteria: Criteria = serde_json::from_str(criteria).expect("valid criteria");
        let mut monitor = Monitor::new(criteria, Trust::default(), Time::ZERO);
        signals = 0;
        best = best.min(nanos_each(|| {
            for (at, seen) in &observations {
                monitor.observe(*at, seen);
                while monitor.poll_signal().is_some() {
                    signals += 1;
                }
            }
        }));
        least = least.min(nanos_each(|| {
            let read =
                |(at, seen): &(Time, O)| at.as_nanos() ^ u64::from(matches!(seen, O::Settled));
            black_box(observations.iter().map(read).fold(0u64, u64::wrapping_add));
        }));
    }
    println!("{name:<34}{best:>8.0}{:>8.0}{signals:>10}", best / least);
}

fn nanos_each(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_nanos() as f64 / OBSERVATIONS as f64
}
