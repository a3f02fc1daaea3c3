//! A trace of a link of 10 Gbit/s as the simulated flow, dilated. The thesis's (CAIDA 2011) may not
//! be passed on: `--trace FILE` takes one, with a frame a line, its time in seconds and its bytes.
//! Without, one is generated, of Poisson Pareto bursts of Hurst parameter 0.8.

use std::fs::File;
use std::io::{BufRead, BufReader};

use netloom_link::Emission;
use netloom_symbiosis::rehearsal::{Fate, record};
use netloom_traffic::{Load, Model, PpbpConfig, Sizes};
use netloom_units::{Duration, Time};

use crate::measures::{Outcome, followed, head, percent, row};
use crate::scenes::{Arrivals, FOLLOWERS, flow, frames, line, rate, scene};

/// Gaps times this, at so many bit/s; the thesis's result.
const SCENARIOS: [(f64, f64, &str); 2] =
    [(30.0, 1e9, "no loss, 3 ms"), (100.0, 1e8, "full from 5 to 33 s")];

/// How much of the dilated trace is replayed.
const SECONDS: u64 = 40;

pub fn run(trace: Option<&str>) {
    println!("Room for 8300 frames, 3 ms of propagation, real flow Poisson with half of the line,");
    println!("40 s; simulated: the trace, gaps times the factor. Mean delay and its difference;");
    println!("difference of losses in shares of what was offered. Full: seconds with losses.\n");
    let all = trace.map_or_else(generated, read);
    let names = FOLLOWERS.map(|(name, ..)| name);
    head(&[&["factor, line", "thesis", "mean delay", "lost", "full"][..], &names].concat());
    for (factor, bits, thesis) in SCENARIOS {
        let real = flow(Arrivals::Poisson, bits / 2.0, (0, SECONDS), 1, "real");
        let mut config = line(bits, 8300);
        config.delay = Duration::from_millis(3).into();
        let scene = scene(vec![(config, dilated(&all, factor))], real, 1);
        let recording = record(&scene);
        let original = Outcome::of(&recording.fates);
        let small = FOLLOWERS.map(|(_, method, lag)| followed(&scene, &recording, method, lag).0);
        let mut cells = vec![
            format!("× {factor}, {:.0} Mbit/s", bits / 1e6),
            thesis.into(),
            format!("{:.2} ms", 1e3 * original.delay),
            percent(1.0 - original.received / original.offered),
            full(&recording.fates),
        ];
        cells.extend(
            small
                .iter()
                .map(|one| format!("{:+.1} %, {}", 100.0 * one.delay, percent(one.lost_share))),
        );
        row(&cells);
    }
}

/// From which second to which frames were lost.
fn full(fates: &[Fate]) -> String {
    let lost = fates.iter().filter(|fate| fate.left.is_none()).map(|fate| fate.sent.as_nanos());
    let seconds = lost.map(|at| at as f64 / 1e9);
    match seconds.clone().reduce(f64::min).zip(seconds.reduce(f64::max)) {
        Some((first, last)) => format!("{first:.0} to {last:.0} s"),
        None => "never".into(),
    }
}

/// The trace with its gaps times `factor`, as far as the run lasts.
fn dilated(all: &[Emission], factor: f64) -> Vec<Emission> {
    let moved = |one: &Emission| {
        let at = (one.at.as_nanos() as f64 * factor) as u64;
        Emission { at: Time::from_nanos(at), ..*one }
    };
    let end = Time::ZERO + Duration::from_secs(SECONDS);
    all.iter().map(moved).take_while(|one| one.at < end).collect()
}

/// Frames of some 6 Gbit/s for 0.31 s, then of 3 Gbit/s, so that the second scenario is congested
/// as long as the thesis's; at a hundredth of that rate, and its gaps divided by a hundred.
fn generated() -> Vec<Emission> {
    let part = |bits: f64, seconds: (u64, u64), name: &str| {
        let model = Model::Ppbp(PpbpConfig {
            load: Some(Load::Rate(rate(bits))),
            burst_rate: Some(rate(bits / 20.0)),
            bursts: None,
            burst: Duration::from_millis(500),
            hurst: 0.8,
            start: Default::default(),
        });
        frames(&model, &Sizes::Imix, seconds, 1, name)
    };
    let all = [part(6.2e7, (0, 31), "busy"), part(3e7, (31, 140), "calm")].concat();
    let contracted = |one: Emission| {
        let at = (one.at.as_nanos() as f64 / 100.0) as u64;
        Emission { at: Time::from_nanos(at), ..one }
    };
    all.into_iter().map(contracted).collect()
}

/// Reads the frames of a file; times count from the first one.
fn read(path: &str) -> Vec<Emission> {
    let wrong = |why: String| -> ! {
        eprintln!("{path} is no trace: {why}; each line is a time in seconds and a frame's bytes");
        std::process::exit(2)
    };
    let file = File::open(path).unwrap_or_else(|error| wrong(error.to_string()));
    let mut all: Vec<Emission> = Vec::new();
    let mut first = None;
    for text in BufReader::new(file).lines() {
        let text = text.unwrap_or_else(|error| wrong(error.to_string()));
        let mut words = text.split_whitespace();
        let frame = words.next().zip(words.next());
        let frame = frame
            .and_then(|(at, bytes)| Some((at.parse::<f64>().ok()?, bytes.parse::<u32>().ok()?)));
        let Some((at, bytes)) = frame else { wrong(format!("`{text}`")) };
        let since = at - *first.get_or_insert(at);
        all.push(Emission { at: Time::from_nanos((since * 1e9) as u64), bytes });
    }
    all.sort_by_key(|one| one.at);
    all
}
