//! Recorded movements.

use netloom_units::{Coordinate, Data, DataFile, Duration, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Surroundings, no_position};
use crate::trace::{TraceFormat, Traces};
use crate::{MobilityError, Point, Trajectory};

/// A recorded movement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MovementTrace"))]
#[serde(deny_unknown_fields)]
pub struct TraceConfig {
    /// The file: ns-2, BonnMotion, SUMO's FCD, GPX, or CSV; or a list of lines of CSV.
    pub file: Data<Traces>,
    /// Its format, which is guessed from its text: an error if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TraceFormat>,
    /// Whether places are degrees: x the longitude, y the latitude (default: what the format says).
    /// For FCD that SUMO wrote with `--fcd-output.geo`, BonnMotion and CSV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<bool>,
    /// Which of its nodes this one is (default: the one of the same name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The time in the file that is the run's zero (default `0s`).
    #[serde(default)]
    pub start: Duration,
    /// Factor of all coordinates (default 1).
    #[serde(default = "one")]
    pub scale: f64,
    /// Vector that is added to them then, `[x, y]` (default: none).
    #[serde(default)]
    pub offset: [Coordinate; 2],
}

fn one() -> f64 {
    1.0
}

impl Configured for TraceConfig {
    fn check(&self) -> Result<(), String> {
        match (1e-9..=1e9).contains(&self.scale.abs()) {
            true => Ok(()),
            false => Err(format!("`scale: {}` must be from 1e-9 to 1e9", self.scale)),
        }
    }

    fn warning(&self) -> Option<String> {
        let traces = self.file.values().filter(|traces| traces.may_be_degrees())?;
        let format = traces.format().map_or("trace", TraceFormat::name);
        let file = self.file.file().unwrap_or(format);
        let help = match traces.format() {
            Some(TraceFormat::Ns2) => {
                "degrees of ns-2 have to be converted first; `degrees: false` says that they are \
                 metres"
            }
            _ => "write `degrees: true`, or `degrees: false` if they are metres",
        };
        let unknown = self.degrees.is_none();
        unknown.then(|| format!("all places of {file} fit degrees, and are read as metres; {help}"))
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        vec![&mut self.file]
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        no_position("trace", given)?;
        let unread = || MobilityError::Unread(self.file.file().unwrap_or("without a name").into());
        let traces = self.file.values().ok_or_else(unread)?;
        if let (Some(written), Some(found)) = (self.format, traces.format())
            && written != found
        {
            let (written, found) = (written.name(), found.name());
            return Err(MobilityError::OtherFormat { written, found });
        }
        let node = self.node.as_deref().unwrap_or(given.node);
        let own = match (self.degrees, traces.needs_plane()) {
            (Some(true), false) => traces.of_node(node).map(Traces::in_degrees).transpose()?,
            (Some(false), true) => return Err(MobilityError::AlwaysDegrees),
            _ => None,
        };
        let traces = own.as_ref().unwrap_or(traces);
        let offset = self.offset.map(Coordinate::metres);
        let place = |at: Point| {
            let scaled = at * self.scale;
            Point::new(scaled.x + offset[0], scaled.y + offset[1], scaled.z)
        };
        let start = Time::ZERO + self.start;
        traces.trajectory(node, given.plane, start, &place)
    }
}
