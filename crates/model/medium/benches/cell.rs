//! The cost of a medium: `cargo bench -p netloom-medium`. Ten saturated stations send to one more
//! within ten metres, with bit errors, propagation delays and DCF. Prints the frames that arrive in
//! a second of CPU time, and the ratio to real time; then both again with an air log. Afterwards
//! 1,000 stations move, each of which sends one broadcast a second.

use netloom_link::FrameInfo;
use netloom_medium::arm::{Flow, Load, Trial};
use netloom_medium::{Medium, MediumConfig, Receiver, Setting, StationConfig, StationId};
use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Stream, Time};

const TURNS: usize = 5;

fn main() {
    for preset in ["802.11b", "802.11a"] {
        for log in [false, true] {
            let mut all: Vec<_> = (0..TURNS).map(|turn| cell(preset, log, turn as u64)).collect();
            all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            let (frames, pace) = all[TURNS / 2];
            let with = if log { "with an air log" } else { "" };
            println!("{preset} {with}: {frames:.0} frames/s, {pace:.0} x real time");
        }
    }
    let mut all: Vec<_> = (0..TURNS).map(|turn| crowd(turn as u64)).collect();
    all.sort_by(f64::total_cmp);
    println!("1,000 moving stations, a broadcast each a second: {:.1} % of a CPU", all[TURNS / 2]);
}

fn medium(config: MediumConfig, seed: u64) -> Medium<u64> {
    let setting = Setting { seed, name: "air".into(), ..Setting::default() };
    Medium::new(config, setting, Time::ZERO).expect("no files are needed")
}

fn named(number: u32) -> StationConfig {
    StationConfig { name: format!("n{number}"), ..StationConfig::default() }
}

/// Returns the frames that arrive in a second of CPU time, and the ratio to real time.
fn cell(preset: &str, log: bool, seed: u64) -> (f64, f64) {
    const STATIONS: u32 = 10;
    const SECONDS: u64 = 20;
    let config = MediumConfig::preset(preset).expect("a preset");
    let mut medium = medium(config, seed);
    let mut places = Stream::new(seed, "places");
    for number in 0..=STATIONS {
        let at = Point::flat(places.uniform() * 10.0, places.uniform() * 10.0);
        medium.add(Time::ZERO, StationId(number), named(number), Trajectory::fixed(at));
    }
    medium.record(log);
    let to = Receiver::Station(StationId(STATIONS));
    let flow = |from| Flow { from: StationId(from), to, load: Load::Saturated(1514) };
    let mut trial = Trial::new(medium, (0..STATIONS).map(flow).collect());
    let begun = cpu_time();
    for _ in 0..SECONDS {
        trial.run(Duration::from_secs(1));
        while trial.medium.poll_event().is_some() {}
    }
    let taken = cpu_time() - begun;
    let frames = trial.received(StationId(STATIONS)).frames as f64;
    (frames / taken, SECONDS as f64 / taken)
}

/// Returns the share of a CPU, in per cent, that 1,000 stations take.
fn crowd(seed: u64) -> f64 {
    const STATIONS: u32 = 1000;
    const SIDE: f64 = 5000.0;
    const SECONDS: u64 = 10;
    let config = MediumConfig::preset("wavelan").expect("a preset");
    let mut medium = medium(config, seed);
    let mut places = Stream::new(seed, "places");
    let mut point = || Point::flat(places.uniform() * SIDE, places.uniform() * SIDE);
    for number in 0..STATIONS {
        let mut moves = Trajectory::fixed(point());
        moves.go(point(), 20.0);
        medium.add(Time::ZERO, StationId(number), named(number), moves);
    }
    let begun = cpu_time();
    let mut heard = 0u64;
    let gap = 1_000_000_000 / u64::from(STATIONS);
    for number in 0..SECONDS * u64::from(STATIONS) {
        let now = Time::from_nanos(number * gap);
        let from = StationId((number % u64::from(STATIONS)) as u32);
        let _ = medium.offer(now, from, Receiver::All, FrameInfo::single(100), number);
        while medium.poll(now).is_some() {
            heard += 1;
        }
        while medium.poll_spent().is_some() || medium.poll_dropped().is_some() {}
    }
    assert!(heard > 0);
    (cpu_time() - begun) / SECONDS as f64 * 100.0
}

/// Returns the CPU time of this process, in seconds.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("the kernel's account");
    let nanos = text.split(' ').next().and_then(|word| word.parse::<u64>().ok());
    nanos.expect("nanoseconds") as f64 / 1e9
}
