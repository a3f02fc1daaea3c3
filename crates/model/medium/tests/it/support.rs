//! Media for tests.

use netloom_medium::arm::{Flow, Load, Trial};
use netloom_medium::{
    Mac, Medium, MediumConfig, MediumProperties, Phy, Receiver, ReceptionRule, RtsThreshold,
    Setting, StationConfig, StationId,
};
use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Size, Time};

/// Whether tests run shorter and with wider tolerances, because builds without optimisation are
/// slow.
pub const IS_QUICK: bool = cfg!(debug_assertions);

/// Returns the seeds and seconds to run, at most the given ones.
pub fn effort(seeds: u64, seconds: u64) -> (u64, u64) {
    if IS_QUICK { (1, seconds.div_ceil(5)) } else { (seeds, seconds) }
}

/// Bytes of an Ethernet header.
pub const HEADER: u32 = 14;

pub fn station(number: u32) -> StationId {
    StationId(number)
}

/// Returns a medium of `phy` whose data frames have `rate`. A signal is received up to 250 m away
/// if there is no other.
pub fn config(phy: Phy, rate: &str, rts: bool) -> MediumConfig {
    let mut config = MediumConfig::new(phy);
    if let Mac::Dcf(dcf) = &mut config.mac {
        dcf.rate = Some(rate.parse().unwrap());
        if rts {
            dcf.rts_threshold = RtsThreshold::Above(Size::default());
        }
    }
    config.reception = ReceptionRule::Collision;
    config.propagation_delay = false;
    with(config, r#"{"propagation":{"range":{"reach":"250m"}}}"#)
}

/// Returns `config` with other properties.
pub fn with(mut config: MediumConfig, properties: &str) -> MediumConfig {
    let properties: MediumProperties = serde_json::from_str(properties).unwrap();
    properties.apply_to(&mut config);
    config.check().unwrap();
    config
}

/// Returns a medium with stations at these positions, in metres.
pub fn medium(config: MediumConfig, places: &[(f64, f64)], seed: u64) -> Medium<u64> {
    let setting = Setting { seed, name: "air".into(), ..Setting::default() };
    let mut medium = Medium::new(config, setting, Time::ZERO).unwrap();
    for (number, (x, y)) in (0..).zip(places) {
        let config = StationConfig { name: format!("n{number}"), ..StationConfig::default() };
        let place = Trajectory::fixed(Point::flat(*x, *y));
        medium.add(Time::ZERO, station(number), config, place);
    }
    medium
}

/// Returns the positions of stations on a line, `apart` metres from each other.
pub fn line(stations: u32, apart: f64) -> Vec<(f64, f64)> {
    (0..stations).map(|number| (f64::from(number) * apart, 0.0)).collect()
}

/// Returns a flow of as many packets of `bytes` as possible from one station to another.
pub fn saturated(from: u32, to: u32, bytes: u32) -> Flow {
    let to = Receiver::Station(station(to));
    Flow { from: station(from), to, load: Load::Saturated(bytes + HEADER) }
}

/// Returns the Mbit/s of packets that arrive in `seconds`.
pub fn throughput(trial: &mut Trial, seconds: u64) -> f64 {
    trial.run(Duration::from_secs(seconds));
    trial.packet_bits() as f64 / seconds as f64 / 1e6
}

/// Returns the mean of `figure` over the seeds.
pub fn mean(seeds: u64, figure: impl Fn(u64) -> f64) -> f64 {
    (1..=seeds).map(figure).sum::<f64>() / seeds as f64
}

/// Asserts that `measured` is within `share` of `expected`.
pub fn close(what: &str, measured: f64, expected: f64, share: f64) {
    let share = if IS_QUICK { 3.0 * share + 0.05 } else { share };
    let difference = measured / expected - 1.0;
    println!("{what}: {measured:.4}, expected {expected:.4} ({:+.2} %)", difference * 100.0);
    assert!(difference.abs() <= share, "{what}: {measured} is not within {share} of {expected}");
}
