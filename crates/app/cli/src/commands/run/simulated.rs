//! A simulated run: `netloom run --simulate`.

use std::io::IsTerminal;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use netloom_api::event::EndReason;
use netloom_api::progress::{Progress as Line, Readiness, Simulated};
use netloom_api::summary::Summary;
use netloom_simulate::symbiosis::{Replay, replay};
use netloom_simulate::{Commands, Job, Progress, check};
use netloom_units::readable::count;
use netloom_watch::{Simulation, Subject};

use super::finished::Finished;
use crate::args::Run;
use crate::commands::{report, summary};
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::{all_frames, results_directory};
use crate::owner::Handed;
use crate::warnings::Warnings;
use crate::{exit, output, results};

/// How runs are simulated.
pub struct Start {
    commands: Commands,
    processes: Option<NonZeroU32>,
    threads: Option<NonZeroU32>,
    cells: Option<NonZeroU32>,
    /// Whether others may watch them.
    watched: bool,
}

impl Start {
    /// Checks that `loaded` can be simulated. What is left out of it is added to its warnings.
    pub fn new(args: &Run, loaded: &mut Loaded) -> Result<Self> {
        if !loaded.scenario.dilation.is_none() {
            loaded.warnings += "note: `dilation` has no effect: a simulation's time does not hang \
                                on the machine's\n";
        }
        let commands = if args.without_commands { Commands::LeftOut } else { Commands::Refused };
        let support = check(&loaded.scenario, commands);
        if !support.errors.is_empty() {
            return Err(exit::usage(support.errors.join("\nerror: ")));
        }
        let mut warnings = Warnings::for_later();
        for note in &support.notes {
            loaded.warnings += &format!("note: {note}\n");
        }
        for what in &support.left_out {
            warnings.show(&format!("left out: {what}"));
        }
        loaded.warning_count += support.left_out.len();
        warnings.lines().for_each(|line| loaded.warnings += &format!("{line}\n"));
        if args.frames {
            all_frames(&mut loaded.scenario, |_| true);
        }
        let Run { processes, threads, cells, ui, watched, .. } = *args;
        Ok(Self { commands, processes, threads, cells, watched: ui || watched })
    }
}

/// Simulates a scenario into `directory`.
pub async fn once(start: &Start, loaded: &Loaded, directory: &Path) -> Result<Finished> {
    let job = Job {
        scenario: loaded.scenario.clone(),
        source: loaded.source.clone(),
        file: loaded.file.clone(),
        results: directory.to_owned(),
        commands: start.commands,
        processes: start.processes,
        threads: start.threads,
        cells: start.cells,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let watched = start.watched.then(|| watch(&job, stop.clone())).transpose()?;
    let (interrupted, summary) = simulate(stop, move |stop, progress| {
        let audience = watched.as_ref().map(Simulation::audience);
        netloom_simulate::run(&job, audience, stop, progress)
    })
    .await?;
    let results = Some((results::of(directory, summary), directory.to_owned()));
    Ok(Finished { interrupted, results, warnings: Warnings::default(), _held: None })
}

/// Has a run found like an experiment, and watched, until the result is dropped.
fn watch(job: &Job, stop: Arc<AtomicBool>) -> Result<Simulation> {
    let begun = Instant::now();
    let Job { scenario, source, file, results, .. } = job.clone();
    let results = std::path::absolute(results)?;
    let simulation = Simulation::open(Subject { scenario, source, file, results }, stop);
    let simulation = simulation.context("the simulation cannot be watched")?;
    output::progress(|| {
        Line::Ready(Readiness {
            experiment: simulation.name().into(),
            socket: simulation.socket(),
            engine_pid: std::process::id(),
            seconds: begun.elapsed().as_secs_f64(),
        })
    });
    Ok(simulation)
}

/// Repeats the simulation of a symbiotic run.
pub async fn again(loaded: Loaded, metadata: PathBuf, output: Option<PathBuf>) -> Result<i32> {
    if !loaded.scenario.is_symbiotic() {
        return Err(exit::usage(
            "`--metadata` is of a symbiotic run, and the scenario has no `symbiosis`",
        ));
    }
    let directory = results_directory(output, &loaded)?;
    let _handed = Handed::after([&*directory]);
    eprint!("{}", loaded.warnings);
    let Loaded { scenario, source, file, .. } = loaded;
    let job = Replay { scenario, source, file, results: directory.clone(), metadata };
    let stop = Arc::new(AtomicBool::new(false));
    let (interrupted, summary) =
        simulate(stop, move |stop, progress| replay(&job, stop, progress)).await?;
    let run = results::of(&directory, summary);
    let report = report::write_beside(&run, &directory).then(|| report::beside(&directory));
    print!("{}", summary::page(&run.summary, &directory, report.as_deref()));
    let code = if run.summary.success { exit::SUCCESS } else { exit::RUN_FAILED };
    Ok(interrupted.unwrap_or(code))
}

/// Simulates on a thread of its own, so that a signal sets `stop`, which ends the run and keeps its
/// results. Returns the exit code for a signal that has ended it, and the summary.
async fn simulate(
    stop: Arc<AtomicBool>,
    run: impl FnOnce(&AtomicBool, &mut dyn FnMut(Progress)) -> Result<Summary> + Send + 'static,
) -> Result<(Option<i32>, Summary)> {
    let mut interrupts = Interrupts::watch()?;
    let stopped = stop.clone();
    let watched = std::io::stderr().is_terminal() && !output::is_quiet();
    let mut simulation = tokio::task::spawn_blocking(move || {
        run(&stopped, &mut |progress| {
            output::progress(|| {
                Line::Simulated(Simulated {
                    seconds: progress.simulated.as_secs_f64(),
                    whole_seconds: progress.whole.map(|whole| whole.as_secs_f64()),
                })
            });
            if watched {
                show(progress);
            }
        })
    });
    let mut interrupted = None;
    let summary = loop {
        tokio::select! {
            done = &mut simulation => {
                break done.map_err(|panic| anyhow!("the simulation died: {panic}"))??;
            }
            signal = interrupts.next() => {
                if interrupted.replace(signal).is_some() {
                    // The thread ends with the process.
                    std::process::exit(128 + signal);
                }
                stop.store(true, Ordering::Relaxed);
                eprintln!("ending the run and keeping its results; Ctrl-C again to kill it");
            }
        }
    };
    let was_interrupted = summary.reason == EndReason::Interrupted;
    Ok((interrupted.filter(|_| was_interrupted).map(|signal| 128 + signal), summary))
}

/// Shows the progress of the run.
fn show(Progress { simulated, whole, real, packet_hops }: Progress) {
    let real = real.as_secs_f64();
    let simulated = simulated.as_secs_f64();
    let of = whole.map(|whole| format!(" of {:.1}", whole.as_secs_f64())).unwrap_or_default();
    let rate = count((packet_hops as f64 / real.max(1e-9)) as u64);
    eprintln!("{simulated:>10.3}{of} s simulated in {real:.1} s; {rate} packet-hops/s");
}
