//! Users of a resource: as a number in observations, with a name in reports. Not here: how much
//! each used (`shares`).

use serde::{Deserialize, Serialize};

/// The party that an observation concerns. Small and copied; its name comes with
/// [`Observation::Named`].
///
/// [`Observation::Named`]: crate::Observation::Named
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// A node of the experiment, by its index in the scenario: its processes, or its frames.
    Node(u32),
    /// A process outside the experiment, by its process ID.
    Process(u32),
    /// The engine of the experiment.
    Engine,
    /// The kernel, on behalf of no known party: interrupts, kernel threads.
    Kernel,
    /// The hypervisor, or other guests of it.
    Hypervisor,
    /// A process outside the experiment; which one is unknown.
    Outside,
    /// The way between two machines of the experiment.
    Tunnel,
    /// It is unknown who.
    #[default]
    Unattributed,
}

/// A [`Party`] by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Who {
    /// A node of the experiment.
    Node {
        /// Its name.
        name: String,
    },
    /// A process outside the experiment.
    Process {
        /// Its process ID.
        pid: u32,
        /// Its command, as the kernel reports it; empty if unknown.
        name: String,
    },
    /// The engine of the experiment.
    Engine,
    /// The kernel, on behalf of no known party.
    Kernel,
    /// The hypervisor, or other guests of it.
    Hypervisor,
    /// A process outside the experiment; which one is unknown.
    Outside,
    /// The way between two machines of the experiment.
    Tunnel,
    /// It is unknown who.
    Unattributed,
    /// All parties that are not in the list.
    Others,
}

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Node { name } => write!(f, "node {name}"),
            Self::Process { pid, name } if name.is_empty() => write!(f, "process {pid}"),
            Self::Process { pid, name } => write!(f, "process {pid} ({name})"),
            Self::Engine => f.write_str("the engine"),
            Self::Kernel => f.write_str("the kernel"),
            Self::Hypervisor => f.write_str("the hypervisor"),
            Self::Outside => f.write_str("outside the experiment"),
            Self::Tunnel => f.write_str("the way between machines"),
            Self::Unattributed => f.write_str("unattributed"),
            Self::Others => f.write_str("others"),
        }
    }
}
