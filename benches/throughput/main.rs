//! How fast the data plane is, beside a raw veth pair measured in the same run, by turns. Prints
//! only; what it prints are ratios with the figures behind them, and where the worker's CPU time
//! went.
//!
//! `cargo bench -p netloom-dataplane --bench throughput -- [PART…] [--seconds N]` as root. Without
//! a PART, all of them (about three minutes).

mod changes;
mod cpu;
mod cut;
mod flood;
mod idle;
#[path = "../../crates/system/dataplane/tests/lab/mod.rs"]
mod lab;
mod many;
mod model;
mod pairs;
mod rtt;
mod switch;
mod tcp;
mod wire;

use std::time::Duration;

/// A part: its name on the command line, and what it does in the time given for one measurement.
type Part = (&'static str, fn(Duration));

const PARTS: [Part; 10] = [
    ("model", model::run),
    ("tcp", tcp::run),
    ("cut", cut::run),
    ("flood", flood::run),
    ("switch", switch::run),
    ("workers", flood::run_on_two_workers),
    ("many", many::run),
    ("idle", idle::run),
    ("changes", changes::run),
    ("rtt", rtt::run),
];

fn main() {
    // cargo passes --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let seconds = arguments.iter().position(|argument| argument == "--seconds");
    let span = match seconds.and_then(|at| arguments.get(at + 1)) {
        Some(text) => Duration::from_secs(text.parse().expect("--seconds takes a whole number")),
        None => Duration::from_secs(2),
    };
    let named = |part: &Part| arguments.iter().any(|argument| argument == part.0);
    let all = !PARTS.iter().any(named);
    println!("{}", cpu::machine());
    if !lab::available("the throughput benchmark") {
        return;
    }
    for part in PARTS.iter().filter(|part| all || named(part)) {
        part.1(span);
    }
}
