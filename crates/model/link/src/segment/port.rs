//! The treatment of VLAN tags at a port of a switch (IEEE 802.1Q §6.9, §8.6), and the frames that
//! the port refuses. Not here: where frames go (`bridge`).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Tag, Vid, VlanSet};
use crate::{Count, FrameInfo};

/// The treatment of VLAN tags at a port of a switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PortVlans {
    /// The port belongs to one VLAN. Frames without a tag are in it, and its frames leave without a
    /// tag.
    Access(Vid),
    /// The port carries several VLANs, which are distinguished by tags.
    Trunk(Trunk),
}

/// A port that carries several VLANs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Trunk {
    /// VLANs that pass with a tag: `all`, or a list like `[10, 20-29]`.
    pub allowed: VlanSet,
    /// VLAN of frames without a tag; its frames leave without a tag. If it is absent, frames
    /// without a tag are dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Vid>,
}

/// The reason why a port refuses an incoming frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VlanDrop {
    /// The tag names a VLAN that the port does not carry, or one that cannot exist (4095).
    Foreign,
    /// The frame has no tag, and the trunk has no native VLAN.
    Untagged,
}

/// The frames that a port has refused, in wire frames and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VlanDrops {
    /// Frames tagged with a VLAN that the port does not carry.
    pub foreign: Count,
    /// Frames without a tag, on a trunk without a native VLAN.
    pub untagged: Count,
}

impl PortVlans {
    /// Returns the VLAN of an incoming frame. A tag of VLAN 0 carries only a priority.
    ///
    /// # Errors
    /// The port refuses the frame.
    pub fn classify(&self, tag: Option<Tag>) -> Result<Vid, VlanDrop> {
        match tag.map(Tag::vlan).filter(|vlan| *vlan != 0) {
            None => self.untagged().ok_or(VlanDrop::Untagged),
            Some(number) => {
                let vlan = Vid::new(number).filter(|vlan| self.carries(*vlan));
                vlan.ok_or(VlanDrop::Foreign)
            }
        }
    }

    /// Whether frames of `vlan` may pass.
    pub fn carries(&self, vlan: Vid) -> bool {
        self.untagged() == Some(vlan)
            || matches!(self, Self::Trunk(trunk) if trunk.allowed.contains(vlan))
    }

    /// VLAN whose frames have no tag here, if there is one.
    pub fn untagged(&self) -> Option<Vid> {
        match self {
            Self::Access(vlan) => Some(*vlan),
            Self::Trunk(trunk) => trunk.native,
        }
    }
}

impl fmt::Display for PortVlans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(vlan) => write!(f, "access {vlan}"),
            Self::Trunk(Trunk { allowed, native: None }) => write!(f, "trunk {allowed}"),
            Self::Trunk(Trunk { allowed, native: Some(native) }) => {
                write!(f, "trunk {allowed} native {native}")
            }
        }
    }
}

impl VlanDrops {
    /// Counts a refused frame.
    pub fn add(&mut self, reason: VlanDrop, info: &FrameInfo) {
        match reason {
            VlanDrop::Foreign => self.foreign.add(info),
            VlanDrop::Untagged => self.untagged.add(info),
        }
    }

    /// Returns the sum of all reasons.
    pub fn total(&self) -> Count {
        self.foreign + self.untagged
    }
}
