//! Bytes of a capture and what is found in them, in either format.

use std::io::{self, Read};

use thiserror::Error;

/// Length of the longest frame that is read, in bytes: the longest that tcpdump writes.
pub(super) const LONGEST: u32 = 262_144;

/// The header that a captured frame begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkType {
    /// An Ethernet header.
    Ethernet,
    /// The header of a packet: IPv4 or IPv6, or of ARP where the link type allows it.
    Ip,
}

/// The headers that the frames of one interface begin with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub kind: LinkType,
    /// Bytes in front of the packet that were on no line, as those that Linux makes up for the
    /// device `any`. They are left out.
    pub made_up: u32,
}

impl Link {
    /// Returns the link with this number in the list of tcpdump.org.
    pub fn of_number(number: u32) -> Result<Self, CaptureError> {
        let (kind, made_up) = match number {
            1 => (LinkType::Ethernet, 0),
            // Raw IP, including the numbers that BSDs have for it; IPv4; IPv6.
            12 | 14 | 101 | 228 | 229 => (LinkType::Ip, 0),
            // Loopback of BSDs, two orders of bytes.
            0 | 108 => (LinkType::Ip, 4),
            // Linux's cooked captures, of both versions: the device `any`.
            113 => (LinkType::Ip, 16),
            276 => (LinkType::Ip, 20),
            other => return Err(CaptureError::LinkType(other)),
        };
        Ok(Self { kind, made_up })
    }
}

/// A frame of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedFrame<'a> {
    /// Number of the frame, from 1 on, as in Wireshark.
    pub number: u64,
    /// Number of the interface that captured it, from 0 on. Frames of one interface are in order of
    /// time if its clock was not set back; those of several need not be.
    pub interface: u64,
    /// Time of capture in ns since 1970-01-01 UTC, if the clock was right.
    pub at: i128,
    /// The header that it begins with.
    pub link: LinkType,
    /// Length of the frame in bytes.
    pub length: u32,
    /// The bytes of the frame that the capture has.
    pub bytes: &'a [u8],
}

/// The reason why a capture cannot be read.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// Reading failed.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a capture.
    #[error("it is no capture: neither pcap nor pcapng")]
    Other,
    /// The file ends in the middle of a header, block or frame.
    #[error("it ends within what follows frame {0}: it was not written to its end")]
    Ends(u64),
    /// The file does not follow the format.
    #[error("what follows frame {after} is malformed: {why}")]
    Malformed {
        /// Number of the last frame before the fault. 0 if there was none.
        after: u64,
        /// The fault.
        why: &'static str,
    },
    /// Frames begin with a header that is not supported.
    #[error(
        "frames of link type {0} are not read, only those of Ethernet (1), IP (101), loopback (0) \
         and Linux's device `any` (113, 276)"
    )]
    LinkType(u32),
    /// The capture contains something that is not supported.
    #[error("what follows frame {after} is not supported: {what}")]
    Unsupported {
        /// Number of the last frame before it. 0 if there was none.
        after: u64,
        /// The unsupported part.
        what: &'static str,
    },
}

/// The input, and the bytes that were last read from it.
#[derive(Debug)]
pub(super) struct Input<R> {
    pub from: R,
    pub buffer: Vec<u8>,
    /// Number of frames read before.
    pub frames: u64,
}

/// Returns a number in the byte order of the file.
pub(super) fn u32_of(is_big: bool, bytes: [u8; 4]) -> u32 {
    if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

/// A frame in the buffer.
pub(super) struct Found {
    pub interface: u64,
    pub at: i128,
    pub length: u32,
    pub place: std::ops::Range<usize>,
}

impl<R: Read> Input<R> {
    pub fn malformed(&self, why: &'static str) -> CaptureError {
        CaptureError::Malformed { after: self.frames, why }
    }

    pub fn unsupported(&self, what: &'static str) -> CaptureError {
        CaptureError::Unsupported { after: self.frames, what }
    }

    /// Fills `bytes` from the input.
    pub fn exact(&mut self, bytes: &mut [u8]) -> Result<(), CaptureError> {
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => CaptureError::Ends(self.frames),
            _ => error.into(),
        })
    }

    /// Reads `length` bytes into the buffer, in place of its contents. No memory is reserved for
    /// bytes that a file claims to have before they are read.
    pub fn fill(&mut self, length: u32) -> Result<(), CaptureError> {
        self.buffer.clear();
        let mut part = (&mut self.from).take(length.into());
        match part.read_to_end(&mut self.buffer)? == length as usize {
            true => Ok(()),
            false => Err(CaptureError::Ends(self.frames)),
        }
    }

    /// Skips `length` bytes.
    pub fn skip(&mut self, length: u32) -> Result<(), CaptureError> {
        let skipped = io::copy(&mut (&mut self.from).take(length.into()), &mut io::sink())?;
        if skipped == u64::from(length) { Ok(()) } else { Err(CaptureError::Ends(self.frames)) }
    }

    /// Whether the input has ended. Otherwise the next bytes are put into `bytes`.
    pub fn is_over(&mut self, bytes: &mut [u8]) -> Result<bool, CaptureError> {
        let (first, rest) = bytes.split_at_mut(1);
        loop {
            match self.from.read(first) {
                Ok(0) => return Ok(true),
                Ok(_) => return self.exact(rest).map(|()| false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
