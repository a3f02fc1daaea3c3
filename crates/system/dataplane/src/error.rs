//! Errors of the data plane that its owner receives.

use std::io;

use netloom_fabric::{LinkId, PipeId, SegmentId};
use netloom_medium::RadioError;
use netloom_tunnel::SegmentSize;
use thiserror::Error;

use crate::peer_id::PeerId;
use crate::worker_id::WorkerId;

/// Why the data plane could not carry out a request.
#[derive(Debug, Error)]
pub enum DataplaneError {
    /// Two links have the same identity.
    #[error("{id} is there already; link `{link}` needs another identity")]
    KnownLink {
        /// Name of the second link.
        link: String,
        /// Their identity.
        id: LinkId,
    },
    /// The ports of a switch differ in whether they have VLANs, or in their spanning tree.
    #[error(
        "link `{link}` ends at a switch ({switch}) whose ports differ in whether they know VLANs, \
         or in its spanning tree"
    )]
    MixedSwitch {
        /// Name of the link.
        link: String,
        /// Identity of the switch.
        switch: SegmentId,
    },
    /// A link leads to another machine and cannot, or says so and does not.
    #[error("link `{link}` cannot be joined: {problem}")]
    Away {
        /// Name of the link.
        link: String,
        /// Description of the problem.
        problem: &'static str,
    },
    /// Links to other machines stay as they are while the data plane runs.
    #[error(
        "{link} leads to another machine: such links are neither added, removed nor moved while \
         the network runs"
    )]
    Pinned {
        /// Identity of the link.
        link: LinkId,
    },
    /// Datagrams cannot have the length that was asked for.
    #[error(transparent)]
    Datagram(#[from] SegmentSize),
    /// No links lead to that machine.
    #[error("no links lead to {0}")]
    UnknownPeer(PeerId),
    /// The machine has been connected before.
    #[error("{0} is connected already")]
    ConnectedAlready(PeerId),
    /// A machine does not serve a link that leads there.
    #[error("{peer} names no socket for {link}, which leads there")]
    NoDoor {
        /// The machine.
        peer: PeerId,
        /// Identity of the link.
        link: LinkId,
    },
    /// A property's values are in a file, which the data plane does not open.
    #[error(
        "`{property}` of a pipe of {link} names the file `{file}`, which has not been read: \
         its values must come with it, as `{{file: NAME, values: […]}}`"
    )]
    UnreadFile {
        /// Identity of the link.
        link: LinkId,
        /// Key of the property.
        property: &'static str,
        /// Name of the file.
        file: String,
    },
    /// The wiring has no such pipe.
    #[error("there is no {0}")]
    UnknownPipe(PipeId),
    /// The wiring has no such medium.
    #[error("there is no medium that is {0}")]
    UnknownMedium(SegmentId),
    /// The changed properties of a medium are invalid.
    #[error(transparent)]
    Medium(#[from] RadioError),
    /// The wiring has no such end of a link.
    #[error("there is no end {end} of {link}")]
    UnknownEnd {
        /// Identity of the link.
        link: LinkId,
        /// Index of the end.
        end: usize,
    },
    /// The machine refused something that a worker needs.
    #[error("cannot {action}: {source}")]
    System {
        /// Description of the operation, like "create an event queue".
        action: &'static str,
        /// Reason of the failure.
        source: io::Error,
    },
    /// The worker cannot wait for frames of a device.
    #[error("cannot wait for frames at end {end} of link `{link}`: {source}")]
    Watch {
        /// Name of the link.
        link: String,
        /// Index of the end.
        end: usize,
        /// Reason of the failure.
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
        /// Identity of the link.
        link: LinkId,
        /// Index of the end.
        end: usize,
        /// Reason of the failure.
        source: io::Error,
    },
    /// A worker thread has ended by itself: a defect of the engine.
    #[error("{worker} of the data plane has ended; stop the experiment and report this")]
    WorkerGone {
        /// Identity of the worker.
        worker: WorkerId,
    },
}

impl DataplaneError {
    /// Creates the error for a pipe of `link` with a file instead of values.
    pub(crate) fn unread(link: LinkId, unread: netloom_link::UnreadFile<'_>) -> Self {
        let netloom_link::UnreadFile { property, file } = unread;
        Self::UnreadFile { link, property, file: file.into() }
    }

    /// For `map_err`: creates a system error about `action`.
    pub(crate) fn system<E: Into<io::Error>>(action: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System { action, source: source.into() }
    }
}
