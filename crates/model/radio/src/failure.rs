//! Errors of the creation of a channel.

use thiserror::Error;

/// The reason why a channel cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RadioError {
    /// A file has not been read.
    #[error("the file {0} has not been read")]
    Unread(String),
    /// A loss matrix names a station that the channel does not have.
    #[error("the losses are those of `{name}`, too, which is no station here; {known}")]
    UnknownStation {
        /// The unknown name.
        name: String,
        /// The names of the channel's stations, in words.
        known: String,
    },
    /// A name that is to be a node is not in the file of a loss matrix.
    #[error(
        "`nodes` says which node each name of the file is, and the file has no `{name}`; {known}\
         {turned}"
    )]
    NotInFile {
        /// The name.
        name: String,
        /// The names of the file, in words.
        known: String,
        /// What to write if the entry is the other way round, or nothing.
        turned: String,
    },
    /// Two names of the file of a loss matrix are the same node.
    #[error("`nodes` says that both `{first}` and `{second}` of the file are `{node}`")]
    SameNode {
        /// A name of the file.
        first: String,
        /// Another one.
        second: String,
        /// The node.
        node: String,
    },
    /// Losses of pairs, where nothing is lost with distance.
    #[error(
        "losses of pairs can be set on a radio channel only: on a cable there are none, and \
         `mac: {{none: {{pairs: …}}}}` lists what each pair loses"
    )]
    NoChannel,
    /// Obstacles have coordinates in degrees, but the plane has no origin.
    #[error(
        "{file} has coordinates in degrees; say where the plane's origin is, like \
         `origin: {{lat: 48.78, lon: 9.18}}`"
    )]
    NoOrigin {
        /// The file of the obstacles.
        file: String,
    },
}

impl RadioError {
    /// Returns the error for a file whose values have not been loaded.
    pub(crate) fn unread(file: Option<&str>) -> Self {
        Self::Unread(file.unwrap_or("without a name").into())
    }
}
