//! Results of a run: one directory, in the same form for an emulated and a simulated run.
//!
//! | file | contents |
//! |---|---|
//! | `scenario.yaml`, `scenario.json` | the scenario as written and as resolved |
//! | `machine.json` | versions and machine |
//! | `events.jsonl` | every event, a JSON object a line |
//! | `metrics.jsonl` | values that applications reported, a JSON object a line |
//! | `observations.jsonl` | observations of the contention monitor, if `measure` asks for them |
//! | `pipes.parquet` | statistics of every pipe over time |
//! | `flows.parquet` | counters of every flow of traffic over time |
//! | `radio.parquet` | activity of stations on shared media over time |
//! | `positions.parquet` | positions of nodes on shared media over time |
//! | `neighbours.parquet` | neighbours of stations on shared media over time |
//! | `air/MEDIUM.nlf` | air log of a shared medium, if `measure` asks for it |
//! | `calibration.parquet` | settings of the pipes of a symbiotic run, by period |
//! | `metadata.parquet` | activity of real programs of a symbiotic run |
//! | `connections.parquet` | their connections beside those of their twins |
//! | `traffic.parquet` | results of the scenario's traffic, if it has any |
//! | `processes/NAME@NODE.stdout`, `.stderr` | process output |
//! | `services/SERVICE@NODE.log` | output of services |
//! | `files/NODE/…` | files of processes that the scenario keeps |
//! | `frames.nlf` | fate of every frame, if `measure` asks for it |
//! | `captures/NODE-IF.pcapng` | captures that `measure` asks for |
//! | `summary.json` | how the run went |
//! | `machines/NAME/…` | what each of several machines was and observed |
//! | `member.json` | of one of several machines: what is needed to merge its results with others |
//!
//! `merge` makes one directory of those of several machines.
//!
//! Not here: what happens in a run; reading results (`netloom-cli`).

mod capture;
mod events;
mod flows;
pub mod machine;
mod merge;
mod radio;
mod samples;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use netloom_api::member::Kept;
use netloom_api::summary::Summary;
use netloom_scenario::Scenario;
use nix::fcntl::posix_fallocate;
use serde::Serialize;

pub use capture::CaptureWriter;
pub use events::EventFile;
pub use flows::{FlowSampler, tcp_cells, tcp_columns};
pub use merge::{MACHINES, Member, merge};
pub use radio::{MediaFiles, MediaSample, MediaSampler};
pub use samples::Sampler;

/// Name of the summary until it is complete.
const SUMMARY_PART: &str = "summary.json.part";

/// The directory of one run's results. All files are created through the descriptor that was opened
/// at the beginning: if the directory is replaced during the run, the replacement gets none of
/// them.
pub struct Results {
    directory: PathBuf,
    open: OwnedFd,
}

impl Drop for Results {
    fn drop(&mut self) {
        // If a run has no summary, no room stays reserved for it.
        let _ = fs::remove_file(self.path(SUMMARY_PART));
    }
}

impl Results {
    /// Creates the directory, which must not exist, and writes what is known before the run: the
    /// scenario, as text and as resolved. Nobody else may read it, because it contains files of
    /// nodes, their traffic and their environment.
    pub fn create(directory: &Path, source: &str, scenario: &Scenario) -> Result<Self> {
        let describe = || format!("cannot make the results directory {}", directory.display());
        if let Some(parent) = directory.parent() {
            fs::create_dir_all(parent).with_context(describe)?;
        }
        DirBuilder::new().mode(0o700).create(directory).with_context(describe)?;
        let how = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let open = OpenOptions::new().read(true).custom_flags(how).open(directory);
        let open = OwnedFd::from(open.with_context(describe)?);
        let owner = fs::metadata(by_descriptor(&open)).with_context(describe)?.uid();
        if owner != nix::unistd::geteuid().as_raw() {
            return Err(anyhow!("somebody else has put another in its place"))
                .with_context(describe);
        }
        let results = Self { directory: directory.into(), open };
        private_folder(&results.path("processes")).with_context(describe)?;
        let file = private_file(&results.path("scenario.yaml"));
        file.and_then(|mut file| file.write_all(source.as_bytes())).with_context(describe)?;
        results.write_json("scenario.json", scenario, scenario.links.len())?;
        results.write_json("machine.json", &machine::describe(), 0)?;
        results.reserve(scenario).with_context(|| {
            format!("cannot reserve room for the summary in {}", directory.display())
        })?;
        Ok(results)
    }

    /// The directory, by its path for people.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The directory, by a path that the engine can use while this value lives.
    pub fn base(&self) -> PathBuf {
        by_descriptor(&self.open)
    }

    /// The file for events.
    pub fn event_file(&self) -> io::Result<File> {
        private_file(&self.path("events.jsonl"))
    }

    /// The file for metrics that applications report.
    pub fn metric_file(&self) -> io::Result<File> {
        private_file(&self.path("metrics.jsonl"))
    }

    /// The file for observations of the contention monitor.
    pub fn observation_file(&self) -> io::Result<File> {
        private_file(&self.path("observations.jsonl"))
    }

    /// The file for samples of pipe statistics.
    pub fn sample_file(&self) -> io::Result<File> {
        private_file(&self.path("pipes.parquet"))
    }

