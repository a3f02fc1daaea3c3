//! What the server of the web UI has in common with the command line.

use std::path::Path;

use anyhow::Result;
use netloom_api::ui::job::{Action, Plan};
use netloom_scenario::Diagnostics;

use crate::args::{ScenarioFile, StartOptions};
use crate::client::Client;
use crate::commands::apply;
use crate::find::{self, Loaded};
use crate::launch;

/// A scenario's file, read with the options of an action.
pub struct Prepared(Loaded);

/// Loads a scenario's text. The files that it names are relative to `directory`.
///
/// # Errors
/// All errors of the text.
pub fn load(text: &str, directory: &Path) -> Result<netloom_scenario::Loaded, Diagnostics> {
    find::load(text, directory)
}

/// Reads a scenario's file.
///
/// # Errors
/// All errors of the scenario.
pub fn prepare(file: &Path, action: &Action) -> Result<Prepared> {
    let scenario = ScenarioFile { file: Some(file.into()), ..ScenarioFile::default() };
    let dilation = action.dilation.map(|factor| factor.to_string().parse());
    let options = StartOptions {
        scenario,
        name: action.name.clone(),
        seed: action.seed,
        dilation: dilation.transpose().map_err(anyhow::Error::msg)?,
        workers: None,
    };
    launch::prepare(&options).map(Prepared)
}

/// Returns what `netloom apply` would do.
///
/// # Errors
/// The engine cannot be asked.
pub async fn plan(Prepared(loaded): &Prepared) -> Result<Plan> {
    let experiment = loaded.scenario.name.clone();
    let found = netloom_host::inspect(&experiment)?;
    let running = found.alive && Client::of(&found).is_reachable().await;
    let size = loaded.scenario.size().to_string();
    let mut plan =
        Plan { experiment, running, size, refused: None, steps: Vec::new(), notes: Vec::new() };
    if running {
        match apply::ask(&found, loaded, true).await {
            Ok(response) => (plan.steps, plan.notes) = (response.steps, response.notes),
            Err(error) => plan.refused = Some(netloom_api::in_words(error.as_ref())),
        }
    }
    Ok(plan)
}
