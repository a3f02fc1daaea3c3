//! The server of the web UI: `netloom ui`. It serves the page, one folder of scenario files, and
//! all experiments of its user on 127.0.0.1, and keeps everybody else out.
//!
//! | module | contents |
//! |---|---|
//! | `address` | the address of the server that runs, for a second call |
//! | `answer` | HTTP responses from results |
//! | `assets` | the page's files, in the binary |
//! | `engines` | experiments, and their engines' own API, which is passed on as it is |
//! | `experiments` | the experiments of this machine, one look at them for all |
//! | `folder` | the one folder, and the files in it |
//! | `jobs` | commands of the command line that the server runs |
//! | `results` | finished runs |
//! | `routes` | which path leads where |
//! | `scenario` | findings, network and values of a scenario's text |
//! | `security` | sessions, tickets, and which requests are refused |
//! | `server` | what all handlers share |
//! | `start` | from the command line to a server that listens |
//!
//! The server does what a user can do with the command line, and does it by running the command
//! line. Not here: anything that touches a namespace, and the state of experiments, which is in
//! their engines.

mod address;
mod answer;
mod assets;
mod engines;
mod experiments;
mod folder;
mod jobs;
mod results;
mod routes;
mod scenario;
mod security;
mod server;
mod start;

pub use start::serve;
