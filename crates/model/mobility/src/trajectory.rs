//! Trajectories: where something is at any time, exact between the ends of its legs.
//! Not here: who draws the legs (`model`), who reads them (`trace`).

use std::fmt;

use netloom_units::{Duration, Speed, Time};

use crate::Point;

/// A straight movement, or a rest, up to the start of the next leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// When it starts.
    pub start: Time,
    /// Where it starts.
    pub at: Point,
    /// How it moves on, in m/s.
    pub velocity: Point,
    /// Whether the thing is there at all: a vehicle that is absent has its radio off.
    pub on: bool,
}

impl Leg {
    fn rest(start: Time, at: Point, on: bool) -> Self {
        Self { start, at, velocity: Point::ZERO, on }
    }

    /// Where it is at `time`, if that is within the leg; before it, where it starts.
    pub(crate) fn position(&self, time: Time) -> Point {
        self.at + self.velocity * time.since(self.start).as_secs_f64()
    }
}

/// Something that adds legs to a trajectory as they are needed: a mobility model at work.
pub(crate) trait Walk: fmt::Debug + Send + Sync {
    /// Adds one leg or more. Returns `false` where there are no more: the trajectory then rests
    /// where it ends. A walk that adds nothing, however often it is asked, is a bug.
    fn step(&mut self, path: &mut Trajectory) -> bool;
    /// A copy at work.
    fn boxed(&self) -> Box<dyn Walk>;
}

/// Positions as a function of time: legs, each with its start, where it starts and its velocity.
///
/// A trajectory that a model draws is drawn up to [`Trajectory::known_until`]. Later it is taken
/// to rest where it is then, so [`Trajectory::extend`] is called first.
#[derive(Debug)]
pub struct Trajectory {
    /// In order of time, none empty; the last one is a rest, where the trajectory ends.
    legs: Vec<Leg>,
    /// What goes on from there.
    walk: Option<Box<dyn Walk>>,
}

impl Clone for Trajectory {
    fn clone(&self) -> Self {
        Self { legs: self.legs.clone(), walk: self.walk.as_deref().map(Walk::boxed) }
    }
}

/// What a trajectory says.
impl Trajectory {
    /// Where it is.
    pub fn position(&self, at: Time) -> Point {
        self.leg(at).position(at)
    }

    /// How it moves, in m/s. At the moment where one leg follows another, the new one's.
    pub fn velocity(&self, at: Time) -> Point {
        self.leg(at).velocity
    }

    /// Whether it is there at all: a vehicle that is absent has its radio off.
    pub fn on(&self, at: Time) -> bool {
        self.leg(at).on
    }

    /// When the leg of `after` ends and another one follows: the first start later than `after`.
    pub fn next_leg(&self, after: Time) -> Option<Time> {
        Some(self.legs.get(self.index(after) + 1)?.start)
    }

    /// The leg of a time.
    pub fn leg(&self, at: Time) -> &Leg {
        &self.legs[self.index(at)]
    }

    /// All legs that are drawn, in order of time. The last one is a rest.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Up to when it is drawn; `None` if it has an end and is known for ever.
    pub fn known_until(&self) -> Option<Time> {
        self.walk.is_some().then(|| self.end().start)
    }

    /// The last leg, a rest.
    pub(crate) fn end(&self) -> Leg {
        self.legs[self.legs.len() - 1]
    }

    /// The index of the leg of a time; the first one's for what is before it.
    fn index(&self, at: Time) -> usize {
        self.legs.partition_point(|leg| leg.start <= at).saturating_sub(1)
    }
}

/// Trajectories made by hand, leg by leg.
impl Trajectory {
    /// A trajectory that rests at one point for ever.
    pub fn fixed(at: Point) -> Self {
        Self { legs: vec![Leg::rest(Time::ZERO, at, true)], walk: None }
    }

    /// Moves from the end to `to`, straight, at `speed` (m/s, greater than zero), for the nearest
    /// whole number of nanoseconds.
    pub fn go(&mut self, to: Point, speed: f64) {
        let end = self.end();
        let nanos = libm::round(end.at.distance(to) / speed * 1e9);
        // Casting saturates: what takes for ever ends at the end of time.
        self.reach(to, Time::from_nanos(end.start.as_nanos().saturating_add(nanos as u64)));
    }

    /// Moves from the end to `to`, straight, arriving at `by`. If the trajectory ends at `by` or
    /// later it jumps.
    pub fn reach(&mut self, to: Point, by: Time) {
        let end = self.end();
        self.legs.pop();
        if by > end.start {
            let velocity = (to - end.at) * (1.0 / by.since(end.start).as_secs_f64());
            self.legs.push(Leg { velocity, ..end });
        }
        self.legs.push(Leg::rest(by.max(end.start), to, end.on));
    }

    /// Rests at the end for some time.
    pub fn rest(&mut self, time: Duration) {
        let end = self.end();
        if time > Duration::ZERO {
            self.legs.push(Leg::rest(end.start + time, end.at, end.on));
        }
    }

    /// Rests at the end up to `until`, if that is later.
    pub fn rest_until(&mut self, until: Time) {
        self.rest(until.since(self.end().start));
    }

    /// Jumps from the end to `to`.
    pub fn jump(&mut self, to: Point) {
        let last = self.legs.len() - 1;
        self.legs[last].at = to;
    }

    /// Switches on or off from the end on.
    pub fn switch(&mut self, on: bool) {
        let last = self.legs.len() - 1;
        self.legs[last].on = on;
    }
}

/// Trajectories that models draw, and that change.
impl Trajectory {
    /// A trajectory from `at` on that `walk` draws.
    pub(crate) fn drawn(at: Point, walk: Box<dyn Walk>) -> Self {
        Self { walk: Some(walk), ..Self::fixed(at) }
    }

    /// Draws what a model gives up to `until`, if it is not drawn yet. Calling it early or often
    /// changes nothing that is drawn.
    pub fn extend(&mut self, until: Time) {
        while self.end().start <= until {
            let Some(mut walk) = self.walk.take() else { return };
            if !walk.step(self) {
                return;
            }
            self.walk = Some(walk);
        }
    }

    /// From `now` on it moves straight to `to` and rests there; what it would have done is
    /// forgotten. At a speed of 0 it rests where it is.
    pub fn redirect(&mut self, now: Time, to: Point, speed: Speed) {
        self.cut(now);
        if speed > Speed::ZERO {
            self.go(to, speed.metres_per_second());
        }
    }

    /// From `now` on it rests at `at`; what it would have done is forgotten.
    pub fn place(&mut self, now: Time, at: Point) {
        self.cut(now);
        self.jump(at);
    }

    /// Ends the trajectory at `now`, where it is then.
    fn cut(&mut self, now: Time) {
        self.extend(now);
        self.walk = None;
        let rest = Leg::rest(now, self.position(now), self.on(now));
        self.legs.retain(|leg| leg.start < now);
        self.legs.push(rest);
    }

    /// Forgets legs that ended before `time`: a run without an end needs no more memory than what
    /// is ahead.
    pub fn forget_before(&mut self, time: Time) {
        self.legs.drain(..self.index(time));
    }
}
