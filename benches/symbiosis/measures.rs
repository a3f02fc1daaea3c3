//! How near the small network comes to the original.

use netloom_symbiosis::rehearsal::{Fate, Recording, Scene, follow, record};

use crate::scenes::FOLLOWERS;

/// Results of the real frames of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub offered: f64,
    pub received: f64,
    /// Mean delay of those that arrived, in seconds.
    pub delay: f64,
    /// The mean delay of frames that were sent in each second; none arrived: 0.
    pub seconds: Vec<f64>,
}

impl Outcome {
    pub fn of(fates: &[Fate]) -> Self {
        let mut sums: Vec<(f64, u32)> = Vec::new();
        for Fate { sent, left } in fates {
            let second = (sent.as_nanos() / 1_000_000_000) as usize;
            if sums.len() <= second {
                sums.resize(second + 1, (0.0, 0));
            }
            if let Some(left) = left {
                sums[second].0 += left.since(*sent).as_secs_f64();
                sums[second].1 += 1;
            }
        }
        let mean = |(sum, count): (f64, u32)| if count > 0 { sum / f64::from(count) } else { 0.0 };
        let all = sums.iter().fold((0.0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        Self {
            offered: fates.len() as f64,
            received: f64::from(all.1),
            delay: mean(all),
            seconds: sums.into_iter().map(mean).collect(),
        }
    }
}

/// A small network beside the original.
#[derive(Debug, Clone, Copy, Default)]
pub struct Difference {
    /// Error of the mean delay, signed, as a share of the original's.
    pub delay: f64,
    /// Error of the number of lost frames, as a share of what was offered.
    pub lost_share: f64,
    /// Error of the number of received frames, as a share of the original's.
    pub received_share: f64,
    /// Mean over the seconds of the difference of mean delays, in seconds.
    pub per_second: f64,
}

impl Difference {
    pub fn between(original: &Outcome, small: &Outcome) -> Self {
        let seconds = original.seconds.iter().zip(&small.seconds);
        let apart: f64 = seconds.map(|(a, b)| (a - b).abs()).sum();
        let lost = (small.received - original.received).abs();
        Self {
            delay: small.delay / original.delay - 1.0,
            lost_share: lost / original.offered,
            received_share: lost / original.received,
            per_second: apart / original.seconds.len().max(1) as f64,
        }
    }
}

/// The original of a scene, and each follower beside it.
pub fn compared(scene: &Scene) -> (Outcome, Vec<Difference>) {
    let recording = record(scene);
    let original = Outcome::of(&recording.fates);
    let follower = |(_, method, lag)| followed(scene, &recording, method, lag).0;
    let differences = FOLLOWERS.into_iter().map(follower).collect();
    (original, differences)
}

/// A follower of a recorded original beside it, and what became of its frames.
pub fn followed(
    scene: &Scene,
    recording: &Recording,
    method: netloom_symbiosis::rehearsal::Method,
    lag: netloom_symbiosis::rehearsal::Lag,
) -> (Difference, Outcome) {
    let small = Outcome::of(&follow(scene, recording, method, lag));
    (Difference::between(&Outcome::of(&recording.fates), &small), small)
}

/// The mean of something over several.
pub fn mean<T>(all: &[T], what: impl Fn(&T) -> f64) -> f64 {
    all.iter().map(what).sum::<f64>() / all.len().max(1) as f64
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// A row of a table.
pub fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// The head of a table.
pub fn head(cells: &[&str]) {
    println!("| {} |\n|{}", cells.join(" | "), "---|".repeat(cells.len()));
}
