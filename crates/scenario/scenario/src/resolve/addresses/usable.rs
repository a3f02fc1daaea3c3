//! Checks whether an interface can have an address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::address::{Ipv4Prefix, Ipv6Prefix};

/// Why an interface cannot have an address.
pub(super) enum Problem {
    /// No host can have it.
    Never(String),
    /// It has another meaning in its subnet. The kernel does not mind.
    OfSubnet(String),
}

impl Problem {
    pub fn why(&self) -> &str {
        match self {
            Self::Never(why) | Self::OfSubnet(why) => why,
        }
    }
}

/// Returns why an interface cannot have this address, or `None` if it can.
pub(super) fn ipv4(prefix: Ipv4Prefix) -> Option<Problem> {
    if let Some(problem) = host(prefix.address.into()) {
        return Some(Problem::Never(problem));
    }
    if prefix.length == 0 {
        return Some(Problem::Never("a prefix length of 0 is the whole Internet".into()));
    }
    let network = prefix.network().address.to_bits();
    let host_bits = 32 - u32::from(prefix.length);
    if host_bits < 2 {
        // RFC 3021: on a /31 both addresses are hosts.
        return None;
    }
    let broadcast = network | ((1 << host_bits) - 1);
    let example = Ipv4Addr::from_bits(network + 1);
    match prefix.address.to_bits() {
        bits if bits == network => Some(Problem::OfSubnet(format!(
            "it is the address of the subnet itself; the first usable one is {example}"
        ))),
        bits if bits == broadcast => Some(Problem::OfSubnet(format!(
            "it is the broadcast address of its subnet; the first usable one is {example}"
        ))),
        _ => None,
    }
}

/// Returns why an interface cannot have this address, or `None` if it can.
pub(super) fn ipv6(prefix: Ipv6Prefix) -> Option<Problem> {
    if let Some(problem) = host(prefix.address.into()) {
        return Some(Problem::Never(problem));
    }
    if prefix.length == 0 {
        return Some(Problem::Never("a prefix length of 0 is the whole Internet".into()));
    }
    let network = prefix.network().address;
    // RFC 4291, section 2.6.1; RFC 6164 for /127.
    (prefix.length < 127 && prefix.address == network).then(|| {
        let example = Ipv6Addr::from_bits(network.to_bits() + 1);
        Problem::OfSubnet(format!(
            "it is the routers' anycast address of its subnet; the first usable one is {example}"
        ))
    })
}

/// Returns why no host can have this address, or `None` if one can.
pub(super) fn host(address: IpAddr) -> Option<String> {
    let problem = match address {
        address if address.is_unspecified() => "it stands for no address",
        address if address.is_loopback() => "every node has it already, as localhost",
        address if address.is_multicast() => "it is a multicast address",
        IpAddr::V4(address) if address.octets()[0] == 0 => "0.0.0.0/8 is reserved",
        IpAddr::V4(address) if address.octets()[0] >= 240 => "240.0.0.0/4 is reserved",
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => {
            "it is an IPv4 address in the clothes of IPv6"
        }
        _ => return None,
    };
    Some(problem.into())
}
