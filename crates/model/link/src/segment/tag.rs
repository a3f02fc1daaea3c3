//! The tag of a frame (IEEE 802.1Q §9.6). Not here: where it stands in a frame.

use super::Vid;

/// Tag control information: priority (3 bits), drop eligible (1 bit), VLAN (12 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tag(pub u16);

/// The 12 bits of the VLAN.
const VLAN: u16 = 0x0fff;

impl Tag {
    /// The VLAN's 12 bits as they are: 0 in a tag that carries a priority only, 4095 in none that is
    /// allowed.
    pub const fn vlan(self) -> u16 {
        self.0 & VLAN
    }

    /// The same priority in another VLAN.
    #[must_use]
    pub const fn moved_to(self, vlan: Vid) -> Self {
        Self(self.0 & !VLAN | vlan.number())
    }
}
