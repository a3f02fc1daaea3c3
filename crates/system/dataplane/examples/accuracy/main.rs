//! Measures how truly a link keeps what it was told, with real sockets on both sides: rate, delay,
//! loss, bit errors, and Carbone & Rizzo 2009's Table 1. Prints each figure beside what was wanted
//! and what the machine itself can do; judges nothing else.
//!
//! `cargo run --release -p netloom-dataplane --example accuracy [PART…]` as root, PART among `rate`,
//! `delay`, `loss`, `ber`, `load`.

mod chance;
mod delay;
#[path = "../../tests/lab/mod.rs"]
mod lab;
mod load;
mod rate;

use lab::{Namespace, two_quiet_hosts};
use netloom_dataplane::{Dataplane, End, LinkWiring, Options, Timing, Wiring};
use netloom_fabric::LinkId;
use netloom_link::{PipeChange, PipeConfig};

/// A part of the benchmark: its name and what runs it.
const PARTS: [(&str, fn()); 5] = [
    ("rate", rate::measure),
    ("delay", delay::measure),
    ("loss", chance::losses),
    ("ber", chance::bit_errors),
    ("load", load::measure),
];

fn main() {
    if std::env::args().nth(1).as_deref() == Some(load::BURN) {
        load::burn();
    }
    if !lab::available("accuracy") {
        return;
    }
    print_machine();
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (name, run) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|part| part == name) {
            run();
        }
    }
}

fn print_machine() {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("?");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (kernel, load) = (read("/proc/sys/kernel/osrelease"), read("/proc/loadavg"));
    println!("machine: {cores} × {model}; Linux {}; load {}", kernel.trim(), load.trim());
}

/// Two hosts and a link of the properties `forward` from the first to the second, `reverse` back.
fn linked(forward: &str, reverse: &str, seed: u64) -> ([Namespace; 2], Dataplane) {
    let (namespaces, taps) = two_quiet_hosts();
    let link = LinkWiring {
        id: LinkId(0),
        name: "l".into(),
        ends: taps.map(|tap| End::Port(Box::new(tap))),
        pipes: [config(forward), config(reverse)],
    };
    let wiring = Wiring { links: vec![link] };
    let options = Options { seed, ..Options::default() };
    (namespaces, Dataplane::start(wiring, options).expect("a data plane"))
}

fn config(text: &str) -> PipeConfig {
    let change: PipeChange = serde_json::from_str(text).expect("a valid change");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    config
}

/// A line that says whether the run can be trusted.
fn print_trust(timing: &Timing) {
    println!(
        "      machine's wake-up p50 {:.0} p99 {:.0} µs; lateness p50 {:.0} p99 {:.0} µs; unmodelled drops {}",
        timing.wakeup.p50_ns as f64 / 1e3,
        timing.wakeup.p99_ns as f64 / 1e3,
        timing.lateness.p50_ns as f64 / 1e3,
        timing.lateness.p99_ns as f64 / 1e3,
        timing.unmodelled.total()
    );
}

/// The value below which `share` of the sorted `values` lie.
fn quantile<T: Copy>(values: &[T], share: f64) -> T {
    values[((values.len() - 1) as f64 * share).round() as usize]
}
