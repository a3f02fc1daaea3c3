//! Sweep files: from text to a [`Sweep`].

use std::collections::BTreeMap;

use netloom_document::{
    Diagnostic, Diagnostics, Dialect, Entries, NodeId, Span, Spanned, Tree, Value, decode, in_line,
    parse,
};
use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::raw::{Anything, RawCompare, RawStop, RawSweep};
use crate::stop::Looks;

/// Greatest number of runs of a sweep.
const MOST_RUNS: usize = 1_000_000;

/// Words of sweep files.
static DIALECT: Dialect = Dialect {
    one_document: "a sweep is one document: one file each",
    empty: "a sweep needs at least `scenario`, `vary` and `metrics`",
    synonyms: &[
        ("grid", "vary"),
        ("parameters", "vary"),
        ("params", "vary"),
        ("repeat", "seeds"),
        ("repetitions", "seeds"),
        ("runs", "seeds"),
        ("measures", "metrics"),
        ("topology", "scenario"),
        ("link", "pipe"),
    ],
    ..Dialect::PLAIN
};

/// Many runs of one scenario.
#[derive(Debug)]
pub struct Sweep {
    /// Where the scenario is from.
    pub source: Source,
    /// Where the source is written.
    pub source_at: Span,
    /// How runs are carried.
    pub mode: Mode,
    /// What differs between points, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Numbers of the parameters that go side by side.
    pub zip: Vec<usize>,
    /// Seeds of every point; with `stop`, the most there may be.
    pub seeds: Vec<u64>,
    /// Further files that a result depends on, and where each is written.
    pub inputs: Vec<(String, Span)>,
    /// What each run is asked for.
    pub metrics: Vec<Metric>,
    /// What is compared.
    pub compare: Option<Compare>,
    /// When a point has enough runs.
    pub stop: Option<Stop>,
    /// How often an invalid run is repeated.
    pub retry_invalid: u32,
    /// What is kept of each run.
    pub keep: Keep,
    /// The file as a tree, which has the values of parameters.
    pub(crate) tree: Tree,
}

/// Where a scenario is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, relative to the sweep's.
    File(String),
    /// A command that prints it, with `{NAME}` for values of parameters.
    Command(String),
}

/// How runs are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By network stacks of the kernel, in real time.
    #[default]
    Emulate,
    /// By models, in virtual time.
    Simulate,
}

/// What is kept of the results of each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// All of it.
    #[default]
    All,
    /// Its `summary.json`.
    Summary,
}

/// What differs between points.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its key in `vary`.
    pub name: String,
    /// Where its name is written.
    pub at: Span,
    /// Paths of the scenario that get its value, and where each is written. None if it is an
    /// argument of the command.
    pub paths: Vec<(String, Span)>,
    /// Its values, as texts for people and tables.
    pub values: Vec<String>,
    /// Nodes of the values in the tree.
    pub(crate) nodes: Vec<NodeId>,
}

/// Differences of a metric from a baseline.
#[derive(Debug, Clone)]
pub struct Compare {
    /// Number of the metric.
    pub metric: usize,
    /// Numbers of parameters, each with the number of its value in the baseline.
    pub baseline: BTreeMap<usize, usize>,
}

/// When a point has enough runs.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Number of the metric.
    pub metric: usize,
    /// Half of the interval's width that is enough.
    pub half_width: f64,
    /// Whether that is a share of the mean.
    pub relative: bool,
    /// When it is looked at.
    pub looks: Looks,
}

impl Sweep {
    /// Reads a sweep file.
    ///
    /// # Errors
    /// All errors of the text, each with its place.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let found = |list| Diagnostics::new(list, &DIALECT);
        let tree = parse(text, &DIALECT).map_err(|error| found(vec![error]))?;
        let decoded = decode::<RawSweep>(&tree);
        if !decoded.shape.is_empty() {
            return Err(Diagnostics::of_shape(decoded.shape));
        }
        let mut findings = decoded.errors;
        let Some(raw) = decoded.value else { return Err(found(findings)) };
        let sweep = Reader { tree: &tree, findings: &mut findings }.sweep(raw);
        match sweep {
            Some(parts) if findings.is_empty() => Ok(Self { tree, ..parts }),
            _ => Err(found(findings)),
        }
    }

    /// Returns the confidence of the intervals: 95 %, or that of each look if points stop.
    pub fn level(&self) -> f64 {
        self.stop.as_ref().map_or(crate::P95, |stop| stop.looks.level())
    }
}

