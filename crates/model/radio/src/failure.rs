//! Why a channel cannot work.

use thiserror::Error;

/// Why a channel cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RadioError {
    /// A file has not been read.
    #[error("the file {0} has not been read")]
    Unread(String),
    /// A loss matrix names a station that the channel does not have.
    #[error("the losses are those of `{name}`, too, which is no station here; {known}")]
    UnknownStation {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Losses of pairs, where nothing is lost with distance.
    #[error(
        "losses of pairs can be set on a radio channel only: on a cable there are none, and \
         `mac: {{none: {{pairs: …}}}}` lists what each pair loses"
    )]
    NoChannel,
    /// Obstacles in degrees, without a place for the plane's origin.
    #[error(
        "{file} has coordinates in degrees; say where the plane's origin is, like \
         `origin: {{lat: 48.78, lon: 9.18}}`"
    )]
    NoOrigin {
        /// The file.
        file: String,
    },
}

impl RadioError {
    /// The values of `file` are not here.
    pub(crate) fn unread(file: Option<&str>) -> Self {
        Self::Unread(file.unwrap_or("without a name").into())
    }
}
