//! Correlated random numbers, of which each resembles the one before it.
//!
//! A first-order autoregression of Gaussian numbers, `z' = ρz + √(1 - ρ²)·ε`, keeps their
//! distribution standard normal for any correlation ρ. The normal distribution function turns them
//! into uniform numbers, and the inverse distribution function of any law turns those into numbers
//! of that law (a Gaussian copula). So each value by itself has exactly the same distribution as
//! without correlation. netem instead averages uniform numbers, `x' = ρx + (1 - ρ)u`, which are no
//! longer uniform: the larger ρ, the narrower their distribution.

use netloom_units::Probability;

use super::shapes::distribution;
use crate::Stream;

/// A source of correlated random numbers.
#[derive(Debug)]
pub(super) struct Noise {
    correlation: f64,
    /// `√(1 - ρ²)`.
    fresh: f64,
    /// The last Gaussian number, once there is one.
    last: Option<f64>,
    stream: Stream,
}

impl Noise {
    pub fn new(correlation: Probability, stream: Stream) -> Self {
        let mut noise = Self { correlation: 0.0, fresh: 1.0, last: None, stream };
        noise.correlate(correlation);
        noise
    }

    /// Sets another correlation, from the next number on.
    pub fn correlate(&mut self, correlation: Probability) {
        self.correlation = correlation.value();
        self.fresh = libm::sqrt(1.0 - self.correlation * self.correlation);
    }

    /// Returns the next number, standard normal.
    pub fn gaussian(&mut self) -> f64 {
        let fresh = self.stream.gaussian();
        let z = match self.last {
            Some(last) => self.correlation * last + self.fresh * fresh,
            None => fresh,
        };
        self.last = Some(z);
        z
    }

    /// Returns the next number, uniform from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        if self.correlation == 0.0 { self.stream.uniform() } else { distribution(self.gaussian()) }
    }
}
