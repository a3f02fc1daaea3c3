//! Positions of stations, and whether any of them moves.

use netloom_mobility::{Leg, Point, Trajectory};
use netloom_units::{Duration, Time};

use super::FOREVER;
use crate::StationId;

/// Time for which trajectories are drawn ahead.
const AHEAD: Duration = Duration::from_secs(60);

/// The trajectory of each station.
#[derive(Debug, Default)]
pub(super) struct Trajectories {
    all: Vec<Option<Moving>>,
    /// Time until which no station moves.
    still_until: Time,
    /// Time until which a station moves.
    moves_until: Time,
}

#[derive(Debug)]
struct Moving {
    trajectory: Trajectory,
    drawn_until: Time,
    /// The leg that was asked for last, with the times from and until which it holds. Positions are
    /// asked for far more often than legs change.
    leg: Option<(Leg, Time, Time)>,
}

impl Moving {
    /// Draws the trajectory beyond `at`.
    fn draw(&mut self, at: Time) {
        if self.drawn_until <= at {
            self.drawn_until = at + AHEAD;
            self.trajectory.extend(self.drawn_until);
        }
    }

    /// Returns the leg at a time. What is drawn later comes behind the legs drawn so far, so a leg
    /// that was found once stays.
    fn leg(&mut self, at: Time) -> Leg {
        match self.leg {
            Some((leg, from, until)) if from <= at && at < until => leg,
            _ => {
                self.draw(at);
                let leg = *self.trajectory.leg(at);
                let next = self.trajectory.next_leg(at).or(self.trajectory.known_until());
                let until = next.unwrap_or(FOREVER);
                self.leg = Some((leg, leg.start.min(at), until));
                leg
            }
        }
    }
}

impl Trajectories {
    pub fn set(&mut self, now: Time, id: StationId, trajectory: Trajectory) {
        if self.all.len() <= id.index() {
            self.all.resize_with(id.index() + 1, || None);
        }
        self.all[id.index()] = Some(Moving { trajectory, drawn_until: now, leg: None });
        (self.still_until, self.moves_until) = (now, now);
    }

    pub fn remove(&mut self, id: StationId) -> Option<Trajectory> {
        Some(self.all.get_mut(id.index())?.take()?.trajectory)
    }

    /// Returns the trajectory of a station for a change. Discards what is known of movements.
    pub fn get_mut(&mut self, id: StationId) -> Option<&mut Trajectory> {
        (self.still_until, self.moves_until) = (Time::ZERO, Time::ZERO);
        let moving = self.all.get_mut(id.index())?.as_mut()?;
        (moving.drawn_until, moving.leg) = (Time::ZERO, None);
        Some(&mut moving.trajectory)
    }

    /// Returns the trajectory of a station, drawn beyond `at`.
    pub fn get(&mut self, at: Time, id: StationId) -> Option<&Trajectory> {
        let moving = self.all.get_mut(id.index())?.as_mut()?;
        moving.draw(at);
        Some(&moving.trajectory)
    }

    /// Returns the position of a station, or `None` if it is away.
    pub fn position(&mut self, at: Time, id: StationId) -> Option<Point> {
        let leg = self.all.get_mut(id.index())?.as_mut()?.leg(at);
        leg.on.then(|| leg.position(at))
    }

    /// Returns the largest z in m that a station reaches on its leg at a time.
    pub fn highest(&mut self, at: Time, id: StationId) -> Option<f64> {
        let moving = self.all.get_mut(id.index())?.as_mut()?;
        let start = moving.leg(at).position(at).z;
        let (leg, _, until) = moving.leg?;
        // The last leg, which has no end, is a rest.
        Some(if leg.velocity.z > 0.0 { start.max(leg.position(until).z) } else { start })
    }

    /// Returns the stations.
    pub fn ids(&self) -> impl Iterator<Item = StationId> {
        let all = (0..).zip(&self.all);
        all.filter(|(_, moving)| moving.is_some()).map(|(number, _)| StationId(number))
    }

    /// Returns the number of places for stations.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the time until which no station moves: `at` or earlier if one moves now.
    pub fn still_until(&mut self, at: Time) -> Time {
        if at < self.still_until {
            return self.still_until;
        }
        if at < self.moves_until {
            return at;
        }
        let mut until = FOREVER;
        for number in 0..self.all.len() {
            let Some(trajectory) = self.get(at, StationId(number as u32)) else { continue };
            let next = trajectory.next_leg(at).or(trajectory.known_until());
            if trajectory.velocity(at) != Point::ZERO {
                self.moves_until = next.unwrap_or(FOREVER);
                return at;
            }
            until = until.min(next.unwrap_or(FOREVER));
        }
        self.still_until = until;
        until
    }
}
