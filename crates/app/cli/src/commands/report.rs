//! `netloom report`

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_report_page::{Run, page};

use crate::args::Report;
use crate::{exit, results};

/// The mode of a report in the results, which is as private as they are.
pub const PRIVATE: u32 = 0o600;

/// Writes the report of a run that has ended.
pub fn report(args: &Report) -> Result<i32> {
    let run = results::read(&args.directory)?;
    let (file, mode) = match &args.output {
        Some(file) => (file.clone(), 0o644),
        None => (beside(&args.directory), PRIVATE),
    };
    write(&run, &file, mode)?;
    println!("report: {}", file.display());
    Ok(exit::SUCCESS)
}

/// Returns the path of the report in a directory of results.
pub fn beside(directory: &Path) -> PathBuf {
    directory.join("report.html")
}

/// Writes the report into the results. Returns whether that worked. The run is complete without it.
pub fn write_beside(run: &Run, directory: &Path) -> bool {
    let written = write(run, &beside(directory), PRIVATE);
    if let Err(error) = &written {
        eprintln!("warning: there is no report: {}", netloom_api::in_words(error.as_ref()));
    }
    written.is_ok()
}

/// Writes the report of `run`, and warns of missing data. A new file gets `mode`.
pub fn write(run: &Run, file: &Path, mode: u32) -> Result<()> {
    for missing in &run.missing {
        note!("warning: {missing}");
    }
    let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(file);
    opened
        .and_then(|mut file| file.write_all(page(run).as_bytes()))
        .with_context(|| format!("cannot write {}", file.display()))
}
