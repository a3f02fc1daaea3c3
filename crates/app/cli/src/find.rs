//! Finds the scenario and the experiment of a command that names none.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_api::state::LinkStatus;
use netloom_host::Found;
use netloom_scenario::{Assignments, Called, Diagnostics, Scenario};

use crate::args::ScenarioFile;
use crate::client::Client;
use crate::exit::{self, WithCode};
use crate::files;

/// The name that stands for standard input instead of a scenario file.
const STANDARD_INPUT: &str = "-";

/// A scenario file, read and resolved.
#[derive(Clone)]
pub struct Loaded {
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Directory of the file.
    pub directory: PathBuf,
    /// Text of the file.
    pub source: String,
    /// The scenario.
    pub scenario: Scenario,
    /// Warnings about it, in words; empty if there are none.
    pub warnings: String,
    /// Number of the warnings.
    pub warning_count: usize,
    /// The scenario file, those laid over it, and those that it names.
    pub files: Vec<PathBuf>,
}

impl Loaded {
    /// A scenario without warnings that comes from no file of the user's.
    pub fn of(file: PathBuf, directory: PathBuf, source: String, scenario: Scenario) -> Self {
        let (warnings, warning_count, files) = (String::new(), 0, Vec::new());
        Self { file, directory, source, scenario, warnings, warning_count, files }
    }
}

/// Reads the scenario that `-t` names, or the only one in this folder. Warnings are printed to
/// standard error; the error has all errors in one message.
pub fn scenario(named: &ScenarioFile) -> Result<Loaded> {
    let loaded = unwarned(named)?;
    eprint!("{}", loaded.warnings);
    Ok(loaded)
}

/// Returns the files of the scenario that `named` names: itself, and those laid over it.
pub fn named_files(named: &ScenarioFile) -> Result<Vec<PathBuf>> {
    let file = match &named.file {
        Some(file) => file.clone(),
        None => only_scenario_here()?,
    };
    Ok(std::iter::once(file).chain(named.with.iter().cloned()).collect())
}

/// Reads a scenario as [`scenario`] does, and prints no warnings.
pub fn unwarned(named: &ScenarioFile) -> Result<Loaded> {
    let all = named_files(named)?;
    let file = &all[0];
    let absolute = match &named.directory {
        _ if is_standard_input(file) => {
            let directory = named.directory.as_deref().unwrap_or(Path::new("."));
            fs::canonicalize(directory)
                .map(|directory| directory.join(STANDARD_INPUT))
                .map_err(|error| exit::usage(format!("{}: {error}", directory.display())))
        }
        Some(_) => {
            let words = "`--directory` goes with a scenario from standard input, `-t -`; the \
                         folder of a file is its own";
            return Err(exit::usage(words));
        }
        None => fs::canonicalize(file)
            .with_context(|| format!("cannot find the folder of {}", file.display())),
    };
    let files = all.iter().map(|file| Ok((file.display().to_string(), read(file)?)));
    let files = files.collect::<Result<Vec<(String, String)>>>()?;
    let absolute = absolute?;
    let directory = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
    let borrowed = files.iter().map(|(name, text)| (&**name, &**text));
    let mut borrowed: Vec<(&str, &str)> = borrowed.collect();
    let source = together(&borrowed) + &set_in_words(&named.set);
    let texts: Vec<&str> = borrowed.iter().map(|(_, text)| *text).collect();
    let set = assignments(&named.set)?;
    if !set.text().is_empty() {
        borrowed.push(("--set", set.text()));
    }
    let mut reader = files::reader(&directory);
    let loaded = netloom_scenario::load_set(&texts, &set.settings(), &mut reader);
    let loaded = loaded.map_err(|diagnostics| WithCode {
        code: exit::USAGE,
        message: diagnostics.render_all(&borrowed),
    })?;
    let warnings = loaded.warnings.render_all(&borrowed);
    let warning_count = loaded.warnings.warning_count();
    let named = all.into_iter().filter(|file| !is_standard_input(file));
    let files = named.chain(reader.into_read()).collect();
    let scenario = loaded.scenario;
    Ok(Loaded { file: absolute, directory, source, scenario, warnings, warning_count, files })
}

/// Returns the texts of all files as one, each but the first below a line that names it.
fn together(files: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (place, (name, text)) in files.iter().enumerate() {
        if place > 0 {
            let ends = all.ends_with('\n') || all.is_empty();
            all += if ends { "" } else { "\n" };
            all += &format!("# with {name}\n");
        }
        all += text;
    }
    all
}

/// Reads the values of `--set`.
fn assignments(lines: &[String]) -> Result<Assignments> {
    Assignments::read(lines).map_err(|errors| {
        let message = Diagnostics::from(errors).render("--set", &lines.join("\n"));
        exit::usage(message)
    })
}

/// Returns what `--set` sets, as comments behind the scenario's text.
fn set_in_words(lines: &[String]) -> String {
    lines.iter().map(|line| format!("# set {line}\n")).collect()
}

/// Loads a scenario's text. The files that it names are relative to `directory`.
pub fn load(
    source: &str,
    directory: &Path,
) -> Result<netloom_scenario::Loaded, netloom_scenario::Diagnostics> {
    netloom_scenario::load_with_files(source, &mut files::reader(directory))
}

/// Whether `file` stands for standard input.
fn is_standard_input(file: &Path) -> bool {
    file == Path::new(STANDARD_INPUT)
}

/// Reads a scenario's text.
pub fn read(file: &Path) -> Result<String> {
    let text = match is_standard_input(file) {
        true => standard_input(),
        false => fs::read_to_string(file),
    };
    text.map_err(|error| {
        exit::usage(format!(
            "cannot read the scenario {}: {error}; is the path right and the file UTF-8 text?",
            file.display()
        ))
    })
}

