//! `netloom run`: one run or several, emulated or simulated, and what CI is told about them.

mod bundle;
pub(super) mod emulated;
mod evidence;
mod finished;
mod page;
pub mod repetition;
mod several;
mod simulated;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use futures_util::FutureExt;
use netloom_api::progress::{Progress, RunEnd};
use netloom_api::summary::Summary;
use netloom_report_page::Run as Kept;
use netloom_units::readable::counted;

use super::{report, summary};
use crate::args::{Format, Run};
use crate::exit::WithCode;
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::{all_frames, prepare, results_directory};
use crate::owner::Handed;
use crate::{exit, find, output, placing, preflight, profile_file};
use evidence::Evidence;
use finished::Finished;
use page::Page;
use repetition::{Outcome, Repetition};
pub use several::part_of;

/// Runs a scenario, once or several times.
pub async fn run(args: Run) -> Result<i32> {
    if args.quiet {
        output::be_quiet();
    }
    if args.format == Format::Json {
        output::be_lines();
    }
    for file in args.junit.iter().chain(&args.bundle) {
        forget(file)?;
    }
    if let Some(metadata) = &args.metadata {
        return simulated::again(prepare(&args.start)?, metadata.clone(), args.output).await;
    }
    let _handed = Handed::after(args.junit.iter().chain(&args.bundle).map(PathBuf::as_path));
    let mut evidence = Evidence::default();
    let mut ended = all(&args, &mut evidence).await;
    if let Err(error) = &ended {
        let message = netloom_api::in_words(error.as_ref());
        evidence.outcome.push(message.clone());
        let is_refused = code_of(error) == exit::USAGE;
        let what = if is_refused { "scenario" } else { "run" };
        evidence.junit.add_error(&suite_name(&args), what, &message, None);
        if let Some(file) = &args.junit {
            // The error itself is more important than one of writing it.
            let _ = evidence.junit.write(file);
        }
    }
    let is_failure = !matches!(ended, Ok(exit::SUCCESS | 129..));
    if let Some(file) = args.bundle.as_ref().filter(|_| is_failure) {
        match bundle::write(file, &args, &evidence).await {
            Ok(()) => eprintln!("bundle: {}", file.display()),
            Err(error) if ended.is_ok() => ended = Err(error),
            Err(error) => {
                eprintln!("there is no bundle: {}", netloom_api::in_words(error.as_ref()));
            }
        }
    }
    ended
}

/// Returns a name for a run whose scenario may be refused: that of `--name`, or the file's.
fn suite_name(args: &Run) -> String {
    let file = || {
        let files = find::named_files(&args.start.scenario).ok()?;
        Some(files.first()?.file_name()?.to_str()?.to_owned())
    };
    args.start.name.clone().or_else(file).unwrap_or_else(|| "netloom".into())
}

fn code_of(error: &anyhow::Error) -> i32 {
    error.downcast_ref::<WithCode>().map_or(exit::FAILURE, |error| error.code)
}

/// Removes what an earlier run has left, which a program would take for this one's if this one
/// cannot begin.
fn forget(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if file.is_file() => {
            Err(error).with_context(|| format!("cannot replace {}", file.display()))
        }
        _ => Ok(()),
    }
}

/// Checks before a run that a file can be written after it.
fn is_writable(file: &Path) -> Result<()> {
    File::create(file).map(drop).with_context(|| format!("cannot write {}", file.display()))
}

/// How the runs are carried.
enum Carrier {
    Emulated(emulated::Start),
    Several(Box<several::Start>),
    Simulated(simulated::Start),
}

