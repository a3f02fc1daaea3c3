//! Prefixes of either family as plain integers: the arithmetic for address assignment and routing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use netloom_scenario::{
    Addresses, Interface, IpPrefix, Ipv4Prefix, Ipv6Prefix, LoopbackAddress, Node,
};

/// An address family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    V4,
    V6,
}

/// A prefix, host bits included: `10.0.0.1/24` differs from `10.0.0.0/24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cidr {
    pub family: Family,
    pub bits: u128,
    pub length: u8,
}

/// The source of addresses, independent of the family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddressSource {
    Auto,
    None,
    Fixed(Vec<Cidr>),
}

impl Family {
    pub fn width(self) -> u8 {
        match self {
            Self::V4 => 32,
            Self::V6 => 128,
        }
    }

    /// Returns the prefix that contains only this address.
    pub fn host(self, bits: u128) -> Cidr {
        Cidr { family: self, bits, length: self.width() }
    }

    /// Returns the prefix that contains every address.
    pub fn default_route(self) -> Cidr {
        Cidr { family: self, bits: 0, length: 0 }
    }

    pub fn of(prefix: IpPrefix) -> Self {
        match prefix {
            IpPrefix::V4(_) => Self::V4,
            IpPrefix::V6(_) => Self::V6,
        }
    }

    /// Returns the source of the addresses of `interface`.
    pub fn interface_source(self, interface: &Interface) -> AddressSource {
        match self {
            Self::V4 => source(&interface.ipv4, |p| Cidr::from(IpPrefix::V4(p))),
            Self::V6 => source(&interface.ipv6, |p| Cidr::from(IpPrefix::V6(p))),
        }
    }

    /// Returns the source of the loopback address of `node`.
    pub fn loopback_source(self, node: &Node) -> AddressSource {
        let from = |auto, fixed: Option<u128>| match (auto, fixed) {
            (true, _) => AddressSource::Auto,
            (false, Some(bits)) => AddressSource::Fixed(vec![self.host(bits)]),
            (false, None) => AddressSource::None,
        };
        match self {
            Self::V4 => match node.loopback.ipv4 {
                LoopbackAddress::Fixed(ip) => from(false, Some(u128::from(ip.to_bits()))),
                other => from(other == LoopbackAddress::Auto, None),
            },
            Self::V6 => match node.loopback.ipv6 {
                LoopbackAddress::Fixed(ip) => from(false, Some(ip.to_bits())),
                other => from(other == LoopbackAddress::Auto, None),
            },
        }
    }
}

fn source<P: Copy>(addresses: &Addresses<P>, cidr: impl Fn(P) -> Cidr) -> AddressSource {
    match addresses {
        Addresses::Auto => AddressSource::Auto,
        Addresses::None => AddressSource::None,
        Addresses::Fixed(prefixes) => {
            AddressSource::Fixed(prefixes.iter().map(|p| cidr(*p)).collect())
        }
    }
}

impl Cidr {
    fn host_mask(self) -> u128 {
        let host_bits = u32::from(self.family.width() - self.length);
        1u128.checked_shl(host_bits).map_or(u128::MAX, |size| size - 1)
    }

    /// Returns the prefix with the host bits cleared.
    pub fn network(self) -> Self {
        Self { bits: self.bits & !self.host_mask(), ..self }
    }

    /// The lowest address.
    pub fn first(self) -> u128 {
        self.network().bits
    }

    /// The highest address.
    pub fn last(self) -> u128 {
        self.bits | self.host_mask()
    }

    pub fn contains(self, bits: u128) -> bool {
        (self.first()..=self.last()).contains(&bits)
    }

    /// Returns the first and last address that interfaces may have: without network and broadcast
    /// address (IPv4) or subnet-router anycast address (IPv6), except in the two-address networks
    /// of RFC 3021 and RFC 6164. `None` for a single address, which leaves no room for a neighbour.
    pub fn usable(self) -> Option<(u128, u128)> {
        let room = self.family.width() - self.length;
        match (room, self.family) {
            (0, _) => None,
            (1, _) => Some((self.first(), self.last())),
            (_, Family::V4) => Some((self.first() + 1, self.last() - 1)),
            (_, Family::V6) => Some((self.first() + 1, self.last())),
        }
    }

    /// Returns the two prefixes one bit longer, the lower one first. For a single address, both are
    /// that address.
    pub fn halves(self) -> [Self; 2] {
        let length = (self.length + 1).min(self.family.width());
        let low = Self { length, ..self.network() };
        let size = low.host_mask().wrapping_add(1);
        let high = if length == self.length { low.bits } else { low.bits | size };
        [low, Self { bits: high, ..low }]
    }

    /// The address, without the length.
    pub fn address(self) -> IpAddr {
        match self.prefix() {
            IpPrefix::V4(prefix) => prefix.address.into(),
            IpPrefix::V6(prefix) => prefix.address.into(),
        }
    }

    pub fn prefix(self) -> IpPrefix {
        match self.family {
            Family::V4 => {
                // Invariant: IPv4 bits are made from IPv4 addresses and stay within 32 bits.
                let bits = u32::try_from(self.bits).expect("an IPv4 address has 32 bits");
                IpPrefix::V4(Ipv4Prefix { address: Ipv4Addr::from_bits(bits), length: self.length })
            }
            Family::V6 => {
                let address = Ipv6Addr::from_bits(self.bits);
                IpPrefix::V6(Ipv6Prefix { address, length: self.length })
            }
        }
    }
}

impl From<IpPrefix> for Cidr {
    fn from(prefix: IpPrefix) -> Self {
        let (bits, length) = match prefix {
            IpPrefix::V4(prefix) => (u128::from(prefix.address.to_bits()), prefix.length),
            IpPrefix::V6(prefix) => (prefix.address.to_bits(), prefix.length),
        };
        Self { family: Family::of(prefix), bits, length }
    }
}
