//! `netloom report`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_report_page::{Run, page};

use crate::args::Report;
use crate::{exit, results};

/// Writes the report of a run that has ended.
pub fn report(args: &Report) -> Result<i32> {
    let run = results::read(&args.directory)?;
    let file = args.output.clone().unwrap_or_else(|| beside(&args.directory));
    write(&run, &file)?;
    println!("report: {}", file.display());
    Ok(exit::SUCCESS)
}

/// The report's place in a directory of results.
pub fn beside(directory: &Path) -> PathBuf {
    directory.join("report.html")
}

/// Writes the report of `run`, and warns of what it could not have.
pub fn write(run: &Run, file: &Path) -> Result<()> {
    for missing in &run.missing {
        eprintln!("warning: {missing}");
    }
    fs::write(file, page(run)).with_context(|| format!("cannot write {}", file.display()))
}
