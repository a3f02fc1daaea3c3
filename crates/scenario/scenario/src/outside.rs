//! The world outside an experiment, as ends of links name it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What of the machine is at the end of a link. In a scenario it stands where nodes have their
/// name, with the name of a device of the machine behind the colon.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outside {
    /// `host:NAME`: a new device of the machine, by which the machine and the network reach each
    /// other.
    Host,
    /// `nat:NAME`: the same, and what comes from its subnet goes on as if the machine had sent it.
    Nat,
    /// `macvlan:PARENT`: a device with an address of its own beside the machine's device PARENT.
    Macvlan,
    /// `device:NAME`: a device of the machine, taken for the experiment.
    Device,
    /// `tap:NAME`: a TAP device that a virtual machine opens.
    Tap,
}

impl Outside {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Host, Self::Nat, Self::Macvlan, Self::Device, Self::Tap];

    /// The word before the colon; no node is called so.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Nat => "nat",
            Self::Macvlan => "macvlan",
            Self::Device => "device",
            Self::Tap => "tap",
        }
    }

    /// What is called so.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outside| outside.name() == name)
    }

    /// Whether it is a new device of the machine, which has addresses there.
    pub fn has_addresses(self) -> bool {
        matches!(self, Self::Host | Self::Nat)
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
