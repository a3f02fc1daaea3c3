//! What an experiment is about to create, written down before it is created.

use std::fs;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::books::borrowed::Borrowed;
use crate::stack::netns::Identity;
use crate::{Layout, NodeError};

/// The record of an experiment: what it is going to make. What it has made is in [`crate::made`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The process that created it.
    pub pid: u32,
    /// The start of the machine in which it was created: nothing of the kernel's outlives that.
    pub boot: String,
    /// A word that no other experiment has, on things that bear one.
    pub mark: String,
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
    /// The record of an experiment of the calling process.
    pub fn new(
        nodes: Vec<String>,
        user_namespace: Option<Identity>,
        borrowed: Borrowed,
    ) -> Result<Self, NodeError> {
        let mark = mark().map_err(|error| NodeError::system("draw a random word", error))?;
        let pid = std::process::id();
        Ok(Self { pid, boot: boot(), mark, nodes, user_namespace, borrowed })
    }

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

    /// The record, if there is one. Without one, nothing has been made.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(layout: &Layout) -> io::Result<Option<Self>> {
        match fs::read(layout.record()) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the machine has not been started again since.
    pub fn is_of_this_boot(&self) -> bool {
        self.boot == boot()
    }
}

/// The kernel's name for this start of the machine.
fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

fn mark() -> io::Result<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/uuid")?;
    Ok(id.trim().to_owned())
}
