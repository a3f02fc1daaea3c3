//! Three links in series: eight combinations of rates, with six loads each.

use netloom_link::{Data, OverheadPoint, OverheadProfile, PipeConfig, QueueLimit};
use netloom_symbiosis::rehearsal::{Recording, Scene, record};
use netloom_units::{Duration, Probability};

use crate::errors::Errors;
use crate::scenes::{Arrivals, BITS, flow, line, scene};

const LOADS: [f64; 6] = [0.12, 0.25, 0.5, 1.0, 1.25, 1.5];
const SEEDS: u64 = 3;
const ROOM: u32 = 200;
const SECONDS: u64 = 500;

/// Rates in Mbit/s; the thesis's error of delay, losses and throughput, and the probe's error of
/// delay at lag 0 and 1.
pub const ROWS: [([f64; 3], &str, &str); 8] = [
    ([1.0, 1.0, 1.0], "1.72, 0.30, 0.28", "3.2 / 2.5"),
    ([1.0, 1.0, 10.0], "1.96, 0.59, 0.28", "1.7 / 1.3"),
    ([1.0, 10.0, 1.0], "1.91, 2.47, 0.21", "1.5 / 0.8"),
    ([1.0, 10.0, 10.0], "0.85, 0.40, 0.15", "1.7 / 1.5"),
    ([10.0, 1.0, 1.0], "0.54, 0.32, 0.99", "0.8 / 3.4"),
    ([10.0, 1.0, 10.0], "0.55, 0.18, 0.79", "0.9 / 1.2"),
    ([10.0, 10.0, 1.0], "0.19, 0.37, 0.97", "0.9 / 1.1"),
    ([10.0, 10.0, 10.0], "1.8, 0.23, 0.10", "1.3 / 1.2"),
];

pub fn run() {
    println!(
        "6 loads a row, 500 s, 200 frames, {SEEDS} seeds. Errors in percent: mean delay; then"
    );
    println!("losses in shares of what was offered, and received frames.\n");
    table(&|megabits| line(megabits * 1e6, ROOM));
    println!("\nLines that take 0.8 to 1.2 of the time for a frame, evenly distributed:\n");
    table(&varying);
}

fn table(line: &dyn Fn(f64) -> PipeConfig) {
    let mut errors = Errors::begin("Mbit/s");
    for (megabits, paper, probe) in ROWS {
        let name = megabits.map(|one| one.to_string()).join(", ");
        errors.row(name, paper, probe, |take| each(megabits, line, SEEDS, take));
    }
    errors.end("1.2", "1.5 / 1.6");
}

/// All recorded runs of a row, with so many seeds.
pub fn each(
    megabits: [f64; 3],
    line: &dyn Fn(f64) -> PipeConfig,
    seeds: u64,
    mut what: impl FnMut(&Scene, &Recording),
) {
    for seed in 1..=seeds {
        for (number, load) in LOADS.into_iter().enumerate() {
            let seed = 10 * seed + number as u64;
            let poisson = |megabits: f64, name: &str| {
                flow(Arrivals::Poisson, load * megabits * 1e6, (0, SECONDS), seed, name)
            };
            let link = |(number, one): (usize, f64)| (line(one), poisson(one, &number.to_string()));
            let links = megabits.into_iter().enumerate().map(link).collect();
            let scene = scene(links, poisson(megabits[0], "real"), seed);
            what(&scene, &record(&scene));
        }
    }
}

/// A line whose time for a frame varies by a fifth.
fn varying(megabits: f64) -> PipeConfig {
    let point = |probability, times: f64| OverheadPoint {
        probability: Probability::new(probability).expect("a probability"),
        time: Duration::from_nanos((times * 1e3 * BITS / megabits).round() as u64),
        lost: false,
    };
    let profile = OverheadProfile::new(vec![point(0.0, 0.8), point(1.0, 1.2)]).expect("a profile");
    let mut config = PipeConfig { mac_overhead: Data::inline(profile), ..PipeConfig::default() };
    config.queue.limit = QueueLimit::Packets(ROOM);
    config
}
