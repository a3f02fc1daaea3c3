//! The buffers that frames live in, used again and again. Not here: the frames.

use std::mem;

use crate::HEADER_BYTES;
use crate::frame::{Frame, FrameBuffer, HEAD_BYTES, Head, TAIL_BYTES, Tail, new_head, new_tail};

/// Free buffers kept for later use, at most; what comes back above goes back to the machine.
const KEPT_HEADS: usize = 4096;
const KEPT_TAILS: usize = 128;

/// A pool of frame buffers with a limit on the memory of the frames that are out.
///
/// The buffer used last is used next, so that it is still in the processor's cache. In the steady
/// state nothing is allocated.
#[derive(Debug)]
pub struct Pool {
    heads: Vec<Head>,
    tails: Vec<Tail>,
    out: usize,
    limit: usize,
}

impl Pool {
    /// A pool whose frames take at most `limit` bytes together.
    pub fn new(limit: usize) -> Self {
        Self { heads: Vec::new(), tails: Vec::new(), out: 0, limit }
    }

    /// Memory of the frames that are out, in bytes.
    pub fn in_use(&self) -> usize {
        self.out
    }

    /// Makes a frame of what a device put into `buffer`, and fits the buffer with new memory.
    /// `None` if the limit is reached (the buffer can be filled again) or if not even a virtio-net
    /// header was filled.
    #[inline]
    pub fn take(&mut self, buffer: &mut FrameBuffer) -> Option<Frame> {
        let len = buffer.filled.checked_sub(HEADER_BYTES)?;
        let needs_tail = len > Frame::HEAD_ROOM;
        self.reserve(needs_tail)?;
        let head = mem::replace(&mut buffer.head, self.head());
        let tail = needs_tail.then(|| mem::replace(&mut buffer.tail, self.tail()));
        buffer.filled = 0;
        Some(Frame { head, tail, len })
    }

    /// A frame of `len` bytes with a blank virtio-net header; its bytes are whatever they are.
    /// `None` if the limit is reached or `len` is more than [`Frame::MAX_LEN`].
    #[inline]
    pub fn frame(&mut self, len: usize) -> Option<Frame> {
        if len > Frame::MAX_LEN {
            return None;
        }
        let needs_tail = len > Frame::HEAD_ROOM;
        self.reserve(needs_tail)?;
        let mut head = self.head();
        head[..HEADER_BYTES].fill(0);
        let tail = needs_tail.then(|| self.tail());
        Some(Frame { head, tail, len })
    }

    /// A copy of `frame`, virtio-net header included; `None` if the limit is reached.
    pub fn copy(&mut self, frame: &Frame) -> Option<Frame> {
        let mut copy = self.frame(frame.len)?;
        let (raw, rest) = frame.raw_parts();
        copy.head[..raw.len()].copy_from_slice(raw);
        if let Some(tail) = &mut copy.tail {
            tail[..rest.len()].copy_from_slice(rest);
        }
        Some(copy)
    }

    /// Takes back the memory of `frame`.
    #[inline]
    pub fn recycle(&mut self, frame: Frame) {
        self.out -= cost(frame.tail.is_some());
        if self.heads.len() < KEPT_HEADS {
            self.heads.push(frame.head);
        }
        if let Some(tail) = frame.tail
            && self.tails.len() < KEPT_TAILS
        {
            self.tails.push(tail);
        }
    }

    fn reserve(&mut self, tail: bool) -> Option<()> {
        let out = self.out + cost(tail);
        if out > self.limit {
            return None;
        }
        self.out = out;
        Some(())
    }

    fn head(&mut self) -> Head {
        self.heads.pop().unwrap_or_else(new_head)
    }

    fn tail(&mut self) -> Tail {
        self.tails.pop().unwrap_or_else(new_tail)
    }
}

const fn cost(tail: bool) -> usize {
    if tail { HEAD_BYTES + TAIL_BYTES } else { HEAD_BYTES }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(buffer: &mut FrameBuffer, len: usize) {
        let (head, tail) = buffer.room();
        let bytes: Vec<u8> = (0..HEADER_BYTES + len).map(|index| index as u8).collect();
        let cut = bytes.len().min(head.len());
        head[..cut].copy_from_slice(&bytes[..cut]);
        tail[..bytes.len() - cut].copy_from_slice(&bytes[cut..]);
        buffer.set_filled(bytes.len());
    }

    #[test]
    fn frames_keep_their_bytes_whatever_their_size() {
        let (mut pool, mut buffer) = (Pool::new(1 << 20), FrameBuffer::default());
        for len in [0, 60, 1514, 2037, 2038, 2039, 9014, 65_549] {
            fill(&mut buffer, len);
            let frame = pool.take(&mut buffer).unwrap();
            let expected: Vec<u8> = (10..10 + len).map(|index| index as u8).collect();
            assert_eq!(frame.to_vec(), expected);
            assert_eq!(frame.tail.is_some(), len > 2038);
            let copy = pool.copy(&frame).unwrap();
            assert_eq!((copy.to_vec(), copy.header()), (expected, frame.header()));
            pool.recycle(frame);
            pool.recycle(copy);
        }
        assert_eq!(pool.in_use(), 0);
    }

    #[test]
    fn the_limit_holds_and_the_buffer_stays_usable() {
        let (mut pool, mut buffer) = (Pool::new(2 * HEAD_BYTES), FrameBuffer::default());
        let first = pool.frame(60).unwrap();
        fill(&mut buffer, 5000);
        assert!(pool.take(&mut buffer).is_none(), "a tail is over the limit");
        fill(&mut buffer, 60);
        let second = pool.take(&mut buffer).unwrap();
        assert!(pool.frame(60).is_none());
        pool.recycle(first);
        pool.recycle(second);
        assert!(pool.frame(60).is_some());
    }

    #[test]
    fn a_read_too_short_for_a_header_is_no_frame() {
        let (mut pool, mut buffer) = (Pool::new(1 << 20), FrameBuffer::default());
        buffer.set_filled(9);
        assert!(pool.take(&mut buffer).is_none());
    }

    #[test]
    fn bytes_can_be_written_across_the_pieces() {
        let mut pool = Pool::new(1 << 20);
        let mut frame = pool.frame(5000).unwrap();
        let bytes: Vec<u8> = (0..3000).map(|index| index as u8).collect();
        frame.write_at(0, &bytes);
        frame.write_at(3000, &bytes[..2000]);
        assert_eq!(frame.range(0, 3000).concat(), bytes);
        assert_eq!(frame.range(3000, 5000).concat(), bytes[..2000]);
    }
}
