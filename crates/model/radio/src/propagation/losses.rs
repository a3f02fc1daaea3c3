//! Losses of pairs over time, and the formats of their files: CSV, and the path losses in EMANE's
//! event logs (EEL).

use netloom_units::{DataError, DataFormat, Duration, Time, check_count, lines, quoted};
use serde::{Deserialize, Serialize};

/// A loss from a time on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LossStep {
    /// From when on it holds.
    pub at: Duration,
    /// Who sends.
    pub from: String,
    /// Who receives.
    pub to: String,
    /// The loss in dB.
    pub loss: f64,
}

/// Losses of pairs over time. Each direction of a pair has its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PairLosses(pub Vec<LossStep>);

impl DataFormat for PairLosses {
    const WHAT: &'static str = "file of losses";

    /// Parses lines of `time,from,to,dB`, with or without a heading, or EEL, in which the third
    /// word of a line is the kind of the event.
    fn parse(text: &str) -> Result<Self, DataError> {
        let mut steps = Vec::new();
        for (number, line) in lines(text) {
            let fault = |message: String| DataError::at(number, message);
            match line.split_once(',') {
                _ if is_event(line) => event(line, &mut steps).map_err(fault)?,
                Some((first, _)) if steps.is_empty() && first.trim() == "time" => {}
                _ => steps.push(row(line).map_err(fault)?),
            }
        }
        check_count(steps.len(), "a file of losses").map_err(DataError::Whole)?;
        Ok(Self(steps))
    }
}

/// Parses one line of a CSV file.
fn row(line: &str) -> Result<LossStep, String> {
    let cells: Vec<_> = line.split(',').map(str::trim).collect();
    let [at, from, to, loss] = cells[..] else {
        return Err(format!("{} is not `time,from,to,dB`", quoted(line)));
    };
    let seconds = at.parse().map_err(|_| format!("{} is no time in seconds", quoted(at)))?;
    let loss = decibels(loss)?;
    Ok(LossStep { at: time(seconds)?, from: from.into(), to: to.into(), loss })
}

/// Whether a line is an EEL event: `TIME MODULE KIND …`.
fn is_event(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.nth(1).is_some_and(|module| module.contains(':') && !module.contains(','))
}

/// Parses an event. Only path losses are used; all other events are ignored.
fn event(line: &str, steps: &mut Vec<LossStep>) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let (at, module, kind) = (words.next(), words.next(), words.next());
    if kind != Some("pathloss") {
        return Ok(());
    }
    // A time of -Inf is the state before the log begins.
    let seconds: f64 = match at {
        Some(at) => at.parse().map_err(|_| format!("{} is no time in seconds", quoted(at)))?,
        None => 0.0,
    };
    let at = time(if seconds == f64::NEG_INFINITY { 0.0 } else { seconds })?;
    let here = station(module.unwrap_or_default())?;
    for entry in words {
        let mut parts = entry.split(',');
        let there = station(parts.next().unwrap_or_default())?;
        // The first number is the loss of what the other station sends. The second one, if it
        // differs, is the loss in the other direction.
        let forward = decibels(parts.next().unwrap_or_default())?;
        let reverse = parts.next().map_or(Ok(forward), decibels)?;
        let step =
            |from: &str, to: &str, loss| LossStep { at, from: from.into(), to: to.into(), loss };
        steps.push(step(there, here, forward));
        steps.push(step(here, there, reverse));
    }
    Ok(())
}

/// Returns the name of `nem:ID`, which is the ID.
fn station(module: &str) -> Result<&str, String> {
    match module.split_once(':') {
        Some(("nem", id)) if !id.is_empty() => Ok(id),
        _ => Err(format!("{} is not `nem:ID`", quoted(module))),
    }
}

fn decibels(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(loss) if loss.abs() <= 1000.0 => Ok(loss),
        _ => Err(format!("{} is no loss from -1000 to 1000 dB", quoted(text))),
    }
}

fn time(seconds: f64) -> Result<Duration, String> {
    if (0.0..=1e9).contains(&seconds) {
        return Ok(Duration::from_nanos(libm::round(seconds * 1e9) as u64));
    }
    Err(format!("{seconds} is no time from 0 to 10⁹ s"))
}

impl LossStep {
    /// Returns the time at which the step begins, in a run that begins at 0.
    pub(super) fn start(&self) -> Time {
        Time::ZERO + self.at
    }
}
