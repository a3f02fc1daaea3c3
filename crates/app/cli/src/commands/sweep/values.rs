//! Metrics of a run, from its results.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use netloom_api::metric::Metric as Reported;
use netloom_api::summary::Summary;
use netloom_sweep::{Measure, Measured, Metric, Of, Value, error_bound};

use crate::{part, results};

/// Returns the metrics of a run whose results are in `directory`.
///
/// # Errors
/// If its results cannot be read.
pub fn values(
    directory: &Path,
    summary: &Summary,
    metrics: &[Metric],
) -> Result<BTreeMap<String, Value>> {
    let measured = part::whole(directory, summary)?.values;
    let one = |metric: &Metric| -> Result<(String, Value)> {
        let value = value(directory, &measured, &metric.of)
            .with_context(|| format!("the metric `{}`", metric.name))?;
        let value = value.filter(|value| value.is_finite());
        let error = value.and_then(|value| error_bound(summary, &metric.of, value));
        Ok((metric.name.clone(), Value { of: metric.of.in_words(), value, error }))
    };
    metrics.iter().map(one).collect()
}

fn value(directory: &Path, measured: &[Measured], of: &Of) -> Result<Option<f64>> {
    let of_measure = |is_it: &dyn Fn(&str) -> bool, measure: Measure| {
        let found = measured.iter().find(|one| one.measure == measure && is_it(&one.what));
        found.map(|one| one.value)
    };
    Ok(match of {
        Of::Flow { flow: Some(flow), measure } => {
            of_measure(&|what| what.strip_prefix("flow ") == Some(flow), *measure)
        }
        Of::Flow { flow: None, measure } => of_measure(&|what| what.starts_with("flow "), *measure),
        Of::Pipe { pipe, measure } => of_measure(&|what| what == pipe, *measure),
        Of::Json { process, path } => {
            json(&directory.join("processes"), &format!("{process}@"), ".stdout")
                .and_then(|json| Of::number_at(&json, path))
        }
        Of::Reported(name) => reported(&directory.join("metrics.jsonl"), name)?,
        Of::Summary(path) => {
            let text = results::summary_text(directory)?;
            Of::number_at(&serde_json::from_slice(&text)?, path)
        }
    })
}

/// Reads what a process has printed. What is no JSON has no numbers.
fn json(folder: &Path, begins: &str, ends: &str) -> Option<serde_json::Value> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut files = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(begins) && name.ends_with(ends)
    });
    serde_json::from_slice(&fs::read(files.next()?).ok()?).ok()
}

/// Returns the last value of a metric that programs reported.
fn reported(file: &Path, name: &str) -> Result<Option<f64>> {
    let Ok(open) = File::open(file) else { return Ok(None) };
    let mut last = None;
    for line in BufReader::new(open).lines() {
        if let Ok(metric) = serde_json::from_str::<Reported>(&line?)
            && metric.name == name
        {
            last = Some(metric.value);
        }
    }
    Ok(last)
}
