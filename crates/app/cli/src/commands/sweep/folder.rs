//! The folder of a sweep: its lock, a line for each finished run, and the results of runs.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use netloom_sweep::{Keep, Record};
use nix::fcntl::{Flock, FlockArg};

use crate::exit;
use crate::results::{PACKED, summary_text};

/// Name of the file with a line for each finished run.
pub const LINES: &str = "sweep.jsonl";

/// Folder of the results of runs.
const RUNS: &str = "runs";

/// Folder of the results of runs that have failed.
const FAILED: &str = "failed";

/// End of the name of results that are not complete.
const PART: &str = ".part";

/// The folder of a sweep, which no other sweep uses while this value lives.
pub struct Folder {
    path: PathBuf,
    lines: Flock<File>,
    records: HashMap<String, Record>,
    /// Number of results that were begun here.
    begun: u64,
}

impl Folder {
    /// Opens the folder, or makes it. What an earlier sweep left incomplete is removed.
    ///
    /// # Errors
    /// If another sweep uses it, or a line of it is no run.
    pub fn open(path: &Path) -> Result<Self> {
        let shown = path.display();
        fs::create_dir_all(path.join(RUNS)).with_context(|| format!("cannot make {shown}"))?;
        let file = path.join(LINES);
        let open = OpenOptions::new().read(true).append(true).create(true).open(&file);
        let open = open.with_context(|| format!("cannot open {}", file.display()))?;
        let lines = Flock::lock(open, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| {
            exit::usage(format!(
                "another sweep uses {shown} ({error}): wait for its end, or give this one a folder \
                 of its own with `-o DIR`"
            ))
        })?;
        let mut folder = Self { path: path.to_owned(), lines, records: HashMap::new(), begun: 0 };
        folder.read().with_context(|| format!("cannot use {}", file.display()))?;
        folder.tidy()?;
        Ok(folder)
    }

    /// Reads the lines of runs that have finished. A last line without an end is one that was being
    /// written when a sweep died: its run is done again.
    fn read(&mut self) -> Result<()> {
        let mut text = String::new();
        self.lines.seek(SeekFrom::Start(0))?;
        self.lines.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            note!("note: the last line of {LINES} is incomplete: its run is done again");
            self.lines.set_len(whole as u64)?;
        }
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let record = Record::from_line(line).map_err(|error| {
                anyhow::anyhow!("line {number} is no run: {error}; remove it to do that run again")
            })?;
            self.records.insert(record.key.clone(), record);
        }
        Ok(())
    }

    /// Removes results that are not complete: of them there is no line.
    fn tidy(&self) -> Result<()> {
        let runs = self.path.join(RUNS);
        for entry in fs::read_dir(&runs)?.flatten() {
            if entry.file_name().to_string_lossy().ends_with(PART) {
                // A run that outlives its sweep may still be writing there.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }

    /// Returns what is known of a run.
    pub fn record(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// Takes a run as not done.
    pub fn unknow(&mut self, key: &str) {
        self.records.remove(key);
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the results of a run that has finished.
    pub fn results(&self, key: &str) -> PathBuf {
        self.path.join(RUNS).join(key)
    }

    /// Returns a directory for the results of a run that begins. It does not exist yet.
    pub fn part(&mut self, key: &str) -> PathBuf {
        self.begun += 1;
        let name = format!("{key}-{}-{}{PART}", std::process::id(), self.begun);
        self.path.join(RUNS).join(name)
    }

    /// Takes over the results of a run, and notes that it has finished.
    ///
    /// # Errors
    /// If the disk does not take it. What was there before stays as it was.
    pub fn finish(&mut self, record: Record, part: &Path, keep: Keep) -> Result<()> {
        let results = self.results(&record.key);
        if keep == Keep::Summary {
            keep_summary(part).with_context(|| format!("cannot tidy {}", part.display()))?;
        }
        if results.exists() {
            fs::remove_dir_all(&results)
                .with_context(|| format!("cannot replace {}", results.display()))?;
        }
        fs::rename(part, &results).with_context(|| format!("cannot make {}", results.display()))?;
        self.note(record)
    }

    /// Writes the line of a run that has finished, and waits until the disk has it.
    pub fn note(&mut self, record: Record) -> Result<()> {
        let line = record.to_line()? + "\n";
        let before = self.lines.metadata()?.len();
        let written = self.lines.write_all(line.as_bytes()).and_then(|()| self.lines.sync_data());
        if let Err(error) = written {
            // Half a line would have to be removed by the next sweep.
            let _ = self.lines.set_len(before);
            let file = self.path.join(LINES);
            bail!(
                "cannot write {}: {error}; make room, and the same command goes on from here",
                file.display()
            );
        }
        self.records.insert(record.key.clone(), record);
        Ok(())
    }

    /// Keeps the results of a run that has failed, for whoever looks into it. Returns where they
    /// are, if there are any.
    pub fn failed(&self, key: &str, part: &Path) -> Option<PathBuf> {
        let kept = self.path.join(FAILED).join(key);
        let _ = fs::remove_dir_all(&kept);
        fs::create_dir_all(self.path.join(FAILED)).ok()?;
        fs::rename(part, &kept).ok()?;
        Some(kept)
    }

    /// Forgets results that are not complete.
    pub fn forget(&self, part: &Path) {
        let _ = fs::remove_dir_all(part);
    }

    /// Writes a text into the folder, whole or not at all.
    pub fn keep_text(&self, name: &str, text: &str) -> Result<()> {
        write_whole(&self.path.join(name), |file| Ok(file.write_all(text.as_bytes())?))
    }
}

/// Leaves the summary of a run alone, packed to a tenth of its size.
fn keep_summary(directory: &Path) -> Result<()> {
    let text = summary_text(directory)?;
    write_whole(&directory.join(PACKED), |file| {
        let mut packer = GzEncoder::new(file, Compression::default());
        packer.write_all(&text)?;
        packer.finish()?;
        Ok(())
    })?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name() == PACKED {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// Writes a file, which appears complete or not at all.
pub fn write_whole(file: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let mut part = file.as_os_str().to_owned();
    part.push(PART);
    let part = PathBuf::from(part);
    let written = || -> Result<()> {
        let mut open = File::create(&part)?;
        write(&mut open)?;
        open.sync_data()?;
        Ok(fs::rename(&part, file)?)
    };
    let result = written();
    if result.is_err() {
        let _ = fs::remove_file(&part);
    }
    result.with_context(|| format!("cannot write {}", file.display()))
}

/// Returns the results of the runs of the sweep in `folder` whose points have all these values, by
/// point and seed. `None` if it is no folder of a sweep.
///
/// # Errors
/// If its lines cannot be read.
pub fn runs_of(folder: &Path, only: &[(String, String)]) -> Result<Option<Vec<PathBuf>>> {
    let file = folder.join(LINES);
    let Ok(text) = fs::read_to_string(&file) else { return Ok(None) };
    let mut runs = std::collections::BTreeMap::new();
    for line in text.lines() {
        let record = Record::from_line(line)
            .with_context(|| format!("cannot use a line of {}", file.display()))?;
        if only.iter().all(|(name, value)| record.point.get(name) == Some(value)) {
            runs.insert((record.point, record.seed), folder.join(RUNS).join(record.key));
        }
    }
    Ok(Some(runs.into_values().collect()))
}
