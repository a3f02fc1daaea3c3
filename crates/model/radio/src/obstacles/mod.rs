//! Loss through obstacles: their walls and the space inside (Sommer, Eckhoff, German & Dressler
//! 2011). Obstacles have no height: they block paths at any height.
//!
//! | file | contents |
//! |---|---|
//! | `polygons` | outlines from the scenario or from a file |
//! | `format`; `geojson`, `sumo` | the formats of such files |
//! | `index` | search for the obstacles that may be on a path |

mod format;
mod geojson;
mod index;
mod polygons;
mod sumo;

use netloom_mobility::{Plane, Point};
use netloom_units::{Attenuation, Coordinate, Data, DataFile, Loss};
use serde::{Deserialize, Serialize};

use crate::RadioError;
use index::Index;
pub use polygons::{Outline, Polygons};

/// Obstacles: one, or all of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObstacleConfig {
    /// The corners of one obstacle, in order, each `[x, y]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polygon: Option<Vec<[Coordinate; 2]>>,
    /// Instead of it: a file with obstacles, GeoJSON or SUMO's `poly.xml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Data<Polygons>>,
    /// Loss of each wall on the way: 9 dB in the source's measurements.
    pub wall: Loss,
    /// Loss of each metre within: 0.4 dB/m in the source's measurements.
    #[serde(default)]
    pub inside: Attenuation,
}

impl ObstacleConfig {
    pub(crate) fn check(&self) -> Result<(), String> {
        match (&self.polygon, &self.file) {
            (Some(_), Some(_)) => Err("one of `polygon` and `file`, not both".into()),
            (None, None) => Err("one of `polygon` and `file` is needed".into()),
            (Some(corners), None) if corners.len() < 3 => {
                Err(format!("`polygon` has {} corners; it needs three or more", corners.len()))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn file(&mut self) -> Option<&mut dyn DataFile> {
        self.file.as_mut().map(|file| file as &mut dyn DataFile)
    }

    /// Returns the outlines in metres.
    fn outlines(&self, plane: Option<&Plane>) -> Result<Vec<Outline>, RadioError> {
        if let Some(corners) = &self.polygon {
            let ring = corners.iter().map(|corner| corner.map(Coordinate::metres)).collect();
            return Ok(vec![Outline { rings: vec![ring] }]);
        }
        let name = self.file.as_ref().and_then(|file| file.file());
        let values = self.file.as_ref().and_then(|file| file.values());
        let polygons = values.ok_or_else(|| RadioError::unread(name))?;
        polygons.in_metres(plane).ok_or_else(|| RadioError::NoOrigin {
            file: name.unwrap_or("the list of obstacles").into(),
        })
    }
}

/// The obstacles of a channel, with an index for the search.
#[derive(Debug, Clone)]
pub(crate) struct Obstacles {
    index: Index,
    obstacles: Vec<Obstacle>,
}

/// One obstacle: its loss in dB for each wall, and in dB/m inside.
#[derive(Debug, Clone)]
struct Obstacle {
    outline: Outline,
    wall: f64,
    inside: f64,
}

impl Obstacles {
    pub fn new(configs: &[ObstacleConfig], plane: Option<&Plane>) -> Result<Self, RadioError> {
        let mut obstacles = Vec::new();
        for config in configs {
            let (wall, inside) = (config.wall.decibels(), config.inside.decibels_per_metre());
            let outlines = config.outlines(plane)?.into_iter();
            obstacles.extend(outlines.map(|outline| Obstacle { outline, wall, inside }));
        }
        let index = Index::new(obstacles.iter().map(|obstacle| &obstacle.outline));
        Ok(Self { index, obstacles })
    }

    /// Returns the loss through all obstacles between two points, in dB.
    pub fn loss(&self, from: Point, to: Point) -> f64 {
        if self.obstacles.is_empty() {
            return 0.0;
        }
        let way = [[from.x, from.y], [to.x, to.y]];
        self.index.on_the_way(way).map(|number| self.obstacles[number].loss(way)).sum()
    }
}

impl Obstacle {
    fn loss(&self, [from, to]: [[f64; 2]; 2]) -> f64 {
        let (walls, share) = self.outline.crossed(from, to);
        let length = libm::hypot(to[0] - from[0], to[1] - from[1]);
        f64::from(walls) * self.wall + share * length * self.inside
    }
}
