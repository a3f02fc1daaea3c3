//! The sweep file or the options, and all points, checked before anything runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use netloom_placement::{Local, Machines};
use netloom_scenario::{Diagnostic, Diagnostics, DrawingOptions, ReadFile};
use netloom_simulate::{Commands, check};
use netloom_sweep::{Mode, Point, RunKeys, Source, Sweep};

use super::asked;
use crate::find::Loaded;
use crate::{args, exit, files, placing, preflight, profile_file};

/// Most wrong points of which errors are shown.
const SHOWN: usize = 1;

/// A sweep whose points can all be run.
pub struct Setup {
    /// The sweep.
    pub sweep: Sweep,
    /// Its text.
    pub text: String,
    /// The points that are run.
    pub points: Vec<Point>,
    /// The scenario of each point.
    pub loaded: Vec<Loaded>,
    /// The keys of the runs of each point.
    pub keys: Vec<RunKeys>,
    /// The folder for its results.
    pub directory: PathBuf,
    /// The machines that its runs are spread over, if they are.
    pub machines: Option<Machines>,
}

/// The text of a sweep, and where it is from.
struct Origin {
    /// Its name in errors.
    name: String,
    /// The folder that its names are relative to.
    folder: PathBuf,
    text: String,
    /// Name of the folder of its results.
    results: String,
}

impl Origin {
    fn of(args: &args::Sweep) -> Result<Self> {
        match (&args.file, &args.topology) {
            (Some(file), _) => Self::of_file(file),
            (None, Some(scenario)) => Ok(Self::of_options(args, scenario)),
            (None, None) => Err(exit::usage("name a sweep file, or a scenario with `-t`")),
        }
    }

    fn of_file(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).map_err(|error| {
            exit::usage(format!(
                "cannot read the sweep {}: {error}; is the path right and the file UTF-8 text?",
                file.display()
            ))
        })?;
        let whole = fs::canonicalize(file)
            .with_context(|| format!("cannot find the folder of {}", file.display()))?;
        let folder = whole.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Self { name: file.display().to_string(), folder, text, results: stem(file, "") })
    }

    /// Writes the options as a sweep file.
    fn of_options(args: &args::Sweep, scenario: &Path) -> Self {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let mut text = format!("scenario: {}\n", quoted(&scenario.display().to_string()));
        text += "vary:\n";
        for one in &args.vary {
            let (path, values) = one.split_once('=').unwrap_or((one, ""));
            text += &format!("  {}: [{values}]\n", quoted(path));
        }
        if args.vary.is_empty() {
            text = text.replace("vary:\n", "vary: {}\n");
        }
        text += &format!("seeds: {}\nmetrics:\n", args.seeds.as_deref().unwrap_or("1"));
        for one in &args.metric {
            let (measure, what) = one.split_once('@').unwrap_or((one, ""));
            let of = match what {
                "" => String::new(),
                pipe if pipe.ends_with("/forward") || pipe.ends_with("/reverse") => {
                    format!("pipe: {}, ", quoted(pipe))
                }
                flow => format!("flow: {}, ", quoted(flow)),
            };
            text += &format!("  {}: {{{of}measure: {}}}\n", quoted(one), quoted(measure));
        }
        let folder = std::path::absolute(".").unwrap_or_default();
        Self { name: "the options".into(), folder, text, results: stem(scenario, ".sweep") }
    }
}

/// Returns the name of a file without `.yaml`, and with `end`.
fn stem(file: &Path, end: &str) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")).unwrap_or(&name);
    format!("{name}{end}")
}

