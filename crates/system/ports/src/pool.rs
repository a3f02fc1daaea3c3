//! Memory of frames: reuses it, limits it, and accounts for it. Not here: the frames.

use std::mem;
use std::sync::Arc;

use crate::charge::Account;
use crate::frame::{
    Body, Frame, FrameBuffer, HEAD_BYTES, HEADROOM, SHORT_TAIL_BYTES, TAIL_BYTES, Tail, new_tail,
};
use crate::{HEADER_BYTES, VirtioHeader};

/// Largest numbers of free buffers that are kept for later use. More than these are returned to the
/// machine.
const KEPT_BODIES: usize = 4096;
const KEPT_TAILS: usize = 128;
const KEPT_SHORT_TAILS: usize = 512;

/// Cost of a frame beside the memory of its bytes: its place in the queues that it passes. That is
/// the whole cost of another frame that shares memory.
const PLACE_BYTES: usize = 256;

/// A pool of frames, with a limit on the memory of the frames in use.
///
/// Frames that share memory pay for it once, and each pays for its place. The memory used last is
/// reused first, because it is still in the processor's cache. In the steady state nothing is
/// allocated.
#[derive(Debug)]
pub struct Pool {
    bodies: Vec<Arc<Body>>,
    tails: Vec<Tail>,
    short_tails: Vec<Tail>,
    /// Bytes handed out less bytes taken back by the pool itself.
    out: isize,
    account: Arc<Account>,
    limit: usize,
}

impl Pool {
    /// A pool whose frames take at most `limit` bytes together.
    pub fn new(limit: usize) -> Self {
        let (bodies, tails, short_tails) = Default::default();
        Self { bodies, tails, short_tails, out: 0, account: Arc::default(), limit }
    }

    /// Memory of the frames in use, in bytes. Copies of shared frames count, and may bring it above
    /// the limit.
    pub fn in_use(&self) -> usize {
        usize::try_from(self.out + self.account.bytes()).unwrap_or(0)
    }

    /// Makes a frame of the contents of `buffer`, which a device has filled, and gives the buffer
    /// new memory. Returns `None` if the limit is reached (the buffer can be filled again), or if
    /// not even a virtio-net header was filled.
    #[inline]
    pub fn take(&mut self, buffer: &mut FrameBuffer) -> Option<Frame> {
        let len = buffer.filled.checked_sub(HEADER_BYTES)?;
        let has_tail = len > Frame::HEAD_ROOM;
        let share = buffer.share.take();
        let tail_bytes = if has_tail { TAIL_BYTES } else { 0 };
        if share.as_ref().is_some_and(|share| !share.take(HEAD_BYTES + tail_bytes)) {
            return None;
        }
        let Some(bytes) = self.reserve_frame(tail_bytes) else {
            share.iter().for_each(|share| share.give_back(HEAD_BYTES + tail_bytes));
            return None;
        };
        let mut body = mem::replace(&mut buffer.body, self.body());
        let tail = has_tail.then(|| mem::replace(&mut buffer.tail, self.tail(TAIL_BYTES)));
        buffer.filled = 0;
        let filled = Arc::make_mut(&mut body);
        (filled.tail, filled.at, filled.len) = (tail, HEADROOM, len);
        filled.charge.set(&self.account, bytes);
        filled.charge.set_share(share);
        let frame = Frame { body, counted: true };
        match buffer.tag.take() {
            Some(tag) => self.push_tag(frame, tag),
            None => Some(frame),
        }
    }

    /// A frame of `len` bytes with a blank virtio-net header. Its bytes are arbitrary. `None` if
    /// the limit is reached or `len` is more than [`Frame::MAX_LEN`].
    #[inline]
    pub fn frame(&mut self, len: usize) -> Option<Frame> {
        if len > Frame::MAX_LEN {
            return None;
        }
        let tail = match len.saturating_sub(Frame::HEAD_ROOM) {
            0 => 0,
            1..=SHORT_TAIL_BYTES => SHORT_TAIL_BYTES,
            _ => TAIL_BYTES,
        };
        let bytes = self.reserve_frame(tail)?;
        let tail = (tail > 0).then(|| self.tail(tail));
        let mut body = self.body();
        let blank = Arc::make_mut(&mut body);
        (blank.tail, blank.at, blank.len) = (tail, HEADROOM, len);
        blank.head[usize::from(HEADROOM)..][..HEADER_BYTES].fill(0);
        blank.charge.set(&self.account, bytes);
        Some(Frame { body, counted: true })
    }

