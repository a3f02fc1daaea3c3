//! Estimates of the Hurst parameter of series whose parameter is known: exact fractional Gaussian
//! noise (Davies & Harte 1987).

use std::f64::consts::TAU;

use netloom_traffic::{FirstOctave, NoHurst, Series, wavelet_hurst};
use netloom_units::{Duration, Stream};

use crate::common::source;

/// A discrete Fourier transform of 2ⁿ values, in place (Cooley & Tukey 1965).
fn transform(values: &mut [(f64, f64)]) {
    let n = values.len();
    let bits = n.trailing_zeros();
    for index in 0..n {
        let reversed = index.reverse_bits() >> (usize::BITS - bits);
        if index < reversed {
            values.swap(index, reversed);
        }
    }
    let mut length = 2;
    while length <= n {
        let twiddles: Vec<(f64, f64)> = (0..length / 2)
            .map(|k| {
                let angle = -TAU * k as f64 / length as f64;
                (angle.cos(), angle.sin())
            })
            .collect();
        for chunk in values.chunks_exact_mut(length) {
            let (left, right) = chunk.split_at_mut(length / 2);
            for ((a, b), w) in left.iter_mut().zip(right).zip(&twiddles) {
                let turned = (b.0 * w.0 - b.1 * w.1, b.0 * w.1 + b.1 * w.0);
                (*a, *b) = ((a.0 + turned.0, a.1 + turned.1), (a.0 - turned.0, a.1 - turned.1));
            }
        }
        length *= 2;
    }
}

/// 2^17 values of fractional Gaussian noise.
fn noise(hurst: f64, seed: u64) -> Vec<f64> {
    let n = 1usize << 17;
    let power = |k: f64| k.abs().powf(2.0 * hurst);
    let covariance = |k: usize| {
        let k = k as f64;
        0.5 * (power(k + 1.0) - 2.0 * power(k) + power(k - 1.0))
    };
    let circle = (0..=n).chain((1..n).rev()).map(|k| (covariance(k), 0.0));
    let mut spectrum: Vec<(f64, f64)> = circle.collect();
    transform(&mut spectrum);
    let (mut draws, length) = (Stream::new(seed, "noise"), spectrum.len() as f64);
    let mut values: Vec<(f64, f64)> = spectrum
        .iter()
        .map(|(eigenvalue, _)| {
            let scale = (eigenvalue.max(0.0) / length).sqrt();
            (scale * draws.gaussian(), scale * draws.gaussian())
        })
        .collect();
    transform(&mut values);
    values.truncate(n);
    values.into_iter().map(|(real, _)| real).collect()
}

#[test]
fn wavelets_find_the_hurst_parameter_of_exact_noise() {
    for hurst in [0.5, 0.6, 0.7, 0.8, 0.9] {
        let estimate = wavelet_hurst(&noise(hurst, 7), FirstOctave::Given(3)).unwrap();
        assert!((estimate.hurst - hurst).abs() < 0.03, "{hurst}: {estimate:?}");
        assert!(estimate.half_width > 0.005 && estimate.half_width < 0.03, "{estimate:?}");
        assert_eq!(estimate.octaves.0, 3);
    }
}

#[test]
fn a_linear_trend_does_not_mislead_wavelets() {
    let trend = noise(0.7, 9).into_iter().enumerate().map(|(i, x)| x + 1e-4 * i as f64);
    let series: Vec<f64> = trend.collect();
    let estimate = wavelet_hurst(&series, FirstOctave::Given(3)).unwrap();
    assert!((estimate.hurst - 0.7).abs() < 0.03, "{estimate:?}");
}

/// Noise is straight from the first octave on, so that the chosen one is near it.
#[test]
fn the_first_octave_of_exact_noise_is_an_early_one() {
    let chosen = FirstOctave::Chosen { at_least: 1 };
    let estimates = [0.5, 0.6, 0.7, 0.8, 0.9].map(|hurst| {
        let estimate = wavelet_hurst(&noise(hurst, 7), chosen).unwrap();
        assert!((estimate.hurst - hurst).abs() < 0.04, "{hurst}: {estimate:?}");
        estimate.octaves.0
    });
    assert!(estimates.into_iter().all(|first| (3..=5).contains(&first)), "{estimates:?}");
    let late = wavelet_hurst(&noise(0.7, 7), FirstOctave::Chosen { at_least: 8 }).unwrap();
    assert_eq!(late.octaves.0, 8);
}

/// Octaves below the bursts are left out: with them, the line is steeper than any that longer ones
/// follow, and its interval is far from what the model has.
#[test]
fn octaves_below_bursts_are_left_out() {
    let model = r#"{"ppbp":{"load":"5Mbit/s","bursts":100,"burst":"1s","hurst":0.8}}"#;
    let (bin, time) = (Duration::from_millis(10), Duration::from_secs(600));
    let estimates = [1, 2, 3, 4].map(|seed| {
        let series = Series::new(source(model, seed), bin, time).unwrap();
        let all = wavelet_hurst(series.bits(), FirstOctave::Given(1)).unwrap();
        assert!((all.hurst - 0.8).abs() > 10.0 * all.half_width, "{all:?}");
        wavelet_hurst(series.bits(), FirstOctave::Chosen { at_least: 1 })
    });
    let near = estimates.iter().filter(|estimate| match estimate {
        // Octave 7 is 1.28 s long.
        Ok(estimate) => {
            assert!(estimate.octaves.0 > 7, "{estimate:?}");
            (estimate.hurst - 0.8).abs() < 2.0 * estimate.half_width
        }
        Err(_) => false,
    });
    assert!(near.count() >= 2, "{estimates:?}");
}

#[test]
fn what_is_no_hurst_parameter_is_unknown() {
    // Sums of sums of noise grow faster than any series with a Hurst parameter below 1.
    let sums = |series: Vec<f64>| -> Vec<f64> {
        let mut sum = 0.0;
        let sum = series.into_iter().map(|value| {
            sum += value;
            sum
        });
        sum.collect()
    };
    for from in [FirstOctave::Given(3), FirstOctave::Chosen { at_least: 1 }] {
        let steep = wavelet_hurst(&sums(sums(noise(0.8, 3))), from);
        assert!(
            matches!(steep, Err(NoHurst::Outside(estimate)) if estimate.hurst > 1.0),
            "{steep:?}"
        );
    }
}
