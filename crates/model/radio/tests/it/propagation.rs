//! Path loss: each row of the specification's table, to a thousandth of a dB.

use netloom_mobility::Point;
use netloom_radio::{Antenna, End, Propagation, Radio, RadioConfig, RangeConfig, Surroundings};
use netloom_units::{Frequency, Length, Time};

const MHZ_914: Frequency = Frequency::from_kilohertz(914_000);
const CHANNEL_1: Frequency = Frequency::from_kilohertz(2_412_000);

/// A station at a distance on the ground, with an antenna at 1.5 m.
pub fn end(station: u32, metres: f64) -> End<'static> {
    End { station, at: Point::flat(metres, 0.0), height: 1.5, antenna: &Antenna::Omni }
}

fn radio(frequency: Frequency, propagation: Propagation) -> Radio {
    let config = RadioConfig { frequency, propagation, ..RadioConfig::default() };
    Radio::new(&config, &Surroundings::default()).unwrap()
}

fn loss(radio: &Radio, metres: f64) -> f64 {
    radio.loss(Time::ZERO, &end(0, 0.0), &end(1, metres)).unwrap()
}

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, not {expected}");
}

#[test]
fn free_space_is_friis() {
    let radio = radio(CHANNEL_1, Propagation::FreeSpace);
    close(loss(&radio, 1.0), 40.0953, 0.001);
    close(loss(&radio, 1000.0), 100.0953, 0.001);
    let reach = radio.farthest(100.0953, 1.5).unwrap();
    close(reach, 1000.0, 0.1);
}

/// Crossovers of 86.20 m and 227.5 m; the thresholds of ns-2's WaveLAN at 250 and 550 m.
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
    close(24.5 - loss(&wavelan, 250.0), -64.3745, 0.001);
    close(24.5 - loss(&wavelan, 550.0), -78.0714, 0.001);
    close(wavelan.farthest(24.5 + 64.374, 1.5).unwrap(), 250.0, 0.1);
    close(wavelan.farthest(60.0, 1.5).unwrap(), 26.1, 0.1);
}

#[test]
fn a_range_is_a_disk_with_a_ring() {
    let range =
        RangeConfig { reach: Length::from_metres(250), sense: Some(Length::from_metres(550)) };
    let radio = radio(CHANNEL_1, Propagation::Range(range));
    let path = |metres| radio.path(Time::ZERO, &end(0, 0.0), &end(1, metres));
    assert!(path(250.0).unwrap().decodable);
    assert!(!path(250.001).unwrap().decodable);
    assert!(path(550.0).is_some() && path(550.001).is_none());
    assert_eq!(radio.farthest(0.0, 1.5), Some(550.0));
}
