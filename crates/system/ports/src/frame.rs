//! A frame in memory. Not here: where its memory comes from (`pool`) and what it holds (`layout`).
//!
//! A frame is a head of 2 KiB, which holds the virtio-net header first, and for what does not fit
//! there a tail of 64 KiB, or of 16 KiB for pieces of super-frames. Before the header is room for a
//! VLAN tag, which comes and goes by moving the few bytes in front of it (`tag`). A device reads
//! into both at once; an ordinary frame then takes the head only and leaves the tail for the next
//! read. So small frames never cost 64 KiB, nothing is copied, and all headers of a frame are in
//! one piece.
//!
//! The memory is counted by reference: a switch that floods, a link that duplicates and a capture
//! share it, and only who changes a frame that others share gets a copy of its own.

use std::sync::Arc;

use crate::charge::Charge;
use crate::{HEADER_BYTES, VirtioHeader};

/// Bytes of a frame's head, virtio-net header included.
pub const HEAD_BYTES: usize = 2048;
/// Bytes of the tail into which a device reads: enough for any frame.
pub const TAIL_BYTES: usize = 65_536;
/// Bytes of a tail for pieces of super-frames: to zero and to touch more than a piece needs takes
/// longer than all else.
pub(crate) const SHORT_TAIL_BYTES: usize = 16_384;

/// Bytes of a VLAN tag.
pub(crate) const TAG_BYTES: usize = 4;
/// Where a device puts the virtio-net header in the head: behind room for a VLAN tag.
pub(crate) const HEADROOM: u8 = TAG_BYTES as u8;

/// One of either length.
pub(crate) type Tail = Box<[u8]>;

/// An Ethernet frame (FCS excluded) with its virtio-net header. Offsets and lengths are those of
/// the Ethernet frame.
#[derive(Debug)]
pub struct Frame {
    pub(crate) body: Arc<Body>,
    /// Whether a pool counts its place in the queues.
    pub(crate) counted: bool,
}

/// What frames share.
#[derive(Debug)]
pub(crate) struct Body {
    pub head: [u8; HEAD_BYTES],
    pub tail: Option<Tail>,
    /// Where the virtio-net header is in the head: a byte, so that the compiler knows it to be
    /// inside.
    pub at: u8,
    /// Bytes of the Ethernet frame.
    pub len: usize,
    /// Who pays for the memory.
    pub charge: Charge,
}

impl Body {
    /// Zeros, charged to nobody.
    pub fn new(tail: Option<Tail>) -> Self {
        Self { head: [0; HEAD_BYTES], tail, at: HEADROOM, len: 0, charge: Charge::default() }
    }

    /// Bytes of the Ethernet frame that the head holds; the rest is in the tail.
    fn in_head(&self) -> usize {
        self.len.min(HEAD_BYTES - HEADER_BYTES - self.at())
    }

    #[inline]
    pub fn at(&self) -> usize {
        usize::from(self.at)
    }

    fn raw_parts(&self) -> (&[u8], &[u8]) {
        let start = self.in_head();
        let rest = match &self.tail {
            Some(tail) => &tail[..self.len - start],
            None => &[],
        };
        (&self.head[self.at()..][..HEADER_BYTES + start], rest)
    }
}

/// Copies what is filled.
impl Clone for Body {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.tail.as_ref().map(|tail| new_tail(tail.len())));
        (copy.at, copy.len) = (self.at, self.len);
        let (start, rest) = self.raw_parts();
        copy.head[self.at()..][..start.len()].copy_from_slice(start);
        if let Some(tail) = &mut copy.tail {
            tail[..rest.len()].copy_from_slice(rest);
        }
        copy.charge = self.charge.again();
        copy
    }
}

impl Frame {
    /// Bytes of the head that hold the Ethernet frame when a device has put it there.
    pub(crate) const HEAD_ROOM: usize = HEAD_BYTES - HEADER_BYTES - HEADROOM as usize;

    /// The longest frame.
    pub const MAX_LEN: usize = Self::HEAD_ROOM + TAIL_BYTES;

    /// Bytes of the Ethernet frame.
    pub fn len(&self) -> usize {
        self.body.len
    }

    /// Whether there is not a single byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The virtio-net header.
    pub fn header(&self) -> VirtioHeader {
        let header = self.body.head[self.body.at()..].first_chunk();
        VirtioHeader::decode(header.expect("the head holds the header"))
    }

    /// Whether this is a super-frame.
    #[inline]
    pub fn is_super(&self) -> bool {
        self.body.head[self.body.at() + 1] != 0
    }

