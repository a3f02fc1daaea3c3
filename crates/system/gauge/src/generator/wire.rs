//! Contents of a datagram in front of its padding. Numbers are in network byte order.
//!
//! | bytes | contents |
//! |---|---|
//! | 0–3 | the letters `NLtr` |
//! | 4–5 | the number of the sender |
//! | 6–9 | the number of the datagram, from 0 on; all bits set in those that end the flow |
//! | 10–17 | the intended time of sending, in ns since the experiment's zero |

use super::Ip;

/// First bytes of each datagram, which distinguish it from datagrams of other programs.
const MAGIC: [u8; 4] = *b"NLtr";

/// Length of the contents, in bytes.
pub const LENGTH: usize = 18;

/// Length of the headers of Ethernet, IP and UDP, in bytes. The header of ICMP echo is as long as
/// that of UDP.
pub const fn headers(ip: Ip) -> u32 {
    14 + ip.header() + 8
}

/// Number of a datagram that ends its flow. It is not counted.
pub const LAST: u32 = u32::MAX;

/// Contents of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub flow: u16,
    pub number: u32,
    pub at: u64,
}

impl Stamp {
    /// Writes it at the beginning of `payload`, which must be long enough.
    pub fn write(&self, payload: &mut [u8]) {
        payload[..4].copy_from_slice(&MAGIC);
        payload[4..6].copy_from_slice(&self.flow.to_be_bytes());
        payload[6..10].copy_from_slice(&self.number.to_be_bytes());
        payload[10..18].copy_from_slice(&self.at.to_be_bytes());
    }

    /// Reads it; `None` if the datagram is not one of ours.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let rest = payload.strip_prefix(&MAGIC)?;
        let (flow, rest) = rest.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (at, _) = rest.split_first_chunk()?;
        Some(Self {
            flow: u16::from_be_bytes(*flow),
            number: u32::from_be_bytes(*number),
            at: u64::from_be_bytes(*at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_as_they_are_written() {
        let stamp = Stamp { flow: 7, number: 1 << 20, at: 5_000_000_001 };
        let mut payload = [0; LENGTH];
        stamp.write(&mut payload);
        assert_eq!(Stamp::read(&payload), Some(stamp));
        assert_eq!(Stamp::read(&payload[..LENGTH - 1]), None);
        payload[0] = b'x';
        assert_eq!(Stamp::read(&payload), None);
    }
}
