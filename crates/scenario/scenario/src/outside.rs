//! The world outside an experiment, as ends of links name it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of a link's end outside the experiment. In a scenario it stands where a node's name would,
/// followed by a colon and the name of a device of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outside {
    /// `host:NAME`: a new device of the machine, through which the machine and the network reach
    /// each other.
    Host,
    /// `nat:NAME`: like `host`, and the machine forwards packets from the device's subnet with its
    /// own address (NAT).
    Nat,
    /// `macvlan:PARENT`: a device with a MAC address of its own on the machine's device PARENT.
    Macvlan,
    /// `device:NAME`: a device of the machine, moved into the experiment.
    Device,
    /// `tap:NAME`: a TAP device that a virtual machine opens.
    Tap,
}

impl Outside {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Host, Self::Nat, Self::Macvlan, Self::Device, Self::Tap];

    /// Returns the word before the colon. No node can have it as its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Nat => "nat",
            Self::Macvlan => "macvlan",
            Self::Device => "device",
            Self::Tap => "tap",
        }
    }

    /// Returns the kind with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outside| outside.name() == name)
    }

    /// Whether it is a new device of the machine, which has addresses on the machine.
    pub fn has_addresses(self) -> bool {
        matches!(self, Self::Host | Self::Nat)
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
