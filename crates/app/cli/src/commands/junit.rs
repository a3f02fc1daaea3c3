//! The results of a run as JUnit's XML: a case for each process, expectation and event of the
//! timeline, one for the run as a whole, and one for the verdict on the machine.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use netloom_api::state::ProcessState;
use netloom_api::summary::Summary;
use netloom_monitor::Judgement;
use netloom_report_page::{Life, Run};
use netloom_units::Time;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// Most bytes of each output of a process that failed.
const OUTPUT: u64 = 16 << 10;

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

/// Writes the report of a scenario that could not be loaded, if there is a file for it: a grading
/// system is to say what is wrong with what was handed in.
pub fn or_refused<T>(loaded: Result<T>, file: Option<&Path>) -> Result<T> {
    if let (Err(error), Some(file)) = (&loaded, file) {
        let mut suite = TestSuite::new("netloom");
        suite.add_test_case(failed("scenario".into(), &netloom_api::in_words(error.as_ref())));
        let mut report = Report::new("netloom");
        report.add_test_suite(suite);
        let cannot = || format!("cannot write {}", file.display());
        fs::write(file, report.to_string().with_context(cannot)?).with_context(cannot)?;
    }
    loaded
}

/// Writes the report of a run whose results are in `directory`. With `strict`, an invalid verdict
/// is a failure.
pub fn write(run: &Run, directory: &Path, file: &Path, strict: bool) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let text = report(run, directory, strict).to_string().with_context(cannot)?;
    fs::write(file, text).with_context(cannot)
}

fn report(run: &Run, directory: &Path, strict: bool) -> Report {
    let summary = &run.summary;
    let mut suite = TestSuite::new(summary.name.as_str());
    suite.set_time(summary.ended.since(Time::ZERO).into());
    suite.add_test_cases(processes(run, directory));
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

/// Returns a case for each process, with its time, and with the end of its output if it failed.
fn processes(run: &Run, directory: &Path) -> impl Iterator<Item = TestCase> {
    let summary = &run.summary;
    summary.processes.iter().map(move |row| {
        let instance = format!("`{}` in `{}`", row.process, row.node);
        let name = format!("process {}@{}", row.process, row.node);
        let failure = summary.failures.iter().find(|failure| failure.starts_with(&instance));
        let mut case = match (failure, &row.state) {
            (Some(failure), _) => failed(name, failure),
            (None, ProcessState::NeverStarted) => skipped(name, "the run ended before its start"),
            (None, _) => passed(name),
        };
        let Life { started, ended } = run.happened.life_of(&row.process, &row.node);
        if let Some(started) = started {
            case.set_time(ended.unwrap_or(summary.ended).since(started).into());
        }
        if failure.is_some() {
            let output = |stream: &str| {
                let name = format!("{}@{}.{stream}", row.process, row.node);
                end_of(&directory.join("processes").join(name)).unwrap_or_default()
            };
            case.set_system_out_lossy(output("stdout"));
            case.set_system_err_lossy(output("stderr"));
        }
        case
    })
}

/// Returns the last [`OUTPUT`] bytes of a file.
fn end_of(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(OUTPUT)))?;
    let mut end = Vec::new();
    file.take(OUTPUT).read_to_end(&mut end)?;
    Ok(end)
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
