//! Runs of a sweep on other machines, one in a stream: the standard input and output of a command
//! that starts `netloom __member WORD sweep` there, as `ssh` does, or of a task of a Ray cluster.
//!
//! | module | contents |
//! |---|---|
//! | `there` | the machine's side: [`main`](there::main) |
//! | `stream` | this side, of a machine that a command leads to |
//! | `places` | where runs go, and how one begins there: here, on machines of a list, on Ray |
//! | `survey` | whether machines can carry the runs, before anything runs |
//!
//! The machine greets. Then it says [`Said`] in lines of JSON:
//!
//! | who | says | then |
//! |---|---|---|
//! | lead | [`Request`], a line of JSON | the machine has the scenario's folder, or says [`Said::Want`] |
//! | lead | if it is wanted, the archive of that folder | the run begins |
//! | machine | [`Said::Here`] each second | |
//! | lead | from then on an empty line each second, unless something else sees that it is gone | the run goes on |
//! | machine | [`Said::Ended`], then the archive of the run's results, and that is the end | |
//!
//! The end of the lead's stream is the end of the run.

pub mod places;
mod stream;
mod survey;
pub mod there;

use netloom_lead::files::Packed;
use serde::{Deserialize, Serialize};

use super::child::Order;
pub use survey::surveyed;

/// The mode of a member that carries a run of a sweep.
pub const MODE: &str = "sweep";

/// What a machine is asked.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    order: Order,
    /// SHA-256 of the archive of the scenario's folder.
    folder: String,
    /// Length of that archive, in bytes.
    bytes: u64,
    /// Whether the lead says each second that it is there.
    pulses: bool,
}

/// What a machine says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// The scenario's folder is not there.
    Want,
    /// The run goes on.
    Here,
    /// The run has ended.
    Ended(Ended),
    /// The machine cannot carry it.
    Failed(String),
}

impl Request {
    fn of(order: Order, folder: &Packed, pulses: bool) -> Self {
        let bytes = folder.bytes().len() as u64;
        Self { order, folder: folder.digest.clone(), bytes, pulses }
    }
}

/// The end of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ended {
    /// Why it has failed, if it has.
    failed: Option<String>,
    /// How long it took.
    seconds: f64,
}
