//! Times at which two trajectories come within a distance of each other, and at which they leave
//! it.

use netloom_units::{Duration, Length, Time};

use crate::{Leg, Point, Trajectory};

/// Whether a pair comes within a distance or leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Crossing {
    /// From now on the distance is at most the limit, and both are present.
    Nearer,
    /// From now on the distance exceeds the limit, or one of the two is absent.
    Farther,
}

/// Whether two trajectories are present and at most `distance` apart.
pub fn within(a: &Trajectory, b: &Trajectory, distance: Length, at: Time) -> bool {
    near(a.leg(at), b.leg(at), square(distance), at)
}

/// Returns the crossings of `distance` by `a` and `b` after `from` and up to `until`, in order of
/// time.
///
/// Each time is the first whole nanosecond at which [`within`] has its new value. Between two ends
/// of legs the distance is the square root of a quadratic, and the equation is solved. [`within`]
/// returns the state at `from`. Both trajectories must be drawn up to `until`.
pub fn crossings<'a>(
    a: &'a Trajectory,
    b: &'a Trajectory,
    distance: Length,
    from: Time,
    until: Time,
) -> impl Iterator<Item = (Time, Crossing)> + use<'a> {
    let square = square(distance);
    let near = near(a.leg(from), b.leg(from), square, from);
    let legs = [a, b].map(|path| {
        let legs = path.legs();
        let first = legs.partition_point(|leg| leg.start <= from).saturating_sub(1);
        &legs[first..]
    });
    Crossings { legs, square, now: from, until, near }
}

fn square(distance: Length) -> f64 {
    distance.metres() * distance.metres()
}

fn near(a: &Leg, b: &Leg, square: f64, at: Time) -> bool {
    a.on && b.on && (a.position(at) - b.position(at)).square() <= square
}

struct Crossings<'a> {
    /// The legs of both trajectories from `now` on; each has at least one.
    legs: [&'a [Leg]; 2],
    /// The square of the distance, in m².
    square: f64,
    /// Time up to which all crossings have been found.
    now: Time,
    until: Time,
    /// Whether the pair is within the distance at `now`.
    near: bool,
}

impl Iterator for Crossings<'_> {
    type Item = (Time, Crossing);

    fn next(&mut self) -> Option<Self::Item> {
        while self.now < self.until {
            let ends = self.legs.map(|legs| legs.get(1).map_or(self.until, |leg| leg.start));
            let end = self.until.min(ends[0]).min(ends[1]);
            let found = self.within_legs(end);
            if let Some(at) = found {
                return Some(self.turned(at));
            }
            for legs in &mut self.legs {
                if legs.get(1).is_some_and(|leg| leg.start <= end) {
                    *legs = &legs[1..];
                }
            }
            // A trajectory may jump where a leg ends.
            if self.differs(end) {
                return Some(self.turned(end));
            }
            self.now = end;
        }
        None
    }
}

impl Crossings<'_> {
    fn turned(&mut self, at: Time) -> (Time, Crossing) {
        (self.now, self.near) = (at, !self.near);
        (at, if self.near { Crossing::Nearer } else { Crossing::Farther })
    }

    fn differs(&self, at: Time) -> bool {
        near(&self.legs[0][0], &self.legs[1][0], self.square, at) != self.near
    }

    /// Returns the first crossing after `now` and before `end`, the time at which a leg ends.
    fn within_legs(&self, end: Time) -> Option<Time> {
        let (a, b) = (&self.legs[0][0], &self.legs[1][0]);
        if !(a.on && b.on) {
            return None;
        }
        let apart = b.position(self.now) - a.position(self.now);
        let roots = roots(apart, b.velocity - a.velocity, self.square)?;
        roots.into_iter().find_map(|root| self.settle(root, end))
    }

    /// Returns the first nanosecond near a root at which the state changes. The root is `seconds`
    /// after `now`.
    fn settle(&self, seconds: f64, end: Time) -> Option<Time> {
        // Rounding errors of the root are smaller than this.
        const SLACK: u64 = 2;
        let nanos = libm::floor(seconds * 1e9);
        if !(nanos >= 0.0 && nanos <= end.since(self.now).as_nanos() as f64) {
            return None;
        }
        let nanos = nanos as u64;
        (nanos.saturating_sub(SLACK).max(1)..=nanos + SLACK)
            .map(|nanos| self.now + Duration::from_nanos(nanos))
            .find(|at| *at < end && self.differs(*at))
    }
}

/// Returns the times, in ascending order, at which |p + v·t|² is `square`.
fn roots(p: Point, v: Point, square: f64) -> Option<[f64; 2]> {
    let (a, half, c) = (v.square(), p.dot(v), p.square() - square);
    let discriminant = half * half - a * c;
    if a == 0.0 || discriminant < 0.0 {
        return None;
    }
    // This form avoids the difference of two nearly equal numbers.
    let q = -(half + libm::copysign(libm::sqrt(discriminant), half));
    let (first, second) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    Some([first.min(second), first.max(second)])
}
