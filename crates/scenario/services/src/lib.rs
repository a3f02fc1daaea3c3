//! Services of nodes: what their templates become once every address is decided. A scenario, its
//! plan and where programs are go in; files, directories and commands come out, for each node.
//!
//! | module | does |
//! |---|---|
//! | `surroundings` | what templates can speak of: the node, its interfaces, who is at the other end |
//! | `render` | what the services of nodes come to |
//! | `texts` | one text of a template, filled in |
//! | `error` | what can go wrong |
//!
//! Not here: what templates there are and what a scenario says about them (`scenario`), looking for
//! programs, and running anything (`engine`).

mod error;
mod render;
mod surroundings;
mod texts;

use std::collections::BTreeMap;

pub use error::{Missing, ServiceError};
pub use render::render;
pub use texts::{Elsewhere, Question};

use netloom_scenario::Ready;

/// What the services of one node come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeServices {
    /// Directories that are made new, by their paths.
    pub directories: BTreeMap<String, Directory>,
    /// Files by their paths: those of the services, and the scenario's own, which win.
    pub files: BTreeMap<String, File>,
    /// The services, those first that others need.
    pub services: Vec<Service>,
}

/// A directory of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// The user, and the group of the same name, that it belongs to; root without one.
    pub owner: Option<String>,
    /// Who may do what.
    pub mode: u32,
}

/// A file of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// What is in it.
    pub content: String,
    /// The user, and the group of the same name, that it belongs to; root without one.
    pub owner: Option<String>,
    /// Who may do what.
    pub mode: u32,
}

/// A service of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// After how many others, one after the other, it is started.
    pub wave: usize,
    /// The services that must be ready before it.
    pub needs: Vec<String>,
    /// The paths of the files that its template makes, whoever says what is in them.
    pub files: Vec<String>,
    /// The user that it becomes.
    pub user: Option<String>,
    /// Commands that must succeed first.
    pub prepare: Vec<Vec<String>>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How to tell that it is ready.
    pub ready: Option<Ready>,
    /// How to tell that it still does its work.
    pub health: Option<Ready>,
}
