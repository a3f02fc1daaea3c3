//! A learning switch: the port by which a frame leaves (IEEE 802.1D §7). Not here: ports, frames,
//! clocks, VLANs. Whoever owns the table moves the frames and passes the time in.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use netloom_units::{Duration, Time};

use super::Vid;

/// Time for which an address is remembered after its last frame (IEEE 802.1D, recommended value).
pub const AGEING: Duration = Duration::from_secs(300);

/// Largest number of addresses in the table: that of a common hardware switch. When the table is
/// full, frames to new addresses are flooded.
const CAPACITY: usize = 16_384;

/// A MAC address as a key of the table, alone or in a VLAN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MacKey(u64);

impl MacKey {
    /// Creates a key from an address in wire order.
    pub const fn new(address: [u8; 6]) -> Self {
        let [a, b, c, d, e, f] = address;
        Self(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
    }

    /// The bytes of the address in wire order, without the VLAN.
    pub const fn bytes(self) -> [u8; 6] {
        let [_, _, a, b, c, d, e, f] = self.0.to_be_bytes();
        [a, b, c, d, e, f]
    }

    /// Returns the key of the address in a VLAN. Each VLAN learns its addresses separately
    /// (independent learning, IEEE 802.1Q §8.8.9).
    pub const fn in_vlan(self, vlan: Vid) -> Self {
        Self(self.0 | (vlan.number() as u64) << 48)
    }

    /// Whether the address is a group address: multicast or broadcast.
    pub const fn is_group(self) -> bool {
        self.0 & (1 << 40) != 0
    }
}

/// The destination of a frame at a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forward {
    /// The frame leaves by this port only.
    Port(usize),
    /// The frame leaves by every port but the one by which it came.
    Flood,
    /// The frame does not leave, because its destination is behind the port by which it came.
    Filter,
}

/// The addresses that a switch has learned, with the ports behind which they are.
#[derive(Debug, Default)]
pub struct LearningTable {
    entries: HashMap<u64, Entry, BuildHasherDefault<MacHasher>>,
    /// Time at which a full table was last searched for aged entries.
    purged: Time,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    port: usize,
    seen: Time,
}

impl LearningTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns that `source` is behind `port`, and returns where a frame to `destination` goes.
    pub fn forward(
        &mut self,
        now: Time,
        port: usize,
        source: MacKey,
        destination: MacKey,
    ) -> Forward {
        if !source.is_group() {
            self.learn(now, source, port);
        }
        if destination.is_group() {
            return Forward::Flood;
        }
        match self.entries.get(&destination.0) {
            Some(entry) if now.since(entry.seen) > AGEING => Forward::Flood,
            Some(entry) if entry.port == port => Forward::Filter,
            Some(entry) => Forward::Port(entry.port),
            None => Forward::Flood,
        }
    }

    /// Forgets every address behind `port`, as when its link goes down.
    pub fn forget_port(&mut self, port: usize) {
        self.entries.retain(|_, entry| entry.port != port);
    }

    /// Number of addresses in the table, aged ones included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the table contains no addresses.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn learn(&mut self, now: Time, source: MacKey, port: usize) {
        if let Some(entry) = self.entries.get_mut(&source.0) {
            *entry = Entry { port, seen: now };
            return;
        }
        if self.entries.len() >= CAPACITY && !self.purge(now) {
            return;
        }
        self.entries.insert(source.0, Entry { port, seen: now });
    }

    /// Removes aged entries, at most once a second. Returns whether there is room.
    fn purge(&mut self, now: Time) -> bool {
        if now.since(self.purged) >= Duration::from_secs(1) {
            self.purged = now;
            self.entries.retain(|_, entry| now.since(entry.seen) <= AGEING);
        }
        self.entries.len() < CAPACITY
    }
}

/// Multiplicative hash of one 48-bit key. The table is bounded, so deliberate collisions cost
/// little.
#[derive(Debug, Default)]
struct MacHasher(u64);

impl Hasher for MacHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: MacKey = MacKey(0x02_00_00_00_00_0a);
    const B: MacKey = MacKey(0x02_00_00_00_00_0b);

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn learns_and_forwards() {
        let mut table = LearningTable::new();
        assert_eq!(table.forward(at(0), 1, A, B), Forward::Flood);
        assert_eq!(table.forward(at(0), 2, B, A), Forward::Port(1));
        assert_eq!(table.forward(at(0), 1, A, B), Forward::Port(2));
        assert_eq!(table.forward(at(0), 2, A, B), Forward::Filter, "both are behind port 2 now");
    }

    #[test]
    fn group_addresses_are_flooded_and_not_learned() {
        let mut table = LearningTable::new();
        let broadcast = MacKey::new([0xff; 6]);
        let multicast = MacKey::new([0x33, 0x33, 0, 0, 0, 1]);
        assert_eq!(table.forward(at(0), 1, A, broadcast), Forward::Flood);
        assert_eq!(table.forward(at(0), 1, A, multicast), Forward::Flood);
        assert_eq!(table.forward(at(0), 2, broadcast, A), Forward::Port(1));
        assert_eq!(table.len(), 1);
    }

    #[test]
    fn addresses_age() {
        let mut table = LearningTable::new();
        table.forward(at(0), 1, A, B);
        assert_eq!(table.forward(at(300), 2, B, A), Forward::Port(1));
        assert_eq!(table.forward(at(301), 2, B, A), Forward::Flood);
    }

    #[test]
    fn a_port_can_be_forgotten() {
        let mut table = LearningTable::new();
        table.forward(at(0), 1, A, B);
        table.forget_port(1);
        assert!(table.is_empty());
    }

    #[test]
    fn the_table_is_bounded_and_recovers() {
        let mut table = LearningTable::new();
        for key in 0..CAPACITY as u64 + 100 {
            table.forward(at(1), 1, MacKey(key), B);
        }
        assert_eq!(table.len(), CAPACITY);
        table.forward(at(302), 1, MacKey(1 << 30), B);
        assert_eq!(table.len(), 1);
    }
}
