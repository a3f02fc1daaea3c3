//! What can go wrong between the data plane and its owner.

use std::io;

use netloom_fabric::{LinkId, PipeId, SegmentId};
use netloom_medium::RadioError;
use thiserror::Error;

use crate::worker_id::WorkerId;

/// Why the data plane could not do what it was asked to do.
#[derive(Debug, Error)]
pub enum DataplaneError {
    /// Two links have one identity.
    #[error("{id} is there already; link `{link}` needs another identity")]
    KnownLink {
        /// The name of the second.
        link: String,
        /// The identity.
        id: LinkId,
    },
    /// The ports of a switch differ in whether they know VLANs, or in its spanning tree.
    #[error(
        "link `{link}` ends at a switch ({switch}) whose ports differ in whether they know VLANs, \
         or in its spanning tree"
    )]
    MixedSwitch {
        /// The link's name.
        link: String,
        /// The switch.
        switch: SegmentId,
    },
    /// A property's values are in a file. The data plane opens none.
    #[error(
        "`{property}` of a pipe of {link} names the file `{file}`, which has not been read: \
         its values must come with it, as `{{file: NAME, values: […]}}`"
    )]
    UnreadFile {
        /// The link.
        link: LinkId,
        /// The property's key.
        property: &'static str,
        /// The file's name.
        file: String,
    },
    /// A pipe that the wiring does not have.
    #[error("there is no {0}")]
    UnknownPipe(PipeId),
    /// A medium that the wiring does not have.
    #[error("there is no medium that is {0}")]
    UnknownMedium(SegmentId),
    /// A medium cannot work as it is changed.
    #[error(transparent)]
    Medium(#[from] RadioError),
    /// A link end that the wiring does not have.
    #[error("there is no end {end} of {link}")]
    UnknownEnd {
        /// The link.
        link: LinkId,
        /// The end's index.
        end: usize,
    },
    /// The machine refused something that a worker needs.
    #[error("cannot {action}: {source}")]
    System {
        /// What was attempted, like "create an event queue".
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A device cannot be waited for.
    #[error("cannot wait for frames at end {end} of link `{link}`: {source}")]
    Watch {
        /// The link's name.
        link: String,
        /// The end's index.
        end: usize,
        /// Why.
        source: io::Error,
    },
    /// A frame log is being written already.
    #[error("the frames of this network are being logged already")]
    LoggedAlready,
    /// The change was applied to the pipes, but an interface's carrier could not be switched.
    #[error(
        "the change is in force, but the carrier at end {end} of {link} \
         could not be switched: {source}"
    )]
    Carrier {
        /// The link.
        link: LinkId,
        /// The end's index.
        end: usize,
        /// Why.
        source: io::Error,
    },
    /// A worker thread ended by itself: a defect of the engine.
    #[error("{worker} of the data plane has ended; stop the experiment and report this")]
    WorkerGone {
        /// The worker.
        worker: WorkerId,
    },
}

impl DataplaneError {
    /// A pipe of `link` was given a file instead of values.
    pub(crate) fn unread(link: LinkId, unread: netloom_link::UnreadFile<'_>) -> Self {
        let netloom_link::UnreadFile { property, file } = unread;
        Self::UnreadFile { link, property, file: file.into() }
    }

    /// For `map_err`: a system error while doing `action`.
    pub(crate) fn system<E: Into<io::Error>>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System { action, source: source.into() }
    }
}
