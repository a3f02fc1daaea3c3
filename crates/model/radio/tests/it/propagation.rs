//! Path loss: each row of the specification's table, to a thousandth of a dB.

use netloom_radio::{LogDistanceConfig, Preset, Propagation, RadioConfig, RangeConfig};
use netloom_units::{Frequency, Length, Time};

use crate::common::{CHANNEL_1, close, config, end, loss, made, radio};

const MHZ_914: Frequency = Frequency::from_kilohertz(914_000);

#[test]
fn free_space_is_friis() {
    let radio = radio(CHANNEL_1, Propagation::FreeSpace);
    close(loss(&radio, 1.0), 40.0953, 0.001);
    close(loss(&radio, 1000.0), 100.0953, 0.001);
    close(radio.farthest(100.0953, 1.5).unwrap(), 1000.0, 0.1);
}

/// The crossovers are at 86.20 m and 227.5 m. The thresholds are those of ns-2's WaveLAN at 250 and
/// 550 m.
#[test]
fn two_rays_are_free_space_up_to_the_crossover() {
    for (frequency, crossover) in [(MHZ_914, 86.20), (CHANNEL_1, 227.48)] {
        let two_ray = radio(frequency, Propagation::TwoRayGround);
        let free = radio(frequency, Propagation::FreeSpace);
        let near = crossover - 0.01;
        close(loss(&two_ray, near), loss(&free, near), 1e-9);
        close(loss(&two_ray, crossover), loss(&free, crossover), 0.001);
        let far = 2.0 * crossover;
        close(loss(&two_ray, far) - loss(&free, far), 20.0 * 2f64.log10(), 0.01);
    }
    let wavelan = radio(MHZ_914, Propagation::TwoRayGround);
    close(loss(&wavelan, 250.0), 88.874, 0.001);
    close(loss(&wavelan, 550.0), 102.571, 0.001);
    close(wavelan.farthest(88.874, 1.5).unwrap(), 250.0, 0.1);
    close(wavelan.farthest(60.0, 1.5).unwrap(), 26.1, 0.1);
}

#[test]
fn a_power_of_the_distance_begins_at_its_reference() {
    let exponent = |exponent, reference| {
        radio(CHANNEL_1, Propagation::LogDistance(LogDistanceConfig { exponent, reference }))
    };
    let metre = exponent(3.0, Length::from_metres(1));
    close(loss(&metre, 1.0), 40.0953, 0.001);
    close(loss(&metre, 100.0), 100.0953, 0.001);
    close(metre.farthest(100.0953, 1.5).unwrap(), 100.0, 0.1);
    let ten = exponent(4.0, Length::from_metres(10));
    close(loss(&ten, 5.0), 40.0953 + 20.0 * 5f64.log10(), 0.001);
    close(loss(&ten, 100.0), 60.0953 + 40.0, 0.001);
    close(ten.farthest(54.0748, 1.5).unwrap(), 5.0, 0.01);
}

#[test]
fn a_range_is_a_disk_with_a_ring() {
    let sense = Some(Length::from_metres(550));
    let range = RangeConfig { reach: Length::from_metres(250), sense };
    let radio = radio(CHANNEL_1, Propagation::Range(range));
    let path = |metres| radio.path(Time::ZERO, &end(0, 0.0), &end(1, metres));
    assert!(path(250.0).unwrap().decodable);
    assert!(!path(250.001).unwrap().decodable);
    assert!(path(550.0).is_some() && path(550.001).is_none());
    assert_eq!(radio.farthest(0.0, 1.5), Some(550.0));
}

/// Power, thresholds and path loss of WaveLAN result in ranges of 250.0 and 550.0 m.
#[test]
fn wavelan_reaches_250_metres_and_is_sensed_at_550() {
    let preset = Preset::Wavelan.radio();
    let radio = made(&preset.config());
    let power = |metres| preset.power.dbm() - loss(&radio, metres);
    close(preset.sensitivity.dbm(), -64.37, 0.02);
    close(preset.cs_threshold.dbm(), -78.07, 0.02);
    assert!(power(250.0) >= preset.sensitivity.dbm() && power(250.05) < preset.sensitivity.dbm());
    assert!(power(550.0) >= preset.cs_threshold.dbm() && power(550.05) < preset.cs_threshold.dbm());
    let budget = preset.power.dbm() - preset.sensitivity.dbm();
    let free = RadioConfig { propagation: Propagation::FreeSpace, ..preset.config() };
    close(made(&free).farthest(budget, 1.5).unwrap(), 725.1, 0.1);
}

#[test]
fn every_preset_is_written_by_its_name() {
    for (preset, name, what) in Preset::ALL {
        assert_eq!(serde_json::to_string(preset).unwrap(), format!("\"{name}\""));
        assert!(!what.is_empty());
        let radio = preset.radio();
        radio.config().check().unwrap();
        assert!(radio.basic.iter().all(|basic| radio.rates.contains(basic)) || *name == "wavelan");
    }
}

#[test]
fn positions_can_be_rounded_to_squares() {
    let squares = made(&config(r#"{"quantise": "5m", "propagation": "free_space"}"#));
    assert_eq!(loss(&squares, 10.1), loss(&squares, 14.9));
    assert!(loss(&squares, 15.0) > loss(&squares, 14.9));
    // Both stations are in the same square: the formula's least distance applies.
    assert_eq!(loss(&squares, 0.1), loss(&squares, 4.9));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (json, part) in [
        (r#"{"propagation": {"log_distance": {"exponent": 0}}}"#, "from 1 to 10"),
        (r#"{"propagation": {"range": {"reach": "0m"}}}"#, "more than 0m"),
        (r#"{"propagation": {"range": {"reach": "5m", "sense": "4m"}}}"#, "less than"),
        (r#"{"fading": {"nakagami": {"m": 0.1}}}"#, "from 0.5 to 1000"),
        (r#"{"shadowing": {"deviation": "4dB", "distance": "0m"}}"#, "more than 0m"),
        (r#"{"obstacles": [{"wall": "9dB"}]}"#, "is needed"),
        (r#"{"obstacles": [{"polygon": [["0m", "0m"]], "wall": "9dB"}]}"#, "three or more"),
        (r#"{"quantise": "0m"}"#, "more than 0m"),
        (r#"{"coherence": "0s"}"#, "more than 0s"),
    ] {
        let error = config(json).check().unwrap_err();
        assert!(error.contains(part), "{json}: {error}");
    }
}
