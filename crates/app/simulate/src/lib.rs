//! Runs in virtual time. They have the scenario, plan, links, results and verdict of an emulated
//! run, but no engine, namespace or privilege.
//!
//! | module | contents |
//! |---|---|
//! | `support` | whether a scenario can be simulated: [`check`] |
//! | `describe` | turns scenario and plan into the simulator's network |
//! | `tcp` | turns a node's sysctls into the configuration of its connections |
//! | `traffic` | turns the scenario's traffic into the simulator's flows |
//! | `fluid` | traffic that is a rate along the routes |
//! | `failures` | what links carry while one of them, or a node, is down: [`failures::plan`] |
//! | `ideal` | routing services as the routes that they converge to |
//! | `timeline` | turns the scenario's timeline into changes, and records them |
//! | `media` | changes of shared media |
//! | `rerouting` | routes that avoid links which are down |
//! | `prepared` | turns the scenario into its simulation, or one process's part of it |
//! | `configs` | configurations of pipes at a given time |
//! | `carrier` | the simulation as a carrier of frames |
//! | `run` | the run itself: [`run`] |
//! | `processes` | the first process, which starts and leads the others |
//! | `worker` | the other processes: [`worker::main`] |
//! | `message` | messages between processes |
//! | `joined`, `hybrid` | the simulated part of a run with real nodes: [`Joined`]; its limits |
//! | [`symbiosis`] | runs in which a simulation sets the pipes between real hosts |
//! | `threads` | runs cells on threads |
//! | `statuses` | counts of a simulation, in the API's types |
//! | `verdict` | the verdict: a simulated run is valid |
//!
//! Not here: the behaviour of simulated nodes and links (`netloom-sim`), and the form of results
//! (`netloom-results`).

mod carrier;
mod configs;
mod describe;
pub mod failures;
mod fluid;
mod hybrid;
mod ideal;
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
pub use verdict::verdict;
