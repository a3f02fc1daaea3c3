//! A run that has ended, emulated or simulated.

use std::path::PathBuf;

use netloom_api::summary::Summary;
use netloom_monitor::Judgement;
use netloom_report_page::Run as Kept;

use crate::warnings::Warnings;
use crate::{exit, results};

/// A run that has ended.
pub struct Finished {
    /// The exit code, if a signal has ended it.
    pub interrupted: Option<i32>,
    /// What is in the results, and where they can be read.
    pub results: Option<(Kept, PathBuf)>,
    /// Warnings about it that are still to be printed.
    pub warnings: Warnings,
    /// Keeps the place of the results.
    pub _held: Option<results::Held>,
}

impl Finished {
    /// A run that a signal has ended before it had results.
    pub fn without_results(code: i32) -> Self {
        let warnings = Warnings::default();
        Self { interrupted: Some(code), results: None, warnings, _held: None }
    }

    /// Returns the exit code. With `strict`, an invalid verdict is a failure.
    pub fn code(&self, strict: bool) -> i32 {
        let of_summary = |summary: &Summary| {
            let verdict = summary.verdict.as_ref();
            let is_emulated = summary.timing.is_some();
            let invalid = verdict.is_none_or(|verdict| verdict.judgement == Judgement::Invalid);
            match summary.success {
                false => exit::RUN_FAILED,
                true if strict && is_emulated && invalid => exit::INVALID,
                true => exit::SUCCESS,
            }
        };
        let of_results = || self.results.as_ref().map(|(run, _)| of_summary(&run.summary));
        self.interrupted.or_else(of_results).unwrap_or(exit::SUCCESS)
    }
}
