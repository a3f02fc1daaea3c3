//! `netloom run`

use std::fs::File;
use std::io::IsTerminal;
use std::ops::ControlFlow;

use anyhow::{Context, Result, bail};
use netloom_api::event::{Event, What};
use netloom_api::launch::Mode;
use netloom_monitor::{Change, Judgement};

use super::bring_up::until_ready;
use super::{junit, report, simulate, summary};
use crate::args::Run;
use crate::client::{Client, Events};
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::{Engine, all_frames, prepare, results_directory};
use crate::owner::Handed;
use crate::warnings::Warnings;
use crate::{exit, preflight, profile_file, results};

/// Brings the network up, follows the run, prints its summary.
pub async fn run(args: Run) -> Result<i32> {
    if let Some(file) = &args.junit {
        junit::forget(file)?;
    }
    if args.simulate {
        return simulate::run(args).await;
    }
    let mut loaded = junit::or_refused(prepare(&args.start), args.junit.as_deref())?;
    preflight::check(&loaded.scenario)?;
    preflight::course(&loaded.scenario, &loaded.directory)?;
    if args.frames {
        all_frames(&mut loaded.scenario, |link| !link.direct);
    }
    let calibration = profile_file::calibration();
    preflight::compensation(&loaded.scenario, &calibration)?;
    let directory = results_directory(args.output, &loaded)?;
    let _handed = Handed::after([&*directory].into_iter().chain(args.junit.as_deref()));
    if let Some(file) = &args.junit {
        // An error of writing the file must be reported before the run, not after it.
        File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    }
    // CI is to know of a failure at once.
    let fail_fast = args.fail_fast.unwrap_or(args.junit.is_some());
    let mode = Mode::Run { results: directory.clone(), fail_fast };
    let mut engine = Engine::start(&loaded, args.start.workers, calibration, mode).await?;
    let name = loaded.scenario.name.clone();
    // From here on a signal ends the run, and no longer this program.
    let interrupts = Interrupts::watch()?;
    let mut interrupts = match until_ready(&mut engine, interrupts, &name).await? {
        ControlFlow::Continue(interrupts) => interrupts,
        ControlFlow::Break(code) => return Ok(code),
    };
    let held = results::Held::new(&directory);
    let client = Client::new(&name, &netloom_host::inspect(&name)?.socket);
    let followed = follow(&client, &mut engine, &mut interrupts, &loaded).await;
    let interrupted = match followed {
        Ok(interrupted) => interrupted,
        Err(error) => {
            engine.kill().await?;
            netloom_host::cleanup(&name)?;
            return Err(error);
        }
    };
    let ended = engine.wait().await?;
    if let Some(summary) = ended.unwritten {
        print!("{}", summary::page(&summary, &directory, None));
    }
    // The directory that was written to, even if another has taken its path since.
    let reached = held.as_ref().map_or_else(|_| directory.clone(), results::Held::path);
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
    if let Some(file) = &args.junit {
        junit::write(&run, &reached, file, args.strict)?;
    }
    let report = report::write_beside(&run, &reached).then(|| report::beside(&directory));
    print!("{}", summary::page(&run.summary, &directory, report.as_deref()));
    let verdict = run.summary.verdict.as_ref();
    let invalid = verdict.is_none_or(|verdict| verdict.judgement == Judgement::Invalid);
    Ok(match (interrupted, run.summary.success) {
        (Some(code), _) => code,
        (None, false) => exit::RUN_FAILED,
        (None, true) if args.strict && invalid => exit::INVALID,
        (None, true) => exit::SUCCESS,
    })
}

/// Shows events until the run has ended. Returns the exit code if a signal asked for its end. A
/// second one kills the engine.
async fn follow(
    client: &Client,
    engine: &mut Engine,
    interrupts: &mut Interrupts,
    loaded: &Loaded,
) -> Result<Option<i32>> {
    let watched = std::io::stderr().is_terminal();
    if watched {
        let scenario = &loaded.scenario;
        eprintln!("{}: {} ready; Ctrl-C ends the run", scenario.name, scenario.size());
    }
    let mut events: Events = client.events(0).await?;
    let mut interrupted = None;
    let mut warnings = Warnings::default();
    loop {
        tokio::select! {
            event = events.next() => match event? {
                Some(event) => show(&event, watched, &mut warnings),
                None => {
                    warnings.finish();
                    return Ok(interrupted);
                }
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
fn show(event: &Event, watched: bool, warnings: &mut Warnings) {
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
