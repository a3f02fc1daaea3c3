//! Record of what an experiment is about to create, written before it is created.

use std::fs;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::books::borrowed::Borrowed;
use crate::stack::netns::Identity;
use crate::{Layout, NodeError};

/// Record of what an experiment is about to create. What it has created is in [`crate::made`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Process that writes the record.
    pub pid: u32,
    /// Boot id of the machine at that time: no kernel object survives a restart.
    pub boot: String,
    /// Mark that no other experiment has, for things that can bear one.
    pub mark: String,
    /// Nodes with a network stack.
    pub nodes: Vec<String>,
    /// User namespace that contains everything, if it is an ordinary user's experiment.
    #[serde(default)]
    pub user_namespace: Option<Identity>,
    /// Things that the machine must get back.
    #[serde(default, skip_serializing_if = "Borrowed::is_empty")]
    pub borrowed: Borrowed,
}

impl Record {
    /// Creates the record of an experiment of the calling process.
    pub fn new(
        nodes: Vec<String>,
        user_namespace: Option<Identity>,
        borrowed: Borrowed,
    ) -> Result<Self, NodeError> {
        let mark = mark().map_err(|error| NodeError::system("draw a random word", error))?;
        let pid = std::process::id();
        Ok(Self { pid, boot: boot(), mark, nodes, user_namespace, borrowed })
    }

    /// Writes the record atomically: a reader finds either nothing or all of it.
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

    /// Reads the record, if there is one. Without one, nothing has been created.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn read(layout: &Layout) -> io::Result<Option<Self>> {
        match fs::read(layout.record()) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the machine has not been restarted since.
    pub fn is_of_this_boot(&self) -> bool {
        self.boot == boot()
    }
}

/// Returns the kernel's id of the current boot.
fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

fn mark() -> io::Result<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/uuid")?;
    Ok(id.trim().to_owned())
}
