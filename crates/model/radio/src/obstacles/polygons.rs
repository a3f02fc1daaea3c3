//! Outlines of obstacles.

use netloom_mobility::{Geographic, Plane};
use serde::{Deserialize, Serialize};

/// An outline: rings of corners. Within is what an odd number of rings surrounds, so a ring in a
/// ring is a courtyard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Outline {
    /// The corners of each ring, in order; the last one is joined to the first.
    pub rings: Vec<Vec<[f64; 2]>>,
}

/// Outlines of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Polygons {
    /// Whether coordinates are degrees (longitude, latitude), not metres (x, y).
    pub degrees: bool,
    /// The outlines.
    pub outlines: Vec<Outline>,
}

impl Polygons {
    /// Returns the outlines in metres, or `None` if they are in degrees and there is no plane.
    pub(super) fn in_metres(&self, plane: Option<&Plane>) -> Option<Vec<Outline>> {
        if !self.degrees {
            return Some(self.outlines.clone());
        }
        let plane = plane?;
        let corner = |[lon, lat]: [f64; 2]| {
            let point = plane.point(Geographic { lat, lon, alt: 0.0 });
            [point.x, point.y]
        };
        let ring = |ring: &Vec<[f64; 2]>| ring.iter().copied().map(corner).collect();
        let outline =
            |outline: &Outline| Outline { rings: outline.rings.iter().map(ring).collect() };
        Some(self.outlines.iter().map(outline).collect())
    }
}

impl Outline {
    /// Returns all walls as pairs of corners.
    fn edges(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
        self.rings.iter().flat_map(|ring| {
            let next = ring.iter().cycle().skip(1);
            ring.iter().copied().zip(next.copied())
        })
    }

    /// Returns the smallest and the largest coordinates.
    pub(super) fn bounds(&self) -> [[f64; 2]; 2] {
        let corners = self.rings.iter().flatten();
        corners.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], corner| {
            [0, 1].map(|side| match side {
                0 => [low[0].min(corner[0]), low[1].min(corner[1])],
                _ => [high[0].max(corner[0]), high[1].max(corner[1])],
            })
        })
    }

    /// Returns the number of walls on the path, and the share of the path that is inside.
    ///
    /// The straight line through both ends, extended without limit, enters and leaves the outline
    /// alternately at the walls that it meets.
    pub(super) fn crossed(&self, from: [f64; 2], to: [f64; 2]) -> (u32, f64) {
        let way = [to[0] - from[0], to[1] - from[1]];
        // Computes the side of the line on which a corner lies. A corner on the line counts as
        // left. A line through a corner therefore meets none or both of its walls, or it passes
        // from one to the other.
        let side = |at: [f64; 2]| way[0] * (at[1] - from[1]) - way[1] * (at[0] - from[0]);
        let mut met: Vec<f64> = Vec::new();
        for (start, end) in self.edges() {
            let (before, after) = (side(start), side(end));
            if (before >= 0.0) != (after >= 0.0) {
                let share = before / (before - after);
                let at = [0, 1].map(|axis| start[axis] + share * (end[axis] - start[axis]));
                let along = (at[0] - from[0]) * way[0] + (at[1] - from[1]) * way[1];
                met.push(along / (way[0] * way[0] + way[1] * way[1]));
            }
        }
        met.sort_by(f64::total_cmp);
        let walls = met.iter().filter(|at| (0.0..1.0).contains(*at)).count();
        let within = met.chunks_exact(2).map(|pair| (pair[1].min(1.0) - pair[0].max(0.0)).max(0.0));
        (u32::try_from(walls).unwrap_or(u32::MAX), within.sum())
    }
}
