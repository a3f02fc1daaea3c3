//! Round trips of single frames.

use std::time::Duration;

use netloom_dataplane::{LatencySummary, Timing};

use crate::lab::echo;
use crate::wire::{linked, raw};

const LINKS: [&str; 3] = ["{}", r#"{"delay":"10ms"}"#, r#"{"delay":"10ms","rate":"100Mbit/s"}"#];

/// Over a raw veth pair and over links.
pub fn run(_: Duration) {
    println!("\nICMP echo, 1000 probes, 5 ms apart: median / p99 / max / sd µs");
    print("raw veth", echo::round_trips(&raw()[0], 1000));
    for text in LINKS {
        let (namespaces, dataplane) = linked(text);
        print(&format!("link {text}"), echo::round_trips(&namespaces[0], 1000));
        print_timing(&dataplane.timing().expect("timing"));
    }
}

fn print(what: &str, mut rtts: Vec<u64>) {
    rtts.sort_unstable();
    let at = |share: f64| rtts[((rtts.len() - 1) as f64 * share) as usize] as f64 / 1e3;
    let (median, p99, max) = (at(0.5), at(0.99), at(1.0));
    let deviation = deviation(&rtts) / 1e3;
    println!(
        "  {median:9.1} {p99:9.1} {max:9.1} {deviation:9.1}  {what} ({} of 1000 back)",
        rtts.len()
    );
}

/// Standard deviation of the sample.
fn deviation(values: &[u64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<u64>() as f64 / count;
    let squares: f64 = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt()
}

fn print_timing(timing: &Timing) {
    let line = |name: &str, summary: &LatencySummary| {
        println!(
            "      {name:<10} p50 {:7.1}  p99 {:7.1}  p99.9 {:7.1}  max {:7.1} µs  ({})",
            summary.p50_ns as f64 / 1e3,
            summary.p99_ns as f64 / 1e3,
            summary.p999_ns as f64 / 1e3,
            summary.max_ns as f64 / 1e3,
            summary.count
        );
    };
    line("lateness", &timing.lateness);
    line("wake-up", &timing.wakeup);
    line("unattended", &timing.unattended);
    let load = &timing.workers[0];
    println!(
        "      worker: busy {:.1} %, spinning {:.1} %; unmodelled drops: {}",
        load.busy * 100.0,
        load.spinning * 100.0,
        timing.unmodelled.total()
    );
}
