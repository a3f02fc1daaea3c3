//! The results of a run as JUnit's XML: a case for each process, expectation and event of the
//! timeline, one for the run as a whole, and one for the verdict on the machine.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use netloom_api::event::{EndReason, ExpectationStatus};
use netloom_api::state::{ProcessState, ProcessStatus};
use netloom_api::summary::Summary;
use netloom_monitor::Judgement;
use netloom_report_page::{Life, Run};
use netloom_units::Time;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::run::repetition::Repetition;

/// Most bytes of each output of a process that failed.
const OUTPUT: u64 = 16 << 10;

/// The report of a command: a suite for each run.
pub struct Suites(Report);

impl Default for Suites {
    fn default() -> Self {
        Self(Report::new("netloom"))
    }
}

impl Suites {
    /// Adds a run whose results are in `directory`: the only one, or one of several. With `strict`,
    /// an invalid verdict is a failure.
    pub fn add(
        &mut self,
        run: &Run,
        directory: &Path,
        strict: bool,
        repetition: Option<&Repetition>,
    ) {
        let summary = &run.summary;
        let mut suite = suite(&summary.name, repetition);
        let length = summary.ended.since(Time::ZERO).into();
        suite.set_time(length);
        let total = self.0.time.unwrap_or_default() + length;
        self.0.set_time(total);
        suite.add_property(("seed", summary.seed.to_string().as_str()));
        suite.add_test_cases(processes(run, directory));
        suite.add_test_cases(expectations(summary, directory));
        suite.add_test_cases(unjudged(run));
        suite.add_test_cases(timeline(summary));
        suite.add_test_case(whole(summary));
        suite.add_test_case(verdict(summary, strict));
        self.add_suite(suite);
    }

    /// Adds a run called `name` that has no results, with what has failed: the `scenario`, or the
    /// `run`. A grading system is to say what is wrong with what was handed in.
    pub fn add_error(
        &mut self,
        name: &str,
        what: &str,
        message: &str,
        repetition: Option<&Repetition>,
    ) {
        let mut suite = suite(name, repetition);
        suite.add_test_case(failed(what.into(), message));
        self.add_suite(suite);
    }

    fn add_suite(&mut self, mut suite: TestSuite) {
        // Viewers tell cases of several runs apart by class and name.
        let class = suite.name.clone();
        for case in &mut suite.test_cases {
            case.set_classname(class.clone());
        }
        self.0.add_test_suite(suite);
    }

    /// Returns the report as XML.
    ///
    /// # Errors
    /// If it cannot be written as XML.
    pub fn to_xml(&self) -> Result<String> {
        self.0.to_string().context("cannot write JUnit's XML")
    }

    /// Writes the report.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<()> {
        fs::write(file, self.to_xml()?).with_context(|| format!("cannot write {}", file.display()))
    }
}

fn suite(name: &str, repetition: Option<&Repetition>) -> TestSuite {
    match repetition {
        None => TestSuite::new(name),
        Some(repetition) => TestSuite::new(format!("{name}, {repetition}")),
    }
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
        let instance = instance(row);
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
            add_output(&mut case, directory, &row.process, &row.node);
        }
        case
    })
}

/// Adds the end of what a process has printed.
fn add_output(case: &mut TestCase, directory: &Path, process: &str, node: &str) {
    let output = |stream: &str| {
        let name = format!("{process}@{node}.{stream}");
        end_of(&directory.join("processes").join(name)).unwrap_or_default()
    };
    case.set_system_out_lossy(output("stdout"));
    case.set_system_err_lossy(output("stderr"));
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

/// Returns a case for each expectation, with the output of the process if it was not met.
fn expectations(summary: &Summary, directory: &Path) -> impl Iterator<Item = TestCase> {
    summary.expectations.iter().map(move |row| {
        let name = expectation(&row.process, &row.node, &row.expected);
        if row.met {
            return passed(name);
        }
        let mut case = failed(name, &row.found);
        add_output(&mut case, directory, &row.process, &row.node);
        case
    })
}

/// Returns a case for each expectation that nobody judged, because the run ended before.
fn unjudged(run: &Run) -> impl Iterator<Item = TestCase> {
    let all = run.scenario.iter().flat_map(|scenario| &scenario.expect);
    let each = all.flat_map(|one| one.nodes.iter().map(move |node| (one, node)));
    each.filter_map(move |(one, node)| {
        let (process, expected) = (&one.process, one.to_string());
        let is_it = |row: &ExpectationStatus| {
            row.process == *process && row.node == *node && row.expected == expected
        };
        let is_judged = run.summary.expectations.iter().any(is_it);
        let why = match run.summary.reason {
            EndReason::Failed => "the run ended before: something else had failed",
            _ => "nobody judged it",
        };
        (!is_judged).then(|| skipped(expectation(process, node, &expected), why))
    })
}

/// Returns the name of an expectation's case.
fn expectation(process: &str, node: &str, expected: &str) -> String {
    format!("expected of {process}@{node}: {expected}")
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

/// Returns the case of the run, with those of its failures that no other case has.
fn whole(summary: &Summary) -> TestCase {
    let name = "run".to_string();
    if summary.success {
        return passed(name);
    }
    let unmet = |failure: &str| {
        let mut unmet = summary.expectations.iter().filter(|row| !row.met);
        unmet.any(|row| failure.starts_with(&row.failure()))
    };
    let of_process = |failure: &str| {
        let mut rows = summary.processes.iter();
        rows.any(|row| failure.starts_with(&instance(row)))
    };
    let of_event = |failure: &str| failure.starts_with("timeline event ");
    let others = summary.failures.iter().map(String::as_str);
    let others = others.filter(|one| !unmet(one) && !of_process(one) && !of_event(one));
    match others.collect::<Vec<_>>() {
        others if others.is_empty() && !summary.failures.is_empty() => {
            skipped(name, "it failed; the other cases say by what")
        }
        others => failed(name, &others.join("\n")),
    }
}

/// Returns the words with which failures of an instance of a process begin.
fn instance(row: &ProcessStatus) -> String {
    format!("`{}` in `{}`", row.process, row.node)
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
