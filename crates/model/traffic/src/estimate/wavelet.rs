//! Estimates the Hurst parameter by wavelets (Abry & Veitch 1998): the logarithm of the mean
//! squared detail at each octave, corrected for its bias, and a weighted fit of a line.

use std::f64::consts::LN_2;

/// Smallest number of details in an octave.
const FEWEST: usize = 8;

/// An estimate of the Hurst parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HurstEstimate {
    /// The Hurst parameter.
    pub hurst: f64,
    /// Half the width of the 95 % confidence interval.
    pub half_width: f64,
    /// The first and the last octave of the fit. Octave j is 2ʲ bins long.
    pub octaves: (u32, u32),
}

/// Estimates the Hurst parameter of a series. The fit starts at octave `from`, which is 1 or more;
/// octave j is 2ʲ values long. Memory shows only at times that are longer than all bursts.
///
/// Returns `None` if there are fewer than two octaves, or if nothing varies in one.
pub fn wavelet_hurst(series: &[f64], from: u32) -> Option<HurstEstimate> {
    let mut fit = Fit::default();
    let (mut values, mut octave) = (series.to_vec(), 0);
    while values.len() >= FEWEST {
        let details;
        (values, details) = transform(&values);
        octave += 1;
        if octave < from.max(1) {
            continue;
        }
        if details.len() < FEWEST {
            break;
        }
        let count = details.len() as f64;
        let energy = mean_square(&details);
        // A χ² distribution has as many degrees of freedom as there are details. Half of that
        // number enters the bias.
        let bias = digamma(count / 2.0) / LN_2 - libm::log2(count / 2.0);
        // Rounding leaves such a small rest if the series is constant.
        if energy <= 1e-24 * mean_square(&values) {
            return None;
        }
        fit.add(octave, libm::log2(energy) - bias, count * LN_2 * LN_2 / 2.0);
    }
    fit.estimate()
}

fn mean_square(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64
}

/// Does one step of the wavelet transform with Daubechies' wavelet of two vanishing moments.
/// Returns the coarser series and the details. Pairs at the end beyond which the filter would reach
/// are left out.
fn transform(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let root = libm::sqrt(3.0);
    let norm = 4.0 * std::f64::consts::SQRT_2;
    let low = [1.0 + root, 3.0 + root, 3.0 - root, 1.0 - root].map(|tap| tap / norm);
    let high = [low[3], -low[2], low[1], -low[0]];
    let even = values.len() / 2 * 2;
    let apply = |taps: [f64; 4]| {
        let windows = values[..even].windows(4).step_by(2);
        windows.map(|window| window.iter().zip(taps).map(|(v, tap)| v * tap).sum()).collect()
    };
    (apply(low), apply(high))
}

/// The digamma function ψ for x > 0: the recurrence up to 6 or more, then the asymptotic series
/// (Abramowitz & Stegun 6.3.5, 6.3.18).
fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 6.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = s * (1.0 / 12.0 - s * (1.0 / 120.0 - s * (1.0 / 252.0 - s / 240.0)));
    shift + libm::log(x) - 0.5 / x - series
}

/// The sums for a weighted fit of a line.
#[derive(Default)]
struct Fit {
    octaves: Option<(u32, u32)>,
    weight: f64,
    x: f64,
    xx: f64,
    y: f64,
    xy: f64,
}

impl Fit {
    fn add(&mut self, octave: u32, y: f64, weight: f64) {
        let x = f64::from(octave);
        self.octaves = Some((self.octaves.map_or(octave, |(first, _)| first), octave));
        self.weight += weight;
        self.x += weight * x;
        self.xx += weight * x * x;
        self.y += weight * y;
        self.xy += weight * x * y;
    }

    /// Computes the estimate. The slope is 2H − 1.
    fn estimate(&self) -> Option<HurstEstimate> {
        let octaves = self.octaves.filter(|(first, last)| first < last)?;
        let determinant = self.weight * self.xx - self.x * self.x;
        let slope = (self.weight * self.xy - self.x * self.y) / determinant;
        let deviation = libm::sqrt(self.weight / determinant);
        Some(HurstEstimate {
            hurst: (slope + 1.0) / 2.0,
            half_width: 1.96 * deviation / 2.0,
            octaves,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_has_its_known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((digamma(1.0) + EULER).abs() < 1e-8);
        assert!((digamma(0.5) + EULER + 2.0 * LN_2).abs() < 1e-8);
        assert!((digamma(10.0) - 2.251_752_589_066_721).abs() < 1e-10);
    }

    #[test]
    fn details_of_a_straight_line_vanish() {
        let line: Vec<f64> = (0..64).map(|i| 3.0 + 0.5 * f64::from(i)).collect();
        let (coarser, details) = transform(&line);
        assert_eq!((coarser.len(), details.len()), (31, 31));
        assert!(details.iter().all(|detail| detail.abs() < 1e-12));
    }

    #[test]
    fn what_is_too_short_or_constant_has_no_estimate() {
        assert_eq!(wavelet_hurst(&[1.0; 10], 1), None);
        assert_eq!(wavelet_hurst(&[0.0; 1000], 1), None);
        assert_eq!(wavelet_hurst(&[0.3; 1000], 1), None);
    }
}
