//! Addresses that the file gives.

use std::net::IpAddr;

use netloom_document::Span;

use crate::address::{Ipv4Prefix, Ipv6Prefix};

/// A range of addresses: its first and last one.
pub(super) type Range = (u128, u128);

/// An address that the user has given.
pub(super) struct Given {
    pub address: IpAddr,
    pub length: u8,
    pub node: usize,
    /// `None` for a loopback address.
    pub interface: Option<usize>,
    pub span: Span,
}

pub(super) fn share_subnet(a: &Given, b: &Given) -> bool {
    let contains = |a: &Given, b: &Given| match (a.address, b.address) {
        (IpAddr::V4(address), IpAddr::V4(other)) => {
            Ipv4Prefix { address, length: a.length }.contains(other)
        }
        (IpAddr::V6(address), IpAddr::V6(other)) => {
            Ipv6Prefix { address, length: a.length }.contains(other)
        }
        _ => false,
    };
    contains(a, b) && contains(b, a)
}

impl Given {
    pub fn range(&self) -> Range {
        let (bits, width) = match self.address {
            // Shifted, so that no address of one family is one of the other.
            IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
            IpAddr::V6(address) => (address.to_bits(), 128),
        };
        let host = u128::MAX.checked_shr(128 - (width - u32::from(self.length))).unwrap_or(0);
        (bits & !host, bits | host)
    }

    pub fn is_link_local(&self) -> bool {
        match self.address {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
    }
}
