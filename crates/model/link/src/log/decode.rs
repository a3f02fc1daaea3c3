//! The decoder of frame logs.

use netloom_units::Time;

use super::format::{
    Context, KIND, LOG_VERSION, LOST, LogHeader, MAGIC, NEXT_NUMBER, REASON, SAME_PIPE, SAME_SIZE,
    SERIALIZED, STARTED, unzigzag,
};
use super::{FrameEvent, LogEntry, Occurrence};
use crate::DropReason;

/// Largest length of a pipe's name, in bytes. The names given to the encoder are shorter.
const NAME_BYTES: u64 = 4096;

/// Decodes a frame log.
///
/// # Call order
/// [`feed`](Self::feed) some bytes, in pieces of any size. Then call
/// [`next_entry`](Self::next_entry) until it returns `None`, and repeat. After the last bytes, call
/// [`finish`](Self::finish).
#[derive(Debug, Default)]
pub struct LogDecoder {
    buffer: Vec<u8>,
    /// Index in the buffer at which the next entry begins.
    start: usize,
    /// Number of bytes that have been removed from the buffer.
    passed: u64,
    opened: Option<(LogHeader, Context)>,
}

/// The reason why bytes are not a valid frame log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The log does not begin with the right bytes.
    #[error("this is not a frame log: it does not begin with `NLFRAMES`")]
    Magic,
    /// The version is unknown.
    #[error("this frame log has version {0}; this program reads version {LOG_VERSION}")]
    Version(u8),
    /// The log contains an entry that the encoder never writes.
    #[error("the frame log is damaged at byte {at}: {what}")]
    Damaged {
        /// Offset of the entry, in bytes.
        at: u64,
        /// The fault.
        what: &'static str,
    },
    /// The log ends within an entry.
    #[error("the frame log ends within an entry, at byte {at}: its writer was cut off")]
    Truncated {
        /// Offset of the entry, in bytes.
        at: u64,
    },
}

/// The reason why an item could not be decoded.
enum Stop {
    /// The bytes end before the item does.
    More,
    Wrong(&'static str),
    Other(LogError),
}

impl LogDecoder {
    /// Creates a decoder at the beginning of a log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the next bytes of the log.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.passed += self.start as u64;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The header. It is available after the first entry at the latest.
    pub fn header(&self) -> Option<&LogHeader> {
        self.opened.as_ref().map(|(header, _)| header)
    }

    /// Returns the next entry; `None` if the bytes fed so far contain no further complete entry.
    ///
    /// # Errors
    /// The bytes are not a valid frame log. Nothing more can be decoded then.
    pub fn next_entry(&mut self) -> Result<Option<LogEntry>, LogError> {
        let mut input = Input(&self.buffer[self.start..]);
        let result = match &mut self.opened {
            Some((_, context)) => read_entry(&mut input, context).map(Some),
            None => read_header(&mut input).map(|header| {
                let context = Context::new(header.pipes.len());
                self.opened = Some((header, context));
                None
            }),
        };
        let left = input.0.len();
        match result {
            Ok(entry) => {
                self.start = self.buffer.len() - left;
                if entry.is_none() { self.next_entry() } else { Ok(entry) }
            }
            Err(Stop::More) => Ok(None),
            Err(Stop::Wrong(what)) => Err(LogError::Damaged { at: self.position(), what }),
            Err(Stop::Other(error)) => Err(error),
        }
    }

    /// Checks that the log is complete. All bytes must have been fed, and
    /// [`next_entry`](Self::next_entry) must have returned `None`.
    ///
    /// # Errors
    /// The bytes end within an entry. All entries before it have been returned.
    pub fn finish(self) -> Result<(), LogError> {
        if self.opened.is_some() && self.start == self.buffer.len() {
            Ok(())
        } else {
            Err(LogError::Truncated { at: self.position() })
        }
    }

