//! Three links in series, each congested at another time. The first simulated flow ends at 100 s,
//! as the thesis's figure has it; its text says 80.

use crate::measures::{Difference, compared, head, mean, percent, row};
use crate::scenes::{Arrivals, FOLLOWERS, flow, line, scene};

const SEEDS: u64 = 5;

pub fn run() {
    println!(
        "1, 10, 100 Mbit/s in series, 200 frames; real: 50 frames/s, Poisson, 120 s; {SEEDS} seeds."
    );
    println!(
        "Thesis: the systems match very well. Probe: mean delay 1.0 / 1.2 %, per second 5 / 8 %.\n"
    );
    let mut all: Vec<Vec<Difference>> = vec![Vec::new(); FOLLOWERS.len()];
    let mut means = Vec::new();
    for seed in 1..=SEEDS {
        let poisson = |bits, seconds, name| flow(Arrivals::Poisson, bits, seconds, seed, name);
        let links = vec![
            (line(1e6, 200), poisson(6e5, (60, 100), "1")),
            (line(1e7, 200), poisson(9.6e6, (30, 50), "2")),
            (line(1e8, 200), poisson(9.96e7, (0, 40), "3")),
        ];
        let (original, each) = compared(&scene(links, poisson(6e5, (0, 120), "real"), seed));
        means.push(mean(&original.seconds, |one| *one));
        for (list, one) in all.iter_mut().zip(each) {
            list.push(one);
        }
    }
    let mean_delay = mean(&means, |one| *one);
    println!("Mean delay over seconds: {:.0} ms\n", 1e3 * mean_delay);
    head(&["", "mean delay", "per second, of the mean", "losses, of what was offered"]);
    for ((name, ..), list) in FOLLOWERS.iter().zip(&all) {
        row(&[
            (*name).into(),
            percent(mean(list, |one| one.delay.abs())),
            percent(mean(list, |one| one.per_second) / mean_delay),
            percent(mean(list, |one| one.lost_share)),
        ]);
    }
}