impl Carrier {
    /// Checks that `loaded` can run, and says what is left out of it.
    fn for_runs(args: &Run, loaded: &mut Loaded) -> Result<Self> {
        if args.simulate {
            return simulated::Start::new(args, loaded).map(Self::Simulated);
        }
        let machines = args.machines.as_deref().map(placing::machines).transpose()?;
        match &machines {
            // Each machine looks at itself.
            Some(machines) if machines.local.is_none() => preflight::elsewhere(&loaded.scenario)?,
            _ => {
                preflight::check(&loaded.scenario)?;
                preflight::course(&loaded.scenario, &loaded.directory)?;
            }
        }
        if args.frames {
            all_frames(&mut loaded.scenario, |link| !link.direct);
        }
        let calibration = profile_file::calibration();
        preflight::compensation(&loaded.scenario, &calibration)?;
        // CI is to know of a failure at once.
        let fail_fast = args.fail_fast.unwrap_or(args.junit.is_some());
        let workers = args.start.workers;
        Ok(match args.machines.as_deref().zip(machines) {
            None => Self::Emulated(emulated::Start { workers, calibration, fail_fast }),
            Some((named, mut machines)) => {
                if let Some(on) = &args.on {
                    machines.keep(on).map_err(exit::usage)?;
                }
                Self::Several(Box::new(several::Start {
                    profiles: placing::profiles(named, &machines)?,
                    on: args.on.clone(),
                    counted: machines.is_counted(),
                    machines,
                    cluster: None,
                    underlay: None,
                    placement: args.placement.clone(),
                    workers,
                    calibration,
                    fail_fast,
                }))
            }
        })
    }

    /// Has what runs of an experiment are carried by, if it is not there: the nodes of a Ray
    /// cluster, the network between machines.
    async fn open(&mut self, experiment: &str) -> Result<()> {
        match self {
            Self::Several(start) => start.open(experiment).await,
            Self::Emulated(_) | Self::Simulated(_) => Ok(()),
        }
    }

    /// Gives it back.
    async fn close(&mut self) {
        if let Self::Several(start) = self {
            start.close().await;
        }
    }

    async fn once(&self, loaded: &Loaded, directory: &Path) -> Result<Finished> {
        match self {
            Self::Emulated(start) => emulated::once(start, loaded, directory).await,
            Self::Several(start) => several::once(start, loaded, directory).await,
            Self::Simulated(start) => simulated::once(start, loaded, directory).await,
        }
    }
}

async fn all(args: &Run, evidence: &mut Evidence) -> Result<i32> {
    let mut loaded = prepare(&args.start)?;
    evidence.loaded = args.bundle.is_some().then(|| loaded.clone());
    let carrier = Carrier::for_runs(args, &mut loaded);
    // There will be no outcome.
    let mut carrier = carrier.inspect_err(|_| eprint!("{}", loaded.warnings))?;
    if loaded.warning_count > 0 {
        let file = loaded.file.file_name().unwrap_or_default().display();
        note!("{file}: {}, below the outcome", counted(loaded.warning_count, "warning"));
    }
    let repetitions = Repetition::all(args.repeat, loaded.scenario.seed)?;
    let directory = results_directory(args.output.clone(), &loaded)?;
    let _handed = Handed::after([&*directory]);
    for file in args.junit.iter().chain(&args.bundle) {
        is_writable(file)?;
    }
    if let Some(bundle) = &args.bundle {
        forget(bundle)?;
    }
    let _page = match args.ui {
        true => Some(Page::open(&loaded.directory).await?),
        false => None,
    };
    carrier.open(&loaded.scenario.name).await?;
    let code = match repetitions {
        None => single(args, &carrier, &loaded, &directory, evidence).await,
        Some(all) => repeated(args, &carrier, (&mut loaded, all), &directory, evidence).await,
    };
    carrier.close().await;
    if !args.quiet {
        eprint!("{}", loaded.warnings);
    }
    code
}

/// Runs it once.
async fn single(
    args: &Run,
    carrier: &Carrier,
    loaded: &Loaded,
    directory: &Path,
    evidence: &mut Evidence,
) -> Result<i32> {
    evidence.failed.push(directory.to_owned());
    let finished = carrier.once(loaded, directory).await?;
    if let Some((run, reached)) = &finished.results {
        keep(args, evidence, None, (run, reached))?;
        let report = report::write_beside(run, reached).then(|| report::beside(directory));
        let outcome = outcome_of(&run.summary, finished.code(args.strict));
        match args.quiet {
            _ if output::is_lines() => ended(&run.summary, &finished, args.strict, directory),
            false => print!("{}", summary::page(&run.summary, directory, report.as_deref())),
            true => {
                outcome.iter().for_each(|line| println!("{line}"));
                if finished.code(args.strict) != exit::SUCCESS {
                    println!("results: {}", directory.display());
                }
            }
        }
        evidence.outcome = outcome;
    }
    if !args.quiet {
        finished.warnings.finish();
    }
    Ok(finished.code(args.strict))
}