    fn position(&self) -> u64 {
        self.passed + self.start as u64
    }
}

fn read_header(input: &mut Input<'_>) -> Result<LogHeader, Stop> {
    let magic = input.bytes(MAGIC.len())?;
    if magic != MAGIC {
        return Err(Stop::Other(LogError::Magic));
    }
    let version = input.byte()?;
    if version != LOG_VERSION {
        return Err(Stop::Other(LogError::Version(version)));
    }
    // The slice has exactly eight bytes.
    let zero: [u8; 8] = input.bytes(8)?.try_into().expect("eight bytes");
    let count = u32::try_from(input.varint()?).map_err(|_| Stop::Wrong("too many pipes"))?;
    let mut pipes = Vec::new();
    for _ in 0..count {
        let length = input.varint()?;
        if length > NAME_BYTES {
            return Err(Stop::Wrong("the name of a pipe is too long"));
        }
        let name = String::from_utf8(input.bytes(length as usize)?.to_vec());
        pipes.push(name.map_err(|_| Stop::Wrong("the name of a pipe is not UTF-8"))?);
    }
    Ok(LogHeader { zero_unix_ns: u64::from_le_bytes(zero), pipes })
}

fn read_entry(input: &mut Input<'_>, context: &mut Context) -> Result<LogEntry, Stop> {
    let first = input.byte()?;
    let kind = first & KIND;
    if kind == LOST {
        return Ok(LogEntry::Lost(input.varint()?));
    }
    let pipe = match first & SAME_PIPE {
        0 => u32::try_from(input.varint()?).map_err(|_| Stop::Wrong("a pipe that is not there"))?,
        _ => context.pipe,
    };
    let known = context.pipes.get_mut(pipe as usize);
    let known = known.ok_or(Stop::Wrong("a pipe that is not there"))?;
    let next = known.next.get_mut(usize::from(kind));
    let next = next.ok_or(Stop::Wrong("an entry of unknown kind"))?;
    let number = match first & NEXT_NUMBER {
        0 => next.wrapping_add(unzigzag(input.varint()?)),
        _ => *next,
    };
    let at = after(context.at, unzigzag(input.varint()?));
    let (frames, bytes) = match first & SAME_SIZE {
        0 => {
            let frames = u32::try_from(input.varint()?);
            (frames.map_err(|_| Stop::Wrong("too many frames"))?, input.varint()?)
        }
        _ => (known.frames, known.bytes),
    };
    let what = read_details(input, kind, at)?;
    // The entry is complete. Only now may it change the context of the following entries.
    *next = number.wrapping_add(1);
    (known.frames, known.bytes) = (frames, bytes);
    (context.pipe, context.at) = (pipe, at);
    Ok(LogEntry::Frame(pipe, FrameEvent { number, at, frames, bytes, what }))
}

fn read_details(input: &mut Input<'_>, kind: u8, at: Time) -> Result<Occurrence, Stop> {
    Ok(match kind {
        0 => Occurrence::Offered,
        1 => Occurrence::Rejected { reason: reason(input.byte()?)? },
        2 => {
            let offered = before(at, input.varint()?);
            let started = after(offered, input.varint()?);
            Occurrence::Delivered { offered, started, serialized: after(started, input.varint()?) }
        }
        3 => {
            let why = input.byte()?;
            let reason = reason(why & REASON)?;
            let offered = before(at, input.varint()?);
            let mut time = |flag: u8| match why & flag {
                0 => Ok(None),
                _ => input.varint().map(|length| Some(after(offered, length))),
            };
            let (started, serialized) = (time(STARTED)?, time(SERIALIZED)?);
            Occurrence::Dropped { reason, offered, started, serialized }
        }
        4 => Occurrence::Marked,
        5 => Occurrence::Corrupted,
        6 => Occurrence::Duplicated,
        7 => Occurrence::HandedOver,
        8 => Occurrence::Refused,
        _ => return Err(Stop::Wrong("an entry of unknown kind")),
    })
}

fn reason(code: u8) -> Result<DropReason, Stop> {
    let reason = DropReason::ALL.get(usize::from(code)).copied();
    reason.ok_or(Stop::Wrong("an unknown reason of a drop"))
}

fn after(time: Time, length: u64) -> Time {
    Time::from_signed_nanos(time.signed_nanos().wrapping_add(length as i64))
}

fn before(time: Time, length: u64) -> Time {
    Time::from_signed_nanos(time.signed_nanos().wrapping_sub(length as i64))
}

/// Bytes that have not been decoded yet.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Stop> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Stop::More)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        Ok(self.bytes(1)?[0])
    }

    fn varint(&mut self) -> Result<u64, Stop> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Stop::Wrong("a number of more than 64 bits"))
    }
}