    /// A frame with these bytes, which no interface has to finish. `None` as in [`Self::frame`].
    pub fn frame_of(&mut self, bytes: &[u8]) -> Option<Frame> {
        self.frame_with(&VirtioHeader::default(), bytes)
    }

    /// A frame with this virtio-net header and these bytes. `None` as in [`Self::frame`].
    #[inline]
    pub fn frame_with(&mut self, header: &VirtioHeader, bytes: &[u8]) -> Option<Frame> {
        let mut frame = self.frame(bytes.len())?;
        frame.set_header(header);
        frame.write_at(0, bytes);
        Some(frame)
    }

    /// A copy of `source` in memory of its own, from this pool. `None` if the limit is reached.
    pub fn copy(&mut self, source: &Frame) -> Option<Frame> {
        let mut copy = self.frame(source.len())?;
        copy.share_with(source);
        copy.set_header(&source.header());
        let (start, rest) = source.parts();
        copy.write_at(0, start);
        copy.write_at(start.len(), rest);
        Some(copy)
    }

    /// Accounts for the place of a frame that was made by [`Frame::duplicate`]. Returns `false` if
    /// the limit is reached. Code that multiplies frames has to call it before it queues them.
    #[inline]
    pub fn admit(&mut self, frame: &mut Frame) -> bool {
        frame.counted = frame.counted || self.reserve(PLACE_BYTES);
        frame.counted
    }

    /// Takes back `frame`, and its memory if no other frame shares it.
    #[inline]
    pub fn recycle(&mut self, mut frame: Frame) {
        if frame.counted {
            self.out -= PLACE_BYTES.cast_signed();
        }
        let Some(body) = Arc::get_mut(&mut frame.body) else { return };
        if !body.charge.is_on(&self.account) {
            return;
        }
        self.out -= body.charge.free().cast_signed();
        if let Some(tail) = body.tail.take() {
            let (free, most) = match tail.len() {
                SHORT_TAIL_BYTES => (&mut self.short_tails, KEPT_SHORT_TAILS),
                _ => (&mut self.tails, KEPT_TAILS),
            };
            if free.len() < most {
                free.push(tail);
            }
        }
        if self.bodies.len() < KEPT_BODIES {
            self.bodies.push(frame.body);
        }
    }

    /// Reserves memory for a frame with such a tail, and for its place. Returns the bytes to charge
    /// for the memory; `None` if there is no room.
    fn reserve_frame(&mut self, tail: usize) -> Option<usize> {
        let bytes = HEAD_BYTES + tail;
        self.reserve(bytes + PLACE_BYTES).then_some(bytes)
    }

    fn reserve(&mut self, bytes: usize) -> bool {
        let room = self.in_use() + bytes <= self.limit;
        if room {
            self.out += bytes.cast_signed();
        }
        room
    }

    fn body(&mut self) -> Arc<Body> {
        self.bodies.pop().unwrap_or_else(|| Arc::new(Body::new(None)))
    }

