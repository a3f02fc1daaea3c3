//! What varies a delay from frame to frame: what can be written. Not here: the draws.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Offset, Probability, UnitError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Data, DataError, DataFormat, text_or_table};

/// What is added to the delay of each frame. The sum never goes below zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Jitter {
    /// Where the values come from.
    pub distribution: JitterDistribution,
    /// Correlation of each value with the one before it: first-order autoregression, which leaves
    /// the distribution itself as it is.
    pub correlation: Probability,
}

/// Where the values of a jitter come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum JitterDistribution {
    /// No jitter.
    #[default]
    None,
    /// Uniform between minus and plus this much.
    Uniform(Duration),
    /// Normal with mean zero and this standard deviation.
    Normal(Duration),
    /// tc-netem's `pareto` at this deviation: rare large values.
    Pareto(Duration),
    /// tc-netem's `paretonormal` at this deviation: a quarter normal, three quarters Pareto.
    ParetoNormal(Duration),
    /// Drawn from these samples, each as likely as the others.
    Empirical(Data<Offsets>),
    /// Drawn from a tc distribution table, scaled to a deviation.
    Table(Data<DistributionTable>, Duration),
    /// These values in this order, over and over.
    Pattern(Data<Offsets>),
}

impl Jitter {
    /// Whether nothing varies.
    pub fn is_none(&self) -> bool {
        self.distribution == JitterDistribution::None
    }

    fn text(&self) -> Option<String> {
        self.is_none().then(|| "none".into())
    }
}

/// Signed lengths of time, one a line in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<Offset>", into = "Vec<Offset>")]
#[schemars(with = "Vec<Offset>")]
pub struct Offsets {
    offsets: Vec<Offset>,
}

impl Offsets {
    /// # Errors
    /// There are none.
    pub fn new(offsets: Vec<Offset>) -> Result<Self, String> {
        if offsets.is_empty() {
            Err("at least one value is needed".into())
        } else {
            Ok(Self { offsets })
        }
    }

    /// The values, in the order given.
    pub fn as_slice(&self) -> &[Offset] {
        &self.offsets
    }
}

impl TryFrom<Vec<Offset>> for Offsets {
    type Error = String;
    fn try_from(offsets: Vec<Offset>) -> Result<Self, String> {
        Self::new(offsets)
    }
}

impl From<Offsets> for Vec<Offset> {
    fn from(offsets: Offsets) -> Self {
        offsets.offsets
    }
}

impl DataFormat for Offsets {
    const WHAT: &'static str = "list of delays";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut offsets = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let offset = line.parse().map_err(|error: UnitError| DataError::Line {
                line: index + 1,
                message: error.to_string(),
            })?;
            offsets.push(offset);
        }
        Self::new(offsets).map_err(DataError::Whole)
    }
}

/// A distribution table of tc: the inverse of a distribution function, sampled at even steps, in
/// units of 1/8192 of the deviation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<i16>", into = "Vec<i16>")]
#[schemars(with = "Vec<i16>")]
pub struct DistributionTable {
    values: Vec<i16>,
}

impl DistributionTable {
    /// # Errors
    /// There are no values.
    pub fn new(values: Vec<i16>) -> Result<Self, String> {
        if values.is_empty() {
            Err("a distribution table needs values".into())
        } else {
            Ok(Self { values })
        }
    }

    /// The values.
    pub fn values(&self) -> &[i16] {
        &self.values
    }
}

impl TryFrom<Vec<i16>> for DistributionTable {
    type Error = String;
    fn try_from(values: Vec<i16>) -> Result<Self, String> {
        Self::new(values)
    }
}

impl From<DistributionTable> for Vec<i16> {
    fn from(table: DistributionTable) -> Self {
        table.values
    }
}

impl DataFormat for DistributionTable {
    const WHAT: &'static str = "tc distribution table";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut values = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            for word in line.split_whitespace() {
                values.push(word.parse().map_err(|_| DataError::Line {
                    line: index + 1,
                    message: format!("`{word}` is not a whole number from -32768 to 32767"),
                })?);
            }
        }
        Self::new(values).map_err(DataError::Whole)
    }
}

/// Jitter as a table.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JitterModel")]
#[serde(deny_unknown_fields)]
struct JitterTable {
    /// Uniform between minus and plus this much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uniform: Option<Duration>,
    /// Normal with mean zero and this standard deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    normal: Option<Duration>,
    /// tc-netem's `pareto` at this deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pareto: Option<Duration>,
    /// tc-netem's `paretonormal` at this deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paretonormal: Option<Duration>,
    /// A list of signed durations, or a file with one a line, to draw from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    empirical: Option<Data<Offsets>>,
    /// A distribution table of tc (`.dist`), scaled to `deviation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<Data<DistributionTable>>,
    /// What a `table` is scaled to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviation: Option<Duration>,
    /// A list of signed durations taken in order, over and over.
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
    "`none`, a duration like `2ms` (uniform, plus or minus), or a distribution like `{normal: 2ms}`",
    "`none`, a duration (uniform, plus or minus), or a distribution."
);
