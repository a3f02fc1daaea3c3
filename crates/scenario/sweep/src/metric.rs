//! Metrics of a run, and the machine's part in them.

use netloom_api::summary::{Mode, Summary};
use netloom_document::{Diagnostic, Span, Spanned};
use netloom_monitor::PipeBound;
use netloom_units::Duration;
use serde_json::Value;

use crate::measures::Measure;
use crate::raw::RawMetric;

/// What a run is asked for.
#[derive(Debug, Clone)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub at: Span,
    /// What it is.
    pub of: Of,
    /// Its unit; empty if it has none or it is not known.
    pub unit: String,
}

/// What a metric is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// A measure of a flow; of the only one if none is named.
    Flow {
        /// The flow.
        flow: Option<String>,
        /// The measure.
        measure: Measure,
    },
    /// A measure of a pipe.
    Pipe {
        /// The pipe, like `bottleneck/forward`.
        pipe: String,
        /// The measure.
        measure: Measure,
    },
    /// A number in what a process prints as JSON.
    Json {
        /// The process.
        process: String,
        /// Path of the number.
        path: String,
    },
    /// The last value of a metric that programs report.
    Reported(String),
    /// A number in the summary.
    Summary(String),
}

impl Metric {
    /// Reads a metric.
    pub(crate) fn read(
        name: &Spanned<String>,
        raw: &Spanned<RawMetric>,
    ) -> Result<Self, Diagnostic> {
        let given = |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.value.clone());
        let measure = raw.measure.as_ref().map(measure).transpose()?;
        let parts = (
            given(&raw.flow),
            given(&raw.pipe),
            measure,
            given(&raw.process),
            given(&raw.json),
            given(&raw.reported),
            given(&raw.summary),
        );
        let of = match parts {
            (flow, None, Some(measure), None, None, None, None) => Of::Flow { flow, measure },
            (None, Some(pipe), Some(measure), None, None, None, None) => {
                check_pipe(&pipe, raw.pipe.as_ref().map_or(raw.span, |pipe| pipe.span))?;
                Of::Pipe { pipe, measure }
            }
            (None, None, None, Some(process), Some(path), None, None) => Of::Json { process, path },
            (None, None, None, None, None, Some(name), None) => Of::Reported(name),
            (None, None, None, None, None, None, Some(path)) => Of::Summary(path),
            _ => {
                let message = format!("`{}` does not say what it is", name.value);
                return Err(Diagnostic::error(raw.span, message).with_help(
                    "write like `{flow: a, measure: goodput}`, `{pipe: l/forward, measure: load}`, \
                     `{process: p, json: end.rate}`, `{reported: name}` or `{summary: ended}`",
                ));
            }
        };
        let unit = raw.unit.clone().unwrap_or_else(|| of.unit().to_owned());
        Ok(Self { name: name.value.clone(), at: name.span, of, unit })
    }

    /// Returns the value with its unit, for people.
    pub fn in_words(&self, value: f64) -> String {
        match (self.of.measure(), self.unit.as_str()) {
            (Some(measure), unit) if unit == measure.unit() => measure.in_words(value),
            (_, unit) => format!("{} {unit}", number(value)).trim().into(),
        }
    }
}

impl Of {
    /// Returns its measure, if it is a flow's or a pipe's.
    pub const fn measure(&self) -> Option<Measure> {
        match self {
            Self::Flow { measure, .. } | Self::Pipe { measure, .. } => Some(*measure),
            _ => None,
        }
    }

    fn unit(&self) -> &'static str {
        self.measure().map_or("", Measure::unit)
    }

    /// Returns a text that is the same for the same metric, and different for another.
    pub fn in_words(&self) -> String {
        match self {
            Self::Flow { flow: None, measure } => format!("{} of the flow", measure.name()),
            Self::Flow { flow: Some(flow), measure } => {
                format!("{} of flow {flow}", measure.name())
            }
            Self::Pipe { pipe, measure } => format!("{} of {pipe}", measure.name()),
            Self::Json { process, path } => format!("{path} of process {process}"),
            Self::Reported(name) => format!("reported {name}"),
            Self::Summary(path) => format!("{path} of the summary"),
        }
    }
}

