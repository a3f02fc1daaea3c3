//! What a run leaves behind: one directory.
//!
//! | file | what |
//! |---|---|
//! | `scenario.yaml`, `scenario.json` | the scenario as written and as resolved |
//! | `machine.json` | versions and machine |
//! | `events.jsonl` | every event, a JSON object a line |
//! | `metrics.jsonl` | what applications reported, a JSON object a line |
//! | `observations.jsonl` | what the contention monitor observed, if `measure` asked for it |
//! | `pipes.parquet` | statistics of every pipe over time |
//! | `processes/NAME@NODE.stdout`, `.stderr` | process output |
//! | `services/SERVICE@NODE.log` | what services printed |
//! | `files/NODE/…` | files that processes were told to keep |
//! | `frames.nlf` | what happened to every frame, if `measure` asked for it |
//! | `captures/NODE-IF.pcapng` | captures that `measure` asked for |
//! | `summary.json` | how it went |

pub mod capture;
pub mod machine;
mod samples;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_api::launch::Launch;
use netloom_api::summary::Summary;
use serde::Serialize;

pub use samples::Sampler;

/// The directory of one run's results.
pub struct Results {
    directory: PathBuf,
}

impl Results {
    /// Makes the directory, which must not exist, and writes what is known before the run.
    pub fn create(directory: &Path, launch: &Launch) -> Result<Self> {
        let describe = || format!("cannot make the results directory {}", directory.display());
        if let Some(parent) = directory.parent() {
            fs::create_dir_all(parent).with_context(describe)?;
        }
        fs::create_dir(directory).with_context(describe)?;
        fs::create_dir(directory.join("processes")).with_context(describe)?;
        let results = Self { directory: directory.into() };
        fs::write(results.path("scenario.yaml"), &launch.source).with_context(describe)?;
        results.write_json("scenario.json", &launch.scenario)?;
        results.write_json("machine.json", &machine::describe())?;
        Ok(results)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file for events.
    pub fn event_file(&self) -> io::Result<File> {
        File::create(self.path("events.jsonl"))
    }

    /// The file for metrics that applications report.
    pub fn metric_file(&self) -> io::Result<File> {
        File::create(self.path("metrics.jsonl"))
    }

    /// The file for observations of the contention monitor.
    pub fn observation_file(&self) -> io::Result<File> {
        File::create(self.path("observations.jsonl"))
    }

    /// The file for samples of pipe statistics.
    pub fn sample_file(&self) -> io::Result<File> {
        File::create(self.path("pipes.parquet"))
    }

    /// The file for the frame log.
    pub fn frame_log_file(&self) -> io::Result<File> {
        File::create(self.path("frames.nlf"))
    }

    /// The file for a capture at an interface.
    pub fn capture_file(&self, node: &str, interface: &str) -> io::Result<File> {
        fs::create_dir_all(self.path("captures"))?;
        File::create(self.path("captures").join(format!("{node}-{interface}.pcapng")))
    }

    /// Writes the summary: the last file of a run. It appears whole or not at all.
    pub fn finish(&self, summary: &Summary) -> Result<()> {
        self.write_json("summary.json.part", summary)?;
        let from = self.path("summary.json.part");
        fs::rename(&from, self.path("summary.json")).context("cannot name summary.json")
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        let path = self.path(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}
