//! `test`: builds the test programs and runs several of them side by side. Most of them wait more
//! than they compute, and cargo runs one after the other. Another one begins only while the machine
//! has CPU time left (`load`), and programs that plant overload run alone. Skipped parts are
//! listed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::load::wait_for_room;

/// Programs that take all CPUs on purpose, measure what the machine bears, or look at what happens
/// now: they run one after the other, one test at a time, when all others have ended.
const ALONE: [&str; 8] =
    ["air", "calibrate", "dilation", "ebpf", "hybrid", "symbiosis", "verdict", "watch"];

/// Begins before all others, since it takes as long as several of them side by side.
const LONGEST: &str = "examples";

/// Begins a line that a test prints about a part that it leaves out.
const SKIPPED: &str = "skipped: ";

/// File that lists skipped parts for a caller who lists those of several runs together.
const LEFT_OUT: &str = "NETLOOM_LEFT_OUT";

/// The programs to run, and how.
struct Wanted {
    /// Number of programs that run side by side.
    beside: usize,
    /// Words before each program, as in cargo's `runner`.
    runner: Vec<String>,
    /// Arguments that select programs, as for `cargo test`.
    selection: Vec<String>,
}

impl Wanted {
    /// Parses `[--beside N] [--runner "WORDS"] SELECTION…`.
    fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut wanted = Self { beside: 1, runner: Vec::new(), selection: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--beside" => {
                    let number = words.next().context("--beside takes a number")?;
                    wanted.beside = number.parse().context("--beside takes a number")?;
                }
                "--runner" => {
                    let runner = words.next().context("--runner takes the words of a command")?;
                    wanted.runner = runner.split_whitespace().map(str::to_string).collect();
                }
                _ => wanted.selection.push(word.clone()),
            }
        }
        Ok(wanted)
    }
}

/// A test program that cargo has built.
struct Program {
    package: String,
    target: String,
    file: PathBuf,
    /// The folder in which cargo would run it.
    folder: PathBuf,
}

/// A program that has ended.
struct Ended {
    program: Program,
    output: Output,
    took: Duration,
}

/// What several programs have left behind so far.
#[derive(Default)]
struct Outcome {
    failed: Vec<String>,
    skipped: Vec<String>,
}

/// Runs all programs of a selection, and fails if one fails.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let wanted = Wanted::parse(arguments)?;
    let programs = build(&wanted.selection)?;
    let (alone, mut together): (VecDeque<_>, VecDeque<_>) =
        programs.into_iter().partition(|program| ALONE.contains(&program.target.as_str()));
    together.make_contiguous().sort_by_key(|program| program.target != LONGEST);
    let outcome = Mutex::new(Outcome::default());
    run_beside(together, wanted.beside.max(1), &wanted.runner, &outcome);
    for program in alone {
        run_one(program, &wanted.runner, Some(1), &outcome);
    }
    let Outcome { failed, skipped } = outcome.into_inner().unwrap();
    list(&skipped)?;
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nFAILED: {}", failed.join(", "));
    Ok(ExitCode::from(101))
}

/// Runs programs on `beside` threads. Only the first thread begins one whatever the load is.
fn run_beside(
    programs: VecDeque<Program>,
    beside: usize,
    runner: &[String],
    outcome: &Mutex<Outcome>,
) {
    let programs = Mutex::new(programs);
    thread::scope(|scope| {
        for number in 0..beside {
            let programs = &programs;
            scope.spawn(move || {
                loop {
                    if number > 0 {
                        wait_for_room(|| programs.lock().unwrap().is_empty());
                    }
                    let next = programs.lock().unwrap().pop_front();
                    let Some(program) = next else { break };
                    run_one(program, runner, None, outcome);
                }
            });
        }
    });
}

/// Runs a program to its end, with this number of tests at a time, and reports it.
fn run_one(
    program: Program,
    runner: &[String],
    at_a_time: Option<usize>,
    outcome: &Mutex<Outcome>,
) {
    let name = format!("{} {}", program.package, program.target);
    let ended = start(program, runner, at_a_time);
    let mut outcome = outcome.lock().unwrap();
    match ended {
        Ok(ended) => {
            outcome.skipped.extend(skipped(&ended));
            if !report(&ended) {
                outcome.failed.push(name);
            }
        }
        Err(error) => outcome.failed.push(format!("{name}: {error:#}")),
    }
}

