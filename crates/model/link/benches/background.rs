//! CPU cost of background traffic: `cargo bench -p netloom-link --bench background`.
//!
//! A pipe of 10 Gbit/s is visited every 50 ms, alternately with and without 1 Gbit/s of virtual
//! frames of 1514 bytes. This is done for an idle pipe, and for one with 100 Mbit/s of offered
//! frames. Prints the CPU time for one second of the model, as a share of one CPU, and the CPU time
//! per virtual frame. Also prints the share with 6 Gbit/s as a fluid of bursts (`ppbp`), measured
//! in the same turns.

use netloom_link::{FrameInfo, Pipe, PipeChange, PipeConfig, Stream};
use netloom_units::{Duration, Time};

/// Seconds of virtual time in each turn.
const SECONDS: u64 = 10;
const TURNS: usize = 9;

/// Gap between frames that makes 100 Mbit/s of full frames.
const GAP: Duration = Duration::from_nanos(1514 * 80);

/// A fluid whose rate changes 200 times a second.
const FLUID: &str =
    r#"[{"ppbp":{"load":"6Gbit/s","bursts":100,"burst":"1s","hurst":0.8},"as":"fluid"}]"#;

fn main() {
    for (name, offers) in [("idle", false), ("with 100 Mbit/s offered", true)] {
        let (mut without, mut with, mut frames) = (Vec::new(), Vec::new(), 0);
        let mut fluid = Vec::new();
        for _ in 0..TURNS {
            without.push(measure(r#""none""#, offers).0);
            let (share, count) = measure(r#"[{"poisson":{"rate":"1Gbit/s"}}]"#, offers);
            with.push(share);
            frames = count;
            fluid.push(measure(FLUID, offers).0);
        }
        let (without, with, fluid) = (median(without), median(with), median(fluid));
        let each = (with - without) * 1e9 * SECONDS as f64 / frames as f64;
        println!(
            "{name:<24} {:.3} % of a CPU without, {:.3} % with {} frames/s: {each:.0} ns each; \
             {:.3} % with a fluid",
            without * 100.0,
            with * 100.0,
            frames / SECONDS,
            fluid * 100.0,
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the share of a CPU that a pipe takes, and the number of virtual frames.
fn measure(background: &str, offers: bool) -> (f64, u64) {
    let text = format!(r#"{{"rate":"10Gbit/s","background":{background}}}"#);
    let change: PipeChange = serde_json::from_str(&text).expect("properties");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    let mut pipe = Pipe::<u64>::new(config, Stream::new(1, "bench"), Time::ZERO);
    let (mut now, end) = (Time::ZERO, Time::ZERO + Duration::from_secs(SECONDS));
    let begun = cpu_time();
    while now < end {
        now += if offers { GAP } else { Duration::from_millis(50) };
        if offers {
            // The queue always has room.
            let _ = pipe.offer(now, FrameInfo::single(1514), 0);
        }
        while pipe.poll(now).is_some() {}
    }
    let share = (cpu_time() - begun) as f64 / 1e9 / SECONDS as f64;
    let counted = pipe.statistics(now).background;
    (share, counted.map_or(0, |background| background.delivered.frames))
}

/// Returns the CPU time of this thread in ns, which excludes other load.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
    text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).expect("a number")
}
