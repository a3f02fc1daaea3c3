//! Stores the claims in a file. It is written completely, before anything is made, so that the next
//! daemon has them however this one ends.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_selector::{Loopback, forget_filters};
use netloom_shape::{Book, Location};
use serde::{Deserialize, Serialize};

use crate::places;
use crate::within::within;

/// The state for the next daemon.
#[derive(Debug, Default, Deserialize)]
pub struct Kept {
    /// The claims.
    pub book: Book,
    /// Settings of loopbacks that were changed.
    #[serde(default)]
    pub loopback: Vec<ChangedSetting>,
    /// Devices at which filters of an older kernel may remain.
    #[serde(default)]
    pub devices: Vec<Location>,
}

impl Kept {
    /// Undoes changes that a dead daemon left behind. What is left in a network namespace that
    /// cannot be found again passes all frames.
    pub fn restore(&self) {
        for ChangedSetting { at, name, was } in &self.loopback {
            self.undo(at, || {
                let before = vec![(name.clone(), was.clone())];
                drop(Loopback::adopt(&at.device, before));
                Ok(())
            });
        }
        for at in &self.devices {
            self.undo(at, || {
                forget_filters(&at.device);
                Ok(())
            });
        }
    }

    /// Does something in the network namespace of a device, if that is still there.
    fn undo(&self, at: &Location, undo: impl FnOnce() -> Result<()> + Send) {
        let claim = self.book.entries().iter().find(|entry| entry.network == at.network);
        let network = match at.network {
            None => Ok(None),
            Some(_) => claim.context("no claim is there").and_then(places::network_of),
        };
        let _ = network.and_then(|network| within(network.as_ref(), undo));
    }
}

/// A setting of a device that was changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangedSetting {
    /// The device.
    pub at: Location,
    /// Name of the setting.
    pub name: String,
    /// Its earlier value.
    pub was: String,
}

/// The state as it is written. Its fields are those of [`Kept`].
#[derive(Debug, Serialize)]
pub struct Written<'a> {
    /// The claims.
    pub book: &'a Book,
    /// Settings of loopbacks that were changed.
    pub loopback: Vec<ChangedSetting>,
    /// Devices at which filters of an older kernel may remain.
    pub devices: Vec<Location>,
}

/// The file in which the claims are stored.
#[derive(Debug, Clone)]
pub struct StateFile(PathBuf);

impl StateFile {
    /// Returns the file `claims.json` in a directory.
    pub fn in_directory(directory: &Path) -> Self {
        Self(directory.join("claims.json"))
    }

    /// Reads the file. Returns an empty state if there is no file.
    pub fn read(&self) -> Result<Kept> {
        match fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text)
                .with_context(|| format!("cannot understand {}", self.0.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Kept::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", self.0.display())),
        }
    }

    /// Replaces the file, or leaves it unchanged.
    pub fn write(&self, state: &Written<'_>) -> Result<()> {
        let failed = || format!("cannot write {}", self.0.display());
        let new = self.0.with_extension("new");
        // Claims are private to their users.
        let mut options = fs::File::options();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&new).with_context(failed)?;
        file.write_all(&serde_json::to_vec(state)?).with_context(failed)?;
        fs::rename(&new, &self.0).with_context(failed)
    }
}
