//! The claims in a file: written whole, before anything is made, so that the next daemon knows
//! them, whatever became of this one.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_shape::Book;
use serde::{Deserialize, Serialize};

/// What the next daemon needs to know.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// The claims.
    pub book: Book,
    /// Settings of a loopback that were changed, and what they were: device, setting, value.
    #[serde(default)]
    pub loopback: Vec<(String, String, String)>,
    /// Devices that filters of an older kernel may have been left at.
    #[serde(default)]
    pub devices: Vec<String>,
}

/// Where the claims are kept.
#[derive(Debug, Clone)]
pub struct StateFile(PathBuf);

impl StateFile {
    /// `claims.json` in a directory.
    pub fn in_directory(directory: &Path) -> Self {
        Self(directory.join("claims.json"))
    }

    /// What is there; nothing if there is no file.
    pub fn read(&self) -> Result<Kept> {
        match fs::read_to_string(&self.0) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("cannot understand {}", self.0.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Kept::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", self.0.display())),
        }
    }

    /// Writes all of it, or leaves what was there.
    pub fn write(&self, kept: &Kept) -> Result<()> {
        let failed = || format!("cannot write {}", self.0.display());
        let new = self.0.with_extension("new");
        // What somebody has claimed is nobody else's affair.
        let mut options = fs::File::options();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&new).with_context(failed)?;
        file.write_all(&serde_json::to_vec(kept)?).with_context(failed)?;
        fs::rename(&new, &self.0).with_context(failed)
    }
}