impl Setup {
    /// Reads the sweep and checks all its points.
    ///
    /// # Errors
    /// All errors of the sweep's file, or those of the first point that cannot be run.
    pub fn new(args: &args::Sweep) -> Result<Self> {
        let origin = Origin::of(args)?;
        let machines = args.machines.as_deref().map(placing::machines).transpose()?;
        if let Some(local) = machines.as_ref().and_then(|machines| machines.local)
            && local != Local::default()
        {
            return Err(exit::usage(
                "runs of a sweep are whole on each machine: `local:N` has no network between them, \
                 so leave `delay`, `rate` and `loss` away",
            ));
        }
        let is_here = machines.as_ref().is_none_or(|machines| machines.local.is_some());
        let refused = |found: Diagnostics| exit::usage(found.render(&origin.name, &origin.text));
        let mut sweep = Sweep::parse(&origin.text).map_err(refused)?;
        if args.simulate {
            sweep.mode = Mode::Simulate;
        }
        let points = only(&args.only, &sweep)?;
        let inputs = inputs(&sweep, &origin)?;
        let (mut loaded, mut keys, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        // Those of most points are the same.
        let mut warnings = vec![String::new()];
        for point in &points {
            match point_of(&sweep, &origin, point, is_here) {
                Ok((one, named)) => {
                    if !warnings.contains(&one.warnings) {
                        warnings.push(one.warnings.clone());
                        note!("{}", one.warnings.trim_end());
                    }
                    keys.push(keys_of(&one, &sweep, named.iter().chain(&inputs))?);
                    loaded.push(one);
                }
                Err(error) => wrong.push((point, error)),
            }
        }
        if !wrong.is_empty() {
            return Err(exit::usage(in_words(&wrong, &sweep, points.len())));
        }
        let directory = args.output.clone();
        let directory =
            directory.unwrap_or_else(|| Path::new("netloom-results").join(&origin.results));
        let directory = std::path::absolute(directory).context("cannot find the current folder")?;
        Ok(Self { sweep, text: origin.text, points, loaded, keys, directory, machines })
    }

    /// Returns the run with a seed in words.
    pub fn in_words(&self, point: usize, seed: u64) -> String {
        format!("{}, seed {seed}", self.points[point].in_words(&self.sweep))
    }

    /// Returns the values of a point by the names of their parameters.
    pub fn values(&self, point: usize) -> BTreeMap<String, String> {
        let values = self.points[point].values(&self.sweep);
        values.map(|(parameter, value)| (parameter.name.clone(), value.to_owned())).collect()
    }
}

/// Returns what is wrong with points. Errors of one are shown; others are mostly the same.
fn in_words(wrong: &[(&Point, String)], sweep: &Sweep, of: usize) -> String {
    let mut text = String::new();
    for (point, error) in wrong.iter().take(SHOWN) {
        text += &format!("error: the point {}\n{}\n", point.in_words(sweep), error.trim_end());
    }
    let count = wrong.len();
    text + &format!("{count} of {of} points cannot be run; nothing was run\n")
}

/// Returns the points that `--only` lets through.
fn only(words: &[String], sweep: &Sweep) -> Result<Vec<Point>> {
    let mut points = sweep.points();
    for word in words {
        let names = || sweep.parameters.iter().map(|parameter| parameter.name.as_str());
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let place = names().position(|own| own == name).ok_or_else(|| {
            let all = names().collect::<Vec<_>>().join("`, `");
            exit::usage(format!("`--only {word}`: `vary` has no `{name}`; it has `{all}`"))
        })?;
        let values = &sweep.parameters[place].values;
        let choice = values.iter().position(|own| own == value).ok_or_else(|| {
            let all = values.join("`, `");
            exit::usage(format!("`--only {word}`: `{name}` has no such value; it has `{all}`"))
        })?;
        points.retain(|point| point.choices[place] == choice);
    }
    Ok(points)
}

/// A file that results depend on: its name, and the digest of its contents.
type Dependence = (String, [u8; 32]);

fn inputs(sweep: &Sweep, origin: &Origin) -> Result<Vec<Dependence>> {
    let mut found = Vec::new();
    for (name, at) in &sweep.inputs {
        let bytes = fs::read(origin.folder.join(name)).map_err(|error| {
            let error = Diagnostic::error(*at, format!("cannot read the input `{name}`: {error}"));
            let found = Diagnostics::from(vec![error.with_help(
                "name files that are there, relative to the sweep's file, or leave it out",
            )]);
            exit::usage(found.render(&origin.name, &origin.text))
        })?;
        found.push((name.clone(), RunKeys::contents(&bytes)));
    }
    Ok(found)
}

/// Loads and checks the scenario of a point, which is to run here or elsewhere. Returns also the
/// files that it names. The error is in words.
fn point_of(
    sweep: &Sweep,
    origin: &Origin,
    point: &Point,
    is_here: bool,
) -> Result<(Loaded, Vec<Dependence>), String> {
    let (file, name, text) = source(sweep, origin, point)?;
    let directory = file.parent().unwrap_or(Path::new("/")).to_owned();
    let mut reader = files::reader(&directory);
    let settings = sweep.settings(point);
    let shown: [(&str, &str); 2] = [(&name, &text), (&origin.name, &origin.text)];
    let loaded = load(&text, &settings, &mut reader).map_err(|found| found.render_all(&shown))?;
    let mut named: Vec<PathBuf> = reader.into_read();
    named.sort();
    named.dedup();
    let named = named.iter().map(|path| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(&directory).unwrap_or(path).display().to_string();
        Ok((name, RunKeys::contents(&bytes)))
    });
    let named = named.collect::<Result<Vec<Dependence>, String>>()?;
    let set = point.values(sweep).map(|(parameter, value)| format!("{}={value}", parameter.name));
    let source: String = set.map(|line| format!("# set {line}\n")).collect();
    let warnings = loaded.warnings.render_all(&shown);
    let mut one = Loaded::of(file, directory, text.clone() + &source, loaded.scenario);
    one.warnings = warnings;
    let missing = asked::missing(sweep, &one.scenario);
    if !missing.is_empty() {
        return Err(Diagnostics::from(missing).render(&origin.name, &origin.text));
    }
    can_run(sweep, &one, is_here)?;
    Ok((one, named))
}

