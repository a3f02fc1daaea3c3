//! The keys of a sweep file, as the user wrote them.
//!
//! Doc comments here are the descriptions in the published JSON Schema: write them for users.

use netloom_document::{Entries, ScalarText, Spanned};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::spec::{Keep, Mode};

/// Many runs of one scenario: the product of the values in `vary`, times seeds.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Sweep"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSweep {
    /// Scenario file, relative to this file; or `{command: "./make.py {nodes}"}`, a command that
    /// prints a scenario, in which `{NAME}` is the value of that key of `vary`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::scenario"))]
    pub scenario: Spanned<Anything>,
    /// Whether runs are emulated (`emulate`, the default) or simulated (`simulate`).
    #[serde(default)]
    pub mode: Mode,
    /// Values of the scenario that differ between points. A key is the path of a value: keys of the
    /// scenario with dots between them, members of lists by name, like `links.bottleneck.rate`, and
    /// has a list of values; or any name, with `paths` and `values`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::vary"))]
    pub vary: Entries<Spanned<Anything>>,
    /// Keys of `vary` whose values go side by side: the first with the first, and so on.
    #[serde(default)]
    pub zip: Vec<Spanned<String>>,
    /// Seeds of every point: a number `N` for 1 to N, `A-B`, or a list (default 1).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::seeds"))]
    pub seeds: Option<Spanned<Anything>>,
    /// Further files that a result depends on, like programs of nodes, relative to this file. If
    /// one changes, runs are done again.
    #[serde(default)]
    pub inputs: Vec<Spanned<String>>,
    /// What each run is asked for, by name.
    pub metrics: Spanned<Entries<Spanned<RawMetric>>>,
    /// Differences of a metric from that of a baseline, seed by seed.
    #[serde(default)]
    pub compare: Option<Spanned<RawCompare>>,
    /// Ends a point as soon as its mean is known well enough; in place of `seeds`.
    #[serde(default)]
    pub stop: Option<Spanned<RawStop>>,
    /// How often a run is repeated, alone, if its verdict is `invalid` (default 2).
    #[serde(default)]
    pub retry_invalid: Option<u32>,
    /// What of the results of each run is kept: `all` (default), or its `summary` only.
    #[serde(default)]
    pub keep: Keep,
}

/// A metric of a run: one of `flow`, `pipe`, `process`, `reported` and `summary`, or `measure`
/// alone.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Metric"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMetric {
    /// Flow of the scenario's `traffic`.
    #[serde(default)]
    pub flow: Option<Spanned<String>>,
    /// Direction of a link, like `bottleneck/forward`.
    #[serde(default)]
    pub pipe: Option<Spanned<String>>,
    /// Measure of a flow or pipe: `goodput`, `loss`, `delay` (or `rtt`), `delay_mean`, `delay_p99`,
    /// `jitter` or `load`. Without `flow` and `pipe`, that of the scenario's only flow.
    #[serde(default)]
    pub measure: Option<Spanned<String>>,
    /// Process of the scenario that prints JSON.
    #[serde(default)]
    pub process: Option<Spanned<String>>,
    /// Path of a number in what the process prints, like `end.sum_received.bits_per_second`.
    #[serde(default)]
    pub json: Option<Spanned<String>>,
    /// Name of a metric that programs in nodes report by `netloom-report`; its last value.
    #[serde(default)]
    pub reported: Option<Spanned<String>>,
    /// Path of a number in `summary.json`, like `flows.a.received.bytes`: keys with dots between
    /// them, members of lists by name or number.
    #[serde(default)]
    pub summary: Option<Spanned<String>>,
    /// Unit of the metric in tables and plots, if it is none of a measure's.
    #[serde(default)]
    pub unit: Option<String>,
}

/// Differences from a baseline.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Compare"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCompare {
    /// Metric that is compared.
    pub metric: Spanned<String>,
    /// Values of keys of `vary` that make a point the baseline of those that differ in these alone.
    pub baseline: Entries<Spanned<ScalarText>>,
}

/// When a point has enough runs.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Stop"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawStop {
    /// Metric whose mean is to be known.
    pub metric: Spanned<String>,
    /// Half of the interval's width that is enough: a share of the mean, like `2%`, or a number in
    /// the metric's unit.
    pub half_width: Spanned<ScalarText>,
    /// Least and greatest number of seeds, like `5-50`.
    pub seeds: Spanned<ScalarText>,
}

/// Any value: its node in the tree counts.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Anything(IgnoredAny);

/// Returns the JSON Schema (draft 2020-12) of a sweep file. A copy is in
/// `docs/sweep.schema.json`.
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    serde_json::to_value(schemars::schema_for!(RawSweep)).unwrap_or_default()
}

#[cfg(feature = "schema")]
mod schema {
    use schemars::{Schema, SchemaGenerator, json_schema};

    pub fn scenario(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "string" },
            {
                "type": "object",
                "properties": { "command": { "type": "string" } },
                "required": ["command"],
                "additionalProperties": false,
            },
        ] })
    }

    pub fn vary(_: &mut SchemaGenerator) -> Schema {
        let values = serde_json::json!({ "type": "array", "minItems": 1 });
        let named = serde_json::json!({
            "type": "object",
            "properties": {
                "paths": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                "values": values,
            },
            "required": ["paths", "values"],
            "additionalProperties": false,
        });
        json_schema!({
            "type": ["object", "null"],
            "additionalProperties": { "oneOf": [values, named] },
        })
    }

    pub fn seeds(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "integer", "minimum": 1 },
            { "type": "string", "pattern": "^[0-9]+-[0-9]+$" },
            { "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1 },
        ] })
    }
}
