//! A frame in memory. Not here: where its buffers come from (`pool`) and what it holds (`layout`).
//!
//! A frame is a head of 2 KiB, which starts with the virtio-net header, and for what does not fit
//! there a tail of 64 KiB. A device reads into both at once; an ordinary frame then takes the head
//! only and leaves the tail for the next read. So small frames never cost 64 KiB, nothing is
//! copied, and all headers of a frame are in one piece.

use crate::{HEADER_BYTES, VirtioHeader};

/// Bytes of a frame's head, virtio-net header included.
pub const HEAD_BYTES: usize = 2048;
/// Bytes of a frame's tail.
pub const TAIL_BYTES: usize = 65_536;

pub(crate) type Head = Box<[u8; HEAD_BYTES]>;
pub(crate) type Tail = Box<[u8; TAIL_BYTES]>;

/// An Ethernet frame (FCS excluded) with its virtio-net header. Offsets and lengths are those of
/// the Ethernet frame.
#[derive(Debug)]
pub struct Frame {
    pub(crate) head: Head,
    pub(crate) tail: Option<Tail>,
    pub(crate) len: usize,
}

impl Frame {
    /// Bytes of the head that hold the Ethernet frame.
    pub(crate) const HEAD_ROOM: usize = HEAD_BYTES - HEADER_BYTES;

    /// The longest frame.
    pub const MAX_LEN: usize = Self::HEAD_ROOM + TAIL_BYTES;

    /// Bytes of the Ethernet frame.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is not a single byte.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The virtio-net header.
    pub fn header(&self) -> VirtioHeader {
        // The head is longer than the header.
        VirtioHeader::decode(self.head.first_chunk().expect("the head holds the header"))
    }

    /// Whether this is a super-frame.
    #[inline]
    pub fn is_super(&self) -> bool {
        self.head[1] != 0
    }

    /// The start of the Ethernet frame, up to 2038 bytes: all of its headers.
    #[inline]
    pub fn start(&self) -> &[u8] {
        &self.head[HEADER_BYTES..HEADER_BYTES + self.len.min(Self::HEAD_ROOM)]
    }

    /// The Ethernet frame in its two pieces, the second one often empty.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        (self.start(), self.rest())
    }

    /// What a device writes: the virtio-net header and the frame, in two pieces, the second one
    /// often empty.
    #[inline]
    pub fn raw_parts(&self) -> (&[u8], &[u8]) {
        (&self.head[..HEADER_BYTES + self.len.min(Self::HEAD_ROOM)], self.rest())
    }

    /// A copy of the Ethernet frame's bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let (start, rest) = self.parts();
        [start, rest].concat()
    }

    /// A copy in memory of its own, outside every pool.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self { head: self.head.clone(), tail: self.tail.clone(), len: self.len }
    }

    fn rest(&self) -> &[u8] {
        match &self.tail {
            Some(tail) if self.len > Self::HEAD_ROOM => &tail[..self.len - Self::HEAD_ROOM],
            _ => &[],
        }
    }

    /// Bytes `from..to` in their two pieces.
    pub(crate) fn range(&self, from: usize, to: usize) -> [&[u8]; 2] {
        let (start, rest) = self.parts();
        let in_start = |at: usize| at.min(start.len());
        let in_rest = |at: usize| at.saturating_sub(start.len());
        [&start[in_start(from)..in_start(to)], &rest[in_rest(from)..in_rest(to)]]
    }

    pub(crate) fn set_header(&mut self, header: &VirtioHeader) {
        self.head[..HEADER_BYTES].copy_from_slice(&header.encode());
    }

    /// The start of the Ethernet frame, to be written.
    pub(crate) fn start_mut(&mut self) -> &mut [u8] {
        &mut self.head[HEADER_BYTES..HEADER_BYTES + self.len.min(Self::HEAD_ROOM)]
    }

    /// Writes `bytes` at `at`; they must end within the frame.
    pub(crate) fn write_at(&mut self, at: usize, bytes: &[u8]) {
        debug_assert!(at + bytes.len() <= self.len);
        let cut = bytes.len().min(Self::HEAD_ROOM.saturating_sub(at));
        let (to_head, to_tail) = bytes.split_at(cut);
        if !to_head.is_empty() {
            self.head[HEADER_BYTES + at..][..to_head.len()].copy_from_slice(to_head);
        }
        if let (Some(tail), false) = (&mut self.tail, to_tail.is_empty()) {
            let at = (at + cut) - Self::HEAD_ROOM;
            tail[at..][..to_tail.len()].copy_from_slice(to_tail);
        }
    }
}

/// Where a device puts the next frame: always large enough for a super-frame.
#[derive(Debug)]
pub struct FrameBuffer {
    pub(crate) head: Head,
    pub(crate) tail: Tail,
    /// Bytes filled, virtio-net header included.
    pub(crate) filled: usize,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self { head: new_head(), tail: new_tail(), filled: 0 }
    }
}

impl FrameBuffer {
    /// The room, in two pieces to be filled in order: virtio-net header, then frame.
    pub fn room(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.head[..], &mut self.tail[..])
    }

    /// Says that the first `bytes` of the room were filled.
    ///
    /// # Panics
    /// If that is more than the room.
    pub fn set_filled(&mut self, bytes: usize) {
        assert!(bytes <= HEAD_BYTES + TAIL_BYTES, "more bytes were filled than there is room");
        self.filled = bytes;
    }

    /// Bytes filled, virtio-net header included.
    pub fn filled(&self) -> usize {
        self.filled
    }
}

pub(crate) fn new_head() -> Head {
    zeroed()
}

pub(crate) fn new_tail() -> Tail {
    zeroed()
}

/// A zeroed array that was never on the stack.
fn zeroed<const N: usize>() -> Box<[u8; N]> {
    vec![0; N].into_boxed_slice().try_into().expect("the vector has exactly N bytes")
}
