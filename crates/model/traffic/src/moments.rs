//! Means and variances of the models, by formula.

use crate::sizes::SizeLaw;

/// The moments of a model that formulas give. Lengths of frames are without framing.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Mean rate in bit/s.
    pub mean: f64,
    /// Hurst parameter of the traffic at long time scales, if there is a formula.
    pub hurst: Option<f64>,
    /// Mean duration of its bursts in s, if it has any. At times that are not much longer, the
    /// Hurst parameter does not show.
    pub burst: Option<f64>,
    spread: Spread,
}

/// The parameters of the variance. Rates are in bit/s, times in s, lengths in bits.
#[derive(Debug, Clone, PartialEq)]
enum Spread {
    /// Frames of one length at a constant pace, with a random phase.
    Periodic { rate: f64, length: f64 },
    /// Independent frames.
    Poisson { frames: f64, mean_square: f64 },
    /// Senders whose on and off times are exponential.
    Exponential { sources: f64, on: f64, off: f64, rate: f64 },
    /// Poisson arrivals of Pareto bursts.
    Ppbp { arrivals: f64, rate: f64, length: f64, shape: f64 },
    /// There is no formula.
    Unknown,
}

impl Moments {
    pub(crate) fn periodic(rate: f64, sizes: &SizeLaw) -> Self {
        let length = sizes.mean() * 8.0;
        let varies = sizes.mean_square() > sizes.mean() * sizes.mean() * (1.0 + 1e-12);
        let spread = if varies { Spread::Unknown } else { Spread::Periodic { rate, length } };
        Self { mean: rate, hurst: Some(0.5), burst: None, spread }
    }

    pub(crate) fn poisson(rate: f64, sizes: &SizeLaw) -> Self {
        let frames = rate / (sizes.mean() * 8.0);
        let spread = Spread::Poisson { frames, mean_square: sizes.mean_square() * 64.0 };
        Self { mean: rate, hurst: Some(0.5), burst: None, spread }
    }

    pub(crate) fn on_off(
        sources: f64,
        on: f64,
        off: f64,
        rate: f64,
        hurst: f64,
        is_exponential: bool,
    ) -> Self {
        let spread = match is_exponential {
            true => Spread::Exponential { sources, on, off, rate },
            false => Spread::Unknown,
        };
        let mean = sources * rate * on / (on + off);
        Self { mean, hurst: Some(hurst), burst: Some(on.max(off)), spread }
    }

    pub(crate) fn ppbp(arrivals: f64, rate: f64, length: f64, hurst: f64) -> Self {
        let spread = Spread::Ppbp { arrivals, rate, length, shape: 3.0 - 2.0 * hurst };
        let mean = arrivals * rate * length;
        Self { mean, hurst: Some(hurst), burst: Some(length), spread }
    }

    /// Returns moments of which only the mean is given.
    pub(crate) fn unknown(mean: f64) -> Self {
        Self { mean, hurst: None, burst: None, spread: Spread::Unknown }
    }

    /// Returns the moments of independent transfers that last `burst` s on average, if that is
    /// known, and whose lengths may have a tail of the shape `tail`.
    pub(crate) fn heavy(mean: f64, burst: Option<f64>, tail: Option<f64>) -> Self {
        let hurst = (3.0 - tail.unwrap_or(2.0).min(2.0)) / 2.0;
        Self { mean, hurst: Some(hurst), burst, spread: Spread::Unknown }
    }

    /// Returns the variance of the bits sent in `seconds`, in bit², if there is a formula. For
    /// bursts it is the variance of their rate; frames add less than one frame per burst.
    pub fn variance(&self, seconds: f64) -> Option<f64> {
        let t = seconds;
        match self.spread {
            Spread::Periodic { rate, length } => {
                let frames = rate * t / length;
                let part = frames - libm::floor(frames);
                Some(part * (1.0 - part) * length * length)
            }
            Spread::Poisson { frames, mean_square } => Some(frames * t * mean_square),
            Spread::Exponential { sources, on, off, rate } => {
                // The covariance of one sender is r²·a(1 − a)·exp(−ct). It is integrated twice.
                let share = on / (on + off);
                let c = 1.0 / on + 1.0 / off;
                let factor = 2.0 * sources * rate * rate * share * (1.0 - share) / (c * c);
                Some(factor * (c * t + libm::expm1(-c * t)))
            }
            Spread::Ppbp { arrivals, rate, length, shape } => {
                Some(arrivals * rate * rate * ppbp_variance(t, length, shape))
            }
            Spread::Unknown => None,
        }
    }
}

/// Returns the variance of the work of a PPBP in the time `t`, for one burst per second at rate 1.
/// The mean duration of a burst is `d`, its Pareto shape `g` (Zukerman, Neame & Addie 2003).
fn ppbp_variance(t: f64, d: f64, g: f64) -> f64 {
    let x = d * (g - 1.0) / g;
    if t <= x {
        return t * t * (d - t / 3.0);
    }
    let up_to_shortest = d * (t * x - x * x / 2.0) - (t * x * x / 2.0 - x * x * x / 3.0);
    let power = |base: f64, exponent: f64| libm::pow(base, exponent);
    let linear = t * (power(t, 2.0 - g) - power(x, 2.0 - g)) / (2.0 - g);
    let square = (power(t, 3.0 - g) - power(x, 3.0 - g)) / (3.0 - g);
    2.0 * (up_to_shortest + power(x, g) / (g - 1.0) * (linear - square))
}
