//! Fading: how the power of one frame varies around its mean, where signals come many ways.
//!
//! | file | model |
//! |---|---|
//! | `rayleigh` | many ways, none of them direct |
//! | `rician` | one of them is stronger |
//! | `nakagami` | between and beyond both |

mod nakagami;
mod rayleigh;
mod rician;

use netloom_units::Gain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use nakagami::{FarNakagami, NakagamiConfig};

/// How the power of a frame varies around its mean. Its mean factor is 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
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
    /// Refuses parameters that make no sense.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::None | Self::Rayleigh | Self::Rician(_) => Ok(()),
            Self::Nakagami(nakagami) => nakagami.check(),
        }
    }

    /// The factor, as a plain ratio, of one draw over `distance` m.
    pub fn factor(&self, distance: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Rayleigh => rayleigh::factor(draw),
            Self::Rician(ratio) => rician::factor(crate::milliwatts(ratio.decibels()), draw),
            Self::Nakagami(nakagami) => nakagami.factor(distance, draw),
        }
    }
}
