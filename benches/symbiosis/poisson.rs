//! Both flows Poisson, on one link: utilisation by share of the real flow.

use crate::measures::{Difference, compared, head, mean, percent, row};
use crate::scenes::{Arrivals, FOLLOWERS, flow, line, scene};

const SEEDS: u64 = 3;

/// The thesis's difference, and the probe's at lag 0 and 1, for each utilisation.
const PAPER: [(f64, &str, &str); 3] = [
    (0.1, "10 µs", "18–23 / 27–63 µs"),
    (0.5, "40 µs", "40–61 / 85–147 µs"),
    (0.9, "< 1 ms", "0.58–0.90 / 1.4–2.1 ms"),
];

pub fn run() {
    println!(
        "10 Mbit/s, 1000 frames, 100 s. Mean over seconds of the difference of mean delays:\n"
    );
    let names = FOLLOWERS.map(|(name, ..)| name);
    head(&[&["load, real", "thesis", "probe, md1", "mean delay"][..], &names].concat());
    for (load, paper, probe) in PAPER {
        for share in [0.2, 0.5, 0.8] {
            let (delay, all) = runs(load, share, [Arrivals::Poisson; 2]);
            let mut cells = vec![
                format!("{:.0} %, {:.0} %", load * 100.0, share * 100.0),
                paper.into(),
                probe.into(),
                format!("{:.2} ms", 1e3 * delay),
            ];
            cells.extend(all.iter().map(|each| {
                let apart = 1e6 * mean(each, |one| one.per_second);
                format!("{apart:.0} µs ({:+.1} %)", 100.0 * mean(each, |one| one.delay))
            }));
            row(&cells);
        }
    }
}

/// The mean delay of the original, and for each follower the differences of all seeds. Arrivals are
/// those of the real flow and of the other.
pub fn runs(load: f64, share: f64, arrivals: [Arrivals; 2]) -> (f64, Vec<Vec<Difference>>) {
    let mut all = vec![Vec::new(); FOLLOWERS.len()];
    let mut delays = Vec::new();
    for seed in 1..=SEEDS {
        let bits = load * 1e7;
        let real = flow(arrivals[0], bits * share, (0, 100), seed, "real");
        let cross = flow(arrivals[1], bits * (1.0 - share), (0, 100), seed, "cross");
        let (original, each) = compared(&scene(vec![(line(1e7, 1000), cross)], real, seed));
        delays.push(original.delay);
        for (list, one) in all.iter_mut().zip(each) {
            list.push(one);
        }
    }
    (mean(&delays, |delay| *delay), all)
}

/// A difference of mean delays, with its sign.
pub fn signed(each: &[Difference]) -> String {
    let share = mean(each, |one| one.delay);
    format!("{}{}", if share < 0.0 { "−" } else { "+" }, percent(share.abs()))
}
