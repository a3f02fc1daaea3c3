//! Which scenario and which experiment a command means when it names none.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_scenario::Scenario;

use crate::args::ScenarioFile;
use crate::client::Client;
use crate::exit::{self, WithCode};
use crate::{Found, Machine, files};

/// A scenario file, read and resolved.
pub struct Loaded {
    /// The file, absolute.
    pub file: PathBuf,
    /// The directory it lies in.
    pub directory: PathBuf,
    /// Its text.
    pub source: String,
    /// What it says.
    pub scenario: Scenario,
}

/// Reads the scenario that `-t` names, or the only one in this folder. Warnings go to standard
/// error; errors come back as one message with all of them.
pub fn scenario(named: &ScenarioFile) -> Result<Loaded> {
    let file = match &named.file {
        Some(file) => file.clone(),
        None => only_scenario_here()?,
    };
    let source = read(&file)?;
    let absolute = fs::canonicalize(&file)
        .with_context(|| format!("cannot find the folder of {}", file.display()))?;
    let name = file.display().to_string();
    let directory = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
    let loaded = load(&source, &directory).map_err(|diagnostics| WithCode {
        code: exit::USAGE,
        message: diagnostics.render(&name, &source),
    })?;
    if !loaded.warnings.is_empty() {
        eprint!("{}", loaded.warnings.render(&name, &source));
    }
    Ok(Loaded { file: absolute, directory, source, scenario: loaded.scenario })
}

/// Loads a scenario's text; the files that it names are relative to `directory`.
pub fn load(
    source: &str,
    directory: &Path,
) -> Result<netloom_scenario::Loaded, netloom_scenario::Diagnostics> {
    netloom_scenario::load_with_files(source, &mut files::reader(directory))
}

/// Reads a scenario's text.
pub fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| {
        exit::usage(format!(
            "cannot read the scenario {}: {error}; is the path right and the file UTF-8 text?",
            file.display()
        ))
    })
}

/// The only scenario file of this folder.
fn only_scenario_here() -> Result<PathBuf> {
    let mut found = scenarios_here()?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(exit::usage(
            "there is no scenario in this folder (`netloom.yaml` or `*.netloom.yaml`); \
             name one with `-t FILE`",
        )),
        _ => {
            let names: Vec<String> = found.iter().map(|file| file.display().to_string()).collect();
            Err(exit::usage(format!(
                "there is more than one scenario in this folder ({}); name one with `-t FILE`",
                names.join(", ")
            )))
        }
    }
}

fn scenarios_here() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(".").context("cannot list this folder")? {
        let name = entry?.file_name();
        let Some(text) = name.to_str() else { continue };
        let stem = text.strip_suffix(".yaml").or_else(|| text.strip_suffix(".yml"));
        if stem.is_some_and(|stem| stem == "netloom" || stem.ends_with(".netloom")) {
            found.push(PathBuf::from(text));
        }
    }
    found.sort();
    Ok(found)
}

/// The experiment that is meant: by name, by scenario file, or the only living one; among several,
/// the one of the scenario in this folder.
pub fn experiment(
    machine: &dyn Machine,
    name: Option<&str>,
    named: &ScenarioFile,
) -> Result<Found> {
    if let Some(name) = name {
        return machine.inspect(name);
    }
    if named.file.is_some() {
        return machine.inspect(&scenario(named)?.scenario.name);
    }
    if let Some(found) = obvious_experiment(machine, named)? {
        return Ok(found);
    }
    let names: Vec<String> = machine.experiments()?.into_iter().map(|found| found.name).collect();
    Err(exit::usage(match names.is_empty() {
        true => "no experiment is running; `netloom deploy` or `netloom run` one".into(),
        false => format!("more than one experiment is running ({}); name one", names.join(", ")),
    }))
}

/// The only experiment, or among several the one of the scenario in this folder, if there is one.
pub fn obvious_experiment(machine: &dyn Machine, named: &ScenarioFile) -> Result<Option<Found>> {
    let mut found = machine.experiments()?;
    if found.len() > 1 && scenarios_here()?.len() == 1 {
        let here = scenario(named)?.scenario.name;
        found.retain(|experiment| experiment.name == here);
    }
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// A client of the experiment that is meant; an error if it does not run.
pub fn client(machine: &dyn Machine, name: Option<&str>, named: &ScenarioFile) -> Result<Client> {
    let found = experiment(machine, name, named)?;
    if !found.alive {
        let left = found.pid.is_some();
        let help = if left {
            format!("its engine has died: `netloom cleanup {}` removes what is left", found.name)
        } else {
            "`netloom inspect` lists what runs".to_string()
        };
        return Err(anyhow::anyhow!("experiment `{}` is not running; {help}", found.name));
    }
    Ok(Client::new(&found.name, &found.socket))
}

/// Splits `THING@EXPERIMENT`.
pub fn split_at(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('@') {
        Some((thing, experiment)) => (thing, Some(experiment)),
        None => (text, None),
    }
}
