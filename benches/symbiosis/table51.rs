//! One link: rate by room, with 16 pairs of loads each.

use netloom_symbiosis::rehearsal::{Recording, Scene, record};

use crate::errors::Errors;
use crate::scenes::{Arrivals, flow, line, scene};

const LOADS: [f64; 4] = [0.12, 0.25, 0.5, 0.75];

/// Rate in bit/s, room in frames; the thesis's error of delay, losses and received frames, and the
/// probe's error of delay at lag 0 and 1.
pub const ROWS: [(f64, u32, &str, &str); 9] = [
    (1e6, 100, "7.96, 0.22, 0.07", "2.5 / 3.8"),
    (1e6, 500, "7.63, 0.56, 0.16", "2.2 / 2.9"),
    (1e6, 1000, "7.57, 0.49, 0.07", "2.2 / 3.1"),
    (1e7, 100, "8.83, 0.13, 0.04", "2.5 / 1.9"),
    (1e7, 500, "7.93, 0.29, 0.07", "1.2 / 1.3"),
    (1e7, 1000, "7.78, 0.22, 0.04", "1.0 / 1.3"),
    (1e8, 100, "5.04, 0.62, 0.01", "9.0 / 1.9"),
    (1e8, 500, "3.90, 0.17, 0.02", "1.6 / 1.3"),
    (1e8, 1000, "3.67, 0.19, 0.02", "1.0 / 1.0"),
];

/// Seeds of a row: as many as are affordable.
fn seeds(bits: f64) -> u64 {
    if bits < 1e8 { 5 } else { 1 }
}

pub fn run() {
    println!("16 pairs of loads a row, 100 s, 5 seeds (1 at 100 Mbit/s). Errors in percent: mean");
    println!("delay; then losses in shares of what was offered, and received frames:\n");
    let mut errors = Errors::begin("Mbit/s, frames");
    for (bits, room, paper, probe) in ROWS {
        let name = format!("{:.0}, {room}", bits / 1e6);
        errors.row(name, paper, probe, |take| each(bits, room, seeds(bits), take));
    }
    errors.end("6.7", "2.6 / 2.1");
}

/// All recorded runs of a row, with so many seeds.
pub fn each(bits: f64, room: u32, seeds: u64, mut what: impl FnMut(&Scene, &Recording)) {
    for seed in 1..=seeds {
        for (number, real) in LOADS.into_iter().enumerate() {
            for (other, cross) in LOADS.into_iter().enumerate() {
                let seed = 100 * seed + 10 * number as u64 + other as u64;
                let real = flow(Arrivals::Poisson, real * bits, (0, 100), seed, "real");
                let cross = flow(Arrivals::Poisson, cross * bits, (0, 100), seed, "cross");
                let scene = scene(vec![(line(bits, room), cross)], real, seed);
                what(&scene, &record(&scene));
            }
        }
    }
}