fn measure(name: &Spanned<String>) -> Result<Measure, Diagnostic> {
    Measure::named(&name.value).ok_or_else(|| {
        let known = Measure::ALL.map(Measure::name);
        let help = netloom_document::Dialect::PLAIN.did_you_mean(&name.value, "there are", known);
        let message = format!("there is no measure `{}`", name.value);
        Diagnostic::error(name.span, message).with_optional_help(help)
    })
}

fn check_pipe(pipe: &str, at: Span) -> Result<(), Diagnostic> {
    let way = pipe.rsplit_once('/').map(|(_, way)| way);
    if matches!(way, Some("forward" | "reverse")) {
        return Ok(());
    }
    let message = format!("`{pipe}` does not say which direction");
    let help = format!("write `{pipe}/forward` or `{pipe}/reverse`");
    Err(Diagnostic::error(at, message).with_help(help))
}

/// Returns the greatest error that the machine may have made in a measure of a run: lateness for
/// delays, the missing part of a line's rate for goodput and load, unmodelled losses for losses. It
/// is 0 in virtual time. `None` if the run was not judged.
pub fn error_bound(summary: &Summary, of: &Of, value: f64) -> Option<f64> {
    let measure = of.measure()?;
    if summary.mode == Mode::Simulation {
        return Some(0.0);
    }
    let bound = &summary.verdict.as_ref()?.bound;
    let pipe = match of {
        Of::Pipe { pipe, .. } => Some(pipe),
        _ => None,
    };
    let pipes = || bound.pipes.iter().filter(|one| pipe.is_none_or(|pipe| *pipe == one.pipe));
    let greatest = |error: &dyn Fn(&PipeBound) -> f64| pipes().map(error).fold(0.0, f64::max);
    let nanos = |time: Duration| time.as_nanos() as f64;
    Some(match measure {
        Measure::Goodput | Measure::Load => {
            value.abs() * greatest(&|pipe| pipe.rate.map_or(0.0, |rate| rate.share))
        }
        Measure::Loss => {
            let frames: u64 = pipes().map(|pipe| pipe.frames).sum();
            (bound.losses.frames + bound.losses.perhaps) as f64 / frames.max(1) as f64
        }
        Measure::Delay => greatest(&|pipe| nanos(pipe.at_most.p50)),
        Measure::DelayMean | Measure::DelayP99 | Measure::Jitter => {
            greatest(&|pipe| nanos(pipe.at_most.p99))
        }
    })
}

impl Of {
    /// Returns the number at a path of a JSON value: keys with dots between them, members of lists
    /// by their `name` or number.
    pub fn number_at(value: &Value, path: &str) -> Option<f64> {
        if path.is_empty() {
            return value.as_f64();
        }
        let words: Vec<&str> = path.split('.').collect();
        // Names may have dots: the longest one counts.
        (1..=words.len()).rev().find_map(|used| {
            let (name, rest) = (words[..used].join("."), words[used..].join("."));
            let below = match value {
                Value::Object(entries) => entries.get(&name),
                Value::Array(members) => {
                    let named =
                        |one: &&Value| one.get("name").and_then(Value::as_str) == Some(&name);
                    members.iter().find(named).or_else(|| members.get(name.parse::<usize>().ok()?))
                }
                _ => None,
            };
            Self::number_at(below?, &rest)
        })
    }
}

/// Formats a value with four significant digits, or as a whole number.
fn number(value: f64) -> String {
    if value.abs() >= 1000.0 || value == value.trunc() {
        return format!("{value:.0}");
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    format!("{value:.digits$}")
}
