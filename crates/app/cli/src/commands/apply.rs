//! `netloom apply`, and `netloom deploy` for an experiment that runs already.

use anyhow::{Context, Result, bail};
use netloom_api::apply::{ApplyRequest, ApplyResponse, ApplyStep, Part};
use netloom_api::progress::{Progress, Readiness};
use netloom_api::state::ExperimentStatus;
use netloom_host::Found;
use netloom_units::readable::counted;

use super::bring_up::bring_up;
use crate::args::{Apply, Format};
use crate::client::Client;
use crate::find::Loaded;
use crate::launch::prepare;
use crate::{exit, output};

/// Makes a running network match the present scenario, or brings it up if it does not run.
pub async fn apply(args: Apply) -> Result<i32> {
    let loaded = prepare(&args.start)?;
    eprint!("{}", loaded.warnings);
    let name = &loaded.scenario.name;
    let found = netloom_host::inspect(name)?;
    let client = Client::of(&found);
    if !found.alive || !client.is_reachable().await {
        if args.format == Format::Json {
            output::be_lines();
        }
        if !args.dry_run {
            let up = bring_up(&args.start, &loaded).await;
            // The engine lives but did not answer, and bringing the network up revealed that.
            let unheard = || format!("the engine of `{name}` does not answer; nothing has changed");
            return if found.alive { up.with_context(unheard) } else { up };
        }
        let words = format!("{name} does not run: {} would be brought up", loaded.scenario.size());
        match args.format {
            Format::Json => output::progress(|| Progress::Note(words)),
            Format::Table => println!("{words}"),
        }
        return Ok(exit::SUCCESS);
    }
    if args.start.workers.is_some() {
        bail!(
            "`{name}` runs already, with the workers that it was started with; leave out \
             `--workers`"
        );
    }
    let response = ask(&found, &loaded, args.dry_run).await?;
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&response)?),
        Format::Table => print(name, &response, args.dry_run),
    }
    Ok(exit::SUCCESS)
}

/// Checks for `deploy` that an experiment that runs already matches the scenario. Changes nothing.
pub async fn check_unchanged(found: &Found, loaded: &Loaded) -> Result<i32> {
    let name = &loaded.scenario.name;
    let response = ask(found, loaded, true).await.map_err(|error| {
        error.context(format!(
            "an experiment called `{name}` is already running; end it with `netloom destroy \
             {name}` or choose another name with `--name`"
        ))
    })?;
    if response.steps.is_empty() {
        let words = format!("{name} is up already, as the scenario says; nothing was done");
        match output::is_lines() {
            true => {
                let asked = Client::of(found);
                let status: ExperimentStatus = asked.get("/experiment").await?;
                output::progress(|| Progress::Note(words));
                output::progress(|| {
                    Progress::Ready(Readiness {
                        experiment: name.clone(),
                        socket: found.socket.clone(),
                        engine_pid: status.engine_pid,
                        seconds: 0.0,
                    })
                });
            }
            false => println!("{words}"),
        }
        return Ok(exit::SUCCESS);
    }
    let changes = counted(response.steps.len(), "change");
    let file = loaded.file.display();
    bail!(
        "an experiment called `{name}` is already running, and {changes} away from the scenario: \
         `netloom apply -t {file}` makes them and `--dry-run` shows them; or end it with `netloom \
         destroy {name}`, or choose another name with `--name`"
    )
}

/// Has the engine apply a scenario, or say what it would do.
pub async fn ask(found: &Found, loaded: &Loaded, dry_run: bool) -> Result<ApplyResponse> {
    let (scenario, file) = (loaded.scenario.clone(), loaded.file.clone());
    let request = ApplyRequest { scenario, text: Some(loaded.source.clone()), file, dry_run };
    Client::of(found).ask("/apply", &request).await
}

fn print(name: &str, response: &ApplyResponse, dry_run: bool) {
    for note in &response.notes {
        eprintln!("note: {note}");
    }
    if response.steps.is_empty() {
        println!("{name} is what the scenario says; nothing to do");
        return;
    }
    let (routes, others): (Vec<&ApplyStep>, Vec<&ApplyStep>) =
        response.steps.iter().partition(|step| step.part == Part::Routes);
    others.iter().for_each(|step| println!("{}", step.in_words()));
    match routes.as_slice() {
        [] => {}
        [step] => println!("{}", step.in_words()),
        // Routes follow from the rest, and may change in thousands of nodes.
        all => println!("~ routes of {}", counted(all.len(), "node")),
    }
    match response.at {
        Some(at) => println!("{name}: {} at {at}", counted(response.steps.len(), "change")),
        None if dry_run => println!("{name}: nothing was done yet"),
        None => {}
    }
}
