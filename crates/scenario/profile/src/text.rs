//! Profiles as JSON.

use serde::Deserialize;
use thiserror::Error;

use crate::profile::{FORMAT, Profile};

/// The reason why a text is not a profile.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// It is not an output of `netloom calibrate`.
    #[error("it is not a profile, or damaged ({0})")]
    Damaged(#[from] serde_json::Error),
    /// It is a profile of another version.
    #[error("it has format {found}, and this version of NetLoom reads format {FORMAT}")]
    OtherFormat {
        /// The format that the text names.
        found: u32,
    },
}

/// The part that all formats have in common.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// Fails if the text is damaged or of another format.
    pub fn from_json(text: &str) -> Result<Self, ProfileError> {
        let Head { format } = serde_json::from_slice(text.as_bytes())?;
        match format {
            FORMAT => Ok(serde_json::from_slice(text.as_bytes())?),
            found => Err(ProfileError::OtherFormat { found }),
        }
    }

    /// The profile as text that ends with a line end.
    ///
    /// # Errors
    /// Never fails for a measured profile: JSON can express all of its values.
    pub fn to_json(&self) -> Result<String, ProfileError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// The JSON Schema of profiles.
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Profile).to_value()
}
