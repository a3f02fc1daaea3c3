//! Trajectories: the position of an object at any time, exact between the ends of its legs.
//! The module `model` draws legs, and `trace` reads them.

use std::fmt;

use netloom_units::{Duration, Speed, Time};

use crate::Point;

/// A straight movement, or a rest, up to the start of the next leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// Time at which the leg starts.
    pub start: Time,
    /// Position at the start.
    pub at: Point,
    /// Velocity, in m/s.
    pub velocity: Point,
    /// Whether the object is present. A vehicle that is absent has its radio off.
    pub on: bool,
}

impl Leg {
    fn rest(start: Time, at: Point, on: bool) -> Self {
        Self { start, at, velocity: Point::ZERO, on }
    }

    /// Returns the position at `time`, which must be within the leg. Before the leg it is the
    /// position at its start.
    pub fn position(&self, time: Time) -> Point {
        self.at + self.velocity * time.since(self.start).as_secs_f64()
    }
}

/// A source of legs that extends a trajectory when needed: the state of a mobility model.
pub(crate) trait Walk: fmt::Debug + Send + Sync {
    /// Adds one leg or more. Returns `false` if there are no more; the trajectory then rests at its
    /// end. A walk that repeatedly adds nothing and returns `true` is a bug.
    fn step(&mut self, path: &mut Trajectory) -> bool;
    /// Returns a copy in the same state.
    fn boxed(&self) -> Box<dyn Walk>;
}

/// Positions as a function of time. A trajectory is a list of legs, each with a start time, a start
/// position and a velocity.
///
/// The trajectory of a model is drawn up to [`Trajectory::known_until`]. After that time it appears
/// to rest, so that callers must call [`Trajectory::extend`] first.
#[derive(Debug)]
pub struct Trajectory {
    /// The legs in order of time, none of them empty. The last one is a rest, where the trajectory
    /// ends.
    legs: Vec<Leg>,
    /// The model that draws further legs, if there is one.
    walk: Option<Box<dyn Walk>>,
}

impl Clone for Trajectory {
    fn clone(&self) -> Self {
        Self { legs: self.legs.clone(), walk: self.walk.as_deref().map(Walk::boxed) }
    }
}

/// Queries.
impl Trajectory {
    /// Returns the position.
    pub fn position(&self, at: Time) -> Point {
        self.leg(at).position(at)
    }

    /// Returns the velocity, in m/s. Where one leg follows another, it is that of the new leg.
    pub fn velocity(&self, at: Time) -> Point {
        self.leg(at).velocity
    }

    /// Whether the object is present. A vehicle that is absent has its radio off.
    pub fn on(&self, at: Time) -> bool {
        self.leg(at).on
    }

    /// Returns the time of the next leg's start after `after`, if there is one.
    pub fn next_leg(&self, after: Time) -> Option<Time> {
        Some(self.legs.get(self.index(after) + 1)?.start)
    }

    /// Returns the leg at a time.
    pub fn leg(&self, at: Time) -> &Leg {
        &self.legs[self.index(at)]
    }

    /// Returns all legs that are drawn, in order of time. The last one is a rest.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Returns the time up to which the trajectory is drawn; `None` if it has an end and is known
    /// for ever.
    pub fn known_until(&self) -> Option<Time> {
        self.walk.is_some().then(|| self.end().start)
    }

    /// Returns the last leg, which is a rest.
    pub(crate) fn end(&self) -> Leg {
        self.legs[self.legs.len() - 1]
    }

    /// Returns the index of the leg at a time. Before the first leg it is that leg's index.
    fn index(&self, at: Time) -> usize {
        self.legs.partition_point(|leg| leg.start <= at).saturating_sub(1)
    }
}

/// Construction, leg by leg.
impl Trajectory {
    /// Creates a trajectory that rests at one point for ever.
    pub fn fixed(at: Point) -> Self {
        Self { legs: vec![Leg::rest(Time::ZERO, at, true)], walk: None }
    }