    /// The files for samples of shared media.
    pub fn media_files(&self) -> io::Result<MediaFiles> {
        Ok(MediaFiles {
            radio: private_file(&self.path("radio.parquet"))?,
            positions: private_file(&self.path("positions.parquet"))?,
            neighbours: private_file(&self.path("neighbours.parquet"))?,
        })
    }

    /// The file for the air log of a shared medium.
    pub fn air_log_file(&self, medium: &str) -> io::Result<File> {
        private_folder(&self.path("air"))?;
        private_file(&self.path("air").join(format!("{medium}.nlf")))
    }

    /// The file for samples of flows.
    pub fn flow_file(&self) -> io::Result<File> {
        private_file(&self.path("flows.parquet"))
    }

    /// The file for settings of the pipes of a symbiotic run.
    pub fn calibration_file(&self) -> io::Result<File> {
        private_file(&self.path("calibration.parquet"))
    }

    /// The file for activity of real programs of a symbiotic run.
    pub fn metadata_file(&self) -> io::Result<File> {
        private_file(&self.path("metadata.parquet"))
    }

    /// The file for connections of real programs beside their twins, in a symbiotic run.
    pub fn connection_file(&self) -> io::Result<File> {
        private_file(&self.path("connections.parquet"))
    }

    /// The file for results of the scenario's traffic.
    pub fn traffic_file(&self) -> io::Result<File> {
        private_file(&self.path("traffic.parquet"))
    }

    /// The file for the frame log.
    pub fn frame_log_file(&self) -> io::Result<File> {
        private_file(&self.path("frames.nlf"))
    }

    /// The file for a capture at an interface.
    pub fn capture_file(&self, node: &str, interface: &str) -> io::Result<File> {
        private_folder(&self.path("captures"))?;
        private_file(&self.path("captures").join(format!("{node}-{interface}.pcapng")))
    }

    /// Keeps what is needed to merge these results with those of other machines.
    pub fn keep_member(&self, kept: &Kept) -> Result<()> {
        // A reader finds the old one or the new one.
        let part = format!("{}.part", Kept::FILE);
        self.write_json(&part, kept, 0)?;
        fs::rename(self.path(&part), self.path(Kept::FILE))
            .with_context(|| format!("cannot write {}", self.directory.join(Kept::FILE).display()))
    }

    /// Reserves room for the summary on the disk, so that it can be written even if the disk is
    /// full at the end of the run.
    fn reserve(&self, scenario: &Scenario) -> io::Result<()> {
        let processes = scenario.processes.iter().map(|process| process.nodes.len());
        // Its senders, and a receiver.
        let of_traffic = scenario.traffic.iter().map(|entry| entry.from.len() + entry.to.len());
        let instances: usize = processes.chain(of_traffic).sum();
        let (links, nodes) = (scenario.links.len(), scenario.nodes.len());
        let events = scenario.timeline.len();
        // One and a half times the length of such parts of summaries.
        let kib = 64 + 6 * links + nodes + instances + events;
        let length = i64::try_from(kib * 1024).unwrap_or(i64::MAX);
        Ok(posix_fallocate(private_file(&self.path(SUMMARY_PART))?, 0, length)?)
    }

    /// Writes the summary, which is the last file of a run. It appears complete or not at all.
    pub fn finish(&self, summary: &Summary) -> Result<()> {
        let (part, whole) = (self.path(SUMMARY_PART), self.path("summary.json"));
        let write = || -> io::Result<()> {
            // Written over the reserved room: truncating the file would give that up.
            let mut file = OpenOptions::new();
            let file = file.write(true).create(true).truncate(false).mode(0o600).open(&part)?;
            let mut text = written(summary, summary.links.len())?;
            if file.write_all_at(&text, 0).is_err() {
                // The same contents in half the room.
                text = serde_json::to_vec(summary)?;
                file.write_all_at(&text, 0)?;
            }
            file.set_len(text.len() as u64)?;
            fs::rename(&part, &whole)
        };
        let shown = self.directory.join("summary.json");
        write().with_context(|| format!("cannot write {}", shown.display()))
    }

    fn write_json(&self, name: &str, value: &impl Serialize, links: usize) -> Result<()> {
        let text = written(value, links)?;
        let file = private_file(&self.path(name));
        file.and_then(|mut file| file.write_all(&text))
            .with_context(|| format!("cannot write {}", self.directory.join(name).display()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base().join(name)
    }
}

/// Most links of a network whose files are indented. Those of larger networks are for programs.
const INDENTED: usize = 1000;

/// Returns the JSON text of a part of the results of a network with that number of links.
fn written(value: &impl Serialize, links: usize) -> serde_json::Result<Vec<u8>> {
    let is_large = links > INDENTED;
    let mut text =
        if is_large { serde_json::to_vec(value) } else { serde_json::to_vec_pretty(value) }?;
    text.push(b'\n');
    Ok(text)
}

fn by_descriptor(directory: &OwnedFd) -> PathBuf {
    format!("/proc/self/fd/{}", directory.as_raw_fd()).into()
}

/// Creates an empty file that only its owner may read.
pub fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Creates a directory that only its owner may enter, and its parents. It may exist already.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}
