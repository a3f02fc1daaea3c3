//! Internet checksums (RFC 1071): finishes and adjusts them (RFC 1624). Pure.

use crate::VirtioHeader;

/// The one's complement sum of `bytes` as big-endian words, not complemented; an odd last byte
/// counts as the high half of a word.
pub fn sum(bytes: &[u8]) -> u16 {
    // The sum of words in the machine's own order is the sum with its bytes in that order (RFC
    // 1071, section 2 (B)), and that of longer words folds to the same.
    let mut words = bytes.chunks_exact(4);
    let mut total: u64 = words
        .by_ref()
        .map(|word| u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]])))
        .sum();
    let mut last = [0; 4];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    total += u64::from(u32::from_ne_bytes(last));
    u16::from_be(fold(total))
}

/// The sum of two parts that follow each other, as of [`sum`].
pub fn sum_of_two([first, second]: [&[u8]; 2]) -> u16 {
    // Behind an odd byte, the bytes of each word change places.
    let rest = match first.len() % 2 {
        0 => sum(second),
        _ => sum(second).swap_bytes(),
    };
    fold(u64::from(sum(first)) + u64::from(rest))
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
    let checksum = transport(sum(&frame[start..]));
    frame[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// The checksum of a transport header over which this is the sum.
pub fn transport(sum: u16) -> u16 {
    // All ones and all zeros are the same sum; UDP reserves zero for "no checksum".
    match !sum {
        0 => 0xffff,
        checksum => checksum,
    }
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

    /// Sums as RFC 1071 defines them.
    fn reference(bytes: &[u8]) -> u16 {
        let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
        fold(bytes.chunks(2).map(word).sum())
    }

    #[test]
    fn sums_of_any_length_and_of_parts_are_those_of_the_definition() {
        let bytes: Vec<u8> = (0..67u32).map(|n| (n * 151 + 13) as u8).collect();
        for length in 0..bytes.len() {
            let bytes = &bytes[..length];
            assert_eq!(sum(bytes), reference(bytes), "{length}");
            for cut in 0..=length {
                let (first, second) = bytes.split_at(cut);
                assert_eq!(sum_of_two([first, second]), reference(bytes), "{length} at {cut}");
            }
        }
        assert_eq!(sum(&[0xff; 64]), reference(&[0xff; 64]));
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
