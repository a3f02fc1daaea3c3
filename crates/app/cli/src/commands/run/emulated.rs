//! A run in namespaces: the network is brought up, the run is followed, and the network is gone.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Result, bail};
use netloom_api::event::{Event, What};
use netloom_api::launch::{Calibration, Mode};
use netloom_api::progress::Progress;
use netloom_monitor::Change;

use super::finished::Finished;
use crate::client::{Client, Events};
use crate::commands::bring_up::until_ready;
use crate::commands::summary;
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::Engine;
use crate::warnings::Warnings;
use crate::{output, results};

/// How runs are started.
pub struct Start {
    pub workers: Option<usize>,
    pub calibration: Calibration,
    pub fail_fast: bool,
}

/// Runs a scenario into `directory`.
pub async fn once(start: &Start, loaded: &Loaded, directory: &Path) -> Result<Finished> {
    // From here on a signal ends the run, and no longer this program.
    let interrupts = Interrupts::watch()?;
    let mode = Mode::Run { results: directory.to_owned(), fail_fast: start.fail_fast };
    let mut engine = Engine::start(loaded, start.workers, start.calibration.clone(), mode).await?;
    let name = loaded.scenario.name.clone();
    let mut interrupts = match until_ready(&mut engine, interrupts, &name).await? {
        ControlFlow::Continue(interrupts) => interrupts,
        ControlFlow::Break(code) => return Ok(Finished::without_results(code)),
    };
    let held = results::Held::new(directory);
    let client = Client::new(&name, &netloom_host::inspect(&name)?.socket);
    let is_watched = std::io::stderr().is_terminal() && !output::is_quiet();
    let mut warnings = if is_watched { Warnings::default() } else { Warnings::for_later() };
    if is_watched {
        eprintln!("{name}: {} up; Ctrl-C ends the run", loaded.scenario.size());
    }
    let show = |event: &Event| show(event, is_watched, &mut warnings);
    let interrupted = match follow(&client, &mut engine, &mut interrupts, show).await {
        Ok(interrupted) => interrupted,
        Err(error) => {
            engine.kill().await?;
            netloom_host::cleanup(&name)?;
            return Err(error);
        }
    };
    let ended = engine.wait().await?;
    if let Some(summary) = ended.unwritten
        && !output::is_lines()
    {
        print!("{}", summary::page(&summary, directory, None));
    }
    // The directory that was written to, even if another has taken its path since.
    let reached = held.as_ref().map_or_else(|_| directory.to_owned(), results::Held::path);
    if !ended.status.success() || !reached.join("summary.json").exists() {
        netloom_host::cleanup(&name)?;
        // The space that was reserved for the summary.
        let _ = std::fs::remove_file(reached.join("summary.json.part"));
        let how = match ended.error {
            Some(error) => format!("ended with an error: {error}"),
            None => format!("died during the run ({})", ended.status),
        };
        bail!(
            "the engine of `{name}` {how}; everything it had made is removed, and what it had \
             written is in {}",
            directory.display()
        );
    }
    let run = results::read(&reached)?;
    Ok(Finished { interrupted, results: Some((run, reached)), warnings, _held: held.ok() })
}

/// Shows events until the run has ended. Returns the exit code if a signal asked for its end. A
/// second one kills the engine.
async fn follow(
    client: &Client,
    engine: &mut Engine,
    interrupts: &mut Interrupts,
    mut show: impl FnMut(&Event),
) -> Result<Option<i32>> {
    let mut events: Events = client.events(0).await?;
    let mut interrupted = None;
    loop {
        tokio::select! {
            event = events.next() => match event? {
                Some(event) => show(&event),
                None => return Ok(interrupted),
            },
            signal = interrupts.next() => {
                if interrupted.is_some() {
                    return kill(engine).await;
                }
                interrupted = Some(128 + signal);
                eprintln!("ending the run and keeping its results; Ctrl-C again to kill it");
                // An engine that does not answer must not delay the second signal.
                tokio::select! {
                    asked = client.shutdown() => asked?,
                    _ = interrupts.next() => return kill(engine).await,
                }
            }
        }
    }
}

async fn kill(engine: &mut Engine) -> Result<Option<i32>> {
    engine.kill().await?;
    bail!("interrupted twice: the run was killed and its results are incomplete")
}

/// Shows an event to a user who watches. Warnings are shown to everybody.
pub fn show(event: &Event, watched: bool, warnings: &mut Warnings) {
    output::progress(|| Progress::Event(Box::new(event.clone())));
    match &event.what {
        What::Warning { message } => warnings.show(message),
        What::MemoryKilled { .. } => warnings.show(&event.what.in_words()),
        What::Phase { .. } => {}
        // Warnings report the beginning and growth of contention.
        What::Contention { signal } if signal.change != Change::Ended => {}
        what if watched => {
            let time = event.time.as_secs_f64();
            eprintln!("{time:>10.3} s  {}", what.in_words());
        }
        _ => {}
    }
}