fn load(
    text: &str,
    settings: &[netloom_scenario::Setting<'_>],
    reader: &mut dyn ReadFile,
) -> Result<netloom_scenario::Loaded, Diagnostics> {
    netloom_scenario::load_set(&[text], settings, reader)
}

/// Returns the file of a point's scenario, its name for people, and its text.
fn source(
    sweep: &Sweep,
    origin: &Origin,
    point: &Point,
) -> Result<(PathBuf, String, String), String> {
    let wrong = |message: String, help: &str| {
        let error = Diagnostic::error(sweep.source_at, message).with_help(help);
        Diagnostics::from(vec![error]).render(&origin.name, &origin.text)
    };
    match &sweep.source {
        Source::File(name) => {
            let file = origin.folder.join(name);
            let text = fs::read_to_string(&file).map_err(|error| {
                let message = format!("cannot read the scenario {}: {error}", file.display());
                wrong(message, "is the path right, and the file UTF-8 text?")
            })?;
            Ok((file, name.clone(), text))
        }
        Source::Command(command) => {
            let command = sweep.command(command, point);
            let mut shell = Command::new("sh");
            let output = shell.arg("-c").arg(&command).current_dir(&origin.folder).output();
            let output = output.map_err(|error| {
                wrong(format!("cannot start `{command}`: {error}"), "is there a shell, `sh`?")
            })?;
            let words = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() {
                let message = format!("`{command}` ended with {}: {words}", output.status);
                return Err(wrong(message, "it is to print a scenario and end with code 0"));
            }
            let text = String::from_utf8(output.stdout).map_err(|_| {
                wrong(format!("`{command}` printed no UTF-8 text"), "it is to print a scenario")
            })?;
            let name = format!("what `{command}` prints");
            Ok((origin.folder.join("scenario.yaml"), name, text))
        }
    }
}

/// Checks that a scenario can be run, here or elsewhere: other machines look at themselves.
fn can_run(sweep: &Sweep, loaded: &Loaded, is_here: bool) -> Result<(), String> {
    let in_words =
        |error: anyhow::Error| format!("error: {}", netloom_api::in_words(error.as_ref()));
    if sweep.mode == Mode::Simulate {
        let errors = check(&loaded.scenario, Commands::Refused).errors;
        return match errors.is_empty() {
            true => Ok(()),
            false => Err(format!("error: {}", errors.join("\nerror: "))),
        };
    }
    if !is_here {
        return preflight::elsewhere(&loaded.scenario).map_err(in_words);
    }
    preflight::check(&loaded.scenario).map_err(in_words)?;
    preflight::course(&loaded.scenario, &loaded.directory).map_err(in_words)?;
    preflight::compensation(&loaded.scenario, &profile_file::calibration()).map_err(in_words)
}

/// Returns the keys of the runs of a point.
fn keys_of<'f>(
    loaded: &Loaded,
    sweep: &Sweep,
    files: impl IntoIterator<Item = &'f Dependence>,
) -> Result<RunKeys> {
    let mut scenario = loaded.scenario.clone();
    // The seed of a run is its own, and where nodes are drawn changes none.
    scenario.seed = 0;
    scenario.drawing = DrawingOptions::default();
    let json = serde_json::to_vec(&scenario).context("cannot write the scenario as JSON")?;
    let files = files.into_iter().map(|(name, contents)| (name.as_str(), *contents));
    Ok(RunKeys::new(&json, sweep.mode, env!("CARGO_PKG_VERSION"), files))
}
