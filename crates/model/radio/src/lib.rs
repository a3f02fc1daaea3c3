//! The radio model: which power reaches a receiver, and which bits survive. Losses and gains are in
//! dB; the results are powers in dBm and probabilities.
//!
//! The power at a receiver, in dBm, is `power − loss + fading`. [`Radio::loss`] depends only on
//! place, time and seed. [`Radio::fading`] is drawn for each frame. The ratio of that power to
//! noise and interference determines whether bits survive: [`Modulation`].
//!
//! | module | contents |
//! |---|---|
//! | `config` | the configuration of a channel: [`RadioConfig`] |
//! | `radio` | a channel: [`Radio`], and the two ends of a path: [`End`] |
//! | `path`, `surroundings` | a path with its loss; what a channel needs beside its configuration |
//! | `antenna` | gain in each direction: [`Antenna`] |
//! | `propagation` | path loss, one model in each file: [`Propagation`] |
//! | `shadowing` | loss through buildings and hills that are not modelled: [`ShadowingConfig`] |
//! | `obstacles` | walls, and the formats of their files: [`ObstacleConfig`] |
//! | `fading` | variation of the power of frames, one model in each file: [`Fading`] |
//! | `error` | probabilities that bits survive: [`Modulation`], [`ErrorTable`] |
//! | `preset` | radio values of several kinds of hardware: [`Preset`] |
//! | `station` | the configuration of a station: [`StationConfig`] |
//! | `noise` | the noise floor; conversion between dBm and milliwatts |
//! | `normal` | numbers of the normal distribution |
//! | `failure` | errors of the creation of a channel: [`RadioError`] |
//!
//! ```
//! use netloom_mobility::Point;
//! use netloom_radio::{Antenna, End, Propagation, Radio, RadioConfig, Surroundings};
//! use netloom_units::Time;
//!
//! let config = RadioConfig { propagation: Propagation::FreeSpace, ..RadioConfig::default() };
//! let radio = Radio::new(&config, &Surroundings::default())?;
//! let antenna = Antenna::default();
//! let end = |station, x| {
//!     End { station, at: Point::new(x, 0.0, 0.0), height: 1.5, antenna: &antenna }
//! };
//! let loss = |x| radio.loss(Time::ZERO, &end(0, 0.0), &end(1, x)).unwrap();
//! // Friis: 6 dB more at twice the distance.
//! assert!((loss(200.0) - loss(100.0) - 6.0206).abs() < 1e-3);
//! # Ok::<(), netloom_radio::RadioError>(())
//! ```
//!
//! This crate has no frames, no time on the air and no carrier sense (see `medium`), and no
//! positions (see `mobility`). It opens no files: the caller passes their text.

mod antenna;
mod config;
mod error;
mod fading;
mod failure;
mod noise;
mod normal;
mod obstacles;
mod path;
mod preset;
mod propagation;
mod radio;
mod shadowing;
mod station;
mod surroundings;

pub use antenna::{Antenna, AntennaPattern, SectorConfig};
pub use config::RadioConfig;
pub use error::{ErrorTable, LossPoint, Modulation};
pub use fading::{Fading, FarNakagami, NakagamiConfig};
pub use failure::RadioError;
pub use noise::{dbm, milliwatts, noise_floor};
pub use obstacles::{ObstacleConfig, Outline, Polygons};
pub use path::Path;
pub use preset::{Preset, PresetRadio};
pub use propagation::{
    GridConfig, Interpolation, LogDistanceConfig, LossGrid, LossStep, MatrixConfig, PairLosses,
    Propagation, RangeConfig,
};
pub use radio::{End, Radio};
pub use shadowing::{Never, ShadowDistance, ShadowingConfig};
pub use station::StationConfig;
pub use surroundings::Surroundings;

/// The speed of light in a vacuum, in m/s.
pub const LIGHT: f64 = 299_792_458.0;
