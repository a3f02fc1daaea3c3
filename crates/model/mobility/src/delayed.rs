//! A trajectory that begins later. The followed trajectory determines its movements.

use netloom_units::{Duration, Time};

use crate::Trajectory;
use crate::trajectory::Walk;

/// A walk that follows a trajectory with a delay.
#[derive(Debug, Clone)]
struct Delayed {
    followed: Trajectory,
    by: Duration,
}

impl Trajectory {
    /// Returns a trajectory that rests at this one's start for the time `by`, and then makes the
    /// same movements.
    #[must_use]
    pub fn delayed(self, by: Duration) -> Self {
        if by == Duration::ZERO {
            return self;
        }
        let mut path = Self::fixed(self.position(Time::ZERO));
        path.switch(self.on(Time::ZERO));
        path.rest(by);
        path.followed_by(Box::new(Delayed { followed: self, by }))
    }
}

impl Walk for Delayed {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        let now = Time::ZERO + path.end().start.since(Time::ZERO + self.by);
        // A trajectory that is drawn up to a time may end at that time, and its next leg is then
        // unknown. `extend` adds it.
        self.followed.extend(now);
        let Some(next) = self.followed.next_leg(now) else { return false };
        // Move to the position just before the next leg, since the trajectory may jump there.
        path.reach(self.followed.leg(now).position(next), next + self.by);
        path.jump(self.followed.position(next));
        path.switch(self.followed.on(next));
        self.followed.forget_before(next);
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

    #[test]
    fn it_does_later_what_it_would_have_done() {
        let at = |seconds: u64| Time::ZERO + Duration::from_secs(seconds);
        let mut first = Trajectory::fixed(Point::new(1.0, 0.0, 0.0));
        first.go(Point::new(11.0, 0.0, 0.0), 2.0);
        first.rest(Duration::from_secs(3));
        first.jump(Point::new(0.0, 5.0, 0.0));
        first.go(Point::new(0.0, 15.0, 0.0), 1.0);
        let mut later = first.clone().delayed(Duration::from_secs(7));
        later.extend(at(100));
        assert_eq!(later.position(at(3)), first.position(Time::ZERO));
        for seconds in 0..30 {
            let (a, b) = (first.position(at(seconds)), later.position(at(seconds + 7)));
            assert!(a.distance(b) < 1e-9, "{seconds}: {a:?} {b:?}");
        }
    }
}
