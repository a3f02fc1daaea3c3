//! Packets that leave the simulation at real nodes. Not here: how they get there (`border`).

use netloom_units::Time;

use crate::network::InterfaceId;
use crate::packet::Origin;

/// A packet that has arrived at a real node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// The interface of the real node.
    pub at: InterfaceId,
    /// Time of arrival.
    pub time: Time,
    /// Interface and time at which a real node sent the packet, if one did.
    pub origin: Option<Origin>,
    /// The IP packet.
    pub packet: Vec<u8>,
}
