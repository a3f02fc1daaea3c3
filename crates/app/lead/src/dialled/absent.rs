//! What is in the place of `dialled` in a NetLoom that was built without the feature `ray`.

use std::path::Path;

use anyhow::{Result, bail};
use netloom_placement::Machines;

/// The role of the binary on a machine that dials its lead.
pub const DIAL: &str = "__dial";
/// The role of the binary as a command that leads to such a machine.
pub const RELAY: &str = "__relay";

const WHY: &str = "this NetLoom was built without the feature `ray`, so it has no Ray clusters";

/// Says why it cannot do anything. Returns the exit code.
pub fn main(_role: &str, _arguments: impl Iterator<Item = String>) -> i32 {
    eprintln!("error: {WHY}");
    1
}

/// Machines of a Ray cluster. There are none.
pub enum Cluster {}

impl Cluster {
    /// Returns nothing for machines that are no Ray cluster's.
    ///
    /// # Errors
    /// If they are.
    #[expect(clippy::unused_async, reason = "the other one waits")]
    pub async fn reserve(
        machines: &mut Machines,
        _word: u64,
        _note: impl Fn(&str),
    ) -> Result<Option<Self>> {
        match machines.ray {
            None => Ok(None),
            Some(_) => bail!(WHY),
        }
    }

    /// Never happens.
    #[expect(clippy::unused_async, reason = "the other one waits")]
    pub async fn release(self) -> Option<String> {
        match self {}
    }
}

/// Tasks of a Ray cluster. There are none.
pub enum Tasks {}

impl Tasks {
    /// Says why there are none.
    ///
    /// # Errors
    /// Always.
    #[expect(clippy::unused_async, reason = "the other one waits")]
    pub async fn open(
        _machines: &Machines,
        _is_alone: bool,
        _word: (&str, &str),
        _folder: &[u8],
    ) -> Result<Self> {
        bail!(WHY)
    }

    /// Never happens.
    pub fn places(&self) -> usize {
        match *self {}
    }

    /// Never happens.
    ///
    /// # Errors
    /// Never.
    #[expect(clippy::unused_async, reason = "the other one waits")]
    pub async fn carried(&self, _request: String, _archive: &Path) -> Result<(String, String)> {
        match *self {}
    }

    /// Never happens.
    pub fn are_gone(&self) -> bool {
        match *self {}
    }

    /// Never happens.
    pub fn end(&self) {
        match *self {}
    }
}
