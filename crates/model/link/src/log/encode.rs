//! The encoder of frame logs.

use netloom_units::Time;

use super::format::{
    Context, LOG_VERSION, LOST, LogHeader, MAGIC, NEXT_NUMBER, SAME_PIPE, SAME_SIZE, SERIALIZED,
    STARTED, kind, reason_code, zigzag,
};
use super::{FrameEvent, LogEntry, Occurrence};

/// Encodes a frame log: first the header, then entries. The entries of different pipes may be in
/// any order, but each pipe's entries must be in their own order.
#[derive(Debug)]
pub struct LogEncoder {
    context: Context,
}

impl LogEncoder {
    /// Creates an encoder and writes `header` to `out`.
    pub fn new(header: &LogHeader, out: &mut Vec<u8>) -> Self {
        out.extend_from_slice(MAGIC);
        out.push(LOG_VERSION);
        out.extend_from_slice(&header.zero_unix_ns.to_le_bytes());
        varint(header.pipes.len() as u64, out);
        for name in &header.pipes {
            varint(name.len() as u64, out);
            out.extend_from_slice(name.as_bytes());
        }
        Self { context: Context::new(header.pipes.len()) }
    }

    /// Writes times as counted from `zero` of the clock of the entries. Must be called before the
    /// first entry.
    #[must_use]
    pub fn counted_from(mut self, zero: Time) -> Self {
        self.context.at = zero;
        self
    }

    /// Writes `entry` to `out`.
    ///
    /// # Panics
    /// The entry's pipe is not in the header.
    pub fn encode(&mut self, entry: &LogEntry, out: &mut Vec<u8>) {
        match entry {
            LogEntry::Frame(pipe, event) => self.frame(*pipe, event, out),
            LogEntry::Lost(entries) => {
                out.push(LOST);
                varint(*entries, out);
            }
        }
    }

    fn frame(&mut self, pipe: u32, event: &FrameEvent, out: &mut Vec<u8>) {
        let kind = kind(&event.what);
        let known = &mut self.context.pipes[pipe as usize];
        let next = &mut known.next[usize::from(kind)];
        let same_size = (known.frames, known.bytes) == (event.frames, event.bytes);
        let flags = [
            (pipe == self.context.pipe, SAME_PIPE),
            (same_size, SAME_SIZE),
            (event.number == *next, NEXT_NUMBER),
        ];
        let flag = |set: u8| if flags.contains(&(true, set)) { set } else { 0 };
        out.push(kind | flag(SAME_PIPE) | flag(SAME_SIZE) | flag(NEXT_NUMBER));
        if pipe != self.context.pipe {
            varint(pipe.into(), out);
        }
        if event.number != *next {
            varint(zigzag(event.number.wrapping_sub(*next)), out);
        }
        varint(zigzag(between(self.context.at, event.at)), out);
        if !same_size {
            varint(event.frames.into(), out);
            varint(event.bytes, out);
        }
        *next = event.number.wrapping_add(1);
        (known.frames, known.bytes) = (event.frames, event.bytes);
        (self.context.pipe, self.context.at) = (pipe, event.at);
        details(event, out);
    }
}

/// Writes the fields that only some kinds of events have.
fn details(event: &FrameEvent, out: &mut Vec<u8>) {
    match event.what {
        Occurrence::Rejected { reason } => out.push(reason_code(reason)),
        Occurrence::Delivered { offered, started, serialized } => {
            varint(between(offered, event.at), out);
            varint(between(offered, started), out);
            varint(between(started, serialized), out);
        }
        Occurrence::Dropped { reason, offered, started, serialized } => {
            let flag = |time: Option<Time>, flag: u8| if time.is_some() { flag } else { 0 };
            out.push(reason_code(reason) | flag(started, STARTED) | flag(serialized, SERIALIZED));
            varint(between(offered, event.at), out);
            if let Some(started) = started {
                varint(between(offered, started), out);
            }
            if let Some(serialized) = serialized {
                varint(between(offered, serialized), out);
            }
        }
        _ => {}
    }
}

fn between(from: Time, to: Time) -> u64 {
    to.signed_nanos().wrapping_sub(from.signed_nanos()) as u64
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
