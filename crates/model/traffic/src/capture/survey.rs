//! Checks whether all frames of a capture can be sent.

use std::io::Read;
use std::net::IpAddr;

use thiserror::Error;

use super::input::CaptureError;
use super::reader::CaptureReader;
use super::rewriting::{Addressed, FrameFault, Rewriter};

/// Bytes of an Ethernet header and of a VLAN tag, to which an MTU does not apply.
const ETHERNET: usize = 14;
const TAG: usize = 4;

/// Facts about a capture that was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Survey {
    /// Number of its frames.
    pub frames: u64,
    /// Length of the longest packet in bytes, without its Ethernet header.
    pub longest: usize,
    /// Number of the frame that holds this packet.
    pub longest_at: u64,
}

/// The reason why a capture cannot be sent.
#[derive(Debug, Error)]
pub enum Unsendable {
    /// The capture cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The capture has no frames.
    #[error("it has no frames")]
    Empty,
    /// A frame of the capture cannot be sent.
    #[error("frame {number} {fault}")]
    Frame {
        /// Number of the frame, from 1 on.
        number: u64,
        /// The reason.
        fault: FrameFault,
    },
}

impl Survey {
    /// Reads the capture `from`, whose addresses are treated as `addressed` says.
    ///
    /// # Errors
    /// The first reason why the capture cannot be sent.
    pub fn of<F: Fn(IpAddr) -> Option<IpAddr>>(
        from: impl Read,
        addressed: Addressed<F>,
    ) -> Result<Self, Unsendable> {
        let mut reader = CaptureReader::new(from)?;
        let rewriter = Rewriter::new(addressed, [0; 6], [0; 6]);
        let (mut survey, mut out) = (Self::default(), Vec::new());
        while let Some(frame) = reader.next_frame()? {
            let number = frame.number;
            let rewritten = rewriter.rewrite(&frame, &mut out);
            rewritten.map_err(|fault| Unsendable::Frame { number, fault })?;
            survey.frames = number;
            if packet_bytes(&out) > survey.longest {
                (survey.longest, survey.longest_at) = (packet_bytes(&out), number);
            }
        }
        if survey.frames == 0 { Err(Unsendable::Empty) } else { Ok(survey) }
    }
}

/// Returns the length of a frame to which an MTU applies, in bytes.
pub fn packet_bytes(frame: &[u8]) -> usize {
    let is_tagged = frame.get(12..14) == Some(&[0x81, 0x00]);
    frame.len().saturating_sub(ETHERNET + if is_tagged { TAG } else { 0 })
}
