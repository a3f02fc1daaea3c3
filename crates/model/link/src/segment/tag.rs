//! The VLAN tag of a frame (IEEE 802.1Q §9.6). Not here: its position in a frame.

use super::Vid;

/// Tag control information: priority (3 bits), drop eligible (1 bit), VLAN (12 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tag(pub u16);

/// Mask of the 12 bits of the VLAN.
const VLAN: u16 = 0x0fff;

impl Tag {
    /// The 12 bits of the VLAN without a check: 0 in a tag that carries only a priority; 4095 is
    /// not allowed in any tag.
    pub const fn vlan(self) -> u16 {
        self.0 & VLAN
    }

    /// Returns a tag with the same priority in another VLAN.
    #[must_use]
    pub const fn moved_to(self, vlan: Vid) -> Self {
        Self(self.0 & !VLAN | vlan.number())
    }
}
