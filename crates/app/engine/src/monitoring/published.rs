//! Reports to the monitor how long data waited for the engine at published ports.

use std::collections::BTreeMap;

use netloom_monitor::{
    DropCause, LateFrames, Observation, PIPES_LOOKED, Party, PipeFrames, Subject,
};
use netloom_units::{Duration, Time};

use crate::tally::waits::{Waits, Way};

/// The monitor's number of the first way through a published port, beyond those of all pipes.
const FIRST: u32 = 1 << 31;

/// Reads what published ports have counted.
pub struct PublishedPorts {
    numbers: BTreeMap<Way, u32>,
    needed: Duration,
    last: Time,
}

impl PublishedPorts {
    /// Starts at `now`. Data that wait for longer than `needed` are too late.
    pub fn new(needed: Duration, now: Time) -> Self {
        Self { numbers: BTreeMap::new(), needed, last: now }
    }

    /// Reads the counts, if a second has passed since the last time, or if this is the `last` one.
    pub fn look(
        &mut self,
        now: Time,
        last: bool,
        waits: &Waits,
        sink: &mut dyn FnMut(Observation),
    ) {
        if !last && now.since(self.last) < PIPES_LOOKED {
            return;
        }
        let over = now.since(std::mem::replace(&mut self.last, now));
        let tolerance = self.needed;
        for (way, passed) in waits.take() {
            let (party, cause) = (Party::Engine, DropCause::DeviceFull);
            if passed.lost > 0 {
                sink(Observation::Drops { cause, party, frames: passed.lost });
            }
            let frames = |(by, beyond)| LateFrames { by, beyond, tolerance };
            let (late, at_most) = (passed.waits.late(tolerance), passed.waits.at_most(tolerance));
            for (delay, frames) in late.0.iter().copied() {
                sink(Observation::Lateness { party, delay, frames });
            }
            let pipe = self.number(way, sink);
            sink(Observation::Frames(PipeFrames {
                pipe,
                over,
                late: frames(late),
                at_most: frames(at_most),
                // There is no line.
                busy: Duration::ZERO,
                lost: Duration::ZERO,
            }));
        }
    }

    /// Returns the monitor's number of a way, and names it if it is new.
    fn number(&mut self, way: Way, sink: &mut dyn FnMut(Observation)) -> u32 {
        let next = FIRST + u32::try_from(self.numbers.len()).unwrap_or(u32::MAX / 2);
        *self.numbers.entry(way).or_insert_with_key(|way| {
            let name = format!("{}/{}", way.port, way.direction.name());
            sink(Observation::Named { what: Subject::Pipe(next), name });
            next
        })
    }
}
