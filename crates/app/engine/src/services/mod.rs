//! What runs in nodes from the start: their startup commands, then their services.
//!
//! | module | does |
//! |---|---|
//! | `prepare` | before anything is made: what nodes see, which programs, users and files there must be |
//! | [`filler`] | texts of the scenario's own templates, in a process of their own |
//! | `start` | startup commands and services, until all are ready |
//! | `instance` | one service of one node: from its start to its end |
//! | `log` | what they print |
//! | `restart` | services of a node that stays, with other configuration |
//! | `board` | where services stand, and who may say so |
//!
//! Not here: what a template comes to (`netloom-services`).

mod board;
pub mod filler;
mod instance;
mod log;
mod prepare;
mod restart;
mod start;

pub use board::{Logs, Services};
pub use prepare::{NodeStart, Prepared, cache as image_cache, prepare};
pub use restart::Restart;
pub use start::{Progress, nodes_at_once, start};
