//! Finished runs and their tables.

use netloom_monitor::Judgement;
use serde::{Deserialize, Serialize};

/// A folder with the results of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FinishedRun"))]
pub struct Run {
    /// Path, relative to the server's folder.
    pub path: String,
    /// Name of the experiment.
    pub experiment: String,
    /// When it was last written, in seconds since 1970-01-01 UTC.
    pub modified_unix: u64,
    /// Whether it has a summary. A run that goes on, or that died, has none.
    pub finished: bool,
    /// Whether everything in it went well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Whether it can be trusted; absent for simulated runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Whether it was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated: Option<bool>,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunFile {
    /// Path, relative to the run's folder.
    pub path: String,
    /// Its size, in bytes.
    pub bytes: u64,
}

/// Rows of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Table {
    /// The columns, all of the same length.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
    /// Whether the file has more rows in the wanted range, after these.
    pub truncated: bool,
    /// 1 if all samples are there, 2 if every other one is, and so on.
    pub step: usize,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableColumn"))]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values: numbers, texts, booleans, or null.
    pub values: Vec<serde_json::Value>,
}
