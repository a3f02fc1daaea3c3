//! Changes that links make to the bits of a frame. Not here: when they do.

use crate::checksum::{self, replace};
use crate::{Frame, VirtioHeader};

impl Frame {
    /// Completes a partial transport checksum, as a network card does before it sends. The
    /// receiving kernel then verifies it.
    ///
    /// Only for ordinary frames, not for super-frames.
    pub fn finish_checksum(&mut self) {
        let header = self.header();
        if header.needs_checksum {
            let start = usize::from(header.checksum_start);
            let at = start + usize::from(header.checksum_offset);
            if at + 2 <= self.len() {
                let sum = checksum::sum_of_two(self.range(start, self.len()));
                self.write_at(at, &checksum::transport(sum).to_be_bytes());
            }
        }
        // Neither "needs checksum" nor "checksum is good": the receiver checks it itself.
        self.set_header(&VirtioHeader::default());
    }

    /// Flips `bits`, counted from the first bit of the Ethernet header. The most significant bit of
    /// a byte comes first. Ignores bits beyond the end. Call
    /// [`finish_checksum`](Self::finish_checksum) first, so that the receiver can notice.
    pub fn flip_bits(&mut self, bits: &[u64]) {
        for bit in bits {
            let at = usize::try_from(bit / 8).unwrap_or(usize::MAX);
            if at >= self.len() {
                continue;
            }
            let [start, rest] = self.range(at, at + 1);
            if let Some(byte) = start.first().or(rest.first()) {
                let flipped = byte ^ (0x80 >> (bit % 8));
                self.write_at(at, &[flipped]);
            }
        }
    }

    /// Sets the ECN field of the IP packet to "congestion experienced" (RFC 3168 §5), and adjusts
    /// an IPv4 header's checksum. Does nothing to other frames.
    pub fn mark_congestion(&mut self) {
        self.change_traffic_class(|class| class | 3);
    }

    /// Sets the DSCP of the IP packet (RFC 2474), 0 to 63, and adjusts an IPv4 header's checksum.
    /// The ECN field stays. Does nothing to other frames.
    pub fn remark(&mut self, dscp: u8) {
        self.change_traffic_class(|class| dscp << 2 | class & 3);
    }

    /// Changes the traffic class of IPv6, or the second byte of an IPv4 header, which corresponds
    /// to it.
    fn change_traffic_class(&mut self, change: impl Fn(u8) -> u8) {
        let Some((at, ethertype)) = crate::layout::network_header(self.start()) else { return };
        let bytes = self.start_mut();
        match (ethertype, bytes.get_mut(at..at + 20)) {
            (0x0800, Some(header)) => {
                let word =
                    |header: &[u8], at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
                let old = word(header, 0);
                header[1] = change(header[1]);
                let sum = !replace(!word(header, 10), old, word(header, 0));
                header[10..12].copy_from_slice(&sum.to_be_bytes());
            }
            (0x86dd, Some(header)) => {
                let class = change(header[0] << 4 | header[1] >> 4);
                header[0] = header[0] & 0xf0 | class >> 4;
                header[1] = class << 4 | header[1] & 0x0f;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;

    fn frame(bytes: &[u8]) -> Frame {
        let mut frame = Pool::new(1 << 20).frame(bytes.len()).expect("there is memory");
        frame.write_at(0, bytes);
        frame
    }

    /// An Ethernet and an IPv4 header with its checksum, ECT(0).
    fn ipv4() -> Vec<u8> {
        let mut bytes = vec![0; 14];
        bytes[12] = 8;
        bytes.extend([0x45, 0x02, 0, 40, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let sum = !checksum::sum(&bytes[14..34]);
        bytes[24..26].copy_from_slice(&sum.to_be_bytes());
        bytes.resize(60, 0);
        bytes
    }

    #[test]
    fn a_mark_keeps_the_header_checksum_right() {
        let mut frame = frame(&ipv4());
        frame.mark_congestion();
        assert_eq!(frame.start()[15], 0x03);
        assert_eq!(checksum::sum(&frame.start()[14..34]), 0xffff);
    }

    #[test]
    fn a_mark_on_ipv6_sets_the_traffic_class() {
        let mut bytes = vec![0; 60];
        (bytes[12], bytes[13], bytes[14], bytes[15]) = (0x86, 0xdd, 0x60, 0x20);
        let mut frame = frame(&bytes);
        frame.mark_congestion();
        assert_eq!(frame.start()[14..16], [0x60, 0x30]);
    }

    #[test]
    fn another_dscp_keeps_ecn_and_the_header_checksum_right() {
        for dscp in 0..64 {
            let mut frame = frame(&ipv4());
            frame.remark(dscp);
            assert_eq!(frame.start()[15], dscp << 2 | 2);
            assert_eq!(checksum::sum(&frame.start()[14..34]), 0xffff, "DSCP {dscp}");
        }
    }

    #[test]
    fn another_dscp_of_ipv6_keeps_version_ecn_and_flow_label() {
        for dscp in 0..64 {
            let mut bytes = vec![0; 60];
            (bytes[12], bytes[13]) = (0x86, 0xdd);
            bytes[14..18].copy_from_slice(&[0x6b, 0x9a, 0xbc, 0xde]);
            let mut frame = frame(&bytes);
            frame.remark(dscp);
            let class = dscp << 2 | 1;
            let expected = [0x60 | class >> 4, class << 4 | 0x0a, 0xbc, 0xde];
            assert_eq!(frame.start()[14..18], expected);
        }
    }

    #[test]
    fn a_frame_that_is_not_ip_stays_as_it_is() {
        let mut bytes = vec![0x55; 60];
        (bytes[12], bytes[13]) = (0x08, 0x06);
        let mut frame = frame(&bytes);
        frame.remark(46);
        assert_eq!(frame.to_vec(), bytes);
    }

    #[test]
    fn bits_flip_in_head_and_tail_and_not_beyond() {
        let mut frame = frame(&[0; 3000]);
        frame.flip_bits(&[0, 7, 8 * 2500 + 1, 8 * 3000]);
        let bytes = frame.to_vec();
        assert_eq!((bytes[0], bytes[2500]), (0x81, 0x40));
        assert_eq!(bytes.iter().map(|byte| byte.count_ones()).sum::<u32>(), 3);
    }
}
