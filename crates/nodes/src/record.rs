//! What an experiment is about to create, written down before it is created.

use std::fs;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::netns::Identity;
use crate::outside::Borrowed;
use crate::{Layout, NodeError};

/// The record of an experiment. Everything it makes has a name derived from these.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The process that created it.
    pub pid: u32,
    /// The nodes with a network stack.
    pub nodes: Vec<String>,
    /// The user namespace that all is made in, if it is an ordinary user's experiment.
    #[serde(default)]
    pub user_namespace: Option<Identity>,
    /// What the machine gets back.
    #[serde(default, skip_serializing_if = "Borrowed::is_empty")]
    pub borrowed: Borrowed,
}

impl Record {
    /// Writes the record: whoever finds the file finds all of it.
    pub fn write(&self, layout: &Layout) -> Result<(), NodeError> {
        let path = layout.record();
        let partial = path.with_extension("json.partial");
        let write = || -> io::Result<()> {
            let mut file = fs::File::create(&partial)?;
            file.write_all(&serde_json::to_vec_pretty(self)?)?;
            fs::rename(&partial, &path)
        };
        write().map_err(|error| NodeError::system(format!("write {}", path.display()), error))
    }

    /// The nodes of an experiment that may be half made or half removed: from its record, or
    /// without one, from the names of namespaces.
    pub fn nodes(layout: &Layout) -> Vec<String> {
        Self::read(layout).map_or_else(|| by_namespaces(layout), |record| record.nodes)
    }

    /// The record of an experiment that lives.
    pub fn existing(layout: &Layout) -> Result<Self, NodeError> {
        Self::read(layout).ok_or_else(|| {
            let path = layout.record();
            NodeError::system(format!("read {}", path.display()), io::ErrorKind::NotFound)
        })
    }

    /// The record, if there is one that can be read.
    pub fn read(layout: &Layout) -> Option<Self> {
        serde_json::from_slice(&fs::read(layout.record()).ok()?).ok()
    }
}

/// Namespaces called `<experiment>.<node>`; `a.b.c` is node `c` of `a.b`, never `b.c` of `a`.
fn by_namespaces(layout: &Layout) -> Vec<String> {
    let Ok(entries) = fs::read_dir(layout.netns_dir()) else { return vec![] };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter_map(|name| {
            let (experiment, node) = name.rsplit_once('.')?;
            (experiment == layout.experiment()).then(|| node.to_owned())
        })
        .collect()
}
