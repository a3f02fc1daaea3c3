//! A run in virtual time: the scenario, plan, links, results and verdict of an emulated run, and
//! no engine, namespace or privilege.
//!
//! | module | what |
//! |---|---|
//! | `support` | what of a scenario can be simulated: [`check`] |
//! | `describe` | scenario and plan → the simulator's network |
//! | `tcp` | a node's sysctls → the configuration of its connections |
//! | `traffic` | the scenario's traffic → the simulator's flows |
//! | `timeline` | the scenario's timeline → changes, and what is recorded of them |
//! | `media` | changes of shared media |
//! | `rerouting` | routes that follow what is down |
//! | `prepared` | the scenario → its simulation, or the part of one process |
//! | `configs` | what pipes run on at a time |
//! | `run` | the run itself: [`run`] |
//! | `processes` | the first process, and how it starts and leads others |
//! | `worker` | the others: [`worker::main`] |
//! | `message` | the messages of processes |
//! | `joined`, `hybrid` | the simulated part of a run with real nodes: [`Joined`]; what can be one |
//! | [`symbiosis`] | runs in which a simulation says what pipes between real hosts do |
//! | `threads` | cells on threads |
//! | `statuses` | what was counted, in the API's words |
//! | `verdict` | why a simulated run is valid |
//!
//! Not here: what a simulated node or link does (`netloom-sim`), how results look
//! (`netloom-results`).

mod configs;
mod describe;
mod hybrid;
mod joined;
mod media;
mod message;
mod prepared;
mod processes;
mod rerouting;
mod run;
mod statuses;
mod support;
pub mod symbiosis;
mod tcp;
mod threads;
mod timeline;
mod traffic;
mod verdict;
pub mod worker;

pub use hybrid::check_hybrid;
pub use joined::{Border, Joined};
pub use run::{Job, Progress, run};
pub use statuses::media;
pub use support::{Commands, Support, check};
