//! Slots that belong to stations.

use netloom_medium::arm::Trial;
use netloom_medium::{AirOccurrence, FrameLoss, Phy};
use netloom_units::Duration;

use crate::support::{config, medium, saturated, station, with};

#[test]
fn stations_send_in_their_own_slots_only() {
    let tdma = r#"{"mac":{"tdma":{"slot":"5ms","guard":"200us","rate":"11Mbit/s"}}}"#;
    let mut medium = medium(with(config(Phy::B, "11Mbit/s", false), tdma), &[(0.0, 0.0); 4], 1);
    medium.record(true);
    let flows = (0..4).map(|from| saturated(from, (from + 1) % 4, 1500)).collect();
    let mut trial = Trial::new(medium, flows);
    // The last slot that begins within two seconds has been used.
    trial.run(Duration::from_millis(1999));
    let mut sent = 0;
    while let Some(event) = trial.medium.poll_event() {
        match event.what {
            AirOccurrence::Sent(record) => {
                let slot = event.at.as_nanos() / 5_000_000;
                assert_eq!(slot % 4, u64::from(record.station.0));
                let end = event.at + record.airtime;
                assert!(end.as_nanos() <= slot * 5_000_000 + 4_800_000);
                sent += 1;
            }
            AirOccurrence::Heard { loss, .. } => assert_eq!(loss, None),
            _ => {}
        }
    }
    // Three frames of 1310 us fit in each slot.
    assert_eq!(sent, 2000 / 5 * 3);
}

#[test]
fn orders_name_stations_and_long_frames_are_dropped() {
    let tdma =
        r#"{"mac":{"tdma":{"slot":"1ms","order":{"names":["n1","n0","n1"]},"rate":"2Mbit/s"}}}"#;
    let mut medium = medium(with(config(Phy::B, "2Mbit/s", false), tdma), &[(0.0, 0.0); 3], 1);
    medium.record(true);
    // 36 bytes and 100 of payload take 736 us; 1500 bytes do not fit.
    let flows = vec![saturated(0, 2, 100), saturated(1, 2, 100), saturated(2, 0, 100)];
    let mut trial = Trial::new(medium, flows);
    trial.run(Duration::from_secs(3));
    let sent = |of| trial.medium.counters(station(of)).unwrap().sent.frames;
    assert_eq!((sent(0), sent(1), sent(2)), (1000, 2000, 0));
    let drops = trial.medium.counters(station(2)).unwrap().drops;
    assert!(drops.of(FrameLoss::Mtu).frames > 0);
}
