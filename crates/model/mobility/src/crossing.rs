//! When two trajectories come within a distance of each other, and when they leave it.

use netloom_units::{Duration, Length, Time};

use crate::{Point, Trajectory};

/// A pair that comes within a distance, or leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Crossing {
    /// From then on the distance is at most the limit, and both are there.
    Nearer,
    /// From then on it is more, or one of the two is absent.
    Farther,
}

/// Whether two are at most `distance` apart, and both there.
pub fn within(a: &Trajectory, b: &Trajectory, distance: Length, at: Time) -> bool {
    near(a, b, square(distance), at)
}

/// The crossings of `distance` by `a` and `b` after `from`, up to `until`, in order of time.
///
/// Each time is the first whole nanosecond at which [`within`] has its new value: between two ends
/// of legs the distance is the root of a quadratic, which is solved. Whoever needs the state at
/// `from` asks [`within`]. Both have to be drawn up to `until`.
pub fn crossings<'a>(
    a: &'a Trajectory,
    b: &'a Trajectory,
    distance: Length,
    from: Time,
    until: Time,
) -> impl Iterator<Item = (Time, Crossing)> + use<'a> {
    let square = square(distance);
    Crossings { a, b, square, now: from, until, near: near(a, b, square, from) }
}

fn square(distance: Length) -> f64 {
    distance.metres() * distance.metres()
}

fn near(a: &Trajectory, b: &Trajectory, square: f64, at: Time) -> bool {
    let (a, b) = (a.leg(at), b.leg(at));
    a.on && b.on && (a.position(at) - b.position(at)).square() <= square
}

struct Crossings<'a> {
    a: &'a Trajectory,
    b: &'a Trajectory,
    /// The square of the distance, in m².
    square: f64,
    /// Up to when everything was found.
    now: Time,
    until: Time,
    /// Whether they are near at `now`.
    near: bool,
}

impl Iterator for Crossings<'_> {
    type Item = (Time, Crossing);

    fn next(&mut self) -> Option<Self::Item> {
        while self.now < self.until {
            let ends = [self.a.next_leg(self.now), self.b.next_leg(self.now), Some(self.until)];
            // The last one is there.
            let end = ends.into_iter().flatten().min().unwrap_or(self.until);
            let found = self.within_legs(end).or_else(|| self.differs(end).then_some(end));
            let Some(at) = found else {
                self.now = end;
                continue;
            };
            (self.now, self.near) = (at, !self.near);
            let crossing = if self.near { Crossing::Nearer } else { Crossing::Farther };
            return Some((at, crossing));
        }
        None
    }
}

impl Crossings<'_> {
    fn differs(&self, at: Time) -> bool {
        near(self.a, self.b, self.square, at) != self.near
    }

    /// The first crossing after `now` and before `end`, when a leg ends.
    fn within_legs(&self, end: Time) -> Option<Time> {
        let (a, b) = (self.a.leg(self.now), self.b.leg(self.now));
        if !(a.on && b.on) {
            return None;
        }
        let apart = b.position(self.now) - a.position(self.now);
        let roots = roots(apart, b.velocity - a.velocity, self.square)?;
        roots.into_iter().find_map(|root| self.settle(root, end))
    }

    /// The nanosecond of a root, `seconds` after `now`.
    fn settle(&self, seconds: f64, end: Time) -> Option<Time> {
        // Floats are nearer to the root than this.
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

/// The times, in order, at which |p + v·t|² is `square`.
fn roots(p: Point, v: Point, square: f64) -> Option<[f64; 2]> {
    let (a, half, c) = (v.square(), p.dot(v), p.square() - square);
    let discriminant = half * half - a * c;
    if a == 0.0 || discriminant < 0.0 {
        return None;
    }
    // No difference of nearly equal numbers.
    let q = -(half + libm::copysign(libm::sqrt(discriminant), half));
    let (first, second) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    Some([first.min(second), first.max(second)])
}
