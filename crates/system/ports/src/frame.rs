//! A frame in memory. Not here: where its memory comes from (`pool`) and what it contains
//! (`layout`).
//!
//! A frame has a head of 2 KiB, which begins with the virtio-net header. What does not fit there is
//! in a tail of 64 KiB, or of 16 KiB for pieces of super-frames. In front of the header is room for
//! a VLAN tag, which is inserted and removed by moving the few bytes in front of it (`tag`). A
//! device reads into head and tail at once. An ordinary frame then takes only the head, and leaves
//! the tail for the next read. So small frames never cost 64 KiB, nothing is copied, and all
//! headers of a frame are in one piece.
//!
//! The memory is reference-counted. A switch that floods, a link that duplicates and a capture
//! share it. A frame that shares its memory is copied only when it is changed.

use std::sync::Arc;

use crate::charge::Charge;
use crate::{HEADER_BYTES, Share, VirtioHeader};

/// Length of a frame's head, including the virtio-net header, in bytes.
pub const HEAD_BYTES: usize = 2048;
/// Length of the tail into which a device reads, in bytes: enough for any frame.
pub const TAIL_BYTES: usize = 65_536;
/// Length of a tail for pieces of super-frames, in bytes. Zeroing and touching more memory than a
/// piece needs would take longer than everything else.
pub(crate) const SHORT_TAIL_BYTES: usize = 16_384;

/// Length of a VLAN tag, in bytes.
pub(crate) const TAG_BYTES: usize = 4;
/// Offset at which a device puts the virtio-net header in the head: behind room for a VLAN tag.
pub(crate) const HEADROOM: u8 = TAG_BYTES as u8;

/// A tail of either length.
pub(crate) type Tail = Box<[u8]>;

/// An Ethernet frame (FCS excluded) with its virtio-net header. Offsets and lengths are those of
/// the Ethernet frame.
#[derive(Debug)]
pub struct Frame {
    pub(crate) body: Arc<Body>,
    /// Whether a pool accounts for its place in the queues.
    pub(crate) counted: bool,
}

/// Memory that frames share.
#[derive(Debug)]
pub(crate) struct Body {
    pub head: [u8; HEAD_BYTES],
    pub tail: Option<Tail>,
    /// Offset of the virtio-net header in the head. It is a byte, so that the compiler can prove
    /// that it is inside.
    pub at: u8,
    /// Length of the Ethernet frame, in bytes.
    pub len: usize,
    /// The account that the memory is charged to.
    pub charge: Charge,
}

impl Body {
    /// Zeroed memory, charged to no account.
    pub fn new(tail: Option<Tail>) -> Self {
        Self { head: [0; HEAD_BYTES], tail, at: HEADROOM, len: 0, charge: Charge::default() }
    }

    /// Number of bytes of the Ethernet frame in the head; the rest is in the tail.
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

/// Copies only the bytes that are filled.
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
    /// Makes memory that no other frame shares part of the share of another frame's.
    pub(crate) fn share_with(&mut self, other: &Self) {
        if let Some(body) = Arc::get_mut(&mut self.body) {
            body.charge.share_with(&other.body.charge);
        }
    }

    /// Room for the Ethernet frame in the head of a frame that a device has read, in bytes.
    pub(crate) const HEAD_ROOM: usize = HEAD_BYTES - HEADER_BYTES - HEADROOM as usize;

    /// Length of the longest frame, in bytes.
    pub const MAX_LEN: usize = Self::HEAD_ROOM + TAIL_BYTES;

    /// Length of the Ethernet frame, in bytes.
    pub fn len(&self) -> usize {
        self.body.len
    }

    /// Whether the frame has no bytes.
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

    /// The start of the Ethernet frame, up to about 2034 bytes. It includes all headers.
    #[inline]
    pub fn start(&self) -> &[u8] {
        &self.raw_parts().0[HEADER_BYTES..]
    }

    /// The Ethernet frame in two pieces. The second one is often empty.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        let (start, rest) = self.raw_parts();
        (&start[HEADER_BYTES..], rest)
    }

    /// The virtio-net header and the frame, as a device writes them, in two pieces. The second one
    /// is often empty.
    #[inline]
    pub fn raw_parts(&self) -> (&[u8], &[u8]) {
        self.body.raw_parts()
    }

    /// A copy of the Ethernet frame's bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let (start, rest) = self.parts();
        [start, rest].concat()
    }

    /// Another frame with the same contents. It shares the memory until one of the two is changed.
    /// No pool accounts for it: see [`Pool::admit`](crate::Pool::admit).
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self { body: Arc::clone(&self.body), counted: false }
    }

    /// Bytes `from..to`, in two pieces.
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

    /// The start of the Ethernet frame, for writing.
    pub(crate) fn start_mut(&mut self) -> &mut [u8] {
        let body = self.body_mut();
        let length = body.in_head();
        &mut body.head[usize::from(body.at) + HEADER_BYTES..][..length]
    }

    /// Writes `bytes` at `at`. They must end within the frame.
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

    /// The memory for writing. It is copied first if other frames share it.
    pub(crate) fn body_mut(&mut self) -> &mut Body {
        Arc::make_mut(&mut self.body)
    }
}

/// Memory into which a device puts the next frame. It is always large enough for a super-frame.
#[derive(Debug)]
pub struct FrameBuffer {
    /// Never shared.
    pub(crate) body: Arc<Body>,
    pub(crate) tail: Tail,
    /// Number of bytes filled, including the virtio-net header.
    pub(crate) filled: usize,
    /// A VLAN tag that the device passes beside the frame.
    pub(crate) tag: Option<u16>,
    /// The share that the frame's memory is to be part of.
    pub(crate) share: Option<Share>,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        let (body, tail) = (Arc::new(Body::new(None)), new_tail(TAIL_BYTES));
        Self { body, tail, filled: 0, tag: None, share: None }
    }
}

impl FrameBuffer {
    /// The room in two pieces, to be filled in order: virtio-net header, then frame.
    #[inline]
    pub fn room(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut Arc::make_mut(&mut self.body).head[usize::from(HEADROOM)..], &mut self.tail[..])
    }

    /// Records that the first `bytes` of the room are filled.
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

    /// Records that the frame has this VLAN tag, which is not among its bytes.
    pub fn set_tag(&mut self, tag: Option<u16>) {
        self.tag = tag;
    }

    /// Number of bytes filled, including the virtio-net header.
    pub fn filled(&self) -> usize {
        self.filled
    }
}

/// A zeroed tail.
pub(crate) fn new_tail(bytes: usize) -> Tail {
    vec![0; bytes].into_boxed_slice()
}
