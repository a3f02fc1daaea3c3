//! A finished run, as a line of JSON.

use std::collections::BTreeMap;

use netloom_monitor::Judgement;
use serde::{Deserialize, Serialize};

/// A finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The key of the run: what its results depend on. Of several lines with a key, the last counts.
    pub key: String,
    /// Values of the parameters, by name.
    pub point: BTreeMap<String, String>,
    /// Seed of the run.
    pub seed: u64,
    /// Its verdict, if it was judged.
    pub verdict: Option<Judgement>,
    /// Its metrics, by name.
    pub values: BTreeMap<String, Value>,
    /// The machine on which it ran.
    pub machine: String,
    /// Number of other runs that ran beside it. Absent in virtual time, where it has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<u32>,
    /// Number of attempts, this one included: more than 1 if earlier ones were invalid.
    pub attempt: u32,
    /// Time that the run took, in seconds.
    pub seconds: f64,
}

/// A metric of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// What it is.
    pub of: String,
    /// Its value; absent if the run has none.
    pub value: Option<f64>,
    /// The greatest error that the machine may have made; absent if it is not known.
    pub error: Option<f64>,
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is no record.
    pub fn from_line(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }

    /// Returns the line, without its end.
    ///
    /// # Errors
    /// None, for what a run can have.
    pub fn to_line(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Returns the value of a metric, if the run has one.
    pub fn value(&self, metric: &str) -> Option<f64> {
        self.values.get(metric)?.value
    }
}
