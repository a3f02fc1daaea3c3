//! CSMA/CD: the share of 10 Mbit/s that frames with FCS get, and the capture effect.

use netloom_medium::arm::Trial;
use netloom_medium::{AirOccurrence, MediumConfig, ReceptionRule};
use netloom_units::Duration;

use crate::support::{IS_QUICK, close, mean, medium, saturated, station, with};

/// Returns a hub with this many metres between any two stations.
fn hub(metres: f64) -> MediumConfig {
    let length = (metres * 1000.0).round();
    let cable = format!(r#"{{"length":"{length}mm","shape":"hub"}}"#);
    let config = MediumConfig::preset("hub").unwrap();
    assert_eq!(config.reception, ReceptionRule::Collision);
    with(config, &format!(r#"{{"mac":{{"csma_cd":{{"cable":{cable}}}}}}}"#))
}

/// Returns the share of the line that frames of `bytes`, FCS included, get.
fn share(config: &MediumConfig, stations: u32, bytes: u32, seconds: u64) -> f64 {
    let (seeds, seconds) = if IS_QUICK { (1, 1) } else { (2, seconds) };
    mean(seeds, |seed| {
        let places = vec![(0.0, 0.0); stations as usize];
        let medium = medium(config.clone(), &places, seed);
        let to = |from: u32| (from + 1) % stations;
        let flows = (0..stations).map(|from| saturated(from, to(from), bytes - 18)).collect();
        let mut trial = Trial::new(medium, flows);
        trial.run(Duration::from_secs(seconds));
        let sent: u64 = (0..stations)
            .map(|from| trial.medium.counters(station(from)).unwrap().sent.frames)
            .sum();
        sent as f64 * f64::from(bytes) * 8.0 / 10e6 / seconds as f64
    })
}

#[test]
fn stations_share_a_cable_as_the_reference_does() {
    // Propagation delays of 9 and 232 bits.
    let (near, far) = (175.4, 4521.0);
    let table = [
        (near, 64, [0.759, 0.751, 0.736, 0.666, 0.510]),
        (near, 512, [0.959, 0.950, 0.935, 0.897, 0.869]),
        (near, 1518, [0.983, 0.975, 0.966, 0.951, 0.948]),
        (far, 64, [0.756, 0.740, 0.715, 0.603, 0.337]),
        (far, 1518, [0.979, 0.964, 0.942, 0.897, 0.842]),
    ];
    for (metres, bytes, shares) in table {
        for (stations, expected) in [2, 5, 10, 32, 100].into_iter().zip(shares) {
            if IS_QUICK && stations > 5 {
                break;
            }
            let measured = share(&hub(metres), stations, bytes, 1);
            close(&format!("{metres} m, {bytes} B, {stations}"), measured, expected, 0.03);
        }
    }
}

/// A station that has just sent competes with one whose window has grown, and wins again.
#[test]
fn one_of_two_stations_keeps_the_cable_for_long() {
    let run = |bytes: u32, seconds: u64| {
        let mut medium = medium(hub(175.4), &[(0.0, 0.0); 2], 1);
        medium.record(true);
        let flows = vec![saturated(0, 1, bytes - 18), saturated(1, 0, bytes - 18)];
        let mut trial = Trial::new(medium, flows);
        let (mut frames, mut runs, mut last) = (0.0, 0.0, None);
        for _ in 0..seconds {
            trial.run(Duration::from_secs(1));
            while let Some(event) = trial.medium.poll_event() {
                let AirOccurrence::Heard { sender, loss: None, .. } = event.what else { continue };
                frames += 1.0;
                runs += if last == Some(sender) { 0.0 } else { 1.0 };
                last = Some(sender);
            }
        }
        frames / runs
    };
    // Means of few runs, some of which are very long.
    let (short, long) = (run(64, 20), run(1518, 20));
    assert!((600.0..4000.0).contains(&short), "{short}");
    assert!((50.0..200.0).contains(&long), "{long}");
}
