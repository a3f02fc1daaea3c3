//! Straight movements in an area whose borders reflect, one leg at a time.

use netloom_units::{Duration, Time};

use crate::{Area, Point, Trajectory};

/// A movement that is in progress.
#[derive(Debug, Clone)]
pub(super) struct Bouncing {
    area: Area,
    /// Velocity along each axis, in m/s.
    velocity: [f64; 2],
    /// Time at which the movement ends.
    end: Time,
    /// Start of the movement, and the time in s from then to the last border. The sum of
    /// floating-point times avoids a rounding to nanoseconds at each border.
    since: Time,
    elapsed: f64,
}

impl Bouncing {
    /// Begins a movement at the end of `path`, at `speed` m/s for `time`. `direction` is in radians
    /// from the east, counterclockwise.
    pub fn new(area: Area, path: &Trajectory, speed: f64, direction: f64, time: Duration) -> Self {
        let since = path.end().start;
        let velocity = [speed * libm::cos(direction), speed * libm::sin(direction)];
        Self { area, velocity, end: since + time, since, elapsed: 0.0 }
    }

    /// Returns the current direction, or `None` at a speed of 0.
    pub fn direction(&self) -> Option<f64> {
        let [x, y] = self.velocity;
        (x != 0.0 || y != 0.0).then(|| libm::atan2(y, x))
    }

    /// Moves up to the next border or to the end. Returns `false` if the movement has ended.
    pub fn step(&mut self, path: &mut Trajectory) -> bool {
        let from = path.end();
        if from.start >= self.end {
            return false;
        }
        let (low, high) = (self.area.low(), self.area.high());
        let mut at = [from.at.x.clamp(low[0], high[0]), from.at.y.clamp(low[1], high[1])];
        let mut to_border = [f64::INFINITY; 2];
        for axis in 0..2 {
            let velocity = &mut self.velocity[axis];
            if (at[axis] <= low[axis] && *velocity < 0.0)
                || (at[axis] >= high[axis] && *velocity > 0.0)
            {
                *velocity = -*velocity;
            }
            let border = if *velocity < 0.0 { low[axis] } else { high[axis] };
            if *velocity != 0.0 {
                to_border[axis] = (border - at[axis]) / *velocity;
            }
        }
        let left = self.end.since(self.since).as_secs_f64() - self.elapsed;
        let time = to_border[0].min(to_border[1]);
        if time >= left {
            for axis in 0..2 {
                at[axis] = (at[axis] + self.velocity[axis] * left).clamp(low[axis], high[axis]);
            }
            path.reach(Point::new(at[0], at[1], from.at.z), self.end);
            return true;
        }
        for axis in 0..2 {
            at[axis] = match to_border[axis] <= time {
                true if self.velocity[axis] < 0.0 => low[axis],
                true => high[axis],
                false => (at[axis] + self.velocity[axis] * time).clamp(low[axis], high[axis]),
            };
        }
        self.elapsed += time;
        let nanos = libm::round(self.elapsed * 1e9) as u64;
        path.reach(Point::new(at[0], at[1], from.at.z), self.since + Duration::from_nanos(nanos));
        true
    }
}