/// The lines about parts that a program left out, each with the names of program and test.
fn skipped(Ended { program, output, .. }: &Ended) -> Vec<String> {
    let Program { package, target, .. } = program;
    let reasons = reasons(&String::from_utf8_lossy(&output.stdout));
    reasons.into_iter().map(|why| format!("{package} {target}: {why}")).collect()
}

/// The reasons in what a program printed, each with its test: `--show-output` prints a head before
/// the output of each test.
fn reasons(printed: &str) -> Vec<String> {
    let mut test = None;
    let mut found = Vec::new();
    for line in printed.lines() {
        let head = line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----"));
        test = head.or(test);
        if let Some(why) = line.strip_prefix(SKIPPED) {
            found.push(test.map_or_else(|| why.into(), |test| format!("{test}: {why}")));
        }
    }
    found
}

/// Lists what was skipped, or leaves it to the caller who named a file.
fn list(skipped: &[String]) -> anyhow::Result<()> {
    if let Some(path) = std::env::var_os(LEFT_OUT) {
        let mut file = File::options().append(true).create(true).open(&path)?;
        return skipped.iter().try_for_each(|line| Ok(writeln!(file, "{line}")?));
    }
    println!("\n{} parts of tests were skipped", skipped.len());
    skipped.iter().for_each(|line| println!("    {line}"));
    Ok(())
}

/// Builds the programs of a selection. The messages of cargo and of the compiler go to standard
/// error. Where the compiler is clippy's, a build lints what it makes.
fn build(selection: &[String]) -> anyhow::Result<VecDeque<Program>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let lints = std::env::var_os("RUSTC_WORKSPACE_WRAPPER")
        .is_some_and(|wrapper| Path::new(&wrapper).ends_with("clippy-driver"));
    let output = Command::new(cargo)
        .args(["test", "--no-run", "--locked", "--message-format=json"])
        .args(selection)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    let messages = String::from_utf8(output.stdout)?;
    let messages: Vec<Value> =
        messages.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("messages")?;
    let said = messages.iter().filter_map(|message| message["message"]["rendered"].as_str());
    let warnings = said.inspect(|said| eprint!("{said}")).count();
    if !output.status.success() {
        bail!("the tests cannot be built: {}", output.status);
    }
    if lints && warnings > 0 {
        bail!("the compiler and clippy have {warnings} warnings");
    }
    Ok(messages.iter().filter_map(program).collect())
}

/// The test program in a message of cargo, if there is one.
fn program(message: &Value) -> Option<Program> {
    let is_test = message["profile"]["test"].as_bool()?;
    let file = PathBuf::from(message["executable"].as_str()?);
    let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let package = folder.file_name()?.to_string_lossy().into_owned();
    let target = message["target"]["name"].as_str()?.to_string();
    is_test.then_some(Program { package, target, file, folder })
}

fn start(program: Program, runner: &[String], at_a_time: Option<usize>) -> anyhow::Result<Ended> {
    let mut words = runner.iter().map(Into::into).chain([program.file.clone().into_os_string()]);
    let mut command = Command::new(words.next().context("no program")?);
    // Passing tests say what they skipped.
    command.args(words).arg("--show-output");
    if let Some(threads) = at_a_time {
        command.env("RUST_TEST_THREADS", threads.to_string());
    }
    let began = Instant::now();
    let output = command
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.file.display()))?;
    Ok(Ended { program, output, took: began.elapsed() })
}

/// Prints the result of a program: a line, and its whole output if it failed. Returns whether it
/// passed.
fn report(ended: &Ended) -> bool {
    let Ended { program, output, took } = ended;
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let passed = output.status.success();
    let result = printed.lines().rfind(|line| line.starts_with("test result:"));
    let result = result.unwrap_or("no result").trim_start_matches("test result: ");
    let result = result.split(" finished").next().unwrap_or(result);
    let line =
        format!("{:>6.1} s  {} {}: {result}", took.as_secs_f64(), program.package, program.target);
    if passed {
        println!("{line}");
    } else {
        // In one piece, because other programs report, too.
        println!("{line}\n{printed}{errors}{} ended with {}\n", program.target, output.status);
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::reasons;

    #[test]
    fn what_tests_skipped_is_found_under_their_names() {
        let printed = "\
running 2 tests
test loads ... ok
test sees ... ok

successes:

---- loads stdout ----
skipped: no clang
---- sees stdout ----
not skipped: this is no such line
skipped: no disk
skipped: no root
";
        assert_eq!(reasons(printed), ["loads: no clang", "sees: no disk", "sees: no root"]);
        // A program with a harness of its own prints no heads.
        assert_eq!(reasons("skipped: no FRR\n"), ["no FRR"]);
    }
}