    /// Appends a straight movement from the end to `to` at `speed` (m/s, greater than zero). It
    /// takes the nearest whole number of nanoseconds.
    pub fn go(&mut self, to: Point, speed: f64) {
        let end = self.end();
        let nanos = libm::round(end.at.distance(to) / speed * 1e9);
        // The cast saturates: an endless movement ends at the maximum time.
        self.reach(to, Time::from_nanos(end.start.as_nanos().saturating_add(nanos as u64)));
    }

    /// Appends a straight movement from the end to `to` that arrives at `by`. If the trajectory
    /// ends at `by` or later, it jumps.
    pub fn reach(&mut self, to: Point, by: Time) {
        let end = self.end();
        self.legs.pop();
        if by > end.start {
            let velocity = (to - end.at) * (1.0 / by.since(end.start).as_secs_f64());
            self.legs.push(Leg { velocity, ..end });
        }
        self.legs.push(Leg::rest(by.max(end.start), to, end.on));
    }

    /// Appends a rest at the end for a time.
    pub fn rest(&mut self, time: Duration) {
        let end = self.end();
        if time > Duration::ZERO {
            self.legs.push(Leg::rest(end.start + time, end.at, end.on));
        }
    }

    /// Appends a rest at the end up to `until`, if that is later.
    pub fn rest_until(&mut self, until: Time) {
        self.rest(until.since(self.end().start));
    }

    /// Jumps from the end to `to`.
    pub fn jump(&mut self, to: Point) {
        let last = self.legs.len() - 1;
        self.legs[last].at = to;
    }

    /// Makes the object present or absent from the end on.
    pub fn switch(&mut self, on: bool) {
        let last = self.legs.len() - 1;
        self.legs[last].on = on;
    }
}

/// Trajectories that models draw, and changes.
impl Trajectory {
    /// Returns the trajectory, which `walk` draws from its end on.
    pub(crate) fn followed_by(self, walk: Box<dyn Walk>) -> Self {
        Self { walk: Some(walk), ..self }
    }

    /// Draws the trajectory up to `until`, if that has not been done yet. The result does not
    /// depend on when or how often this is called.
    pub fn extend(&mut self, until: Time) {
        while self.end().start <= until {
            let Some(mut walk) = self.walk.take() else { return };
            if !walk.step(self) {
                return;
            }
            self.walk = Some(walk);
        }
    }

    /// Replaces all movements after `now`: from `now` on it moves straight to `to` and rests there.
    /// At a speed of 0 it rests at its current position.
    pub fn redirect(&mut self, now: Time, to: Point, speed: Speed) {
        self.cut(now);
        if speed > Speed::ZERO {
            self.go(to, speed.metres_per_second());
        }
    }

    /// Replaces all movements after `now`: from `now` on it rests at `at`.
    pub fn place(&mut self, now: Time, at: Point) {
        self.cut(now);
        self.jump(at);
    }

    /// Ends the trajectory at `now`, at its position at that time.
    fn cut(&mut self, now: Time) {
        self.extend(now);
        self.walk = None;
        let rest = Leg::rest(now, self.position(now), self.on(now));
        self.legs.retain(|leg| leg.start < now);
        self.legs.push(rest);
    }

    /// Returns the trajectory with `start` as its time zero, without the part before it.
    pub(crate) fn from(mut self, start: Time) -> Self {
        self.extend(start);
        let first = Leg { start, at: self.position(start), ..*self.leg(start) };
        self.legs.retain(|leg| leg.start > start);
        self.legs.insert(0, first);
        for leg in &mut self.legs {
            leg.start = Time::ZERO + leg.start.since(start);
        }
        self
    }

    /// Removes legs that ended before `time`, so that an endless run needs memory only for the legs
    /// ahead.
    pub fn forget_before(&mut self, time: Time) {
        self.legs.drain(..self.index(time));
    }
}
