//! What happens on a medium, event by event, and its binary form.
//!
//! | file | what |
//! |---|---|
//! | `event` | the events: [`AirEvent`] |
//! | `encode`, `decode` | events as bytes, and back: [`AirLogWriter`], [`AirLogReader`] |

mod decode;
mod encode;
mod event;

pub use decode::{AirLogError, AirLogReader};
pub use encode::AirLogWriter;
pub use event::{AirEvent, AirOccurrence, SentRecord};

/// The first bytes of an air log.
const MAGIC: &[u8; 8] = b"NLAIRLOG";

/// The version of the format that is written.
pub const AIR_LOG_VERSION: u8 = 2;

/// Whether a file that begins with `bytes` is an air log.
pub fn is_air_log(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// What an air log begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AirLogHeader {
    /// The medium's name.
    pub medium: String,
    /// The experiment's seed.
    pub seed: u64,
}

// The first byte of an event: its kind in the low three bits, and for some more in those above.

const OFFERED: u8 = 0;
const SENT: u8 = 1;
const HEARD: u8 = 2;
const DROPPED: u8 = 3;
const CHANGED: u8 = 4;
const JOINED: u8 = 5;
const LEFT: u8 = 6;

/// The mask of the kind, and where the rest begins.
const KIND: u8 = 0x07;
const REST: u8 = 3;
