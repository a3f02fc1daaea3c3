//! Estimates the Hurst parameter by wavelets (Abry & Veitch 1998): the logarithm of the mean
//! squared detail at each octave, corrected for its bias, and a weighted fit of a line. The first
//! octave of the fit is chosen by how straight the line is (Veitch, Abry & Taqqu 2003).

use std::f64::consts::{LN_2, PI};

use thiserror::Error;

/// Smallest number of details in an octave.
const FEWEST: usize = 8;

/// Smallest number of octaves in a fit that starts where this module chooses.
const FEWEST_OCTAVES: usize = 3;

/// Probability below which octaves are not taken for a straight line.
const STRAIGHT: f64 = 0.05;

/// Octaves that are left out behind the first straight one. Octaves that are up to four times as
/// long as bursts look straight, but steeper than the line that longer ones follow.
const MARGIN: usize = 2;

/// An estimate of the Hurst parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HurstEstimate {
    /// The Hurst parameter, above 0 and below 1.
    pub hurst: f64,
    /// Half the width of the 95 % confidence interval of the fit.
    pub half_width: f64,
    /// The first and the last octave of the fit. Octave j is 2ʲ bins long.
    pub octaves: (u32, u32),
}

/// The octave that a fit starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstOctave {
    /// This octave, 1 or more.
    Given(u32),
    /// An octave beyond the first one from which all lie on a line, and not before `at_least`.
    Chosen {
        /// An octave before which the fit does not start.
        at_least: u32,
    },
}

/// The reason why the Hurst parameter is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NoHurst {
    /// There are too few octaves for a line.
    #[error("octaves {first} to {last} are too few for a line, which needs {needed}")]
    TooFew {
        /// The first octave of the fit.
        first: u32,
        /// The last octave of the series; 0 if it has none.
        last: u32,
        /// The octaves that a line needs.
        needed: usize,
    },
    /// Nothing varies at an octave of the fit.
    #[error("nothing varies at octave {octave}")]
    Constant {
        /// That octave.
        octave: u32,
    },
    /// The last octaves do not lie on a line.
    #[error("the last octaves, up to {last}, lie on no line")]
    NotStraight {
        /// The last octave of the series.
        last: u32,
    },
    /// The fit gives a number that is no Hurst parameter.
    #[error(
        "octaves {} to {} give {:.3} ± {:.3}, and a Hurst parameter is above 0 and below 1",
        .0.octaves.0, .0.octaves.1, .0.hurst, .0.half_width
    )]
    Outside(HurstEstimate),
}

/// The energy of one octave.
#[derive(Debug, Clone, Copy)]
struct Octave {
    number: u32,
    /// Binary logarithm of the mean squared detail, corrected for its bias. `None` if nothing
    /// varies.
    energy: Option<f64>,
    /// The inverse of that number's variance.
    weight: f64,
}

/// Estimates the Hurst parameter of a series. Octave j is 2ʲ values long. Memory shows only at
/// times that are longer than all bursts, so that octaves shorter than those must be left out.
///
/// # Errors
/// If the series does not show a Hurst parameter.
pub fn wavelet_hurst(series: &[f64], from: FirstOctave) -> Result<HurstEstimate, NoHurst> {
    let all = octaves(series);
    let last = all.last().map_or(0, |octave| octave.number);
    let (first, needed) = match from {
        FirstOctave::Given(first) => (first.max(1), 2),
        FirstOctave::Chosen { at_least } => (chosen(&all)?.max(at_least), FEWEST_OCTAVES),
    };
    let used = all.get(first as usize - 1..).unwrap_or_default();
    if used.len() < needed {
        return Err(NoHurst::TooFew { first, last, needed });
    }
    let fit = Fit::of(used)?;
    let estimate = HurstEstimate {
        // The slope is 2H − 1.
        hurst: (fit.slope + 1.0) / 2.0,
        half_width: 1.96 * fit.deviation / 2.0,
        octaves: (first, last),
    };
    match estimate.hurst > 0.0 && estimate.hurst < 1.0 {
        true => Ok(estimate),
        false => Err(NoHurst::Outside(estimate)),
    }
}

/// Returns the octaves of a series, from the first one on.
fn octaves(series: &[f64]) -> Vec<Octave> {
    let mut all = Vec::new();
    let mut values = series.to_vec();
    for number in 1.. {
        let details;
        (values, details) = transform(&values);
        if details.len() < FEWEST {
            break;
        }
        let count = details.len() as f64;
        let energy = mean_square(&details);
        // A χ² distribution has as many degrees of freedom as there are details. Half of that
        // number enters the bias.
        let bias = digamma(count / 2.0) / LN_2 - libm::log2(count / 2.0);
        // Rounding leaves such a small rest if the series is constant.
        let varies = energy > 1e-24 * mean_square(&values);
        let energy = varies.then(|| libm::log2(energy) - bias);
        all.push(Octave { number, energy, weight: count * LN_2 * LN_2 / 2.0 });
    }
    all
}

