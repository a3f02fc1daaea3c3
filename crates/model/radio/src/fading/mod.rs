//! Fading: how the power of one frame varies around its mean where signals arrive over many paths.
//!
//! | file | model |
//! |---|---|
//! | `rayleigh` | many paths, none of them direct |
//! | `rician` | many paths, one of them stronger than the others |
//! | `nakagami` | a family of distributions that contains Rayleigh fading |

mod nakagami;
mod rayleigh;
mod rician;

use netloom_units::Gain;
use serde::{Deserialize, Serialize};

pub use nakagami::{FarNakagami, NakagamiConfig};

/// How the power of a frame varies around its mean. Its mean factor is 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fading {
    /// Not at all.
    #[default]
    None,
    /// Rayleigh: many ways, none of them direct. The factor is exponential.
    Rayleigh,
    /// Rician: one way is stronger than all others together, by this ratio K.
    Rician(Gain),
    /// Nakagami: the factor is Gamma(m, 1/m), perhaps with another m far away.
    Nakagami(NakagamiConfig),
}

impl Fading {
    /// Rejects invalid parameters.
    ///
    /// # Errors
    /// A sentence about the first invalid key.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::None | Self::Rayleigh | Self::Rician(_) => Ok(()),
            Self::Nakagami(nakagami) => nakagami.check(),
        }
    }

    /// Returns the factor, as a plain ratio, by which fading changes the power of one frame over
    /// `distance` m. `draw` returns uniform numbers.
    pub fn factor(&self, distance: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Rayleigh => rayleigh::factor(draw),
            Self::Rician(ratio) => rician::factor(crate::milliwatts(ratio.decibels()), draw),
            Self::Nakagami(nakagami) => nakagami.factor(distance, draw),
        }
    }
}
