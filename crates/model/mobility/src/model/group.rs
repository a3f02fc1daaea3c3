//! Reference point group mobility (Hong, Gerla, Pei & Chiang 1999).

use std::f64::consts::TAU;

use netloom_units::{DataFile, Duration, Length, Stream, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Mobility, Surroundings};
use crate::trajectory::Walk;
use crate::{MobilityError, Point, Trajectory};

/// A group around a leader. Each member has a reference point, anywhere within `radius` around the
/// leader, which moves with it; around that point it wanders, straight from one place to the next,
/// each anywhere within `deviation`. Members may leave the leader's area by as much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    /// How the leader moves. All members of a group of nodes have the same one; it is no node
    /// itself.
    pub leader: Box<Mobility>,
    /// How far from the leader a member's reference point is, at most.
    pub radius: Length,
    /// How far from its reference point a member is, at most (default `0m`).
    #[serde(default)]
    pub deviation: Length,
    /// How long it goes from one place to the next (default `10s`).
    #[serde(default = "ten")]
    pub every: Duration,
}

fn ten() -> Duration {
    Duration::from_secs(10)
}

impl Configured for GroupConfig {
    fn check(&self) -> Result<(), String> {
        match (&*self.leader, self.every) {
            (Mobility::Group(_), _) => Err("`leader` cannot be a group itself".into()),
            (_, Duration::ZERO) => Err("`every` must be more than 0s".into()),
            (leader, _) => leader.configured().check().map_err(|error| format!("leader: {error}")),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        self.leader.files()
    }

    fn warning(&self) -> Option<String> {
        self.leader.warning()
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        let led = Surroundings { stream: given.group, ..*given };
        let leader = self.leader.trajectory(&led)?;
        let mut stream = given.stream.clone();
        let reference = within(self.radius, &mut stream);
        let wander = Wander { deviation: self.deviation, every: self.every, stream };
        let mut walk = Group { leader, own: wander.begin(), reference };
        let path = Trajectory::fixed(walk.at(Time::ZERO));
        Ok(path.followed_by(Box::new(walk)))
    }
}

/// Draws a vector with a uniform distribution over the area of a circle.
fn within(radius: Length, stream: &mut Stream) -> Point {
    // The area grows with the square of the radius.
    let length = radius.metres() * libm::sqrt(stream.uniform());
    let direction = TAU * stream.uniform();
    Point::flat(length * libm::cos(direction), length * libm::sin(direction))
}

/// A member's own movement in addition to that of the leader: a trajectory around the origin.
#[derive(Debug, Clone)]
struct Wander {
    deviation: Length,
    every: Duration,
    stream: Stream,
}

impl Wander {
    fn begin(mut self) -> Trajectory {
        let at = within(self.deviation, &mut self.stream);
        Trajectory::fixed(at).followed_by(Box::new(self))
    }
}

impl Walk for Wander {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        if self.deviation == Length::ZERO {
            return false;
        }
        let to = within(self.deviation, &mut self.stream);
        path.reach(to, path.end().start + self.every);
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}

/// A member of a group. Its position is the sum of two trajectories and a vector, so that it has a
/// new leg wherever one of the two has.
#[derive(Debug, Clone)]
struct Group {
    leader: Trajectory,
    own: Trajectory,
    reference: Point,
}

impl Group {
    fn at(&mut self, time: Time) -> Point {
        self.leader.extend(time);
        self.own.extend(time);
        self.leader.position(time) + self.own.position(time) + self.reference
    }
}

impl Walk for Group {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        let now = path.end().start;
        // A trajectory that is drawn up to a time may end at that time, and its next leg is then
        // unknown. `at` extends both trajectories.
        self.at(now);
        let next = [self.leader.next_leg(now), self.own.next_leg(now)].into_iter().flatten().min();
        let Some(next) = next else { return false };
        // Move to the position just before the next leg, since one of the two may jump there. Then
        // jump to the new position.
        let (a, b) = (self.leader.leg(now), self.own.leg(now));
        path.reach(a.position(next) + b.position(next) + self.reference, next);
        let at = self.at(next);
        path.jump(at);
        path.switch(self.leader.on(next));
        self.leader.forget_before(next);
        self.own.forget_before(next);
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
