//! Events on a medium, and their binary form.
//!
//! | file | contents |
//! |---|---|
//! | `event` | the events: [`AirEvent`] |
//! | `encode`, `decode` | conversion of events to bytes, and back: [`AirLogWriter`],
//! [`AirLogReader`] |

mod decode;
mod encode;
mod event;

pub use decode::{AirLogError, AirLogReader};
pub use encode::AirLogWriter;
pub use event::{AirEvent, AirOccurrence, SentRecord};

use netloom_units::Time;

/// The first bytes of an air log.
const MAGIC: &[u8; 8] = b"NLAIRLOG";

/// Version of the format that this crate writes.
pub const AIR_LOG_VERSION: u8 = 2;

/// Version of a log that begins before zero. Its header also has the time at which it begins.
const EARLY_VERSION: u8 = 3;

/// Returns whether a file that begins with `bytes` is an air log.
pub fn is_air_log(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Header of an air log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AirLogHeader {
    /// The medium's name.
    pub medium: String,
    /// The experiment's seed.
    pub seed: u64,
    /// Time at which the log begins: zero, or earlier. The differences of times count from it.
    pub start: Time,
}

// First byte of an event: its kind is in the low three bits. Some events use the other bits, too.

const OFFERED: u8 = 0;
const SENT: u8 = 1;
const HEARD: u8 = 2;
const DROPPED: u8 = 3;
const CHANGED: u8 = 4;
const JOINED: u8 = 5;
const LEFT: u8 = 6;

/// Mask of the kind, and the position of the other bits.
const KIND: u8 = 0x07;
const REST: u8 = 3;
