//! Symbiotic runs: a simulation of the whole network, with twins of what real programs send, and
//! the small network that real packets cross.
//!
//! | module | what |
//! |---|---|
//! | `check` | what of a scenario can be one: [`check_symbiosis`] |
//! | `shrunk` | the ways between real hosts, and the small network that stands for them: [`Shrunk`] |
//! | `flows` | flows between real hosts beside their twins: [`Flows`] |
//! | `paths` | the ways between real hosts as the network is: [`paths`] |
//! | `large` | the whole network, period after period: [`Large`] |
//! | `small` | the small network, at whose border real nodes are: [`SmallNetwork`] |
//! | `orders` | from reports to what small pipes do next: [`Calibrators`], [`Order`] |
//! | `metadata`, `calibrations`, `connections` | the files of the loop |
//! | `tally` | how small pipes followed: [`Tally`] |
//! | `replay` | the loop again, from the first of these: [`replay`] |
//!
//! In each period the real side hands over [`Metadata`], and gets [`Reports`]. Not here: the clock,
//! and the real side (`netloom-engine`); equations (`netloom-symbiosis`).

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

/// What real programs did in a period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The packets that they sent, each with the place of its host in [`Shrunk::hosts`], by time.
    pub sent: Vec<(u32, Sent)>,
    /// What they did with TCP connections, likewise, if these have twins.
    pub sockets: Vec<(u32, SocketEvent)>,
    /// What came to them.
    pub received: ReceivedByHosts,
}

/// What came from one real host to another, by their places in [`Shrunk::hosts`].
pub type ReceivedByHosts = BTreeMap<[u32; 2], Received>;

/// What the network did in a period.
#[derive(Debug, Clone, Default)]
pub struct Reports {
    /// To twins, by each pruned pipe, in the order of [`Shrunk::pruned`].
    pub pipes: Vec<PipeReport>,
    /// The other frames that arrived at each pruned pipe, if the method wants to know.
    pub others: Vec<Ghosts>,
    /// What came to twins of real hosts.
    pub received: ReceivedByHosts,
}

/// What the real side answers to a period's reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// When the calibrations began to hold, since the run began.
    pub at: Time,
    /// How long it took from the period's end until they did.
    pub took: Duration,
    /// What small pipes had done by then, in the order of [`Shrunk::pipes`].
    pub pipes: Vec<RealPipe>,
}

/// What a small pipe had done when it was calibrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RealPipe {
    /// Its backlog, in time.
    pub backlog: Duration,
    /// Frames that had come to it since it was calibrated before.
    pub offered: u64,
    /// Frames that it had lost since then.
    pub lost: u64,
    /// Frames that had left it since then.
    pub left: u64,
}
