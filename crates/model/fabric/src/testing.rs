//! Frames of plain bytes in unlimited memory, for tests, examples and benches.

use std::sync::Arc;

use netloom_link::{Dscp, FrameInfo, Header, Tag};

use crate::{Frame, Malformed, Memory};

const HEADER: usize = 14;
const TAGGED: [u8; 2] = [0x81, 0x00];

/// An Ethernet frame. Copies share its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFrame {
    bytes: Arc<[u8]>,
    header: Option<Header>,
    /// Bytes of payload of each wire frame in a super-frame.
    piece: Option<u16>,
}

impl TestFrame {
    /// Creates a frame of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), header: None, piece: None }
    }

    /// Creates a frame from one MAC address to another with `payload` bytes of zero.
    pub fn between(source: [u8; 6], destination: [u8; 6], payload: usize) -> Self {
        let kind = [0x88, 0xb5];
        let bytes = [&destination[..], &source, &kind, &vec![0; payload]].concat();
        Self::of_bytes(&bytes)
    }

    /// Returns the frame with the headers by which queue disciplines classify.
    #[must_use]
    pub fn with_header(self, header: Header) -> Self {
        Self { header: Some(header), ..self }
    }

    /// Returns the frame as a super-frame, whose wire frames have `piece` bytes of its payload
    /// each.
    #[must_use]
    pub fn in_pieces(self, piece: Option<u16>) -> Self {
        Self { piece: piece.filter(|piece| *piece > 0), ..self }
    }

    /// Returns the payload of each wire frame, if it is a super-frame.
    pub fn piece(&self) -> Option<u16> {
        self.piece
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn tagged(&self, tag: Tag) -> Self {
        let (addresses, rest) = self.bytes.split_at(12);
        let bytes = [addresses, &TAGGED, &tag.0.to_be_bytes(), rest].concat();
        Self { bytes: bytes.into(), ..*self }
    }

    fn untagged(&self) -> Self {
        match self.tag() {
            Some(_) => {
                let bytes = [&self.bytes[..12], &self.bytes[16..]].concat();
                Self { bytes: bytes.into(), ..*self }
            }
            None => self.clone(),
        }
    }

    /// Number of bytes before the payload.
    fn head(&self) -> usize {
        if self.tag().is_some() { HEADER + 4 } else { HEADER }
    }
}

impl netloom_link::Frame for TestFrame {
    fn header(&self) -> Option<Header> {
        self.header
    }

    fn tag_bytes(&self) -> u32 {
        if self.tag().is_some() { 4 } else { 0 }
    }

    fn mark_congestion(&mut self) {
        if let Some(header) = &mut self.header {
            header.ecn = netloom_link::Ecn::Congestion;
        }
    }

    fn remark(&mut self, dscp: Dscp) {
        if let Some(header) = &mut self.header {
            header.dscp = dscp.value();
        }
    }

    fn flip_bits(&mut self, bits: &[u64]) {
        let mut bytes = self.bytes.to_vec();
        bits.iter().for_each(|bit| bytes[(bit / 8) as usize] ^= 0x80 >> (bit % 8));
        self.bytes = bytes.into();
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

impl Frame for TestFrame {
    fn info(&self) -> Result<FrameInfo, Malformed> {
        let length = u32::try_from(self.bytes.len()).map_err(|_| Malformed)?;
        if self.bytes.len() < HEADER {
            return Err(Malformed);
        }
        let Some(piece) = self.piece else { return Ok(FrameInfo::single(length)) };
        let (head, piece) = (self.head() as u32, u32::from(piece));
        let payload = length.saturating_sub(head);
        let frames = payload.div_ceil(piece).max(1);
        Ok(FrameInfo::coalesced(frames, head + piece, head + payload - (frames - 1) * piece))
    }

    fn start(&self) -> &[u8] {
        &self.bytes
    }

    fn tag(&self) -> Option<Tag> {
        let tag = self.bytes.get(12..16).filter(|bytes| bytes[..2] == TAGGED)?;
        Some(Tag(u16::from_be_bytes([tag[2], tag[3]])))
    }
}

/// Memory that can create `room` more frames.
#[derive(Debug)]
pub struct TestMemory {
    /// Number of frames that it can still create.
    pub room: usize,
}

impl Default for TestMemory {
    fn default() -> Self {
        Self { room: usize::MAX }
    }
}

impl TestMemory {
    fn take(&mut self) -> bool {
        let has_room = self.room > 0;
        self.room = self.room.saturating_sub(1);
        has_room
    }
}

impl Memory for TestMemory {
    type Frame = TestFrame;

    fn frame_of(&mut self, bytes: &[u8]) -> Option<TestFrame> {
        self.take().then(|| TestFrame::of_bytes(bytes))
    }

    fn admit(&mut self, _: &mut TestFrame) -> bool {
        self.take()
    }

    fn recycle(&mut self, _: TestFrame) {}

    fn push_tag(&mut self, frame: TestFrame, tag: Tag) -> Option<TestFrame> {
        self.take().then(|| frame.tagged(tag))
    }

    fn set_tag(&mut self, frame: TestFrame, tag: Option<Tag>) -> Option<TestFrame> {
        self.with_tag(&frame, tag)
    }

    fn with_tag(&mut self, frame: &TestFrame, tag: Option<Tag>) -> Option<TestFrame> {
        let untagged = frame.untagged();
        let frame = tag.map_or_else(|| untagged.clone(), |tag| untagged.tagged(tag));
        self.take().then_some(frame)
    }

    fn split(
        &mut self,
        frame: TestFrame,
        together: u32,
        pieces: &mut Vec<(FrameInfo, Option<TestFrame>)>,
    ) {
        let (head, payload) = frame.bytes.split_at(frame.head().min(frame.bytes.len()));
        let piece = frame.piece.map_or(payload.len(), usize::from);
        for part in payload.chunks((piece * together.max(1) as usize).max(1)) {
            let part = TestFrame { bytes: [head, part].concat().into(), ..frame };
            pieces.extend(part.info().ok().map(|info| (info, self.take().then_some(part))));
        }
    }
}
