//! `netloom run --simulate`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow};
use netloom_api::event::EndReason;
use netloom_api::summary::Summary;
use netloom_simulate::symbiosis::{Replay, replay};
use netloom_simulate::{Commands, Job, Progress, check};
use netloom_units::readable::count;

use super::{junit, report, summary};
use crate::args::Run;
use crate::exit;
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::{all_frames, prepare, results_directory};
use crate::owner::Handed;
use crate::results;
use crate::warnings::Warnings;

/// Simulates a scenario and prints its summary.
pub async fn run(args: Run) -> Result<i32> {
    let mut loaded = junit::or_refused(prepare(&args.start), args.junit.as_deref())?;
    if let Some(metadata) = args.metadata {
        return repeat(loaded, metadata, args.output).await;
    }
    if !loaded.scenario.dilation.is_none() {
        eprintln!(
            "note: `dilation` has no effect: a simulation's time does not hang on the machine's"
        );
    }
    let commands = if args.without_commands { Commands::LeftOut } else { Commands::Refused };
    let support = check(&loaded.scenario, commands);
    if !support.errors.is_empty() {
        return Err(exit::usage(support.errors.join("\nerror: ")));
    }
    for note in &support.notes {
        eprintln!("note: {note}");
    }
    let mut warnings = Warnings::default();
    for what in &support.left_out {
        warnings.show(&format!("left out: {what}"));
    }
    warnings.finish();
    if args.frames {
        all_frames(&mut loaded.scenario, |_| true);
    }
    let directory = results_directory(args.output, &loaded)?;
    let _handed = Handed::after([&*directory].into_iter().chain(args.junit.as_deref()));
    let job = Job {
        scenario: loaded.scenario,
        source: loaded.source,
        file: loaded.file,
        results: directory.clone(),
        commands,
        processes: args.processes,
        threads: args.threads,
        cells: args.cells,
    };
    let ended = simulate(move |stop, progress| netloom_simulate::run(&job, stop, progress)).await?;
    show_ended(ended, &directory, args.junit.as_deref(), args.strict)
}

/// Repeats the simulation of a symbiotic run.
async fn repeat(loaded: Loaded, metadata: PathBuf, output: Option<PathBuf>) -> Result<i32> {
    if !loaded.scenario.is_symbiotic() {
        return Err(exit::usage(
            "`--metadata` is of a symbiotic run, and the scenario has no `symbiosis`",
        ));
    }
    let directory = results_directory(output, &loaded)?;
    let Loaded { scenario, source, file, .. } = loaded;
    let job = Replay { scenario, source, file, results: directory.clone(), metadata };
    let ended = simulate(move |stop, progress| replay(&job, stop, progress)).await?;
    show_ended(ended, &directory, None, false)
}

/// Prints the summary of a simulation. Returns the exit code for how it ended.
fn show_ended(ended: Ended, directory: &Path, junit: Option<&Path>, strict: bool) -> Result<i32> {
    let run = results::read(directory)?;
    if let Some(file) = junit {
        junit::write(&run, directory, file, strict)?;
    }
    let report = report::write_beside(&run, directory).then(|| report::beside(directory));
    print!("{}", summary::page(&run.summary, directory, report.as_deref()));
    Ok(match ended {
        Ended::Interrupted(signal) => 128 + signal,
        Ended::Failed => exit::RUN_FAILED,
        Ended::Well => exit::SUCCESS,
    })
}

/// The end of a simulation.
enum Ended {
    Well,
    Failed,
    Interrupted(i32),
}

/// Simulates on a thread of its own, so that a signal ends the run and keeps its results.
async fn simulate(
    run: impl FnOnce(&AtomicBool, &mut dyn FnMut(Progress)) -> Result<Summary> + Send + 'static,
) -> Result<Ended> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut interrupts = Interrupts::watch()?;
    let stopped = stop.clone();
    let watched = std::io::stderr().is_terminal();
    let mut simulation = tokio::task::spawn_blocking(move || {
        run(&stopped, &mut |progress| {
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
    Ok(match (summary.reason, interrupted) {
        (EndReason::Interrupted, Some(signal)) => Ended::Interrupted(signal),
        _ if summary.success => Ended::Well,
        _ => Ended::Failed,
    })
}

/// Shows the progress of the run.
fn show(Progress { simulated, whole, real, packet_hops }: Progress) {
    let real = real.as_secs_f64();
    let simulated = simulated.as_secs_f64();
    let of = whole.map(|whole| format!(" of {:.1}", whole.as_secs_f64())).unwrap_or_default();
    let rate = count((packet_hops as f64 / real.max(1e-9)) as u64);
    eprintln!("{simulated:>10.3}{of} s simulated in {real:.1} s; {rate} packet-hops/s");
}
