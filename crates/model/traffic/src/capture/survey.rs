//! Whether all frames of a capture can be sent.

use std::io::Read;
use std::net::IpAddr;

use thiserror::Error;

use super::reader::{CaptureError, CaptureReader};
use super::rewriting::{Addressed, FrameFault, Rewriter};

/// Bytes of a header of Ethernet, and of a VLAN tag, which are no part of what an MTU limits.
const ETHERNET: usize = 14;
const TAG: usize = 4;

/// What is known of a capture that was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Survey {
    /// How many frames it has.
    pub frames: u64,
    /// The longest packet in bytes, without its Ethernet header.
    pub longest: usize,
    /// The number of the frame that holds it.
    pub longest_at: u64,
}

/// Why a capture cannot be sent.
#[derive(Debug, Error)]
pub enum Unsendable {
    /// It cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// It has no frames.
    #[error("it has no frames")]
    Empty,
    /// One of its frames cannot be sent.
    #[error("frame {number} {fault}")]
    Frame {
        /// Its number, from 1 on.
        number: u64,
        /// Why not.
        fault: FrameFault,
    },
}

impl Survey {
    /// Reads the capture `from`, whose addresses become others or stay.
    ///
    /// # Errors
    /// The first reason why it cannot be sent.
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

/// The length of a frame that an MTU limits.
pub fn packet_bytes(frame: &[u8]) -> usize {
    let is_tagged = frame.get(12..14) == Some(&[0x81, 0x00]);
    frame.len().saturating_sub(ETHERNET + if is_tagged { TAG } else { 0 })
}
