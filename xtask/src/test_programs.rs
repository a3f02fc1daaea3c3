//! `test`: builds the test programs and runs several of them side by side. Most of them wait more
//! than they compute, and cargo runs one after the other.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

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

/// Runs all programs of a selection, and fails if one fails.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let wanted = Wanted::parse(arguments)?;
    let programs = Mutex::new(build(&wanted.selection)?);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..wanted.beside.max(1) {
            scope.spawn(|| {
                loop {
                    let next = programs.lock().unwrap().pop_front();
                    let Some(program) = next else { break };
                    let name = format!("{} {}", program.package, program.target);
                    match start(program, &wanted.runner) {
                        Ok(ended) if report(&ended) => {}
                        Ok(_) => failed.lock().unwrap().push(name),
                        Err(error) => failed.lock().unwrap().push(format!("{name}: {error:#}")),
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nFAILED: {}", failed.join(", "));
    Ok(ExitCode::from(101))
}

/// Builds the programs of a selection. The messages of cargo go to standard error.
fn build(selection: &[String]) -> anyhow::Result<VecDeque<Program>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--no-run", "--locked", "--message-format=json-render-diagnostics"])
        .args(selection)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests cannot be built: {}", output.status);
    }
    let messages = String::from_utf8(output.stdout)?;
    let messages = messages.lines().map(serde_json::from_str::<Value>);
    messages
        .filter_map(|message| message.map(|message| program(&message)).transpose())
        .collect::<Result<_, _>>()
        .context("cargo's messages")
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

fn start(program: Program, runner: &[String]) -> anyhow::Result<Ended> {
    let mut words = runner.iter().map(Into::into).chain([program.file.clone().into_os_string()]);
    let began = Instant::now();
    let output = Command::new(words.next().context("no program")?)
        .args(words)
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
