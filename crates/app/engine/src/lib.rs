//! One experiment on one machine: the process that owns its nodes and links and serves its API.
//!
//! An experiment has three parts: what is deployed, what lives, and how the run goes. All others
//! act on these parts, and are handed those that they need.
//!
//! | module | what |
//! |---|---|
//! | `deployment` | what is deployed: scenario, plan, identities |
//! | `live` | what lives: nodes, data plane, and their lock; processes and changes |
//! | `state` | how the run goes: phase, events, processes |
//! | `experiment` | these and the parts below together |
//! | [`daemon`] | the engine process from its first line of input to its exit |
//! | `client` | what the engine says to the client that started it |
//! | `end` | the end: asked for by many, once |
//! | `cpus` | CPUs that the workers have for themselves |
//! | `wiring` | scenario and devices → data plane |
//! | `interfaces` | counters of nodes' interfaces |
//! | `events` | the numbered event stream |
//! | `board` | the state of every process of a run |
//! | `run` | timeline and processes, from the first to the last |
//! | `ready` | whether a process is ready |
//! | `services` | what runs in nodes from the start |
//! | `apply` | another scenario in the place of the one in force |
//! | `relief` | links that change workers |
//! | `associations` | stations that come to access points and leave them |
//! | `status` | answers about nodes, links and timing |
//! | `usage` | what nodes use of the machine; processes killed for want of memory |
//! | `pings` | which nodes reach which |
//! | `publish` | ports of the machine that lead into nodes |
//! | `machine` | the machine's network, where the engine is elsewhere |
//! | `names` | names for the command of `netloom shell` |
//! | `metrics` | what applications in nodes report |
//! | `monitoring` | the contention monitor: what it is shown, and its signals |
//! | `descriptors` | what others may take of the engine's open files |
//! | `recording` | a run and what it writes while it lasts |
//! | `traffic_file` | what became of a run's traffic, as a file |
//! | `capture` | captures of frames, as pcapng |
//! | `http` | the API's transport |
//! | [`shape`] | the daemon of `netloom shape`: links whose ends are programs of this host |
//!
//! Not here: what a frame experiences (`link`, `dataplane`), how a node is made (`nodes`).

mod apply;
mod associations;
mod board;
mod capture;
mod client;
mod cpus;
pub mod daemon;
mod deployment;
mod descriptors;
mod end;
mod events;
mod experiment;
mod http;
mod interfaces;
mod live;
mod machine;
mod metrics;
mod monitoring;
mod names;
mod pings;
mod publish;
mod ready;
mod recording;
mod relief;
mod run;
mod services;
pub mod shape;
mod simulated;
mod state;
mod status;
mod symbiosis;
mod traffic_file;
mod usage;
mod wiring;

pub use services::filler;
