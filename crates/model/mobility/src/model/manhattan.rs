//! Movement along the streets of a grid (ETSI TR 101 112 B.1.4.3; Bai, Sadagopan & Helmy 2003).

use netloom_units::{Probability, Stream};
use serde::{Deserialize, Serialize};

use super::{Configured, Surroundings, no_position};
use crate::trajectory::Walk;
use crate::{Area, MobilityError, Point, Speeds, Trajectory};

/// Streets around blocks. At each crossing it turns with a probability, left or right alike, and
/// else goes straight on; where that is not possible it does the other. Each stretch from crossing
/// to crossing has a speed of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ManhattanConfig {
    /// Where the blocks are; its borders are streets, too.
    pub area: Area,
    /// How many blocks there are to the east and to the north.
    pub blocks: [u32; 2],
    /// How fast, above 0.
    pub speed: Speeds,
    /// How likely it turns at a crossing (default `50%`).
    #[serde(default = "half")]
    pub turn: Probability,
}

fn half() -> Probability {
    // 0.5 is a valid probability.
    Probability::new(0.5).unwrap_or_default()
}

/// Maximum number of blocks along one side.
const MOST: u32 = 10_000;

impl Configured for ManhattanConfig {
    fn check(&self) -> Result<(), String> {
        match self.blocks.into_iter().find(|count| !(1..=MOST).contains(count)) {
            Some(count) => Err(format!("`blocks`: {count} must be from 1 to {MOST}")),
            None => self.speed.above_zero().map_err(|error| format!("speed: {error}")),
        }
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        no_position("manhattan", given)?;
        let mut stream = given.stream.clone();
        let (from, heading) = self.street(&mut stream);
        let to = heading.next(from);
        let mut path = Trajectory::fixed({
            let (start, end) = (self.crossing(from), self.crossing(to));
            start + (end - start) * stream.uniform()
        });
        path.go(self.crossing(to), self.speed.draw_underway(&mut stream));
        let walk = Manhattan { config: self.clone(), stream, at: to, heading };
        Ok(path.followed_by(Box::new(walk)))
    }
}

impl ManhattanConfig {
    /// Returns the place of a crossing.
    fn crossing(&self, [column, row]: [u32; 2]) -> Point {
        let (low, sides) = (self.area.low(), self.area.sides());
        let at = |axis: usize, number: u32| {
            low[axis] + sides[axis] * f64::from(number) / f64::from(self.blocks[axis])
        };
        Point::flat(at(0, column), at(1, row))
    }

    /// Draws a street between two crossings, long ones more likely, and a direction along it.
    fn street(&self, stream: &mut Stream) -> ([u32; 2], Heading) {
        let [columns, rows] = self.blocks;
        let [width, height] = self.area.sides();
        // Total length of the streets in each of the two directions.
        let (along_x, along_y) = (width * f64::from(rows + 1), height * f64::from(columns + 1));
        let mut below = |bound: u32| stream.below(bound.into()) as u32;
        let (mut column, mut row) = (below(columns), below(rows));
        let (last_column, last_row) = (below(columns + 1), below(rows + 1));
        let is_backwards = stream.chance(0.5);
        let axis = usize::from(!stream.chance(along_x / (along_x + along_y)));
        let heading = Heading { axis, step: if is_backwards { -1 } else { 1 } };
        match axis {
            0 => row = last_row,
            _ => column = last_column,
        }
        let mut from = [column, row];
        if is_backwards {
            from[axis] += 1;
        }
        (from, heading)
    }
}

/// A direction along the streets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heading {
    /// 0 for east or west, 1 for north or south.
    axis: usize,
    /// 1 for east or north, −1 for west or south.
    step: i32,
}

impl Heading {
    /// Returns the next crossing. The given one must not be the last one.
    fn next(self, mut at: [u32; 2]) -> [u32; 2] {
        at[self.axis] = at[self.axis].saturating_add_signed(self.step);
        at
    }

    /// Whether there is a crossing after this one.
    fn goes_on(self, at: [u32; 2], blocks: [u32; 2]) -> bool {
        let next = i64::from(at[self.axis]) + i64::from(self.step);
        (0..=i64::from(blocks[self.axis])).contains(&next)
    }
}

/// The state of a node.
#[derive(Debug, Clone)]
struct Manhattan {
    config: ManhattanConfig,
    stream: Stream,
    /// The crossing at the end of the current leg, and the heading of that leg.
    at: [u32; 2],
    heading: Heading,
}

impl Manhattan {
    /// Draws the heading after the crossing.
    fn turn(&mut self) -> Heading {
        let step = if self.stream.chance(0.5) { 1 } else { -1 };
        let axis = 1 - self.heading.axis;
        let (side, other) = (Heading { axis, step }, Heading { axis, step: -step });
        let wishes = match self.stream.chance(self.config.turn.value()) {
            true => [side, other, self.heading],
            false => [self.heading, side, other],
        };
        let can = |heading: &Heading| heading.goes_on(self.at, self.config.blocks);
        // Each crossing has a block on one side at least, so that one of the headings is possible.
        wishes.into_iter().find(can).unwrap_or(self.heading)
    }
}

impl Walk for Manhattan {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        self.heading = self.turn();
        self.at = self.heading.next(self.at);
        path.go(self.config.crossing(self.at), self.config.speed.draw(&mut self.stream));
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
