//! Encoding of keys and values for the tables of `bpf/selector.bpf.c`. This module is pure.

use std::net::IpAddr;

use netloom_link::IpPrefix;
use netloom_shape::{Key, Protocol, Side, Tier};

/// User number that stands for everybody.
const EVERYBODY: u32 = u32::MAX;

/// Number of bits of a key before a port, and before an address.
const BEFORE_PORT: u32 = 80;
const BEFORE_ADDRESS: u32 = 96;

/// The tier of a claim, and the user whose frames it takes.
pub type Owner = (Tier, Option<u32>);

/// An encoded key, by the table that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// Key in `ports`: the number of significant bits, and the bits.
    Port(u32, [u8; 12]),
    /// Key in `addresses`: the number of significant bits, and the bits.
    Address(u32, [u8; 28]),
    /// Key in `cgroups`.
    Cgroup([u8; 16]),
    /// Key in `owners`.
    All,
}

/// Returns the bit of `owner.classes` for the kind of key.
pub fn class(key: &Key) -> u32 {
    match key {
        Key::PortAndAddress(..) => 1,
        Key::Port(..) => 1 << 1,
        Key::Address(..) => 1 << 2,
        Key::Cgroup(..) => 1 << 3,
        Key::All => 0,
    }
}

/// Returns the key of an owner.
pub fn owner_key((tier, uid): Owner) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&tier_number(tier).to_ne_bytes());
    bytes[4..].copy_from_slice(&uid.unwrap_or(EVERYBODY).to_ne_bytes());
    bytes
}

/// Returns the bit of an owner in `settings.tiers`.
pub fn tier_bit((tier, uid): Owner) -> u32 {
    let of_everybody = u32::from(uid.is_none());
    1 << (2 * tier_number(tier) + of_everybody)
}

/// Encodes a key for its table.
pub fn encode(owner: Owner, key: &Key) -> Encoded {
    match key {
        Key::PortAndAddress(side, protocol, port, prefix) => {
            let (bits, address) = address(*prefix);
            let lead = lead(owner, Some((*side, *protocol)), *port);
            Encoded::Address(BEFORE_ADDRESS + bits, joined(lead, address))
        }
        Key::Port(side, protocol, ports) => {
            let lead = lead(owner, Some((*side, *protocol)), ports.first);
            Encoded::Port(BEFORE_PORT + u32::from(ports.bits), lead)
        }
        Key::Address(prefix) => {
            let (bits, address) = address(*prefix);
            Encoded::Address(BEFORE_ADDRESS + bits, joined(lead(owner, None, 0), address))
        }
        Key::Cgroup(cgroup) => {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&owner_key(owner));
            bytes[8..].copy_from_slice(&cgroup.id.to_ne_bytes());
            Encoded::Cgroup(bytes)
        }
        Key::All => Encoded::All,
    }
}

/// Returns the number of a protocol in packets.
pub fn protocol_number(protocol: Protocol) -> u8 {
    match protocol {
        Protocol::Tcp => 6,
        Protocol::Udp => 17,
    }
}

fn tier_number(tier: Tier) -> u32 {
    match tier {
        Tier::Over => 0,
        Tier::Own => 1,
        Tier::Root => 2,
    }
}

fn lead(owner: Owner, way: Option<(Side, Protocol)>, port: u16) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&owner_key(owner));
    if let Some((side, protocol)) = way {
        bytes[8] = match side {
            Side::Remote => 1,
            Side::Local => 2,
        };
        bytes[9] = protocol_number(protocol);
    }
    bytes[10..].copy_from_slice(&port.to_be_bytes());
    bytes
}

/// Returns the number of significant bits of an address, and all its bits. IPv4 addresses are
/// mapped into IPv6.
fn address(prefix: IpPrefix) -> (u32, [u8; 16]) {
    let prefix = prefix.network();
    let bits = u32::from(prefix.length());
    match prefix.address() {
        IpAddr::V4(address) => (96 + bits, address.to_ipv6_mapped().octets()),
        IpAddr::V6(address) => (bits, address.octets()),
    }
}

fn joined(lead: [u8; 12], address: [u8; 16]) -> [u8; 28] {
    let mut bytes = [0; 28];
    bytes[..12].copy_from_slice(&lead);
    bytes[12..].copy_from_slice(&address);
    bytes
}

#[cfg(test)]
mod tests {
    use netloom_shape::PortPrefix;

    use super::*;

    #[test]
    fn keys_are_as_the_programs_have_them() {
        let owner = (Tier::Own, Some(1000));
        let ports = PortPrefix { first: 9000, bits: 13 };
        let Encoded::Port(bits, bytes) =
            encode(owner, &Key::Port(Side::Local, Protocol::Udp, ports))
        else {
            panic!("a port is looked up among ports")
        };
        assert_eq!(bits, 93);
        assert_eq!(bytes[8..], [2, 17, 0x23, 0x28]);
        let prefix = "192.0.2.7/24".parse().unwrap();
        let Encoded::Address(bits, bytes) = encode(owner, &Key::Address(prefix)) else {
            panic!("an address is looked up among addresses")
        };
        assert_eq!(bits, 96 + 96 + 24);
        assert_eq!(bytes[8..12], [0; 4]);
        assert_eq!(bytes[22..], [0xff, 0xff, 192, 0, 2, 0]);
    }

    #[test]
    fn everybody_is_no_user() {
        assert_eq!(tier_bit((Tier::Over, Some(1))), 1);
        assert_eq!(tier_bit((Tier::Own, Some(1))), 4);
        assert_eq!(tier_bit((Tier::Root, None)), 32);
        assert_eq!(owner_key((Tier::Root, None))[4..], [0xff; 4]);
    }
}
