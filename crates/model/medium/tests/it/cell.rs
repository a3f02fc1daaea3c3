//! Saturated stations within range of each other.

use crate::support::{
    IS_QUICK, close, config, effort, mean, medium, saturated, station, throughput, with,
};
use netloom_medium::arm::Trial;
use netloom_medium::{MediumChange, Phy};
use netloom_units::Duration;

/// Returns the Mbit/s that `n` stations send to one more.
fn cell(phy: Phy, rate: &str, n: u32, rts: bool, seed: u64, seconds: u64) -> f64 {
    let medium = medium(config(phy, rate, rts), &vec![(0.0, 0.0); n as usize + 1], seed);
    let flows = (0..n).map(|from| saturated(from, n, 1500)).collect();
    throughput(&mut Trial::new(medium, flows), seconds)
}

/// Compares with the results of the reference machine for 1, 2, 5, 10, 20 and 50 stations.
fn compare(phy: Phy, rate: &str, rts: bool, machine: [f64; 6], seconds: u64) {
    let (seeds, seconds) = effort(4, seconds);
    let most = if IS_QUICK { 10 } else { 50 };
    for (n, expected) in [1, 2, 5, 10, 20, 50].into_iter().zip(machine) {
        if n > most {
            break;
        }
        let measured = mean(seeds, |seed| cell(phy, rate, n, rts, seed, seconds));
        close(&format!("{phy}, {n} stations, RTS {rts}"), measured, expected, 0.015);
    }
}

#[test]
fn b_without_requests() {
    compare(Phy::B, "11Mbit/s", false, [6.22, 6.50, 6.33, 5.96, 5.49, 4.74], 15);
}

#[test]
fn b_with_requests() {
    compare(Phy::B, "11Mbit/s", true, [4.86, 5.10, 5.16, 5.11, 4.99, 4.73], 15);
}

#[test]
fn a_without_requests() {
    compare(Phy::A, "54Mbit/s", false, [30.48, 30.80, 28.92, 26.98, 24.70, 21.10], 8);
}

#[test]
fn a_with_requests() {
    compare(Phy::A, "54Mbit/s", true, [24.91, 25.88, 25.85, 25.44, 24.76, 23.35], 8);
}

/// Bianchi 2000: shares of the rate with and without requests, for packets of 8184 bits.
#[test]
fn frequency_hopping_is_as_bianchi_has_it() {
    let table = [(5, 0.8097, 0.8342), (10, 0.7532, 0.8371), (20, 0.6788, 0.8356)];
    let (seeds, seconds) = effort(3, 60);
    for (n, basic, requested) in table.into_iter().chain([(50, 0.5529, 0.8270)]) {
        for (rts, expected) in [(false, basic), (true, requested)] {
            let measured = mean(seeds, |seed| {
                let config = config(Phy::Fhss, "1Mbit/s", rts);
                let medium = medium(config, &vec![(0.0, 0.0); n as usize + 1], seed);
                let flows = (0..n).map(|from| saturated(from, n, 1023)).collect();
                throughput(&mut Trial::new(medium, flows), seconds)
            });
            close(&format!("fhss, {n} stations, RTS {rts}"), measured, expected, 0.02);
        }
        if IS_QUICK {
            return;
        }
    }
}

/// Heusse et al. 2003: one slow station slows down all others.
#[test]
fn one_slow_station_makes_all_slow() {
    let (seeds, seconds) = effort(4, 40);
    let mut shares = [0.0; 2];
    for seed in 1..=seeds {
        let mut medium = medium(config(Phy::B, "11Mbit/s", false), &[(0.0, 0.0); 3], seed);
        let slow = r#"{"stations":[[0,{"name":"n0","rate":"1Mbit/s"}]]}"#;
        let slow = MediumChange::from_json(slow).unwrap();
        medium.change(netloom_units::Time::ZERO, &slow).unwrap();
        let mut trial = Trial::new(medium, vec![saturated(0, 2, 1500), saturated(1, 2, 1500)]);
        trial.run(Duration::from_secs(seconds));
        for (number, share) in (0..).zip(&mut shares) {
            let sent = trial.medium.counters(station(number)).unwrap().sent;
            *share += sent.frames as f64 * 12_000.0 / seconds as f64 / 1e6 / seeds as f64;
        }
    }
    println!("shares of both: {shares:?}");
    for share in shares {
        close("with one station at 1 Mbit/s", share, 0.785, 0.035);
    }
}

/// The spread of stations' shares follows from their variation between intervals.
#[test]
fn shares_are_equal() {
    const BATCHES: u64 = 20;
    let medium = medium(config(Phy::B, "11Mbit/s", false), &[(0.0, 0.0); 6], 3);
    let flows = (0..5).map(|from| saturated(from, 5, 1500)).collect();
    let mut trial = Trial::new(medium, flows);
    let mut batches = vec![Vec::new(); 5];
    for _ in 0..BATCHES {
        let sent = |trial: &Trial, of| trial.medium.counters(station(of)).unwrap().sent.frames;
        let before: Vec<_> = (0..5).map(|of| sent(&trial, of)).collect();
        trial.run(Duration::from_secs(effort(1, 5).1));
        for (of, before) in (0..).zip(before) {
            batches[of as usize].push((sent(&trial, of) - before) as f64);
        }
    }
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let all = mean_of(&batches.concat());
    for batches in batches {
        let mean = mean_of(&batches);
        let variance =
            batches.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (BATCHES - 1) as f64;
        let error = (variance / BATCHES as f64).sqrt();
        // Four standard errors: exceeded once in 2,000 tests of five stations.
        assert!((mean - all).abs() < 4.0 * error, "{mean}, all {all}, error {error}");
    }
}

/// A station with a smaller window gets more airtime.
#[test]
fn windows_differentiate_services() {
    let mut medium = medium(config(Phy::B, "11Mbit/s", false), &[(0.0, 0.0); 3], 1);
    let eager = MediumChange::from_json(r#"{"stations":[[0,{"name":"n0","cw":[7,31]}]]}"#).unwrap();
    medium.change(netloom_units::Time::ZERO, &eager).unwrap();
    let mut trial = Trial::new(medium, vec![saturated(0, 2, 1500), saturated(1, 2, 1500)]);
    trial.run(Duration::from_secs(10));
    let sent = |of| trial.medium.counters(station(of)).unwrap().sent.frames;
    assert!(sent(0) > 2 * sent(1), "{} and {}", sent(0), sent(1));
}

/// The MAC of EMPOWER as published: no transmission is destroyed.
#[test]
fn where_senders_collide_no_frame_is_lost() {
    let emac = r#"{"mac":{"emac":{"collisions":"sender","rate":"11Mbit/s"}}}"#;
    let medium = medium(with(config(Phy::B, "11Mbit/s", false), emac), &[(0.0, 0.0); 6], 1);
    let flows = (0..5).map(|from| saturated(from, 5, 1500)).collect();
    let mut trial = Trial::new(medium, flows);
    trial.run(Duration::from_secs(5));
    // One of two simultaneous frames is acknowledged, because a station sends one answer at a time.
    assert_eq!(trial.medium.counters(station(5)).unwrap().missed.total().frames, 0);
    assert!(trial.packet_bits() > 5 * 5_000_000);
}
