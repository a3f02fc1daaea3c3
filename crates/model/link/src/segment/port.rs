//! What a port of a switch does with VLAN tags (IEEE 802.1Q §6.9, §8.6), and what it refuses. Not
//! here: where frames go (`bridge`).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Tag, Vid, VlanSet};
use crate::{Count, FrameInfo};

/// What a port of a switch does with VLAN tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortVlans {
    /// The port belongs to one VLAN: frames without a tag are in it, and leave without one.
    Access(Vid),
    /// The port carries several VLANs, told apart by tags.
    Trunk(Trunk),
}

/// A port that carries several VLANs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trunk {
    /// The VLANs that pass with a tag: `all`, or like `[10, 20-29]`.
    pub allowed: VlanSet,
    /// The VLAN of frames without a tag, which leaves without one; without it such frames are dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Vid>,
}

/// Why a port refuses a frame that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VlanDrop {
    /// Its tag names a VLAN that the port does not carry, or none that there can be (4095).
    Foreign,
    /// It has no tag, and the trunk has no native VLAN.
    Untagged,
}

/// What a port has refused, in wire frames and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct VlanDrops {
    /// Tagged with a VLAN that the port does not carry.
    pub foreign: Count,
    /// Without a tag, on a trunk without a native VLAN.
    pub untagged: Count,
}

impl PortVlans {
    /// The VLAN of a frame that comes in; a tag of VLAN 0 carries a priority only.
    ///
    /// # Errors
    /// If the port refuses it.
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

    /// The VLAN whose frames have no tag here, if there is one.
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
    /// Counts a frame that was refused.
    pub fn add(&mut self, reason: VlanDrop, info: &FrameInfo) {
        match reason {
            VlanDrop::Foreign => self.foreign.add(info),
            VlanDrop::Untagged => self.untagged.add(info),
        }
    }

    /// Everything together.
    pub fn total(&self) -> Count {
        self.foreign + self.untagged
    }
}
