//! Addresses that nothing on this machine uses: for a network between the machine and something in
//! it.

use std::collections::BTreeSet;
use std::fs;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Carriers' space behind their own address translation (RFC 6598), which no site numbers itself
/// with: 100.64.0.0/10, by subnets of four addresses.
const V4_BASE: u32 = 0x6440_0000;
const V4_SUBNETS: u32 = 1 << 20;
/// Routes as wide as all of it say nothing about any of its subnets.
const V4_WIDEST: u32 = 10;
/// Unique local addresses (RFC 4193): one /48 with "NetLm" as its global identifier, by subnets
/// of 64 bits.
const V6_BASE: u128 = 0xfd4e_6574_4c6d << 80;
const V6_SUBNETS: u32 = 1 << 16;

/// Two subnets that no route and no address of the calling process' network namespace overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeSubnets {
    /// The first usable address of a /30.
    pub v4: Ipv4Addr,
    /// The first usable address of a /64.
    pub v6: Ipv6Addr,
}

/// The first free subnets from those with number `start` on, so that two callers with different
/// numbers ask for different ones: as many different pairs as are asked for. Nothing if too few are
/// free.
pub fn free_subnets<const COUNT: usize>(start: u32) -> Option<[FreeSubnets; COUNT]> {
    // A family that the machine does not have takes nothing.
    let v4 = used_v4(&fs::read_to_string("/proc/thread-self/net/fib_trie").unwrap_or_default());
    let v6 = used_v6(&fs::read_to_string("/proc/thread-self/net/ipv6_route").unwrap_or_default());
    let found: Vec<_> = free_beside(start, &v4, &v6).take(COUNT).collect();
    found.try_into().ok()
}

fn free_beside(
    start: u32,
    v4: &BTreeSet<(u32, u32)>,
    v6: &BTreeSet<(u128, u32)>,
) -> impl Iterator<Item = FreeSubnets> {
    let overlaps_v4 = move |subnet: u32| {
        v4.iter().any(|(address, length)| {
            let mask = u32::MAX.checked_shl(32 - length.min(&30)).unwrap_or(0);
            (address ^ subnet) & mask == 0
        })
    };
    let overlaps_v6 = move |subnet: u128| {
        v6.iter().any(|(address, length)| {
            let mask = u128::MAX.checked_shl(128 - length.min(&64)).unwrap_or(0);
            (address ^ subnet) & mask == 0
        })
    };
    let v4 = (0..V4_SUBNETS)
        .map(move |step| V4_BASE + start.wrapping_add(step) % V4_SUBNETS * 4)
        .filter(move |subnet| !overlaps_v4(*subnet));
    let v6 = (0..V6_SUBNETS)
        .map(move |step| V6_BASE + (u128::from(start.wrapping_add(step) % V6_SUBNETS) << 64))
        .filter(move |subnet| !overlaps_v6(*subnet));
    v4.zip(v6)
        .map(|(v4, v6)| FreeSubnets { v4: Ipv4Addr::from(v4 + 1), v6: Ipv6Addr::from(v6 + 1) })
}

/// Prefixes in all tables of `/proc/net/fib_trie`: a line `|-- ADDRESS`, and below it a line
/// `/LENGTH SCOPE TYPE` for each route.
fn used_v4(trie: &str) -> BTreeSet<(u32, u32)> {
    let mut used = BTreeSet::new();
    let mut address: Option<Ipv4Addr> = None;
    for line in trie.lines().map(str::trim_start) {
        if let Some(text) = line.strip_prefix("|-- ") {
            address = text.trim().parse().ok();
        } else if let Some(length) = line
            .strip_prefix('/')
            .and_then(|text| text.split_whitespace().next()?.parse::<u32>().ok())
            && length > V4_WIDEST
            && let Some(address) = address
        {
            used.insert((u32::from(address), length.min(32)));
        }
    }
    used
}

/// Prefixes of `/proc/net/ipv6_route`: in the first column 32 digits, in the second the length.
/// Routes of everything, and of all unique local addresses, say nothing about a subnet.
fn used_v6(table: &str) -> BTreeSet<(u128, u32)> {
    const WIDEST: u32 = 8;
    let parse = |line: &str| {
        let mut columns = line.split_whitespace();
        let address = u128::from_str_radix(columns.next()?, 16).ok()?;
        let length = u32::from_str_radix(columns.next()?, 16).ok()?;
        (length > WIDEST && length <= 128).then_some((address, length))
    };
    table.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIE: &str = "\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 100.64.0.0/24 2 0 2
        |-- 100.64.0.4
           /30 link UNICAST
        |-- 100.64.0.9
           /32 host LOCAL
Id 52:
     |-- 100.64.0.0
        /10 universe UNICAST
        /28 universe UNICAST
";

    #[test]
    fn a_subnet_is_free_if_no_route_and_no_address_is_in_it_or_around_it() {
        let used = used_v4(TRIE);
        assert_eq!(used.len(), 3);
        let v6 = used_v6(
            "00000000000000000000000000000000 00 0 00 0 0 0 0 0 lo\n\
             fd4e65744c6d00030000000000000001 80 0 00 0 0 0 0 80200001 lo\n",
        );
        assert_eq!(v6.len(), 1);
        let found = |start| free_beside(start, &used, &v6).next().unwrap();
        // The /28 of another table takes the first four.
        assert_eq!(found(0).v4, Ipv4Addr::new(100, 64, 0, 17));
        assert_eq!(found(4).v4, Ipv4Addr::new(100, 64, 0, 17));
        assert_eq!(found(5).v4, Ipv4Addr::new(100, 64, 0, 21));
        assert_eq!(found(2).v6.to_string(), "fd4e:6574:4c6d:2::1");
        assert_eq!(found(3).v6.to_string(), "fd4e:6574:4c6d:4::1");
        // Numbers of processes are larger than there are subnets.
        assert_eq!(found(V4_SUBNETS + 5).v4, found(5).v4);
        assert_eq!(found(u32::MAX).v4.octets()[0], 100);
        let both: Vec<_> = free_beside(2, &used, &v6).take(2).collect();
        assert_eq!(both[1].v4, Ipv4Addr::new(100, 64, 0, 21));
        assert_eq!(both[1].v6.to_string(), "fd4e:6574:4c6d:4::1");
    }

    #[test]
    fn nothing_is_found_where_all_is_taken() {
        let all = BTreeSet::from([(V4_BASE, 11), (V4_BASE + (1 << 21), 11)]);
        assert_eq!(free_beside(7, &all, &BTreeSet::new()).next(), None);
    }
}
