//! The events of a medium.

use netloom_units::{Duration, Rate, Time};

use crate::{FrameLoss, Kind, Receiver, StationId};

/// An event on a medium.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AirEvent {
    /// Time of the event.
    pub at: Time,
    /// The event.
    pub what: AirOccurrence,
}

/// The kind of an event, with its details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AirOccurrence {
    /// A frame was offered to a station.
    Offered {
        /// The station that is to send it.
        station: StationId,
        /// Its receiver.
        to: Receiver,
        /// Size of its Ethernet frame in bytes, without FCS.
        bytes: u32,
        /// Reason for which it was not accepted, if it was not.
        refused: Option<FrameLoss>,
    },
    /// A station began to send.
    Sent(SentRecord),
    /// A signal ended at a station that heard it.
    Heard {
        /// Its sender.
        sender: StationId,
        /// Number of the transmission among those of its sender, from 0.
        number: u64,
        /// The station that heard it.
        station: StationId,
        /// Reason for which it was not received, if it was not.
        loss: Option<FrameLoss>,
    },
    /// An accepted frame was dropped.
    Dropped {
        /// The station that sent it or was to send it.
        station: StationId,
        /// Number of the frame among those that the station was offered, from 0.
        number: u64,
        /// Reason for the drop.
        reason: FrameLoss,
    },
    /// The medium was changed: a [`MediumChange`](crate::MediumChange) as JSON.
    Changed(Box<str>),
    /// A station joined the medium.
    Joined {
        /// Its number.
        station: StationId,
        /// Its configuration: a [`StationConfig`](crate::StationConfig) as JSON. Its movement is
        /// not in the log.
        config: Box<str>,
    },
    /// A station left the medium.
    Left {
        /// Its number.
        station: StationId,
    },
}

/// A transmission at its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRecord {
    /// The sender.
    pub station: StationId,
    /// Kind of the transmission.
    pub kind: Kind,
    /// The receiver.
    pub to: Receiver,
    /// Number of the transmission among those of its sender, from 0.
    pub number: u64,
    /// Number of the frame that it carries or requests to send, among those that the station was
    /// offered; `None` for an answer.
    pub frame: Option<u64>,
    /// Bytes on the air.
    pub bytes: u32,
    /// Rate.
    pub rate: Rate,
    /// Time on the air, unless it is cut off.
    pub airtime: Duration,
    /// Number of the attempt of its frame, from 1; 0 for an answer.
    pub attempt: u32,
    /// Contention window from which the backoff before it was drawn.
    pub window: u32,
    /// Number of slots drawn.
    pub slots: u32,
}
