//! The programs that run in nodes from the start: startup commands, then services.
//!
//! | module | contents |
//! |---|---|
//! | `prepare` | before anything is made: views of nodes, and checks of what they need |
//! | [`features`] | before anything is made: what nodes ask of the machine's kernel |
//! | [`filler`] | fills in the scenario's own templates in a process of its own |
//! | `start` | starts commands and services, until all are ready |
//! | `instance` | one service of one node: from its start to its end |
//! | `log` | the output of commands and services |
//! | `restart` | restarts services of a node that stays with another configuration |
//! | `table` | the states of services, and who may set them |
//!
//! Not here: what a template expands to (`netloom-services`).

pub mod features;
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
pub use restart::{Restart, forget_signs};
pub use start::{Progress, nodes_at_once, start};
pub use table::{Logs, ServiceTable};

/// The services of an experiment, with what it takes to start them.
pub struct Services {
    /// The states of the services.
    pub table: ServiceTable,
    /// The network of the nodes in which they run.
    pub network: Arc<LiveNetwork>,
    /// The log of their milestones.
    pub events: Arc<EventLog>,
    /// The end of the experiment, which ends services, too.
    pub end: End,
}
