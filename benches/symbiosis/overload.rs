//! A line that is fast enough, just so, and too slow, with few frames a second.

use netloom_symbiosis::LossMethod;
use netloom_symbiosis::rehearsal::{Inherited, Lag, Method, record};

use crate::measures::{Outcome, followed, head, mean, row};
use crate::scenes::{Arrivals, BITS, FOLLOWERS, flow, line, scene};

const SEEDS: u64 = 40;

pub fn run() {
    println!(
        "30 s, 1000 frames, {SEEDS} seeds. Difference of mean delays; thesis: dramatic improvement"
    );
    println!("by (5.11). Probe at lag 0, 40 frames/s: −39 to −42 % without, +1 to +6 % with;");
    println!(
        "20 frames/s: −10 to −15 % (it stops calibrating when the flows end); cross_traffic at"
    );
    println!("lag 1: −3 to −6 %.\n");
    let names = FOLLOWERS.map(|(name, ..)| name);
    head(&[&["real, simulated, line", "mean delay"][..], &names, &["md1 without (5.11)"]].concat());
    let without = Method::Md1(Inherited::Not, LossMethod::Positions);
    let followers = FOLLOWERS.map(|(_, method, lag)| (method, lag));
    let followers = [&followers[..], &[(without, Lag::None)]].concat();
    for real in [30.0, 10.0] {
        for frames in [60.0, 40.0, 20.0] {
            let mut all = vec![Vec::new(); followers.len()];
            let mut delays = Vec::new();
            for seed in 1..=SEEDS {
                let flow =
                    |frames, name| flow(Arrivals::Poisson, frames * BITS, (0, 30), seed, name);
                let link = (line(frames * BITS, 1000), flow(40.0 - real, "cross"));
                let scene = scene(vec![link], flow(real, "real"), seed);
                let recording = record(&scene);
                delays.push(Outcome::of(&recording.fates).delay);
                for (list, (method, lag)) in all.iter_mut().zip(&followers) {
                    list.push(followed(&scene, &recording, *method, *lag).0.delay);
                }
            }
            let mut cells = vec![
                format!("{real:.0}, {:.0}, {frames:.0} frames/s", 40.0 - real),
                format!("{:.0} ms", 1e3 * mean(&delays, |one| *one)),
            ];
            cells.extend(all.iter().map(|one| format!("{:+.1} %", 100.0 * mean(one, |one| *one))));
            row(&cells);
        }
    }
}
