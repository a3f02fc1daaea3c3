//! Error rates: the ratios at which frames are lost.

use netloom_radio::{Modulation, milliwatts, noise_floor};
use netloom_units::{Frequency, Gain};

/// Returns the ratio in dB at which a share `lost` of all frames is lost.
fn threshold(modulation: Modulation, bytes: f64, lost: f64) -> f64 {
    let (mut low, mut high) = (-15.0, 40.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let loss = 1.0 - modulation.success(milliwatts(middle), bytes * 8.0);
        if loss > lost { low = middle } else { high = middle }
    }
    low
}

/// The ratios at which 10 % of frames of 1536 bytes are lost. Other code computed the expected
/// values from the same formulas.
#[test]
fn a_tenth_of_long_frames_is_lost_where_the_table_says() {
    let table = [-3.02, 1.63, 4.15, 3.97, 6.86, 7.16, 6.98, 9.87, 13.51, 16.62, 21.36, 22.63];
    for ((rate, modulation), expected) in Modulation::ALL.iter().zip(table) {
        let found = threshold(*modulation, 1536.0, 0.1);
        assert!((found - expected).abs() < 0.02, "{rate} kbit/s: {found} dB, not {expected}");
    }
}

#[test]
fn success_grows_with_the_ratio_and_multiplies_over_stretches() {
    let modulations = Modulation::ALL.iter().map(|(_, modulation)| *modulation);
    for modulation in modulations.chain([Modulation::Fsk1]) {
        let at = |tenths: i32| modulation.success(milliwatts(f64::from(tenths) / 10.0), 1000.0);
        for tenths in -200..400 {
            assert!(at(tenths) <= at(tenths + 1) + 1e-12, "{modulation:?} at {tenths}/10 dB");
        }
        assert!(at(-200) < 0.01 && at(400) > 0.999_999, "{modulation:?}");
        let ratio = milliwatts(8.0);
        let parts = modulation.success(ratio, 300.0) * modulation.success(ratio, 700.0);
        assert!((parts - modulation.success(ratio, 1000.0)).abs() < 1e-12);
        assert_eq!(modulation.success(0.0, 0.0), 1.0);
    }
}

#[test]
fn the_noise_floor_is_that_of_the_bandwidth() {
    let figure: Gain = "7dB".parse().unwrap();
    let floor = |mhz: u32| noise_floor(Frequency::from_kilohertz(mhz * 1000), figure);
    assert!((floor(20) + 93.99).abs() < 0.005, "{}", floor(20));
    assert!((floor(22) + 93.58).abs() < 0.005, "{}", floor(22));
}
