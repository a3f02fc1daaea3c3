//! Reads, inserts and removes the VLAN tag of a frame (IEEE 802.1Q §9). The bytes in front of the
//! tag (the virtio-net header and two addresses) move into the head's free room and back, so that a
//! super-frame of 64 KiB costs no more than a small frame. Not here: which tag a frame gets.

use crate::frame::TAG_BYTES;
use crate::{Frame, HEADER_BYTES, Pool};

/// The type of a customer's tag, in front of the tag control information.
pub(crate) const C_TAG: u16 = 0x8100;
/// The type of a provider's tag (802.1ad), which switches treat as payload here.
pub(crate) const S_TAG: u16 = 0x88a8;
/// Length of the destination and source address, which the tag follows, in bytes.
const ADDRESSES: usize = 12;
/// Length of the shortest frame with a tag, in bytes. The tag is followed by the type or length of
/// the payload.
const TAGGED: usize = ADDRESSES + TAG_BYTES + 2;

impl Frame {
    /// The tag control information of the outer tag, if that has the type 8100: priority (3 bits),
    /// drop eligible, VLAN (12 bits).
    #[inline]
    pub fn tag(&self) -> Option<u16> {
        match self.outer_tag() {
            Some((C_TAG, tag)) => Some(tag),
            _ => None,
        }
    }

    /// Length of the outer tag of either type, in bytes; 0 if there is none.
    pub fn tag_bytes(&self) -> usize {
        if self.outer_tag().is_some() { TAG_BYTES } else { 0 }
    }

    /// Type and control information of the outer tag.
    #[inline]
    fn outer_tag(&self) -> Option<(u16, u16)> {
        let tag = self.start().get(ADDRESSES..TAGGED)?;
        let kind = u16::from_be_bytes([tag[0], tag[1]]);
        matches!(kind, C_TAG | S_TAG).then(|| (kind, u16::from_be_bytes([tag[2], tag[3]])))
    }

    /// Offset of the virtio-net header after this tag is inserted, or the existing one is removed;
    /// `None` if there is no room.
    fn moved(&self, tag: Option<u16>) -> Option<u8> {
        match tag {
            Some(_) => self.body.at.checked_sub(TAG_BYTES as u8),
            None => self.body.at.checked_add(TAG_BYTES as u8),
        }
    }

    /// Inserts `tag` behind the addresses, or removes the existing one, so that the virtio-net
    /// header moves to `at`. Adjusts the offsets in that header.
    fn shift(&mut self, tag: Option<u16>, at: u8) {
        let by = if tag.is_some() { TAG_BYTES.cast_signed() } else { -TAG_BYTES.cast_signed() };
        let moved = |offset: u16| offset.saturating_add_signed(by as i16);
        let mut header = self.header();
        if header.needs_checksum {
            header.checksum_start = moved(header.checksum_start);
        }
        if header.header_len > 0 {
            header.header_len = moved(header.header_len);
        }
        let body = self.body_mut();
        let addresses = body.at() + HEADER_BYTES..body.at() + HEADER_BYTES + ADDRESSES;
        (body.at, body.len) = (at, body.len.saturating_add_signed(by));
        body.head.copy_within(addresses, usize::from(at) + HEADER_BYTES);
        let front = &mut body.head[usize::from(at)..];
        front[..HEADER_BYTES].copy_from_slice(&header.encode());
        if let Some(tag) = tag {
            let [kind, tag] = [C_TAG, tag].map(u16::to_be_bytes);
            let at = HEADER_BYTES + ADDRESSES;
            front[at..at + 2].copy_from_slice(&kind);
            front[at + 2..at + TAG_BYTES].copy_from_slice(&tag);
        }
    }
}

impl Pool {
    /// Gives `frame` this outer tag of type 8100, or none: inserts, changes or removes it. Returns
    /// `None` if the pool has no memory, which is needed only for frames that lost a tag to bit
    /// errors or have dozens.
    #[must_use]
    pub fn set_tag(&mut self, mut frame: Frame, tag: Option<u16>) -> Option<Frame> {
        match (frame.tag(), tag) {
            (old, new) if old == new => Some(frame),
            (Some(_), Some(tag)) => {
                frame.write_at(ADDRESSES + 2, &tag.to_be_bytes());
                Some(frame)
            }
            _ => self.shift(frame, tag),
        }
    }

    /// Another frame with the contents of `frame` and this outer tag, or none. It shares the memory
    /// if `frame` has that tag already, else it gets its own. `None` if the pool has no memory.
    pub fn with_tag(&mut self, frame: &Frame, tag: Option<u16>) -> Option<Frame> {
        if frame.tag() == tag {
            return Some(frame.duplicate());
        }
        let copy = self.copy(frame)?;
        self.set_tag(copy, tag)
    }

    /// Inserts a tag in front of whatever follows the addresses of `frame`, even another tag.
    /// Returns `None` as [`set_tag`](Self::set_tag) does.
    #[must_use]
    pub fn push_tag(&mut self, frame: Frame, tag: u16) -> Option<Frame> {
        self.shift(frame, Some(tag))
    }

