//! The identifier of a bridge, made of its priority and address; and the priority of a port. Not
//! here: port numbers (`port`).

use std::fmt;

/// Step between priorities. The 12 bits below are the number of a tree, which is 0 in RSTP
/// (§9.2.5).
const STEP: u16 = 4096;

/// The priority of a bridge for becoming the root. The lowest wins. It is a multiple of 4096 from 0
/// to 61440 (§17.14, table 17-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u16);

/// The number is not a bridge priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a bridge priority; write a multiple of 4096 from 0 to 61440, like `32768`")]
pub struct PriorityError(u16);

impl Priority {
    /// Returns the priority as a number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl TryFrom<u16> for Priority {
    type Error = PriorityError;
    fn try_from(number: u16) -> Result<Self, PriorityError> {
        if number.is_multiple_of(STEP) { Ok(Self(number)) } else { Err(PriorityError(number)) }
    }
}

impl Default for Priority {
    /// Returns 32768, the standard's recommendation.
    fn default() -> Self {
        Self(32_768)
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Step between port priorities. The 12 bits below are the port's number (§9.2.7).
const PORT_STEP: u8 = 16;

/// The priority of a port among several through which a path from one neighbour costs the same. The
/// lowest wins. It is a multiple of 16 from 0 to 240 (§17.14, table 17-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortPriority(u8);

/// The number is not a port priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a port priority; write a multiple of 16 from 0 to 240, like `128`")]
pub struct PortPriorityError(u8);

impl PortPriority {
    /// Returns the priority as a number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for PortPriority {
    type Error = PortPriorityError;
    fn try_from(number: u8) -> Result<Self, PortPriorityError> {
        if number.is_multiple_of(PORT_STEP) {
            Ok(Self(number))
        } else {
            Err(PortPriorityError(number))
        }
    }
}

impl Default for PortPriority {
    /// Returns 128, the standard's recommendation.
    fn default() -> Self {
        Self(128)
    }
}

impl fmt::Display for PortPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The identifier of a bridge. Identifiers are ordered by priority, then by address. The bridge
/// with the lowest one becomes the root (§9.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BridgeId {
    /// The priority as on the wire. Its low 12 bits hold the number of a tree, which a foreign
    /// bridge may have set.
    prefix: u16,
    address: [u8; 6],
}

impl BridgeId {
    /// Returns the identifier with this priority and address. No other bridge of the network may
    /// have the same address.
    pub const fn new(priority: Priority, address: [u8; 6]) -> Self {
        Self { prefix: priority.0, address }
    }

    /// Returns its priority.
    pub const fn priority(self) -> Priority {
        Priority(self.prefix - self.prefix % STEP)
    }

    /// Returns its MAC address in wire order.
    pub const fn address(self) -> [u8; 6] {
        self.address
    }

    pub(crate) fn to_wire(self) -> [u8; 8] {
        let mut wire = [0; 8];
        wire[..2].copy_from_slice(&self.prefix.to_be_bytes());
        wire[2..].copy_from_slice(&self.address);
        wire
    }

    pub(crate) const fn from_wire([p, q, a, b, c, d, e, f]: [u8; 8]) -> Self {
        Self { prefix: u16::from_be_bytes([p, q]), address: [a, b, c, d, e, f] }
    }
}

impl fmt::Display for BridgeId {
    /// Writes the identifier like `32768.02:00:00:00:00:01`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.address;
        write!(f, "{}.{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}", self.prefix)
    }
}
