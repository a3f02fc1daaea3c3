//! The results of a run as JUnit's XML: a case for each process, expectation and event of the
//! timeline, one for the run as a whole, and one for the verdict on the machine.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use netloom_api::state::ProcessState;
use netloom_api::summary::Summary;
use netloom_monitor::Judgement;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// Removes the report of an earlier run, which a program that reads it would take for this one's if
/// this one cannot begin.
pub fn forget(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if file.is_file() => {
            Err(error).with_context(|| format!("cannot replace {}", file.display()))
        }
        _ => Ok(()),
    }
}

/// Writes the report of a run. With `strict`, an invalid verdict is a failure.
pub fn write(summary: &Summary, file: &Path, strict: bool) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let text = report(summary, strict).to_string().with_context(cannot)?;
    fs::write(file, text).with_context(cannot)
}

fn report(summary: &Summary, strict: bool) -> Report {
    let mut suite = TestSuite::new(summary.name.as_str());
    suite.add_test_cases(processes(summary));
    suite.add_test_cases(expectations(summary));
    suite.add_test_cases(timeline(summary));
    suite.add_test_case(whole(summary));
    suite.add_test_case(verdict(summary, strict));
    let mut report = Report::new("netloom");
    report.add_test_suite(suite);
    report
}

fn passed(name: String) -> TestCase {
    TestCase::new(name, TestCaseStatus::success())
}

fn failed(name: String, why: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(why);
    TestCase::new(name, status)
}

fn skipped(name: String, why: &str) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    TestCase::new(name, status)
}

fn processes(summary: &Summary) -> impl Iterator<Item = TestCase> {
    summary.processes.iter().map(|row| {
        let instance = format!("`{}` in `{}`", row.process, row.node);
        let name = format!("process {}@{}", row.process, row.node);
        let failure = summary.failures.iter().find(|failure| failure.starts_with(&instance));
        match (failure, &row.state) {
            (Some(failure), _) => failed(name, failure),
            (None, ProcessState::NeverStarted) => skipped(name, "the run ended before its start"),
            (None, _) => passed(name),
        }
    })
}

fn expectations(summary: &Summary) -> impl Iterator<Item = TestCase> {
    summary.expectations.iter().map(|row| {
        let name = format!("expected of {}@{}: {}", row.process, row.node, row.expected);
        if row.met { passed(name) } else { failed(name, &row.found) }
    })
}

fn timeline(summary: &Summary) -> impl Iterator<Item = TestCase> {
    summary.timeline.iter().map(|event| {
        let name = format!("timeline event {}: {}", event.number, event.event);
        match (&event.failure, event.happened) {
            (Some(failure), _) => failed(name, failure),
            (None, None) => skipped(name, "the run ended before its time"),
            (None, Some(_)) => passed(name),
        }
    })
}

/// Returns the case of the run, with all its failures.
fn whole(summary: &Summary) -> TestCase {
    let name = "run".to_string();
    if summary.success { passed(name) } else { failed(name, &summary.failures.join("\n")) }
}

/// Returns the case of the verdict: whether the machine let the run proceed as the scenario says.
fn verdict(summary: &Summary, strict: bool) -> TestCase {
    let name = "verdict on the machine".to_string();
    let Some(verdict) = &summary.verdict else { return skipped(name, "the run was not judged") };
    let mut why = format!("{} ({})", verdict.judgement, verdict.in_words());
    for finding in &verdict.findings {
        why += &format!("\n{}: {}", finding.judgement, finding.why);
    }
    verdict.stated().iter().for_each(|line| why += &format!("\n{line}"));
    match verdict.judgement {
        Judgement::Valid => passed(name),
        Judgement::Invalid if strict => failed(name, &why),
        _ => skipped(name, &why),
    }
}