/// Reads standard input up to its end or a zero byte, which no scenario contains. What follows is
/// for others: `--lease` waits for the end.
fn standard_input() -> io::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_until(0, &mut bytes)?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Returns the only scenario file of this folder.
pub fn only_scenario_here() -> Result<PathBuf> {
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

/// Finds the experiment of a command: by name, by scenario file, by the scenario in this folder,
/// or, only if there is none, the only one of the machine.
pub async fn experiment(name: Option<&str>, named: &ScenarioFile) -> Result<Found> {
    if let Some(name) = name {
        return netloom_host::inspect(name);
    }
    if named.file.is_some() {
        return netloom_host::inspect(&scenario(named)?.scenario.name);
    }
    let here = scenarios_here()?;
    let mut meant = candidates(&here).await?;
    match meant.len() {
        1 => Ok(meant.remove(0)),
        0 => Err(exit::usage(nothing_meant(&here, &netloom_host::experiments()?))),
        _ => {
            let whose = if here.is_empty() { "" } else { " of the scenarios in this folder" };
            let names = list(&meant);
            Err(exit::usage(format!(
                "more than one experiment{whose} is running ({names}); name one"
            )))
        }
    }
}

/// Returns the only experiment that a command without a name can refer to, if there is exactly one.
pub async fn obvious_experiment() -> Result<Option<Found>> {
    let mut meant = candidates(&scenarios_here()?).await?;
    Ok(if meant.len() == 1 { meant.pop() } else { None })
}

/// Returns the experiments that a command without a name can refer to. They are those of the
/// scenarios in this folder, by name, or else by the file that they were started from. Without a
/// scenario, they are all of the machine.
async fn candidates(here: &[PathBuf]) -> Result<Vec<Found>> {
    if here.is_empty() {
        return netloom_host::experiments();
    }
    let traces = netloom_host::names();
    let named = here.iter().filter_map(|file| name_in(file)).filter(|name| traces.contains(name));
    let by_name = named.map(|name| netloom_host::inspect(&name)).collect::<Result<Vec<_>>>()?;
    if !by_name.is_empty() {
        return Ok(by_name);
    }
    let others = netloom_host::experiments()?;
    let files: Vec<PathBuf> = here.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
    let origins = others.iter().map(|found| async {
        let client = Client::of(found);
        client.status_soon().await.map(|status| status.file)
    });
    let origins = futures_util::future::join_all(origins).await;
    let from_here = |origin: Option<PathBuf>| origin.is_some_and(|file| files.contains(&file));
    let others = others.into_iter().zip(origins);
    Ok(others.filter_map(|(found, origin)| from_here(origin).then_some(found)).collect())
}

/// Returns the name of the experiment of a scenario, if it can be read.
fn name_in(file: &Path) -> Option<String> {
    let source = fs::read_to_string(file).ok()?;
    let folder = fs::canonicalize(file).ok()?.parent()?.to_path_buf();
    load(&source, &folder).ok().map(|loaded| loaded.scenario.name)
}

/// Describes that no experiment fits, which others run, and how to name one.
fn nothing_meant(here: &[PathBuf], all: &[Found]) -> String {
    let others = match all {
        [] => "nor is any other: `netloom deploy` or `netloom run` it".to_owned(),
        [other] => format!("`{0}` is: name it, as in `netloom destroy {0}`", other.name),
        _ => {
            format!("others are ({}): name one, as in `netloom destroy {}`", list(all), all[0].name)
        }
    };
    match here {
        [] => "no experiment is running; `netloom deploy` or `netloom run` one".into(),
        [file] => match name_in(file) {
            Some(name) => {
                format!("`{name}`, the scenario in this folder, is not running; {others}")
            }
            None => format!(
                "no experiment of {} is running, which `netloom validate` finds wrong; {others}",
                file.display()
            ),
        },
        _ => format!("none of the {} scenarios in this folder is running; {others}", here.len()),
    }
}

fn list(found: &[Found]) -> String {
    let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
    names.join(", ")
}

/// Returns a client of the experiment of a command. Returns an error if it does not run.
pub async fn client(name: Option<&str>, named: &ScenarioFile) -> Result<Client> {
    let found = experiment(name, named).await?;
    if !found.alive {
        let left = found.pid.is_some();
        let help = if left {
            format!("its engine has died: `netloom cleanup {}` removes what is left", found.name)
        } else {
            "`netloom inspect` lists what runs".to_string()
        };
        return Err(anyhow::anyhow!("experiment `{}` is not running; {help}", found.name));
    }
    Ok(Client::of(&found))
}

/// Splits `THING@EXPERIMENT`.
pub fn split_at(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('@') {
        Some((thing, experiment)) => (thing, Some(experiment)),
        None => (text, None),
    }
}

/// Returns the link that a user calls `name`: by its name, or by its ends in either order.
///
/// # Errors
/// If it stands for several links.
pub fn link<'l>(links: &'l [LinkStatus], name: &str) -> Result<Option<&'l LinkStatus>> {
    let ends = links.iter().map(|link| {
        (link.name.as_str(), link.endpoints.each_ref().map(netloom_scenario::Endpoint::parts))
    });
    match Called::of(name, ends) {
        Called::Unknown => Ok(None),
        Called::One { place, .. } => Ok(Some(&links[place])),
        Called::Several(places) => {
            let all: Vec<&str> = places.iter().map(|place| links[*place].name.as_str()).collect();
            let all = all.join("`, `");
            Err(exit::usage(format!("`{name}` stands for several links: write one of `{all}`")))
        }
    }
}
