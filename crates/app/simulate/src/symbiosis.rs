//! Symbiotic runs: a simulation of the whole network, with twins of what real programs send, and
//! the small network that real packets cross.
//!
//! | module | contents |
//! |---|---|
//! | `check` | whether a scenario can be run symbiotically: [`check_symbiosis`] |
//! | `shrunk` | paths between real hosts, and the small network that stands for them: [`Shrunk`] |
//! | `flows` | compares flows between real hosts with their twins: [`Flows`] |
//! | `paths` | the current state of paths between real hosts: [`paths`] |
//! | `large` | the whole network, period after period: [`Large`] |
//! | `small` | the small network, with real nodes at its border: [`SmallNetwork`] |
//! | `orders` | turns reports into orders to small pipes: [`Calibrators`], [`Order`] |
//! | `metadata`, `calibrations`, `connections` | the files of the loop |
//! | `tally` | how closely small pipes followed the network: [`Tally`] |
//! | `replay` | runs the loop again, from `metadata`: [`replay`] |
//!
//! In each period the real side provides [`Metadata`] and receives [`Reports`]. Not here: the clock
//! and the real side (`netloom-engine`), and equations (`netloom-symbiosis`).

mod calibrations;
mod check;
mod connections;
mod flows;
mod large;
mod metadata;
mod orders;
mod paths;
mod replay;
mod shrunk;
mod small;
mod tally;

use std::collections::BTreeMap;

use netloom_sim::{Sent, SocketEvent};
use netloom_symbiosis::{Ghosts, PipeReport, Received};
use netloom_units::{Duration, Time};

pub use calibrations::CalibrationFile;
pub use check::check_symbiosis;
pub use connections::Connections;
pub use flows::{Differs, Flows};
pub use large::Large;
pub use metadata::{MetadataFile, read_metadata};
pub use netloom_symbiosis::Difference;
pub use orders::{Calibrators, Order};
pub use paths::paths;
pub use replay::{Replay, replay};
pub use shrunk::{PrunedPipe, RealHost, Shrunk, SmallPipeOf, Way};
pub use small::{Follower, SmallLinkOf, SmallNetwork};
pub use tally::Tally;

/// The actions of real programs in a period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The packets that they sent, in order of time. Each comes with the index of its host in
    /// [`Shrunk::hosts`].
    pub sent: Vec<(u32, Sent)>,
    /// The actions of the programs on TCP connections, with hosts and in order like packets, if
    /// connections have twins.
    pub sockets: Vec<(u32, SocketEvent)>,
    /// The frames that they received.
    pub received: ReceivedByHosts,
}

/// The frames that each real host received from each other one, by their indices in
/// [`Shrunk::hosts`].
pub type ReceivedByHosts = BTreeMap<[u32; 2], Received>;

/// The network's behaviour in a period.
#[derive(Debug, Clone, Default)]
pub struct Reports {
    /// The effects of each pruned pipe on twins, in the order of [`Shrunk::pruned`].
    pub pipes: Vec<PipeReport>,
    /// The other frames that arrived at each pruned pipe, if the method needs them.
    pub others: Vec<Ghosts>,
    /// The twins that arrived at real hosts.
    pub received: ReceivedByHosts,
}

/// The real side's answer to a period's reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// Time since the start of the run at which the calibrations took effect.
    pub at: Time,
    /// Time from the end of the period until then.
    pub took: Duration,
    /// The state of small pipes at that time, in the order of [`Shrunk::pipes`].
    pub pipes: Vec<RealPipe>,
}

/// The state of a small pipe when it was calibrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RealPipe {
    /// Backlog of the pipe, as time.
    pub backlog: Duration,
    /// Number of frames that had arrived since the previous calibration.
    pub offered: u64,
    /// Number of frames that it had lost since then.
    pub lost: u64,
    /// Number of frames that had left it since then.
    pub left: u64,
}
