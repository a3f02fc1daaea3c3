//! What runs in nodes from the start: their startup commands, then their services.
//!
//! | module | does |
//! |---|---|
//! | `prepare` | before anything is made: what nodes see, and what there must be |
//! | [`filler`] | texts of the scenario's own templates, in a process of their own |
//! | `start` | startup commands and services, until all are ready |
//! | `instance` | one service of one node: from its start to its end |
//! | `log` | what they print |
//! | `restart` | services of a node that stays, with other configuration |
//! | `table` | where services stand, and who may say so |
//!
//! Not here: what a template comes to (`netloom-services`).

pub mod filler;
mod instance;
mod log;
mod prepare;
mod restart;
mod start;
mod table;

use std::sync::Arc;

use crate::end::End;
use crate::events::EventLog;
use crate::live::LiveNetwork;
pub use prepare::{NodeStart, Prepared, prepare};
pub use restart::Restart;
pub use start::{Progress, nodes_at_once, start};
pub use table::{Logs, ServiceTable};

/// The services of an experiment, with what it takes to start them.
pub struct Services {
    /// Where they stand.
    pub table: ServiceTable,
    /// Whose nodes they run in.
    pub network: Arc<LiveNetwork>,
    /// Where their milestones are recorded.
    pub events: Arc<EventLog>,
    /// The end of the experiment, which ends services, too.
    pub end: End,
}