    fn shift(&mut self, mut frame: Frame, tag: Option<u16>) -> Option<Frame> {
        if frame.moved(tag).is_none() {
            // A copy has as much room as a device leaves.
            let copy = self.copy(&frame);
            self.recycle(frame);
            frame = copy?;
        }
        let at = frame.moved(tag)?;
        frame.shift(tag, at);
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GsoKind, VirtioHeader};

    fn pool() -> Pool {
        Pool::new(1 << 20)
    }

    fn frame(bytes: &[u8]) -> Frame {
        let mut frame = pool().frame(bytes.len()).expect("there is memory");
        frame.write_at(0, bytes);
        frame
    }

    fn set(frame: Frame, tag: Option<u16>) -> Frame {
        pool().set_tag(frame, tag).expect("there is memory")
    }

    fn numbered(length: usize) -> Vec<u8> {
        (0..length).map(|index| index as u8).collect()
    }

    #[test]
    fn a_tag_comes_changes_and_goes_whatever_the_length() {
        for length in [14, 60, 1514, 2033, 2034, 2035, 2038, 2039, 9014, 65_549] {
            let bytes = numbered(length);
            let tagged = |tag: [u8; 2]| [&bytes[..12], &[0x81, 0], &tag, &bytes[12..]].concat();
            let plain = frame(&bytes);
            let other = plain.duplicate();
            assert_eq!(plain.tag(), None);
            let first = set(plain, Some(0xa00a));
            assert_eq!((first.tag(), first.tag_bytes()), (Some(0xa00a), 4));
            assert_eq!(first.to_vec(), tagged([0xa0, 0x0a]), "{length} bytes");
            let second = set(first, Some(20));
            assert_eq!(second.to_vec(), tagged([0, 20]));
            assert_eq!(pool().copy(&second).expect("memory").to_vec(), tagged([0, 20]));
            let third = set(second, None);
            assert_eq!((third.tag(), third.to_vec()), (None, bytes.clone()));
            assert_eq!(other.to_vec(), bytes, "others that shared the memory see nothing");
        }
    }

    #[test]
    fn a_frame_that_came_tagged_loses_its_tag_and_gets_it_again() {
        let mut bytes = numbered(70);
        bytes[12..16].copy_from_slice(&[0x81, 0, 0, 10]);
        let mut frame = frame(&bytes);
        for _ in 0..3 {
            frame = set(frame, None);
            assert_eq!(frame.to_vec(), [&bytes[..12], &bytes[16..]].concat());
            frame = set(frame, Some(10));
            assert_eq!(frame.to_vec(), bytes);
        }
    }

    /// A bit error changes the type of the tag: to the next switch the frame has none.
    #[test]
    fn tags_that_are_not_taken_out_pile_up() {
        for length in [60, 2034, 9014] {
            let mut frame = set(frame(&numbered(length)), Some(10));
            for tags in 2..6 {
                frame.flip_bits(&[8 * 12]);
                frame = set(frame, Some(10));
                assert_eq!(frame.len(), length + 4 * tags);
                let (bytes, original) = (frame.to_vec(), numbered(length));
                assert_eq!(
                    (&bytes[..12], &bytes[12 + 4 * tags..]),
                    (&original[..12], &original[12..])
                );
            }
        }
    }

    /// As many tags as a node may send, each removed by another switch.
    #[test]
    fn dozens_of_tags_are_taken_out_one_by_one() {
        let mut bytes = numbered(12);
        bytes.extend([0x81, 0, 0, 10].repeat(400));
        bytes.extend(numbered(46));
        let mut frame = frame(&bytes);
        for left in (0..400).rev() {
            frame = set(frame, None);
            assert_eq!(frame.len(), 58 + 4 * left);
        }
        assert_eq!(frame.to_vec(), [numbered(12), numbered(46)].concat());
    }

    #[test]
    fn the_virtio_net_header_moves_with_the_packet() {
        let before = VirtioHeader {
            needs_checksum: true,
            gso: Some(GsoKind::TcpV4),
            ecn: true,
            header_len: 54,
            gso_size: 1448,
            checksum_start: 34,
            checksum_offset: 16,
        };
        let mut frame = frame(&numbered(4000));
        frame.set_header(&before);
        frame = set(frame, Some(10));
        let after = VirtioHeader { header_len: 58, checksum_start: 38, ..before };
        assert_eq!((frame.header(), frame.is_super()), (after, true));
        frame = set(frame, None);
        assert_eq!(frame.header(), before);
        frame.set_header(&VirtioHeader::default());
        frame = set(frame, Some(10));
        assert_eq!(frame.header(), VirtioHeader::default(), "it says nothing of places");
    }

    #[test]
    fn a_provider_tag_is_payload_and_a_cut_one_is_none() {
        let mut bytes = numbered(60);
        bytes[12..14].copy_from_slice(&[0x88, 0xa8]);
        assert_eq!((frame(&bytes).tag(), frame(&bytes).tag_bytes()), (None, 4));
        bytes[12..14].copy_from_slice(&[0x81, 0]);
        for length in 14..18 {
            let cut = frame(&bytes[..length]);
            assert_eq!((cut.tag(), cut.tag_bytes()), (None, 0));
        }
    }
}
