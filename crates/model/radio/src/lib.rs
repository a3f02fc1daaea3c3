//! Radio: what of a signal arrives where, and what of it survives; dB in, dB and probabilities out.
//!
//! The power that a receiver gets, in dBm, is `power − loss + fading`: [`Radio::loss`] is fixed by
//! place, time and seed, [`Radio::fading`] is drawn for each frame. Whether bits survive follows
//! from the ratio of that power to noise and interference: [`Modulation`].
//!
//! | module | what lives there |
//! |---|---|
//! | `config` | what can be written of a channel: [`RadioConfig`] |
//! | `radio` | a channel at work: [`Radio`], and its two ends: [`End`] |
//! | `antenna` | gain by direction: [`Antenna`] |
//! | `propagation` | path loss, one file a model: [`Propagation`] |
//! | `shadowing` | what nobody drew: [`ShadowingConfig`] |
//! | `obstacles` | walls, and the files that hold them: [`ObstacleConfig`] |
//! | `fading` | how the power of frames varies, one file a model: [`Fading`] |
//! | `error` | which bits survive: [`Modulation`] |
//! | `noise` | the noise floor; dBm and milliwatts |
//! | `normal` | numbers of the normal distribution |
//! | `failure` | why a channel cannot work: [`RadioError`] |
//!
//! Not here: frames, time on the air, carrier sense (`medium`); positions (`mobility`); files,
//! whose text others give.

mod antenna;
mod config;
mod error;
mod fading;
mod failure;
mod noise;
mod normal;
mod obstacles;
mod propagation;
mod radio;
mod shadowing;

pub use antenna::{Antenna, SectorConfig};
pub use config::RadioConfig;
pub use error::Modulation;
pub use fading::{Fading, FarNakagami, NakagamiConfig};
pub use failure::RadioError;
pub use noise::{dbm, milliwatts, noise_floor};
pub use obstacles::{ObstacleConfig, Outline, Polygons};
pub use propagation::{
    GridConfig, Interpolation, LogDistanceConfig, LossGrid, LossStep, MatrixConfig, PairLosses,
    Propagation, RangeConfig,
};
pub use radio::{End, Path, Radio, Surroundings};
pub use shadowing::{Never, ShadowDistance, ShadowingConfig};

/// The speed of light in a vacuum, in m/s.
pub const LIGHT: f64 = 299_792_458.0;
