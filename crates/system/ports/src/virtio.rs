//! The virtio-net header, 10 bytes, which the kernel puts in front of a TAP's frames (virtio 1.2
//! §5.1.6, legacy layout; the machine's byte order). Not here: the contents of the frame behind it.

/// Length of the header, in bytes.
pub const HEADER_BYTES: usize = 10;

const NEEDS_CSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
const GSO_UDP_L4: u8 = 5;
const GSO_ECN: u8 = 0x80;

/// The kind of packets that a super-frame has to be cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GsoKind {
    /// TCP over IPv4.
    TcpV4,
    /// TCP over IPv6.
    TcpV6,
    /// UDP datagrams over either.
    Udp,
    /// A kind that this engine does not know.
    Unknown(u8),
}

/// The header's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VirtioHeader {
    /// Whether the transport checksum is only the pseudo-header's sum. The sender that puts the
    /// frame on a wire adds the rest.
    pub needs_checksum: bool,
    /// The kind of packets that the frame has to be cut into; `None` for an ordinary frame.
    pub gso: Option<GsoKind>,
    /// Whether congestion-window-reduced (CWR) is set; it applies to the first TCP segment only.
    pub ecn: bool,
    /// Length of the headers in bytes; only a hint.
    pub header_len: u16,
    /// Length of the payload of each segment but the last, in bytes.
    pub gso_size: u16,
    /// Start of the checksummed bytes, from the start of the frame.
    pub checksum_start: u16,
    /// Position of the checksum, from `checksum_start`.
    pub checksum_offset: u16,
}

impl Default for GsoKind {
    fn default() -> Self {
        Self::Unknown(GSO_NONE)
    }
}

impl VirtioHeader {
    /// Reads the header.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Self {
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        Self {
            needs_checksum: bytes[0] & NEEDS_CSUM != 0,
            gso: match bytes[1] & !GSO_ECN {
                GSO_NONE => None,
                GSO_TCPV4 => Some(GsoKind::TcpV4),
                GSO_TCPV6 => Some(GsoKind::TcpV6),
                GSO_UDP_L4 => Some(GsoKind::Udp),
                other => Some(GsoKind::Unknown(other)),
            },
            ecn: bytes[1] & GSO_ECN != 0,
            header_len: word(2),
            gso_size: word(4),
            checksum_start: word(6),
            checksum_offset: word(8),
        }
    }

    /// Writes the header.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let kind = match self.gso {
            None => GSO_NONE,
            Some(GsoKind::TcpV4) => GSO_TCPV4,
            Some(GsoKind::TcpV6) => GSO_TCPV6,
            Some(GsoKind::Udp) => GSO_UDP_L4,
            Some(GsoKind::Unknown(other)) => other,
        };
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = if self.needs_checksum { NEEDS_CSUM } else { 0 };
        bytes[1] = kind | if self.ecn { GSO_ECN } else { 0 };
        bytes[2..4].copy_from_slice(&self.header_len.to_ne_bytes());
        bytes[4..6].copy_from_slice(&self.gso_size.to_ne_bytes());
        bytes[6..8].copy_from_slice(&self.checksum_start.to_ne_bytes());
        bytes[8..10].copy_from_slice(&self.checksum_offset.to_ne_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_a_linux_tap_writes_for_a_tcp_super_frame() {
        let header = VirtioHeader {
            needs_checksum: true,
            gso: Some(GsoKind::TcpV4),
            ecn: true,
            header_len: 66,
            gso_size: 1448,
            checksum_start: 34,
            checksum_offset: 16,
        };
        let golden = [1, 0x81, 66, 0, 0xa8, 5, 34, 0, 16, 0];
        if cfg!(target_endian = "little") {
            assert_eq!(header.encode(), golden);
        }
        assert_eq!(VirtioHeader::decode(&header.encode()), header);
    }

    #[test]
    fn every_byte_pattern_decodes_and_kinds_survive() {
        for kind in 0..=255u8 {
            let mut bytes = [0xff; HEADER_BYTES];
            bytes[1] = kind;
            assert_eq!(VirtioHeader::decode(&bytes).encode()[1], kind);
        }
    }
}
