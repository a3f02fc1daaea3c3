//! The configuration of a radio channel.

use netloom_units::{Data, DataFile, Duration, FileError, Frequency, Gain, Length, load_files};
use serde::{Deserialize, Serialize};

use crate::{ErrorTable, Fading, ObstacleConfig, Propagation, ShadowingConfig};

/// The keys of a channel. Each may be left away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RadioConfig {
    /// The carrier's frequency (default `2.412GHz`).
    pub frequency: Frequency,
    /// The channel's width, which says how much noise there is (default `20MHz`).
    pub bandwidth: Frequency,
    /// Noise of receivers beside thermal noise (default `7dB`).
    pub noise_figure: Gain,
    /// Path loss (default `free_space`).
    pub propagation: Propagation,
    /// Log-normal shadows (default: none).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowing: Option<ShadowingConfig>,
    /// Buildings (default: none).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<ObstacleConfig>,
    /// How the power of frames varies (default `none`).
    pub fading: Fading,
    /// For how long a pair keeps its fading, about 0.423·c/(v·f) (default: each frame has its own).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coherence: Option<Duration>,
    /// Measured losses of frames instead of formulas: a file with lines of `rate,snr,bytes,loss`.
    /// Rates that it does not have keep their formulas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_table: Option<Data<ErrorTable>>,
    /// Positions are rounded to the middles of squares of this size, as NET did it (default: not
    /// at all).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantise: Option<Length>,
}

impl Default for RadioConfig {
    fn default() -> Self {
        Self {
            frequency: Frequency::from_kilohertz(2_412_000),
            bandwidth: Frequency::from_kilohertz(20_000),
            noise_figure: Gain::from_millionths(7_000_000),
            propagation: Propagation::FreeSpace,
            shadowing: None,
            obstacles: Vec::new(),
            fading: Fading::None,
            coherence: None,
            error_table: None,
            quantise: None,
        }
    }
}

impl RadioConfig {
    /// Rejects invalid parameters.
    ///
    /// # Errors
    /// A sentence that names the key and the fault.
    pub fn check(&self) -> Result<(), String> {
        let of = |key: &'static str| move |error: String| format!("{key}: {error}");
        self.propagation.check().map_err(of("propagation"))?;
        self.fading.check().map_err(of("fading"))?;
        if let Some(shadowing) = &self.shadowing {
            shadowing.check().map_err(of("shadowing"))?;
        }
        self.obstacles.iter().try_for_each(ObstacleConfig::check).map_err(of("obstacles"))?;
        match (self.quantise, self.coherence) {
            (Some(Length::ZERO), _) => Err("`quantise` must be more than 0m".into()),
            (_, Some(Duration::ZERO)) => Err("`coherence` must be more than 0s".into()),
            _ => Ok(()),
        }
    }

    /// Returns the power of noise, in dBm.
    pub fn noise_floor(&self) -> f64 {
        crate::noise_floor(self.bandwidth, self.noise_figure)
    }

    /// Returns all parts that may come from files, each with its key.
    pub fn files(&mut self) -> Vec<(&'static str, &mut dyn DataFile)> {
        let propagation = self.propagation.files().into_iter().map(|file| ("propagation", file));
        let obstacles = self.obstacles.iter_mut().filter_map(ObstacleConfig::file);
        let table =
            self.error_table.as_mut().map(|file| ("error_table", file as &mut dyn DataFile));
        propagation.chain(obstacles.map(|file| ("obstacles", file))).chain(table).collect()
    }

    /// Reads every file that a key names. `read` returns a file's text.
    ///
    /// # Errors
    /// One error for each file that cannot be read or is malformed.
    pub fn load<E>(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<String, E>,
    ) -> Result<(), Vec<FileError<E>>> {
        load_files(self.files(), read)
    }
}
