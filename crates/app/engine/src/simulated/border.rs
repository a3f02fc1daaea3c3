//! Reports to the monitor how late the simulated part of the network delivered frames to real
//! nodes.

use std::sync::Arc;

use netloom_fabric::PipeId;
use netloom_monitor::{
    DropCause, LateFrames, Observation, PIPES_LOOKED, Party, PipeFrames, Subject,
};
use netloom_units::{Duration, Time};

use super::Simulated;
use crate::companion::Border;

/// A simulation that is further behind the clock is reported.
const NOTABLE: Duration = Duration::from_millis(10);

/// Queries the simulation.
pub struct SimulatedBorder {
    simulated: Arc<Simulated>,
    /// The number of its first pipe for the monitor: after those of the data plane.
    first: u32,
    needed: Duration,
    last: Time,
}

impl SimulatedBorder {
    /// Starts at `now`. Frames that are later than `needed` are too late.
    pub fn new(simulated: Arc<Simulated>, first: u32, needed: Duration, now: Time) -> Self {
        Self { simulated, first, needed, last: now }
    }
}

impl Border for SimulatedBorder {
    fn pipes(&self) -> u32 {
        u32::try_from(self.simulated.pipes().count()).unwrap_or(u32::MAX)
    }

    fn start(&self, sink: &mut dyn FnMut(Observation)) {
        for (number, name) in (self.first..).zip(self.simulated.pipes()) {
            sink(Observation::Named { what: Subject::Pipe(number), name });
        }
    }

    /// Queries the simulation, if a second has passed since the last query, or if this is the
    /// `last` one. The end of a simulation is reported by whoever needs more from it.
    fn look(&mut self, now: Time, last: bool, sink: &mut dyn FnMut(Observation)) {
        if !last && now.since(self.last) < PIPES_LOOKED {
            return;
        }
        let over = now.since(std::mem::replace(&mut self.last, now));
        let tolerance = self.needed;
        let frames = |(by, beyond)| LateFrames { by, beyond, tolerance };
        let lasted = self.simulated.lag().unwrap_or_default();
        if lasted > NOTABLE {
            sink(Observation::Pause { lasted });
        }
        for (pipe, tally, lost) in self.simulated.lateness().unwrap_or_default() {
            let (late, at_most) = (tally.late(tolerance), tally.at_most(tolerance));
            for (delay, frames) in late.0.iter().copied() {
                sink(Observation::Lateness { party: Party::Engine, delay, frames });
            }
            if lost > 0 {
                let (cause, party) = (DropCause::DeviceFull, Party::Engine);
                sink(Observation::Drops { cause, party, frames: lost });
            }
            sink(Observation::Frames(PipeFrames {
                pipe: self.first + number(pipe),
                over,
                late: frames(late),
                at_most: frames(at_most),
                // Lines of simulated pipes are busy to the nanosecond.
                busy: Duration::ZERO,
                lost: Duration::ZERO,
            }));
        }
    }
}

fn number(pipe: PipeId) -> u32 {
    u32::try_from(pipe.link.index() * 2 + pipe.direction.index()).unwrap_or(u32::MAX)
}