/// Returns the octave that a fit starts at: behind the first one from which all are on a line.
fn chosen(all: &[Octave]) -> Result<u32, NoHurst> {
    let last = all.last().map_or(0, |octave| octave.number);
    // A line through two points is always straight.
    if all.len() < FEWEST_OCTAVES {
        return Err(NoHurst::TooFew { first: 1, last, needed: FEWEST_OCTAVES });
    }
    let mut starts = 0..=all.len() - FEWEST_OCTAVES;
    let straight = starts.find(|start| {
        let fit = Fit::of(&all[*start..]);
        fit.is_ok_and(|fit| chi_square_tail(fit.misfit, fit.freedom) > STRAIGHT)
    });
    match straight {
        Some(start) => Ok((start + MARGIN + 1) as u32),
        None => match all.iter().rev().take(FEWEST_OCTAVES).find(|last| last.energy.is_none()) {
            Some(constant) => Err(NoHurst::Constant { octave: constant.number }),
            None => Err(NoHurst::NotStraight { last }),
        },
    }
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

/// Probability that a sum of squares of `freedom` normal numbers exceeds `x` (Abramowitz & Stegun
/// 26.4.4, 26.4.5).
fn chi_square_tail(x: f64, freedom: usize) -> f64 {
    let half = x / 2.0;
    // Terms of the sum follow each other by the factor half ÷ index.
    let (mut sum, mut term, mut index) = match freedom % 2 {
        0 => (0.0, libm::exp(-half), 0.0),
        _ => (libm::erfc(libm::sqrt(half)), 2.0 * libm::exp(-half) * libm::sqrt(half / PI), 0.5),
    };
    for _ in 0..freedom / 2 {
        sum += term;
        index += 1.0;
        term *= half / index;
    }
    sum
}

/// A line through the energies of octaves, fitted by weight.
#[derive(Debug, Clone, Copy)]
struct Fit {
    slope: f64,
    /// Standard deviation of the slope.
    deviation: f64,
    /// Sum of the squared distances from the line, each in standard deviations.
    misfit: f64,
    /// Number of octaves beyond the two that any line meets.
    freedom: usize,
}

impl Fit {
    /// Fits a line to two octaves or more.
    fn of(octaves: &[Octave]) -> Result<Self, NoHurst> {
        let (mut weight, mut x, mut xx, mut y, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut points = Vec::with_capacity(octaves.len());
        for octave in octaves {
            let number = octave.number;
            let energy = octave.energy.ok_or(NoHurst::Constant { octave: number })?;
            let (at, w) = (f64::from(number), octave.weight);
            weight += w;
            x += w * at;
            xx += w * at * at;
            y += w * energy;
            xy += w * at * energy;
            points.push((at, energy, w));
        }
        let determinant = weight * xx - x * x;
        let slope = (weight * xy - x * y) / determinant;
        let start = (y - slope * x) / weight;
        let misfits = points.into_iter().map(|(at, energy, w)| {
            let off = energy - start - slope * at;
            w * off * off
        });
        Ok(Self {
            slope,
            deviation: libm::sqrt(weight / determinant),
            misfit: misfits.sum(),
            freedom: octaves.len().saturating_sub(2),
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
    fn the_tail_of_chi_square_has_its_known_values() {
        // Abramowitz & Stegun, table 26.8: points that 5 % and 50 % exceed.
        for (x, freedom, expected) in [
            (3.841_46, 1, 0.05),
            (5.991_46, 2, 0.05),
            (7.814_73, 3, 0.05),
            (18.307_04, 10, 0.05),
            (0.454_936, 1, 0.5),
            (10.340_998, 11, 0.5),
        ] {
            let tail = chi_square_tail(x, freedom);
            assert!((tail - expected).abs() < 1e-6, "{x}, {freedom}: {tail}");
        }
        assert_eq!(chi_square_tail(0.0, 4), 1.0);
    }

    #[test]
    fn what_is_too_short_or_constant_has_no_estimate() {
        let chosen = FirstOctave::Chosen { at_least: 1 };
        for (first, needed) in [(FirstOctave::Given(1), 2), (chosen, 3)] {
            let short = wavelet_hurst(&[1.0; 10], first);
            assert_eq!(short, Err(NoHurst::TooFew { first: 1, last: 0, needed }));
        }
        for value in [0.0, 0.3] {
            for from in [FirstOctave::Given(1), chosen] {
                let constant = wavelet_hurst(&[value; 1000], from);
                assert!(matches!(constant, Err(NoHurst::Constant { .. })), "{constant:?}");
            }
        }
        assert!(wavelet_hurst(&[0.0; 1000], FirstOctave::Given(30)).is_err());
        assert!(wavelet_hurst(&[0.0; 1000], FirstOctave::Chosen { at_least: 30 }).is_err());
    }
}
