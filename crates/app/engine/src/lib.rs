//! One experiment on one machine: the process that owns its nodes and links and serves its API.
//!
//! An experiment has three parts: the deployment, the live network, and the state of the run. All
//! other modules act on these parts, and are given those that they need.
//!
//! | module | contents |
//! |---|---|
//! | `deployment` | the deployment: scenario, plan, identities |
//! | `companion` | parts of the network that run beside the data plane |
//! | `live` | the live network: nodes, data plane, and their lock; processes and changes |
//! | `state` | the state of the run: phase, events, processes |
//! | `zero` | the zero of the experiment's time |
//! | `experiment` | these and the parts below together |
//! | [`daemon`] | the engine process from its first line of input to its exit |
//! | `client` | messages from the engine to the client that started it |
//! | `end` | the end of the experiment, which many may ask for |
//! | `cpus` | CPUs that are dedicated to workers |
//! | `wiring` | scenario and devices → data plane |
//! | `interfaces` | counters of nodes' interfaces |
//! | `events` | the numbered event stream |
//! | `process_table` | the state of every process of a run |
//! | `run` | runs timeline and processes, from the first to the last |
//! | `ready` | tests whether a process is ready |
//! | `services` | programs that run in nodes from the start |
//! | `apply` | replaces the scenario in force by another one |
//! | `rebalancer` | moves links between workers |
//! | `associations` | stations that join access points and leave them |
//! | `cables` | what nodes do to their ends of links |
//! | `status` | answers about nodes, links and timing |
//! | `usage` | resources of the machine that nodes use; processes killed because memory ran out |
//! | `pings` | tests which nodes reach which |
//! | `publish` | ports of the machine that lead into nodes |
//! | `machine` | the machine's network, if the engine is in another one |
//! | `member` | how it meets the engines of other machines, and begins with them |
//! | `names` | names for the command of `netloom shell` |
//! | `metrics` | metrics that applications in nodes report |
//! | `monitoring` | the contention monitor: its inputs and its signals |
//! | `tally` | how late frames were that the data plane did not carry |
//! | `descriptors` | shares of the engine's open files for others |
//! | `recording` | files that a run writes while it lasts |
//! | `traffic_file` | the results of a run's traffic, as a file |
//! | `capture` | captures of frames, as pcapng |
//! | `watching` | those who watch the network live |
//! | `http` | the API's transport |
//!
//! Not here: what a frame experiences (`link`, `dataplane`), how a node is made (`nodes`).

mod apply;
mod associations;
mod cables;
mod capture;
mod client;
mod companion;
mod cpus;
pub mod daemon;
mod deployment;
mod descriptors;
mod end;
mod events;
mod exec_socket;
mod experiment;
mod http;
mod interfaces;
mod live;
mod machine;
mod member;
mod metrics;
mod monitoring;
mod names;
mod pings;
mod process_table;
mod publish;
mod ready;
mod rebalancer;
mod recording;
mod run;
mod services;
mod simulated;
mod state;
mod status;
mod symbiosis;
mod tally;
mod traffic_file;
mod usage;
mod watching;
mod wiring;
mod zero;

pub use services::filler;
