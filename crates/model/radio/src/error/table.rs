//! Measured error rates, read from a file and used instead of formulas.

use std::collections::BTreeMap;

use netloom_units::{DataError, DataFormat, Rate, check_count, lines, quoted};
use serde::{Deserialize, Serialize};

/// Which share of frames was lost, by rate and by the ratio of signal to noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<LossPoint>", into = "Vec<LossPoint>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<LossPoint>"))]
pub struct ErrorTable(BTreeMap<Rate, Vec<LossPoint>>);

/// A share of frames that was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LossPoint {
    /// The rate at which they were sent.
    pub rate: Rate,
    /// The ratio of signal to noise, in dB.
    pub snr: f64,
    /// How long the frames were, all bytes on the air.
    pub bytes: u32,
    /// Which share was lost, 0 to 1.
    pub loss: f64,
}

impl LossPoint {
    /// Returns the logarithm of the probability that one bit survives, from −∞ to 0.
    fn log_success(&self) -> f64 {
        libm::log1p(-self.loss) / (8.0 * f64::from(self.bytes))
    }
}

impl ErrorTable {
    /// Returns the logarithm of the probability that a bit survives at a plain ratio of `sinr`.
    /// Returns `None` for a rate that the table does not have. Between two ratios of the table, the
    /// loss of frames is linear in dB. Below the first ratio and above the last one it is constant.
    pub fn log_success(&self, rate: Rate, sinr: f64) -> Option<f64> {
        let points = self.0.get(&rate)?;
        let snr = crate::dbm(sinr);
        let after = points.partition_point(|point| point.snr <= snr);
        let (before, next) = (after.checked_sub(1).map(|at| &points[at]), points.get(after));
        Some(match (before, next) {
            (Some(low), Some(high)) => {
                let share = (snr - low.snr) / (high.snr - low.snr);
                let loss = low.loss + (high.loss - low.loss) * share;
                LossPoint { loss, ..low.clone() }.log_success()
            }
            (Some(only), None) | (None, Some(only)) => only.log_success(),
            // A rate in the table has at least one point.
            (None, None) => 0.0,
        })
    }
}

impl TryFrom<Vec<LossPoint>> for ErrorTable {
    type Error = String;
    fn try_from(points: Vec<LossPoint>) -> Result<Self, String> {
        check_count(points.len(), "an error table")?;
        let mut table: BTreeMap<_, Vec<LossPoint>> = BTreeMap::new();
        for point in points {
            let is_ratio = (-1e3..=1e3).contains(&point.snr);
            if !(0.0..=1.0).contains(&point.loss) || point.bytes == 0 || !is_ratio {
                return Err(format!(
                    "at {} and {} dB a loss of {} of {} bytes makes no sense",
                    point.rate, point.snr, point.loss, point.bytes
                ));
            }
            table.entry(point.rate).or_default().push(point);
        }
        for (rate, points) in &mut table {
            points.sort_by(|a, b| a.snr.total_cmp(&b.snr));
            for pair in points.windows(2) {
                if pair[0].bytes != pair[1].bytes {
                    return Err(format!("{rate} has frames of different lengths"));
                }
                if pair[0].snr == pair[1].snr {
                    return Err(format!("{rate} has two losses at {} dB", pair[0].snr));
                }
            }
        }
        Ok(Self(table))
    }
}

impl From<ErrorTable> for Vec<LossPoint> {
    fn from(table: ErrorTable) -> Self {
        table.0.into_values().flatten().collect()
    }
}

impl DataFormat for ErrorTable {
    const WHAT: &'static str = "error table";

    /// Parses lines of `rate,snr,bytes,loss`, with or without a heading.
    fn parse(text: &str) -> Result<Self, DataError> {
        let mut points = Vec::new();
        for (number, line) in lines(text) {
            if points.is_empty() && line.starts_with("rate") {
                continue;
            }
            points.push(point(line).map_err(|error| DataError::at(number, error))?);
        }
        Self::try_from(points).map_err(DataError::Whole)
    }
}

/// Parses one line.
fn point(line: &str) -> Result<LossPoint, String> {
    let cells: Vec<_> = line.split(',').map(str::trim).collect();
    let [rate, snr, bytes, loss] = cells[..] else {
        return Err(format!("{} is not `rate,snr,bytes,loss`", quoted(line)));
    };
    let no_number = |text: &str| format!("{} is no number", quoted(text));
    Ok(LossPoint {
        rate: rate.parse().map_err(|error: netloom_units::UnitError| error.to_string())?,
        snr: snr.parse().map_err(|_| no_number(snr))?,
        bytes: bytes.parse().map_err(|_| no_number(bytes))?,
        loss: loss.parse().map_err(|_| no_number(loss))?,
    })
}