/// Prints the end of a run as a line of JSON.
fn ended(summary: &Summary, finished: &Finished, strict: bool, directory: &Path) {
    let code = finished.code(strict);
    output::progress(|| {
        Progress::Ended(RunEnd {
            results: directory.to_owned(),
            success: summary.success,
            judgement: summary.verdict.as_ref().map(|verdict| verdict.judgement),
            code,
            outcome: outcome_of(summary, code),
        })
    });
}

/// Returns how a run has ended, and why if that is a failure.
fn outcome_of(summary: &Summary, code: i32) -> Vec<String> {
    let mut lines = summary::outcome(summary);
    if code == exit::INVALID {
        lines.extend(summary::verdict(summary));
    }
    lines
}

/// Runs it several times, each with a seed and a folder of its own.
async fn repeated(
    args: &Run,
    carrier: &Carrier,
    (loaded, repetitions): (&mut Loaded, Vec<Repetition>),
    directory: &Path,
    evidence: &mut Evidence,
) -> Result<i32> {
    // A signal may come between two runs.
    let mut interrupts = Interrupts::watch()?;
    let mut outcome = Outcome::of(repetitions.len());
    for repetition in repetitions {
        if let Some(signal) = interrupts.next().now_or_never() {
            outcome.interrupted(128 + signal);
            break;
        }
        loaded.scenario.seed = repetition.seed;
        let folder = directory.join(repetition.folder());
        let ended = carrier.once(loaded, &folder).await;
        let interrupted = interrupts.next().now_or_never().map(|signal| 128 + signal);
        let mut judgement = None;
        let code = match ended {
            Ok(finished) => {
                if let Some((run, reached)) = &finished.results {
                    keep(args, evidence, Some(&repetition), (run, reached))?;
                    report::write_beside(run, reached);
                    let code = finished.code(args.strict);
                    let mut lines = outcome_of(&run.summary, code);
                    judgement = run.summary.verdict.as_ref().map(|of| of.judgement);
                    lines[0] += &judgement.map_or_else(
                        || "; not judged".into(),
                        |judgement| format!("; {}", judgement.to_string().to_uppercase()),
                    );
                    match output::is_lines() {
                        true => self::ended(&run.summary, &finished, args.strict, &folder),
                        false => repetition.show(&lines, code == exit::SUCCESS),
                    }
                }
                if !args.quiet {
                    finished.warnings.finish();
                }
                finished.code(args.strict)
            }
            // What does not even work once is no failure of some runs.
            Err(error) if repetition.number == 1 || interrupted.is_some() => return Err(error),
            Err(error) => {
                let message = netloom_api::in_words(error.as_ref());
                repetition.show(&[format!("error: {message}")], false);
                let name = loaded.scenario.name.clone();
                evidence.junit.add_error(&name, "run", &message, Some(&repetition));
                code_of(&error)
            }
        };
        if let Some(code) = interrupted.or((code > 128).then_some(code)) {
            outcome.interrupted(code);
            break;
        }
        outcome.judged(judgement);
        if outcome.add(&repetition, code) {
            evidence.failed.push(folder);
        }
    }
    evidence.outcome = vec![outcome.to_string()];
    if output::is_lines() {
        output::progress(|| Progress::Note(outcome.to_string()));
        return Ok(outcome.code());
    }
    if !args.quiet {
        println!("results: {}", directory.display());
    }
    println!("{outcome}");
    Ok(outcome.code())
}

/// Adds a run to the report for CI, which is written anew.
fn keep(
    args: &Run,
    evidence: &mut Evidence,
    repetition: Option<&Repetition>,
    (run, directory): (&Kept, &Path),
) -> Result<()> {
    evidence.junit.add(run, directory, args.strict, repetition);
    args.junit.as_ref().map_or(Ok(()), |file| evidence.junit.write(file))
}