    /// A tail of either length.
    fn tail(&mut self, bytes: usize) -> Tail {
        let free = if bytes == SHORT_TAIL_BYTES { &mut self.short_tails } else { &mut self.tails };
        free.pop().unwrap_or_else(|| new_tail(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Share;

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
        for len in [0, 60, 1514, 2033, 2034, 2035, 9014, 65_549] {
            fill(&mut buffer, len);
            let frame = pool.take(&mut buffer).unwrap();
            let expected: Vec<u8> = (10..10 + len).map(|index| index as u8).collect();
            assert_eq!(frame.to_vec(), expected);
            assert_eq!(frame.body.tail.is_some(), len > Frame::HEAD_ROOM);
            pool.recycle(frame);
        }
        assert_eq!(pool.in_use(), 0);
    }

    #[test]
    fn the_limit_holds_and_the_buffer_stays_usable() {
        let limit = 2 * (HEAD_BYTES + PLACE_BYTES);
        let (mut pool, mut buffer) = (Pool::new(limit), FrameBuffer::default());
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
    fn frames_share_memory_until_one_is_changed() {
        let mut pool = Pool::new(1 << 20);
        let costs = [(60, 0), (5000, SHORT_TAIL_BYTES), (50_000, TAIL_BYTES)];
        for (len, cost) in costs.map(|(len, tail)| (len, HEAD_BYTES + tail)) {
            let mut frame = pool.frame(len).unwrap();
            frame.write_at(0, &vec![7; len]);
            let shared: Vec<_> = (0..3).map(|_| frame.duplicate()).collect();
            assert_eq!(pool.in_use(), cost + PLACE_BYTES, "shared memory counts once");
            frame.write_at(len - 1, &[8]);
            assert_eq!(pool.in_use(), 2 * cost + PLACE_BYTES, "the copy counts");
            assert!(shared.iter().all(|other| other.to_vec() == vec![7; len]));
            assert_eq!(frame.to_vec(), [&vec![7; len - 1][..], &[8]].concat());
            pool.recycle(frame);
            assert_eq!(pool.in_use(), cost);
            shared.into_iter().for_each(|frame| pool.recycle(frame));
            assert_eq!(pool.in_use(), 0);
        }
    }

    #[test]
    fn frames_that_share_memory_pay_for_their_places() {
        let mut pool = Pool::new(HEAD_BYTES + 3 * PLACE_BYTES);
        let frame = pool.frame(60).unwrap();
        let mut shared: Vec<_> = (0..3).map(|_| frame.duplicate()).collect();
        let admitted: Vec<_> = shared.iter_mut().map(|frame| pool.admit(frame)).collect();
        assert_eq!(admitted, [true, true, false]);
        assert!(pool.admit(&mut shared[0]), "once is enough");
        pool.recycle(frame);
        shared.into_iter().for_each(|frame| pool.recycle(frame));
        assert_eq!(pool.in_use(), 0);
    }

    /// A share has all memory that comes of its frames: pieces, copies, and what captures hold.
    #[test]
    fn a_share_holds_whatever_becomes_of_its_frames() {
        let share = Share::new(2 * HEAD_BYTES);
        let (mut pool, mut buffer) = (Pool::new(1 << 20), FrameBuffer::default());
        let mut take = |pool: &mut Pool| {
            fill(&mut buffer, 60);
            buffer.share = Some(share.clone());
            pool.take(&mut buffer)
        };
        let frames = [take(&mut pool).unwrap(), take(&mut pool).unwrap()];
        assert!(take(&mut pool).is_none(), "it is full");
        assert!(pool.frame(60).is_some(), "and others are not");
        let [first, second] = frames;
        let captured = first.duplicate();
        let copy = pool.copy(&first).unwrap();
        assert_eq!(share.used(), 3 * HEAD_BYTES);
        pool.recycle(copy);
        pool.recycle(first);
        assert_eq!(share.used(), 2 * HEAD_BYTES, "the capture holds one");
        drop(captured);
        pool.recycle(second);
        assert_eq!(share.used(), 0);
        // Memory that is used again is no part of it any more.
        let other = pool.frame(60).unwrap();
        assert_eq!(share.used(), 0);
        share.set_limit(0);
        assert!(take(&mut pool).is_none());
        pool.recycle(other);
        // Nor is there anything in it of a frame for which the pool has no memory.
        share.set_limit(1 << 20);
        assert!(take(&mut Pool::new(10)).is_none());
        assert_eq!(share.used(), 0);
    }

    /// For example, a capture may be the last to hold a frame.
    #[test]
    fn memory_that_others_free_counts_as_free() {
        let mut pool = Pool::new(HEAD_BYTES + PLACE_BYTES);
        let frame = pool.frame(60).unwrap();
        let captured = frame.duplicate();
        pool.recycle(frame);
        assert!(pool.frame(60).is_none(), "the capture still holds it");
        std::thread::spawn(move || drop(captured)).join().unwrap();
        assert_eq!(pool.in_use(), 0);
        assert!(pool.frame(60).is_some());
    }

    #[test]
    fn another_pools_memory_goes_back_to_the_machine() {
        let mut pool = Pool::new(1 << 20);
        let captured = pool.frame(60).unwrap().duplicate();
        assert_eq!(pool.in_use(), HEAD_BYTES + PLACE_BYTES);
        Pool::new(1 << 20).recycle(captured);
        assert_eq!(pool.in_use(), PLACE_BYTES, "the first one was dropped, not recycled");
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
