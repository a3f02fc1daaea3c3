//! ALOHA against its formulas (Abramson 1970; Roberts 1972).

use netloom_medium::arm::{Flow, Load, Trial};
use netloom_medium::{MediumConfig, Phy, Receiver};
use netloom_traffic::{Model, Sizes};
use netloom_units::{Duration, Stream};

use crate::support::{close, config, effort, mean, medium, saturated, station, with};

/// Bytes of frames, and the µs that each takes at 1 Mbit/s with its preamble.
const BYTES: u32 = 114;
const AIRTIME: f64 = 192.0 + (114.0 - 14.0 + 36.0) * 8.0;

/// Returns a medium of ALOHA with these parameters.
fn aloha(parameters: &str) -> MediumConfig {
    let mac = format!(r#"{{"mac":{{"aloha":{parameters}}}}}"#);
    with(config(Phy::B, "11Mbit/s", false), &mac)
}

/// Returns the number of frames that arrive in the time of one frame, of `load` that are sent.
/// There are many stations, each of which sends so rarely that it never waits for itself.
fn throughput(config: &MediumConfig, load: f64) -> f64 {
    const STATIONS: u32 = 100;
    let (seeds, seconds) = effort(3, 60);
    mean(seeds, |seed| {
        let places = vec![(0.0, 0.0); STATIONS as usize + 1];
        let medium = medium(config.clone(), &places, seed);
        let rate = load / AIRTIME * 1e6 / f64::from(STATIONS) * f64::from(BYTES) * 8.0;
        let model: Model =
            serde_json::from_str(&format!(r#"{{"poisson":{{"rate":"{}bit/s"}}}}"#, rate.round()))
                .unwrap();
        let flow = |from: u32| {
            let stream = Stream::new(seed, &format!("source {from}"));
            let sizes: Sizes = serde_json::from_str(&format!(r#""{BYTES}B""#)).unwrap();
            let source = model.source(&sizes, None, &stream).unwrap();
            let to = Receiver::Station(station(STATIONS));
            Flow { from: station(from), to, load: Load::Source(Box::new(source)) }
        };
        let mut trial = Trial::new(medium, (0..STATIONS).map(flow).collect());
        trial.run(Duration::from_secs(seconds));
        trial.received(station(STATIONS)).frames as f64 * AIRTIME / 1e6 / seconds as f64
    })
}

#[test]
fn pure_aloha_loses_what_overlaps() {
    let config = aloha(r#"{"rate":"1Mbit/s"}"#);
    for load in [0.1, 0.5, 1.0, 1.5] {
        let expected = load * f64::exp(-2.0 * load);
        close(&format!("pure, G = {load}"), throughput(&config, load), expected, 0.03);
    }
}

#[test]
fn slotted_aloha_loses_what_is_in_the_same_slot() {
    let slot = (AIRTIME * 1000.0) as u64;
    let config = aloha(&format!(r#"{{"rate":"1Mbit/s","slotted":"{slot}ns"}}"#));
    for load in [0.25, 1.0] {
        let expected = load * f64::exp(-load);
        close(&format!("slotted, G = {load}"), throughput(&config, load), expected, 0.03);
    }
}

#[test]
fn ten_stations_that_send_in_each_slot_with_a_probability_have_the_binomial_share() {
    let slot = (AIRTIME * 1000.0) as u64;
    let parameters = format!(r#"{{"rate":"1Mbit/s","slotted":"{slot}ns","persistence":"10%"}}"#);
    let config = aloha(&parameters);
    let share = mean(3, |seed| {
        let medium = medium(config.clone(), &[(0.0, 0.0); 11], seed);
        let flows = (0..10).map(|from| saturated(from, 10, BYTES - 14)).collect();
        let mut trial = Trial::new(medium, flows);
        trial.run(Duration::from_secs(30));
        trial.received(station(10)).frames as f64 * AIRTIME / 1e6 / 30.0
    });
    close("ten stations, G = 1", share, 0.3874, 0.02);
}

#[test]
fn acknowledged_aloha_delivers_what_was_lost_at_first() {
    let config = aloha(r#"{"rate":"1Mbit/s","tries":8,"wait":"20ms"}"#);
    let load = 0.05;
    close("acknowledged", throughput(&config, load), load, 0.03);
}
