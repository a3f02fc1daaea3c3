//! No loss within a distance, and nothing arrives beyond it.

use netloom_units::Length;
use serde::{Deserialize, Serialize};

use super::{PathLoss, Route};
use crate::Path;

/// A disk: frames are understood within `reach`, and sensed within `sense`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RangeConfig {
    /// Up to which distance frames can be understood, this distance included.
    pub reach: Length,
    /// Up to which distance they occupy the channel (default: `reach`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense: Option<Length>,
}

impl RangeConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        match self.sense {
            _ if self.reach == Length::ZERO => Err("`reach` must be more than 0m".into()),
            Some(sense) if sense < self.reach => Err(format!(
                "`sense: {sense}` is less than `reach: {}`; what is understood is sensed, too",
                self.reach
            )),
            _ => Ok(()),
        }
    }

    fn sense(&self) -> Length {
        self.sense.unwrap_or(self.reach)
    }
}

impl PathLoss for RangeConfig {
    fn path(&self, route: &Route) -> Option<Path> {
        let square = (route.end - route.start).square();
        let within = |length: Length| square <= length.metres() * length.metres();
        within(self.sense()).then(|| Path { loss: 0.0, decodable: within(self.reach) })
    }

    fn farthest(&self, loss: f64, _: f64) -> Option<f64> {
        Some(if loss < 0.0 { 0.0 } else { self.sense().metres() })
    }
}