/// Turns keys into a sweep.
struct Reader<'a> {
    tree: &'a Tree,
    findings: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, at: Span, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Diagnostic::error(at, message).with_help(help));
    }

    fn sweep(&mut self, raw: RawSweep) -> Option<Sweep> {
        let source = self.source(&raw.scenario)?;
        let parameters = self.parameters(&raw.vary, &source);
        let zip = self.zip(&raw.zip, &parameters);
        let metrics: Vec<Metric> = self.metrics(&raw.metrics);
        if metrics.is_empty() {
            self.error(raw.metrics.span, "there is no metric", "name one at least");
        }
        let compare = raw.compare.as_ref().and_then(|raw| self.compare(raw, &parameters, &metrics));
        let stop = raw.stop.as_ref().and_then(|raw| self.stop(raw, &metrics));
        if let (Some(seeds), Some(_)) = (&raw.seeds, &raw.stop) {
            let help = "leave one of them out: `stop` has its own `seeds`";
            self.error(seeds.span, "`seeds` and `stop` exclude each other", help);
        }
        let seeds = match (&raw.seeds, &stop) {
            (Some(seeds), _) => self.seeds(seeds)?,
            (None, Some(stop)) => (1..=stop.looks.most().into()).collect(),
            (None, None) => vec![1],
        };
        let sweep = Sweep {
            source,
            source_at: raw.scenario.span,
            mode: raw.mode,
            parameters,
            zip,
            seeds,
            inputs: raw.inputs.into_iter().map(|input| (input.value, input.span)).collect(),
            metrics,
            compare,
            stop,
            retry_invalid: raw.retry_invalid.unwrap_or(2),
            keep: raw.keep,
            tree: parse("~", &Dialect::PLAIN).ok()?,
        };
        let runs = sweep.count().saturating_mul(sweep.seeds.len());
        if runs > MOST_RUNS {
            let message = format!("these are {runs} runs, and {MOST_RUNS} are the most");
            self.error(raw.scenario.span, message, "divide the sweep");
        }
        Some(sweep)
    }

    fn source(&mut self, raw: &Spanned<Anything>) -> Option<Source> {
        if let Some(file) = self.tree.text(raw.id).filter(|file| !file.is_empty()) {
            return Some(Source::File(file.into()));
        }
        let command = self.tree.entry(raw.id, "command");
        let command = command.and_then(|(_, command)| self.tree.text(command));
        match command {
            Some(command) if self.tree.entries(raw.id).len() == 1 => {
                Some(Source::Command(command.into()))
            }
            _ => {
                let help =
                    "write `scenario: FILE`, or `scenario: {command: \"./make.py {nodes}\"}`";
                self.error(raw.span, "this is no scenario file and no command", help);
                None
            }
        }
    }

    fn parameters(&mut self, raw: &Entries<Spanned<Anything>>, source: &Source) -> Vec<Parameter> {
        raw.iter().filter_map(|(name, value)| self.parameter(name, value, source)).collect()
    }

    fn parameter(
        &mut self,
        name: &Spanned<String>,
        value: &Spanned<Anything>,
        source: &Source,
    ) -> Option<Parameter> {
        let tree = self.tree;
        let is_argument = match source {
            Source::Command(command) => command.contains(&format!("{{{}}}", name.value)),
            Source::File(_) => false,
        };
        let (paths, values) = match tree.entries(value.id) {
            [] if is_argument => (Vec::new(), value.id),
            [] => (vec![(name.value.clone(), name.span)], value.id),
            _ => match self.named(value) {
                Some(found) => found,
                None => {
                    let help = format!("write `{}: {{paths: [PATH], values: [A, B]}}`", name.value);
                    self.error(value.span, "`paths` and `values` are missing, or not alone", help);
                    return None;
                }
            },
        };
        let nodes = tree.elements(values).to_vec();
        if nodes.is_empty() {
            let help = format!("write a list, like `{}: [5, 10]`", name.value);
            self.error(value.span, format!("`{}` has no values", name.value), help);
            return None;
        }
        let values: Vec<String> = nodes.iter().map(|node| shown(tree, *node)).collect();
        if let Some(place) =
            (1..values.len()).find(|place| values[..*place].contains(&values[*place]))
        {
            let message = format!("`{}` has the value `{}` twice", name.value, values[place]);
            self.error(tree.span(nodes[place]), message, "leave one of them out");
        }
        Some(Parameter { name: name.value.clone(), at: name.span, paths, values, nodes })
    }

    /// Returns `paths`, and the node of `values`.
    fn named(&self, value: &Spanned<Anything>) -> Option<(Vec<(String, Span)>, NodeId)> {
        let tree = self.tree;
        let (_, paths) = tree.entry(value.id, "paths")?;
        let (_, values) = tree.entry(value.id, "values")?;
        let paths = tree.elements(paths).iter();
        let paths: Option<Vec<(String, Span)>> =
            paths.map(|path| Some((tree.text(*path)?.into(), tree.span(*path)))).collect();
        let is_alone = tree.entries(value.id).len() == 2;
        Some((paths.filter(|paths| !paths.is_empty())?, values)).filter(|_| is_alone)
    }

    fn zip(&mut self, raw: &[Spanned<String>], parameters: &[Parameter]) -> Vec<usize> {
        let found: Vec<usize> =
            raw.iter().filter_map(|name| self.parameter_called(name, parameters)).collect();
        let lengths: Vec<usize> = found.iter().map(|one| parameters[*one].values.len()).collect();
        if let Some(place) = lengths.iter().position(|length| *length != lengths[0]) {
            let message = format!(
                "`{}` has {} values, and `{}` has {}",
                raw[0].value, lengths[0], raw[place].value, lengths[place]
            );
            self.error(raw[place].span, message, "what goes side by side has as many values");
        }
        found
    }

    fn parameter_called(
        &mut self,
        name: &Spanned<String>,
        parameters: &[Parameter],
    ) -> Option<usize> {
        let place = parameters.iter().position(|parameter| parameter.name == name.value);
        if place.is_none() {
            let names = parameters.iter().map(|parameter| parameter.name.as_str());
            let help = DIALECT.did_you_mean(&name.value, "there are", names);
            let message = format!("`vary` has no `{}`", name.value);
            self.findings.push(Diagnostic::error(name.span, message).with_optional_help(help));
        }
        place
    }

    fn metrics(&mut self, raw: &Entries<Spanned<crate::raw::RawMetric>>) -> Vec<Metric> {
        let read = raw.iter().filter_map(|(name, raw)| match Metric::read(name, raw) {
            Ok(metric) => Some(metric),
            Err(error) => {
                self.findings.push(error);
                None
            }
        });
        read.collect()
    }

    fn metric_called(&mut self, name: &Spanned<String>, metrics: &[Metric]) -> Option<usize> {
        let place = metrics.iter().position(|metric| metric.name == name.value);
        if place.is_none() {
            let names = metrics.iter().map(|metric| metric.name.as_str());
            let help = DIALECT.did_you_mean(&name.value, "there are", names);
            let message = format!("there is no metric `{}`", name.value);
            self.findings.push(Diagnostic::error(name.span, message).with_optional_help(help));
        }
        place
    }

    fn compare(
        &mut self,
        raw: &RawCompare,
        parameters: &[Parameter],
        metrics: &[Metric],
    ) -> Option<Compare> {
        let metric = self.metric_called(&raw.metric, metrics);
        let mut baseline = BTreeMap::new();
        for (name, value) in raw.baseline.iter() {
            let Some(parameter) = self.parameter_called(name, parameters) else { continue };
            let values = &parameters[parameter].values;
            match values.iter().position(|known| *known == value.value.0) {
                Some(place) => {
                    baseline.insert(parameter, place);
                }
                None => {
                    let message = format!("`{}` has no value `{}`", name.value, value.value.0);
                    let help = format!("it has {}", values.join(", "));
                    self.error(value.span, message, help);
                }
            }
        }
        if baseline.is_empty() {
            let help = "name values that make a baseline, like `baseline: {control: cubic}`";
            self.error(raw.metric.span, "there is no baseline to compare with", help);
        }
        Some(Compare { metric: metric?, baseline })
    }

    fn stop(&mut self, raw: &RawStop, metrics: &[Metric]) -> Option<Stop> {
        let metric = self.metric_called(&raw.metric, metrics);
        let looks = Looks::between(&raw.seeds.value.0);
        if let Err(why) = &looks {
            self.error(raw.seeds.span, why.clone(), "write like `5-50`");
        }
        let text = raw.half_width.value.0.trim();
        let (number, relative) = match text.strip_suffix('%') {
            Some(number) => (number.trim().parse::<f64>().map(|number| number / 100.0), true),
            None => (text.parse::<f64>(), false),
        };
        let half_width = number.ok().filter(|number| number.is_finite() && *number > 0.0);
        if half_width.is_none() {
            let message = format!("`{text}` is no width above 0");
            self.error(raw.half_width.span, message, "write a share of the mean, like `2%`");
        }
        Some(Stop { metric: metric?, half_width: half_width?, relative, looks: looks.ok()? })
    }

    fn seeds(&mut self, raw: &Spanned<Anything>) -> Option<Vec<u64>> {
        let tree = self.tree;
        let list: Option<Vec<u64>> = match tree.text(raw.id) {
            Some(text) => span_of(text).map(|(first, last)| (first..=last).collect()),
            None => {
                let all = tree.elements(raw.id).iter();
                all.map(|seed| tree.text(*seed)?.parse().ok()).collect()
            }
        };
        let mut sorted = list.clone().unwrap_or_default();
        sorted.sort_unstable();
        sorted.dedup();
        let seeds = list.filter(|list| !list.is_empty() && list.len() == sorted.len());
        if seeds.is_none() {
            let help = "write a number of seeds, like `10` for 1 to 10, or `5-9`, or `[1, 7]`";
            self.error(raw.span, "these are no seeds, each of which is there once", help);
        }
        seeds
    }
}

/// Returns the first and the last of `N` (1 to N) or `A-B`.
fn span_of(text: &str) -> Option<(u64, u64)> {
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (first.trim().parse().ok()?, last.trim().parse().ok()?),
        None => (1, text.parse().ok()?),
    };
    let is_bearable = last >= first && last - first < MOST_RUNS as u64;
    is_bearable.then_some((first, last))
}

/// Returns a value as a text for people.
fn shown(tree: &Tree, node: NodeId) -> String {
    match tree.text(node) {
        Some(text) => text.into(),
        None => in_line(&Value::of(tree, node)),
    }
}
