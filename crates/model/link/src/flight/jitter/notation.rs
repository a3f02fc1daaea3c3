//! The notation of a jitter: a duration, or a table that names a distribution.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Data, Duration, Probability, UnitError, text_or_table};
use serde::{Deserialize, Serialize};

use super::{DistributionTable, Jitter, JitterDistribution, Offsets};

/// The notation of a jitter that needs a table.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "JitterModel"))]
#[serde(deny_unknown_fields)]
struct JitterTable {
    /// Uniform distribution between minus and plus this duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uniform: Option<Duration>,
    /// Normal distribution with mean zero and this standard deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    normal: Option<Duration>,
    /// tc-netem's `pareto` at this deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pareto: Option<Duration>,
    /// tc-netem's `paretonormal` at this deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paretonormal: Option<Duration>,
    /// Samples to draw from: a list of signed durations, or a file with one a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    empirical: Option<Data<Offsets>>,
    /// A distribution table of tc (`.dist`), scaled to `deviation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<Data<DistributionTable>>,
    /// Deviation to which a `table` is scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviation: Option<Duration>,
    /// A list of signed durations that are taken in order, and repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<Data<Offsets>>,
    /// Like `pattern`, from a file with one a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<Data<Offsets>>,
    /// Correlation of each value with the one before (default `0%`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    correlation: Option<Probability>,
}

impl TryFrom<JitterTable> for Jitter {
    type Error = String;
    fn try_from(table: JitterTable) -> Result<Self, String> {
        use JitterDistribution as Kind;
        let correlation = table.correlation.unwrap_or_default();
        let mut kinds: Vec<Kind> = [
            table.uniform.map(Kind::Uniform),
            table.normal.map(Kind::Normal),
            table.pareto.map(Kind::Pareto),
            table.paretonormal.map(Kind::ParetoNormal),
            table.empirical.map(Kind::Empirical),
            table.pattern.map(Kind::Pattern),
            table.trace.map(Kind::Pattern),
        ]
        .into_iter()
        .flatten()
        .collect();
        match (table.table, table.deviation) {
            (Some(values), Some(deviation)) => kinds.push(Kind::Table(values, deviation)),
            (Some(_), None) => return Err("a `table` needs a `deviation` to be scaled to".into()),
            (None, Some(_)) => return Err("`deviation` goes with a `table`".into()),
            (None, None) => {}
        }
        let ordered = kinds.iter().any(|kind| matches!(kind, Kind::Pattern(_)));
        if ordered && correlation != Probability::ZERO {
            return Err("`correlation` has no effect on values taken in order".into());
        }
        match (kinds.pop(), kinds.is_empty()) {
            (Some(distribution), true) => Ok(Self { distribution, correlation }),
            _ => Err("a jitter has exactly one of `uniform`, `normal`, `pareto`, `paretonormal`, \
                      `empirical`, `table`, `pattern` and `trace`"
                .into()),
        }
    }
}

impl From<&Jitter> for JitterTable {
    fn from(jitter: &Jitter) -> Self {
        use JitterDistribution as Kind;
        let mut table = Self::default();
        if jitter.correlation != Probability::ZERO {
            table.correlation = Some(jitter.correlation);
        }
        match &jitter.distribution {
            Kind::None => {}
            Kind::Uniform(spread) => table.uniform = Some(*spread),
            Kind::Normal(deviation) => table.normal = Some(*deviation),
            Kind::Pareto(deviation) => table.pareto = Some(*deviation),
            Kind::ParetoNormal(deviation) => table.paretonormal = Some(*deviation),
            Kind::Empirical(samples) => table.empirical = Some(samples.clone()),
            Kind::Table(values, deviation) => {
                table.table = Some(values.clone());
                table.deviation = Some(*deviation);
            }
            Kind::Pattern(pattern) => table.pattern = Some(pattern.clone()),
        }
        table
    }
}

impl Jitter {
    fn text(&self) -> Option<String> {
        self.is_none().then(|| "none".into())
    }
}

impl FromStr for Jitter {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim() {
            "none" => Ok(Self::default()),
            text => text.parse().map(|spread| Self {
                distribution: JitterDistribution::Uniform(spread),
                correlation: Probability::ZERO,
            }),
        }
    }
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use JitterDistribution as Kind;
        let file = |file: Option<&str>| file.unwrap_or("(inline)").to_owned();
        match &self.distribution {
            Kind::None => return f.pad("none"),
            Kind::Uniform(spread) => write!(f, "uniform ±{spread}"),
            Kind::Normal(deviation) => write!(f, "normal {deviation}"),
            Kind::Pareto(deviation) => write!(f, "pareto {deviation}"),
            Kind::ParetoNormal(deviation) => write!(f, "paretonormal {deviation}"),
            Kind::Empirical(samples) => write!(f, "empirical {}", file(samples.file())),
            Kind::Table(values, deviation) => {
                write!(f, "table {} at {deviation}", file(values.file()))
            }
            Kind::Pattern(pattern) => write!(f, "pattern {}", file(pattern.file())),
        }?;
        if self.correlation != Probability::ZERO {
            write!(f, ", correlation {}", self.correlation)?;
        }
        Ok(())
    }
}

text_or_table!(
    Jitter,
    JitterTable,
    "`none`, a duration like `2ms` (uniform, plus or minus), or a distribution like `{normal: \
     2ms}`",
    "`none`, a duration (uniform, plus or minus), or a distribution."
);
