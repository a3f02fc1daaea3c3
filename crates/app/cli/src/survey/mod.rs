//! A survey of machines before a run: a member of each reports on its machine, and asks all others
//! for a second. Nothing is made there. Members are started as those of a run are.
//!
//! | module | contents |
//! |---|---|
//! | `machine` | the role of a member that reports: [`main`] |
//! | `facts` | what it reports of its machine |
//! | `uplink` | what else passes or shapes the frames that it exchanges |
//! | `asked` | members, as the lead sees them |
//! | `found` | what they have found, and what follows from it: [`Survey`] |
//! | `differences` | what machines do not have in common |

mod asked;
mod differences;
mod facts;
mod found;
mod machine;
mod uplink;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use netloom_api::machine::Machine;
use netloom_gauge::ways::{Place, Way};
use netloom_scenario::Scenario;
use serde::{Deserialize, Serialize};

use crate::finding::Check;

pub(crate) use asked::survey;
pub(crate) use found::{Finding, Survey, refuse};
pub use machine::main;
pub use netloom_host::fresh;

/// The mode of a member that reports.
pub const MODE: &str = "survey";

/// What a member is asked.
#[derive(Debug, Serialize, Deserialize)]
struct Inquiry {
    place: Place,
    /// The scenario, if one is to run.
    scenario: Option<Box<Scenario>>,
}

/// What a member says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// What its machine is like.
    Report(Box<Report>),
    /// What it found of others.
    Ways(Ways),
    /// It cannot do that.
    Failed(String),
}

/// What a machine is like.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    /// Where it takes what others ask.
    door: SocketAddr,
    machine: Machine,
    checks: Vec<Check>,
    /// The kernel's parameters of a new network namespace.
    parameters: BTreeMap<String, String>,
    /// SHA-256 of each program that the scenario names. `None`: there is none.
    programs: BTreeMap<String, Option<String>>,
}

/// What a member has found of the others, by their names.
type Ways = BTreeMap<String, Way>;

/// Where others take what is asked, by their names, in a line of a member's standard input.
type Doors = BTreeMap<String, SocketAddr>;
