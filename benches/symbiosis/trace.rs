//! A trace as the simulated flow, its gaps contracted and dilated. The thesis's own trace is not to
//! be had: ours is a Poisson Pareto burst process of Hurst parameter 0.8.

use netloom_link::Emission;
use netloom_traffic::{Model, PpbpConfig, Sizes};
use netloom_units::{Duration, Time};

use crate::measures::{compared, head, percent, row};
use crate::scenes::{Arrivals, FOLLOWERS, flow, frames, line, rate, scene};

const SECONDS: u64 = 120;

pub fn run() {
    println!(
        "Room for 100 frames, real flow Poisson at 0.5 Mbit/s, 120 s; simulated: PPBP of mean"
    );
    println!("0.5 Mbit/s, H 0.8, 200 s of it, gaps times the factor. Thesis: very good match.");
    println!(
        "Mean delay and its difference; difference of losses in shares of what was offered:\n"
    );
    let names = FOLLOWERS.map(|(name, ..)| name);
    head(&[&["line", "factor", "mean delay", "lost"][..], &names].concat());
    for bits in [1e6, 1e7] {
        for factor in [0.1, 1.0, 10.0, 100.0, 1000.0] {
            let real = flow(Arrivals::Poisson, 5e5, (0, SECONDS), 1, "real");
            let (original, all) =
                compared(&scene(vec![(line(bits, 100), dilated(factor))], real, 1));
            let mut cells = vec![
                format!("{:.0} Mbit/s", bits / 1e6),
                factor.to_string(),
                format!("{:.2} ms", 1e3 * original.delay),
                percent(1.0 - original.received / original.offered),
            ];
            cells
                .extend(all.iter().map(|one| {
                    format!("{:+.1} %, {}", 100.0 * one.delay, percent(one.lost_share))
                }));
            row(&cells);
        }
    }
}

/// The trace with its gaps times `factor`, as far as the run lasts.
fn dilated(factor: f64) -> Vec<Emission> {
    let model = Model::Ppbp(PpbpConfig {
        load: Some(netloom_traffic::Load::Rate(rate(5e5))),
        burst_rate: Some(rate(2.5e5)),
        bursts: None,
        burst: Duration::from_secs(1),
        hurst: 0.8,
        start: Default::default(),
    });
    let moved = |one: Emission| {
        let at = (one.at.as_nanos() as f64 * factor) as u64;
        Emission { at: Time::from_nanos(at), ..one }
    };
    let end = Time::ZERO + Duration::from_secs(SECONDS);
    let all = frames(&model, &Sizes::Imix, (0, 200), 1, "trace").into_iter().map(moved);
    all.take_while(|one| one.at < end).collect()
}
