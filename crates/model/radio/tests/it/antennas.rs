//! Gains of antennas.

use netloom_mobility::Point;
use netloom_radio::{Antenna, AntennaPattern, End, Propagation};
use netloom_units::{Data, DataFormat, Time};

use crate::common::{CHANNEL_1, close, end, radio};

fn antenna(json: &str) -> Antenna {
    serde_json::from_str(json).unwrap()
}

/// Returns the gain in a compass direction.
fn towards(antenna: &Antenna, degrees: f64) -> f64 {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    antenna.gain(Point::flat(5.0, 5.0), Point::flat(5.0 + 100.0 * sine, 5.0 + 100.0 * cosine))
}

#[test]
fn sectors_have_two_gains() {
    let sector = antenna(
        r#"{"sector": {"azimuth": "350deg", "width": "60deg", "gain": "12dBi", "back": "-8dBi"}}"#,
    );
    for (degrees, gain) in [(350.0, 12.0), (19.9, 12.0), (320.1, 12.0), (21.0, -8.0), (170.0, -8.0)]
    {
        assert_eq!(towards(&sector, degrees), gain, "{degrees}");
    }
    assert_eq!(sector.largest(), 12.0);
    assert!(
        antenna(r#"{"sector": {"width": "0deg", "gain": "1dB", "back": "1dB"}}"#).check().is_err()
    );
}

#[test]
fn patterns_are_linear_around_the_circle() {
    let text = "# degrees,dBi\n0,10\n90,0\n180,-10\n270,0\n360,10\n";
    let pattern = AntennaPattern::parse(text).unwrap();
    let antenna = Antenna::Pattern(Data::inline(pattern.clone()));
    for (degrees, gain) in [(0.0, 10.0), (45.0, 5.0), (180.0, -10.0), (315.0, 5.0), (359.0, 9.889)]
    {
        close(towards(&antenna, degrees), gain, 0.001);
    }
    assert_eq!(antenna.largest(), 10.0);
    let json = serde_json::to_string(&antenna).unwrap();
    assert_eq!(serde_json::from_str::<Antenna>(&json).unwrap(), antenna);
    let one = AntennaPattern::parse("12,3\n").unwrap();
    assert_eq!(towards(&Antenna::Pattern(Data::inline(one)), 200.0), 3.0);
    let error = AntennaPattern::parse("1,2\n1,3\n").unwrap_err().to_string();
    assert!(error.contains("direction 1 has two gains"), "{error}");
    assert!(AntennaPattern::parse("1 2 3\n").unwrap_err().to_string().contains("line 1"));
    assert!(Antenna::Pattern(Data::File("a.csv".into())).ready().is_err());
}

#[test]
fn gains_of_both_ends_are_taken_off_the_loss() {
    let radio = radio(CHANNEL_1, Propagation::FreeSpace);
    let sector = antenna(
        r#"{"sector": {"azimuth": "90deg", "width": "60deg", "gain": "12dBi", "back": "-8dBi"}}"#,
    );
    let with = |station, metres| End { antenna: &sector, ..end(station, metres) };
    let loss = |a: &End<'_>, b: &End<'_>| radio.loss(Time::ZERO, a, b).unwrap();
    let plain = loss(&end(0, 0.0), &end(1, 100.0));
    close(loss(&with(0, 0.0), &end(1, 100.0)), plain - 12.0, 1e-9);
    close(loss(&with(0, 0.0), &with(1, 100.0)), plain - 12.0 + 8.0, 1e-9);
}
