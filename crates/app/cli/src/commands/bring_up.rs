//! Brings up an experiment, and cleans up after an engine that died during the start.

use std::io;
use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Result, bail};
use netloom_api::launch::Mode;
use netloom_api::progress::{Progress, Readiness};
use netloom_api::summary::start_in_words;

use crate::args::StartOptions;
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::Engine;
use crate::{exit, output, preflight, profile_file};

/// Brings up an experiment that does not run, and lets it live on.
pub async fn bring_up(start: &StartOptions, loaded: &Loaded) -> Result<i32> {
    Ok(match ready(start, loaded, false).await? {
        ControlFlow::Continue(_) => exit::SUCCESS,
        ControlFlow::Break(code) => code,
    })
}

/// Brings up an experiment that does not run. With `lease`, it ends with this process. Breaks with
/// an exit code if a signal ends the start.
pub async fn ready(
    start: &StartOptions,
    loaded: &Loaded,
    lease: bool,
) -> Result<ControlFlow<i32, (Engine, Interrupts)>> {
    preflight::check(&loaded.scenario)?;
    let calibration = profile_file::calibration();
    preflight::compensation(&loaded.scenario, &calibration)?;
    let began = Instant::now();
    let interrupts = Interrupts::watch()?;
    let mut engine = Engine::start(loaded, start.workers, calibration, Mode::Deploy).await?;
    if lease {
        engine.keep_lease();
    }
    let name = &loaded.scenario.name;
    let interrupts = match until_ready(&mut engine, interrupts, name).await? {
        ControlFlow::Continue(interrupts) => interrupts,
        ControlFlow::Break(code) => return Ok(ControlFlow::Break(code)),
    };
    let ready = began.elapsed().as_secs_f64();
    let up = engine.up.map(|up| up.duration_since(began).as_secs_f64());
    let engine_pid = engine.pid().unwrap_or_default();
    if output::is_lines() {
        let (experiment, socket) = (name.clone(), netloom_host::inspect(name)?.socket);
        let readiness = Readiness { experiment, socket, engine_pid, seconds: ready };
        output::progress(|| Progress::Ready(readiness));
    } else {
        println!(
            "{name}: {} {} (engine pid {engine_pid})",
            loaded.scenario.size(),
            start_in_words(up.unwrap_or(ready), up.map(|_| ready)),
        );
    }
    Ok(ControlFlow::Continue((engine, interrupts)))
}

/// Keeps an experiment up until standard input closes or a signal comes, then takes it down.
///
/// # Errors
/// Its engine has ended with an error. Nothing of the experiment is left.
pub async fn hold(mut engine: Engine, mut interrupts: Interrupts, name: &str) -> Result<i32> {
    let (closed, mut closes) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        // An input that cannot be read is at its end.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = closed.send(());
    });
    let mut code = exit::SUCCESS;
    let ended = tokio::select! {
        ended = engine.wait() => Some(ended?),
        _ = &mut closes => None,
        signal = interrupts.next() => {
            code = 128 + signal;
            None
        }
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            engine.let_go();
            interrupts.end_at_next(name);
            engine.wait().await?
        }
    };
    if !ended.status.success() {
        netloom_host::cleanup(name)?;
        let why = ended.error.unwrap_or_else(|| format!("died ({})", ended.status));
        bail!("the engine of `{name}` {why}; nothing of it is left");
    }
    Ok(code)
}

/// Waits until the network is ready. Breaks with an exit code if a signal ends the start: then
/// nothing of the experiment `name` is left, nor is after an error.
pub async fn until_ready(
    engine: &mut Engine,
    mut interrupts: Interrupts,
    name: &str,
) -> Result<ControlFlow<i32, Interrupts>> {
    let ready = tokio::select! {
        ready = engine.ready() => ready,
        signal = interrupts.next() => {
            interrupts.end_at_next(name);
            engine.kill().await?;
            netloom_host::cleanup(name)?;
            eprintln!("interrupted; nothing of `{name}` is left");
            return Ok(ControlFlow::Break(128 + signal));
        }
    };
    if let Err(error) = ready {
        clean_after_death(engine, name).await?;
        return Err(error);
    }
    Ok(ControlFlow::Continue(interrupts))
}

/// Cleans up after a failed start: an engine that died without a message may have left something. A
/// running experiment of the same name is not touched.
pub async fn clean_after_death(engine: &mut Engine, name: &str) -> Result<()> {
    engine.wait().await?;
    let found = netloom_host::inspect(name)?;
    if !found.alive && found.pid.is_some() {
        netloom_host::cleanup(name)?;
    }
    Ok(())
}
