//! Brings up an experiment, and cleans up after an engine that died during the start.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Result;
use netloom_api::launch::Mode;
use netloom_api::summary::start_in_words;

use crate::args::StartOptions;
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::Engine;
use crate::{exit, preflight, profile_file};

/// Brings up an experiment that does not run.
pub async fn bring_up(start: &StartOptions, loaded: &Loaded) -> Result<i32> {
    preflight::check(&loaded.scenario)?;
    let calibration = profile_file::calibration();
    preflight::compensation(&loaded.scenario, &calibration)?;
    let began = Instant::now();
    let interrupts = Interrupts::watch()?;
    let mut engine = Engine::start(loaded, start.workers, calibration, Mode::Deploy).await?;
    let name = &loaded.scenario.name;
    if let ControlFlow::Break(code) = until_ready(&mut engine, interrupts, name).await? {
        return Ok(code);
    }
    let ready = began.elapsed().as_secs_f64();
    let up = engine.up.map(|up| up.duration_since(began).as_secs_f64());
    println!(
        "{name}: {} {} (engine pid {})",
        loaded.scenario.size(),
        start_in_words(up.unwrap_or(ready), up.map(|_| ready)),
        engine.pid().unwrap_or_default(),
    );
    Ok(exit::SUCCESS)
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
