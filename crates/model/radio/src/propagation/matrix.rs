//! Path loss given for each pair of stations over time.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::{Data, DataFile, Time};
use serde::{Deserialize, Serialize};

use super::{PairLosses, PathLoss, Route};
use crate::{Path, RadioError};

/// Losses that a file says: what a ray tracer computed, or somebody measured. Pairs that it does
/// not have hear nothing of each other, nor do others before their first time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MatrixConfig {
    /// Lines of `time,from,to,dB` (seconds, names of nodes), or an event log of EMANE (`.eel`).
    pub file: Data<PairLosses>,
    /// The loss between two times of a pair (default `step`).
    #[serde(default)]
    pub between: Interpolation,
    /// The node that each name of the file is, like `{"1": alice}` (default: names are the same).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nodes: BTreeMap<String, String>,
}

/// The loss between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// The earlier one's loss.
    #[default]
    Step,
    /// The straight line between both, in dB.
    Linear,
}

impl MatrixConfig {
    pub(super) fn files(&mut self) -> Vec<&mut dyn DataFile> {
        vec![&mut self.file]
    }
}

/// The state of the model.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    /// Losses by sender and receiver, in order of time.
    pairs: BTreeMap<(u32, u32), Vec<(Time, f64)>>,
    between: Interpolation,
}

impl Matrix {
    pub fn new(config: &MatrixConfig, names: &[&str]) -> Result<Self, RadioError> {
        let losses = config.file.values().ok_or_else(|| RadioError::unread(config.file.file()))?;
        let numbers: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
        let number = |name: &str| {
            let node = config.nodes.get(name).map_or(name, String::as_str);
            numbers.get(node).copied().ok_or_else(|| RadioError::UnknownStation {
                name: node.into(),
                known: known(names, "stations"),
            })
        };
        check_names(&config.nodes, losses)?;
        let mut pairs: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for step in &losses.0 {
            let pair = (number(&step.from)?, number(&step.to)?);
            pairs.entry(pair).or_default().push((step.start(), step.loss));
        }
        for steps in pairs.values_mut() {
            // The sort is stable: of two lines with the same time the later one holds.
            steps.sort_by_key(|(at, _)| *at);
        }
        Ok(Self { pairs, between: config.between })
    }
}

/// Rejects a list of nodes that is not of the file's names, as one written the other way round, and
/// one in which two names are the same node.
fn check_names(nodes: &BTreeMap<String, String>, losses: &PairLosses) -> Result<(), RadioError> {
    if nodes.is_empty() {
        return Ok(());
    }
    let ends = losses.0.iter().flat_map(|step| [step.from.as_str(), step.to.as_str()]);
    let in_file: BTreeSet<&str> = ends.collect();
    // A file need not have all nodes.
    let is_other = nodes.keys().all(|name| !in_file.contains(name.as_str()));
    let is_wrong = |(name, node): &(&String, &String)| {
        !in_file.contains(name.as_str()) && (is_other || in_file.contains(node.as_str()))
    };
    if let Some((name, node)) = nodes.iter().find(is_wrong) {
        let names: Vec<&str> = in_file.iter().copied().collect();
        let is_reversed = in_file.contains(node.as_str());
        let turned = if is_reversed { format!("; write `{node}: {name}`") } else { String::new() };
        return Err(RadioError::NotInFile {
            name: name.clone(),
            known: known(&names, "its names"),
            turned,
        });
    }
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, node) in nodes {
        if let Some(other) = taken.insert(node, name) {
            let [first, second] = [other, name].map(str::to_owned);
            return Err(RadioError::SameNode { first, second, node: node.clone() });
        }
    }
    Ok(())
}

/// Lists the known names for an error message.
fn known(names: &[&str], what: &str) -> String {
    const MOST: usize = 5;
    let shown = names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>();
    match names.len() {
        0 => "there are none".into(),
        1..=MOST => format!("{what} are {}", shown.join(", ")),
        count => format!("{what} are {}, … ({count} in all)", shown.join(", ")),
    }
}

impl PathLoss for Matrix {
    fn path(&self, route: &Route) -> Option<Path> {
        let steps = self.pairs.get(&(route.from, route.to))?;
        let after = steps.partition_point(|(at, _)| *at <= route.at);
        let (start, loss) = *steps.get(after.checked_sub(1)?)?;
        let loss = match (self.between, steps.get(after)) {
            (Interpolation::Linear, Some((end, next))) => {
                let share = route.at.since(start).as_secs_f64() / end.since(start).as_secs_f64();
                loss + (next - loss) * share
            }
            _ => loss,
        };
        Some(Path::decodable(loss))
    }

    fn farthest(&self, _: f64, _: f64) -> Option<f64> {
        None
    }
}
