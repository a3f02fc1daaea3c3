//! Nakagami fading. The power has the distribution Gamma(m, 1/m). With m = 1 it is Rayleigh fading;
//! with a larger m the power varies less.

use netloom_units::Length;
use serde::{Deserialize, Serialize};

use crate::normal;

/// Nakagami fading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NakagamiConfig {
    /// The shape, from 0.5 to 1000: 1 is Rayleigh, more is calmer.
    pub m: f64,
    /// Another shape further away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far: Option<FarNakagami>,
}

/// A shape for far receivers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FarNakagami {
    /// The distance beyond which it holds.
    pub beyond: Length,
    /// The shape, from 0.5 to 1000.
    pub m: f64,
}

impl NakagamiConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        let shapes = [Some(self.m), self.far.as_ref().map(|far| far.m)];
        match shapes.into_iter().flatten().find(|m| !(0.5..=1000.0).contains(m)) {
            Some(m) => Err(format!("`m: {m}` must be from 0.5 to 1000")),
            None => Ok(()),
        }
    }

    pub(super) fn factor(&self, distance: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
        let far = self.far.as_ref().filter(|far| distance > far.beyond.metres());
        let shape = far.map_or(self.m, |far| far.m);
        gamma(shape, draw) / shape
    }
}

/// Draws a number of the Gamma distribution with a shape and a scale of 1 (Marsaglia & Tsang 2000).
fn gamma(shape: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
    if shape < 1.0 {
        let power = libm::pow(draw(), 1.0 / shape);
        return gamma(shape + 1.0, draw) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal::quantile(draw());
        let base = 1.0 + c * x;
        let v = base * base * base;
        if v > 0.0 && libm::log(draw()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}
