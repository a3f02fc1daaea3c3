//! `netloom run`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use netloom_api::event::{EndReason, Event, What};
use netloom_api::launch::Mode;
use netloom_api::summary::Summary;
use netloom_monitor::{Change, Judgement};

use super::deploy::clean_after_death;
use super::summary;
use crate::args::Run;
use crate::client::{Client, Events};
use crate::find::Loaded;
use crate::launch::{Engine, prepare};
use crate::table::counted;
use crate::{Machine, exit, profile_file};

/// Brings the network up, follows the run, prints its summary.
pub async fn run(machine: &dyn Machine, args: Run) -> Result<i32> {
    let mut loaded = prepare(&args.start)?;
    if args.frames {
        let all = loaded.scenario.links.iter().map(|link| link.name.clone());
        loaded.scenario.measure.frames = all.collect();
    }
    let results = results_directory(args.output, &loaded)?;
    let mode = Mode::Run { results: results.clone() };
    let mut engine =
        Engine::start(&loaded, args.start.workers, profile_file::calibration(machine), mode)
            .await?;
    let name = loaded.scenario.name.clone();
    // From here on Ctrl-C no longer ends this program: it ends the run.
    let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    let ready = tokio::select! {
        ready = engine.ready() => ready,
        _ = interrupts.recv() => {
            engine.kill().await?;
            machine.cleanup(&name)?;
            eprintln!("interrupted; nothing of `{name}` is left");
            return Ok(exit::INTERRUPTED);
        }
    };
    if let Err(error) = ready {
        clean_after_death(machine, &mut engine, &name).await?;
        return Err(error);
    }
    let client = Client::new(&name, &machine.inspect(&name)?.socket);
    let followed = follow(&client, &mut engine, &mut interrupts, &loaded).await;
    let interrupted = match followed {
        Ok(interrupted) => interrupted,
        Err(error) => {
            engine.kill().await?;
            machine.cleanup(&name)?;
            return Err(error);
        }
    };
    let status = engine.wait().await?;
    let summary_file = results.join("summary.json");
    if !status.success() || !summary_file.exists() {
        machine.cleanup(&name)?;
        bail!(
            "the engine of `{name}` died during the run ({status}); everything it had made is \
             removed, and what it had written is in {}",
            results.display()
        );
    }
    let text = std::fs::read_to_string(&summary_file)?;
    let summary: Summary = serde_json::from_str(&text).context("cannot understand summary.json")?;
    summary::print(&summary, &results);
    let invalid =
        summary.verdict.as_ref().is_none_or(|verdict| verdict.judgement == Judgement::Invalid);
    Ok(match (interrupted, summary.success) {
        (true, _) => exit::INTERRUPTED,
        (false, false) => exit::RUN_FAILED,
        (false, true) if args.strict && invalid => exit::INVALID,
        (false, true) => exit::SUCCESS,
    })
}

/// The directory that was asked for, or a new one named after experiment and time; absolute.
fn results_directory(wanted: Option<PathBuf>, loaded: &Loaded) -> Result<PathBuf> {
    let directory = wanted.unwrap_or_else(|| {
        let time = chrono::Local::now().format("%Y-%m-%dT%H-%M-%S%.3f").to_string();
        Path::new("netloom-results").join(&loaded.scenario.name).join(time)
    });
    if directory.exists() {
        return Err(exit::usage(format!(
            "{} exists already; results are never overwritten: choose another directory",
            directory.display()
        )));
    }
    std::path::absolute(&directory).context("cannot find the current folder")
}

/// Shows events until the run has ended; whether the user interrupted it. A second Ctrl-C kills the
/// engine.
async fn follow(
    client: &Client,
    engine: &mut Engine,
    interrupts: &mut tokio::signal::unix::Signal,
    loaded: &Loaded,
) -> Result<bool> {
    let watched = std::io::stderr().is_terminal();
    if watched {
        let scenario = &loaded.scenario;
        let nodes = counted(scenario.nodes.len(), "node");
        let links = counted(scenario.links.len(), "link");
        eprintln!("{}: {nodes} and {links} up; Ctrl-C ends the run", scenario.name);
    }
    let mut events: Events = client.events(0).await?;
    let mut interrupted = false;
    loop {
        tokio::select! {
            event = events.next() => match event? {
                Some(event) => show(&event, watched),
                None => return Ok(interrupted),
            },
            _ = interrupts.recv() => {
                if interrupted {
                    engine.kill().await?;
                    bail!("interrupted twice: the run was killed and its results are incomplete");
                }
                interrupted = true;
                eprintln!("ending the run and keeping its results; Ctrl-C again to kill it");
                client.shutdown().await?;
            }
        }
    }
}

/// Shows an event to somebody who watches; warnings to everybody.
fn show(event: &Event, watched: bool) {
    let line = match &event.what {
        What::Warning { message } => {
            eprintln!("warning: {message}");
            return;
        }
        What::Changed { changes, .. } => changes
            .iter()
            .map(|change| {
                let what = serde_json::to_string(&change.change).unwrap_or_default();
                format!("link {} {what}", change.link)
            })
            .collect::<Vec<_>>()
            .join(", "),
        What::ChangeFailed { reason, .. } => format!("a change failed: {reason}"),
        What::ProcessStarted { process, node, .. } => format!("{process}@{node} started"),
        What::ProcessReady { process, node } => format!("{process}@{node} ready"),
        What::ProcessEnded { process, node, code } => {
            format!("{process}@{node} ended with code {code}")
        }
        What::ProcessFailed { process, node, reason } => format!("{process}@{node} {reason}"),
        What::CommandEnded { node, command, code, .. } => {
            format!("`{}` in {node} ended with code {code}", command.join(" "))
        }
        What::Contention { signal } if signal.change == Change::Ended => {
            format!("contention ended: {} on {}", signal.signal, signal.on)
        }
        // Warnings tell of the others.
        What::Contention { .. } => return,
        What::RunEnded { reason: EndReason::Contention } => "run ended by contention".into(),
        What::RunEnded { .. } => "run ended".into(),
        What::Phase { .. } => return,
    };
    if watched {
        eprintln!("{:>10.3} s  {line}", event.time.as_nanos() as f64 / 1e9);
    }
}
