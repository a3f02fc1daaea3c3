//! The events of a medium.

use netloom_units::{Duration, Rate, Time};

use crate::{FrameLoss, Kind, Receiver, StationId};

/// Something that happened on a medium.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AirEvent {
    /// When.
    pub at: Time,
    /// What.
    pub what: AirOccurrence,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AirOccurrence {
    /// A frame was given to a station.
    Offered {
        /// Who is to send it.
        station: StationId,
        /// To whom.
        to: Receiver,
        /// Its Ethernet frame in bytes, without FCS.
        bytes: u32,
        /// Why it was not taken in, if it was not.
        refused: Option<FrameLoss>,
    },
    /// A station began to send.
    Sent(SentRecord),
    /// A signal was over at one who heard it.
    Heard {
        /// Who sent it.
        sender: StationId,
        /// Its place among the transmissions of its sender, from 0.
        number: u64,
        /// Who heard it.
        station: StationId,
        /// Why it was not received, if it was not.
        loss: Option<FrameLoss>,
    },
    /// A frame that had been taken in was dropped.
    Dropped {
        /// Who was to send it, or did.
        station: StationId,
        /// Its place among the frames that the station was given, from 0.
        number: u64,
        /// Why.
        reason: FrameLoss,
    },
    /// The medium was changed: a [`MediumChange`](crate::MediumChange) as JSON.
    Changed(Box<str>),
    /// A station came.
    Joined {
        /// Which one.
        station: StationId,
        /// What is particular to it: a [`StationConfig`](crate::StationConfig) as JSON. How it
        /// moves is not in the log.
        config: Box<str>,
    },
    /// A station went.
    Left {
        /// Which one.
        station: StationId,
    },
}

/// A transmission as it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRecord {
    /// Who sends.
    pub station: StationId,
    /// What.
    pub kind: Kind,
    /// To whom.
    pub to: Receiver,
    /// Its place among the transmissions of its sender, from 0.
    pub number: u64,
    /// The place of the frame that it carries, or asks for, among those that the station was given;
    /// none of an answer.
    pub frame: Option<u64>,
    /// Bytes on the air.
    pub bytes: u32,
    /// At which rate.
    pub rate: Rate,
    /// How long it is on the air, unless it is cut off.
    pub airtime: Duration,
    /// Which try of its frame it is, from 1; 0 of an answer.
    pub attempt: u32,
    /// The contention window that the backoff before it was drawn from, and the slots drawn.
    pub window: u32,
    /// The slots drawn.
    pub slots: u32,
}
