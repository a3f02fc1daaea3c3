//! Measures how exactly a link keeps its configuration, with real sockets at both ends: rate,
//! delay, loss, bit errors, and Table 1 of Carbone & Rizzo 2009. Prints each result with the target
//! and with the limits of the machine itself, without a verdict.
//!
//! `cargo run --release -p netloom-dataplane --example accuracy [PART…]` as root, PART among
//! `rate`, `delay`, `loss`, `ber`, `load`.

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

/// A part of the benchmark: its name and its function.
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

/// Creates two hosts and a link with the properties `forward` from the first to the second, and
/// `reverse` back.
fn linked(forward: &str, reverse: &str, seed: u64) -> ([Namespace; 2], Dataplane) {
    let (namespaces, taps) = two_quiet_hosts();
    let link = LinkWiring {
        id: LinkId(0),
        name: "l".into(),
        ends: taps.map(|tap| End::Port(Box::new(tap))),
        pipes: [config(forward), config(reverse)],
        mtus: [None; 2],
        peer: None,
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

/// Prints a line that shows whether the run can be trusted.
fn print_trust(timing: &Timing) {
    println!(
        "      machine's wake-up p50 {:.0} p99 {:.0} µs; lateness p50 {:.0} p99 {:.0} µs; \
         unmodelled drops {}",
        timing.wakeup.p50_ns as f64 / 1e3,
        timing.wakeup.p99_ns as f64 / 1e3,
        timing.lateness.p50_ns as f64 / 1e3,
        timing.lateness.p99_ns as f64 / 1e3,
        timing.unmodelled.total()
    );
}

/// Returns the value that is above `share` of the sorted `values`.
fn quantile<T: Copy>(values: &[T], share: f64) -> T {
    values[((values.len() - 1) as f64 * share).round() as usize]
}