    /// The start of the Ethernet frame, up to 2034 bytes or so: all of its headers.
    #[inline]
    pub fn start(&self) -> &[u8] {
        &self.raw_parts().0[HEADER_BYTES..]
    }

    /// The Ethernet frame in its two pieces, the second one often empty.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        let (start, rest) = self.raw_parts();
        (&start[HEADER_BYTES..], rest)
    }

    /// What a device writes: the virtio-net header and the frame, in two pieces, the second one
    /// often empty.
    #[inline]
    pub fn raw_parts(&self) -> (&[u8], &[u8]) {
        self.body.raw_parts()
    }

    /// A copy of the Ethernet frame's bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let (start, rest) = self.parts();
        [start, rest].concat()
    }

    /// The same frame once more, in the same memory until one of the two is changed. No pool counts
    /// it: see [`Pool::admit`](crate::Pool::admit).
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self { body: Arc::clone(&self.body), counted: false }
    }

    /// Bytes `from..to` in their two pieces.
    pub(crate) fn range(&self, from: usize, to: usize) -> [&[u8]; 2] {
        let (start, rest) = self.parts();
        let in_start = |at: usize| at.min(start.len());
        let in_rest = |at: usize| at.saturating_sub(start.len());
        [&start[in_start(from)..in_start(to)], &rest[in_rest(from)..in_rest(to)]]
    }

    pub(crate) fn set_header(&mut self, header: &VirtioHeader) {
        let body = self.body_mut();
        body.head[usize::from(body.at)..][..HEADER_BYTES].copy_from_slice(&header.encode());
    }

    /// The start of the Ethernet frame, to be written.
    pub(crate) fn start_mut(&mut self) -> &mut [u8] {
        let body = self.body_mut();
        let length = body.in_head();
        &mut body.head[usize::from(body.at) + HEADER_BYTES..][..length]
    }

    /// Writes `bytes` at `at`; they must end within the frame.
    pub(crate) fn write_at(&mut self, at: usize, bytes: &[u8]) {
        let body = self.body_mut();
        debug_assert!(at + bytes.len() <= body.len);
        let in_head = body.in_head();
        let cut = bytes.len().min(in_head.saturating_sub(at));
        let (to_head, to_tail) = bytes.split_at(cut);
        if !to_head.is_empty() {
            body.head[usize::from(body.at) + HEADER_BYTES + at..][..to_head.len()]
                .copy_from_slice(to_head);
        }
        if let (Some(tail), false) = (&mut body.tail, to_tail.is_empty()) {
            let at = (at + cut) - in_head;
            tail[at..][..to_tail.len()].copy_from_slice(to_tail);
        }
    }

    /// The memory to be written: this frame's alone, copied if others share it.
    pub(crate) fn body_mut(&mut self) -> &mut Body {
        Arc::make_mut(&mut self.body)
    }
}

/// Where a device puts the next frame: always large enough for a super-frame.
#[derive(Debug)]
pub struct FrameBuffer {
    /// Shared with nobody.
    pub(crate) body: Arc<Body>,
    pub(crate) tail: Tail,
    /// Bytes filled, virtio-net header included.
    pub(crate) filled: usize,
    /// A VLAN tag that the device has beside the frame.
    pub(crate) tag: Option<u16>,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self { body: Arc::new(Body::new(None)), tail: new_tail(TAIL_BYTES), filled: 0, tag: None }
    }
}

impl FrameBuffer {
    /// The room, in two pieces to be filled in order: virtio-net header, then frame.
    #[inline]
    pub fn room(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut Arc::make_mut(&mut self.body).head[usize::from(HEADROOM)..], &mut self.tail[..])
    }

    /// Says that the first `bytes` of the room were filled.
    ///
    /// # Panics
    /// If that is more than the room.
    pub fn set_filled(&mut self, bytes: usize) {
        assert!(
            bytes <= HEAD_BYTES - usize::from(HEADROOM) + TAIL_BYTES,
            "more bytes were filled than there is room"
        );
        self.filled = bytes;
    }

    /// Says that the frame has this VLAN tag, which is not among the bytes.
    pub fn set_tag(&mut self, tag: Option<u16>) {
        self.tag = tag;
    }

    /// Bytes filled, virtio-net header included.
    pub fn filled(&self) -> usize {
        self.filled
    }
}

/// A zeroed tail.
pub(crate) fn new_tail(bytes: usize) -> Tail {
    vec![0; bytes].into_boxed_slice()
}
