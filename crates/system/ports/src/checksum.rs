//! Internet checksums (RFC 1071): finishes and adjusts them (RFC 1624). Pure.

use crate::VirtioHeader;

/// The one's complement sum of `bytes` as big-endian words, not complemented; an odd last byte
/// counts as the high half of a word.
pub fn sum(bytes: &[u8]) -> u16 {
    let mut words = bytes.chunks_exact(2);
    let mut total: u64 =
        words.by_ref().map(|word| u64::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    if let [last] = words.remainder() {
        total += u64::from(*last) << 8;
    }
    fold(total)
}

/// Adds carries back in until 16 bits remain.
pub fn fold(mut total: u64) -> u16 {
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

/// The uncomplemented sum `partial` after the word `old` in it has been replaced by `new`.
pub fn replace(partial: u16, old: u16, new: u16) -> u16 {
    fold(u64::from(partial) + u64::from(!old) + u64::from(new))
}

/// Finishes the partial transport checksum of `frame` that `header` describes, as a network card
/// would. Does nothing if there is none, or if it does not fit into the frame.
pub fn finish(header: &VirtioHeader, frame: &mut [u8]) {
    let start = usize::from(header.checksum_start);
    let at = start + usize::from(header.checksum_offset);
    if !header.needs_checksum || at + 2 > frame.len() {
        return;
    }
    // All ones and all zeros are the same sum; UDP reserves zero for "no checksum".
    let checksum = match !sum(&frame[start..]) {
        0 => 0xffff,
        checksum => checksum,
    };
    frame[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_1071() {
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
    }

    #[test]
    fn odd_lengths_are_padded() {
        assert_eq!(sum(&[0x12, 0x34, 0x56]), 0x1234 + 0x5600);
    }

    #[test]
    fn replacing_a_word_is_summing_anew() {
        let before = sum(&[0x12, 0x34, 0xab, 0xcd]);
        assert_eq!(replace(before, 0xabcd, 0x0102), sum(&[0x12, 0x34, 0x01, 0x02]));
    }

    #[test]
    fn hostile_offsets_are_ignored() {
        let header = VirtioHeader {
            needs_checksum: true,
            checksum_start: u16::MAX,
            checksum_offset: u16::MAX,
            ..VirtioHeader::default()
        };
        let mut frame = [1; 20];
        finish(&header, &mut frame);
        assert_eq!(frame, [1; 20]);
    }
}
