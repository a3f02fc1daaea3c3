//! Services of nodes: fills in their templates once every address is decided. A scenario, its plan
//! and the paths of programs go in; files, directories and commands come out, for each node.
//!
//! | module | contents |
//! |---|---|
//! | `surroundings` | data that templates can refer to: the node, its interfaces, the peers of its links |
//! | `render` | files, directories and commands of the services of nodes |
//! | `texts` | fills in one text of a template |
//! | `error` | errors |
//!
//! Not here: the templates and how a scenario uses them (`scenario`), finding programs, and running
//! anything (`engine`).

mod error;
mod render;
mod surroundings;
mod texts;

use std::collections::BTreeMap;

pub use error::{Missing, ServiceError};
pub use render::render;
pub use texts::{Elsewhere, Question};

use netloom_scenario::Ready;

/// Files, directories and services of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeServices {
    /// Directories to be created, by path.
    pub directories: BTreeMap<String, Directory>,
    /// Files by path: those of the services, and the scenario's own, which take precedence.
    pub files: BTreeMap<String, File>,
    /// The services. A service comes after those that it needs.
    pub services: Vec<Service>,
}

/// A directory of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// The owner, a user and the group of the same name; root if absent.
    pub owner: Option<String>,
    /// Permissions.
    pub mode: u32,
}

/// A file of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Contents.
    pub content: String,
    /// The owner, a user and the group of the same name; root if absent.
    pub owner: Option<String>,
    /// Permissions.
    pub mode: u32,
}

/// A service of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// Length of the longest chain of services that have to be started before it.
    pub wave: usize,
    /// The services that must be ready before it.
    pub needs: Vec<String>,
    /// Paths of the files that its template makes, even if the scenario replaces their contents.
    pub files: Vec<String>,
    /// The user that it runs as.
    pub user: Option<String>,
    /// Commands that must succeed first.
    pub prepare: Vec<Vec<String>>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Test whether it is ready.
    pub ready: Option<Ready>,
    /// Test whether it still works.
    pub health: Option<Ready>,
}
