//! Internet checksums (RFC 1071), and their incremental updates (RFC 1624).

use std::net::IpAddr;

/// An unfinished sum of 16-bit words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum(u64);

impl Sum {
    /// Adds these bytes. If their number is odd, a zero follows the last one.
    pub fn with(mut self, bytes: &[u8]) -> Self {
        let (words, last) = bytes.as_chunks::<2>();
        self.0 += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        self.0 += last.iter().map(|byte| u64::from(*byte) << 8).sum::<u64>();
        self
    }

    /// Adds the complement of these bytes, whose number must be even.
    fn without(mut self, bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks::<2>();
        self.0 += words.iter().map(|word| u64::from(!u16::from_be_bytes(*word))).sum::<u64>();
        self
    }

    /// Adds an address.
    pub fn with_address(self, address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => self.with(&address.octets()),
            IpAddr::V6(address) => self.with(&address.octets()),
        }
    }

    fn without_address(self, address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => self.without(&address.octets()),
            IpAddr::V6(address) => self.without(&address.octets()),
        }
    }

    /// Returns the sum of the pseudo-header of a transport protocol (RFC 9293 §3.1, RFC 8200 §8.1).
    pub fn pseudo([source, destination]: [IpAddr; 2], protocol: u8, length: usize) -> Self {
        let both = Self::default().with_address(source).with_address(destination);
        // No packet is longer than 2^32 bytes.
        Self(both.0 + u64::from(protocol) + length as u64)
    }

    /// Returns the checksum.
    pub fn checksum(self) -> u16 {
        let mut sum = self.0;
        while sum >> 16 != 0 {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}

/// Returns a checksum, updated after addresses that it covers have changed.
pub(super) fn follow(checksum: [u8; 2], old: [IpAddr; 2], new: [IpAddr; 2]) -> [u8; 2] {
    let sum = Sum::default().without(&checksum);
    let sum = old.into_iter().fold(sum, Sum::without_address);
    new.into_iter().fold(sum, Sum::with_address).checksum().to_be_bytes()
}
