//! One experiment on one machine: the process that owns its nodes and links and serves its API.
//!
//! | module | what |
//! |---|---|
//! | [`daemon`] | the engine process from its first line of input to its exit |
//! | [`local`] | the experiments of this machine, seen from outside: which there are, which are dead |
//! | `experiment` | the live network and what can be asked of it |
//! | `end` | the end: asked for by many, once |
//! | `cpus` | CPUs that the workers have for themselves |
//! | `wiring` | scenario and devices → data plane |
//! | `events` | the numbered event stream |
//! | `board` | the state of every process of a run |
//! | `run` | timeline and processes, from the first to the last |
//! | `services` | what runs in nodes from the start |
//! | `pings` | which nodes reach which |
//! | `publish` | ports of the machine that lead into nodes |
//! | `metrics` | what applications in nodes report |
//! | `monitoring` | the contention monitor: what it is shown, and what it tells |
//! | `descriptors` | what others may take of the engine's open files |
//! | `overflow` | frames that were not read in time, apart from those a cut link loses |
//! | `lost_outside` | the same of frames that came from the machine's devices |
//! | `recording` | a run and what it writes while it lasts |
//! | `capture` | captured frames as pcapng |
//! | `http` | the API's transport |
//!
//! Not here: what a frame experiences (`link`, `dataplane`), how a node is made (`nodes`).

mod board;
mod capture;
mod cpus;
pub mod daemon;
mod descriptors;
mod drawn;
mod end;
mod events;
mod experiment;
mod http;
pub mod local;
mod lost_outside;
mod metrics;
mod monitoring;
mod overflow;
mod pings;
mod publish;
mod recording;
mod run;
mod services;
mod state_lock;
mod traffic_file;
mod wiring;

pub use netloom_results::machine::describe as describe_machine;
pub use services::filler;
