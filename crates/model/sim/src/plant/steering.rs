//! Meters pipes in a symbiotic run, and steers a pipe that follows another network. Not here: what
//! meters count (`meter`).

use netloom_fabric::PipeId;
use netloom_link::{FrameSlots, Pipe};
use netloom_units::{Duration, Time};

use super::meter::WireMeter;
use super::{Metered, PipeLocation, Plant, Wire};
use crate::Packet;
use crate::queue::Queue;

impl Plant {
    /// Applies `order` to a pipe now. Does nothing if the pipe is in another cell, or if the event
    /// core does not drive it.
    pub fn steer<T>(
        &mut self,
        queue: &mut Queue,
        pipe: PipeId,
        order: impl FnOnce(&mut Pipe<Packet>, Time) -> T,
    ) -> Option<T> {
        let PipeLocation::Wire(number) = self.places.of(pipe) else { return None };
        let pipe = self.wires.get_mut(number)?.pipe.general(&mut self.frames);
        let done = order(pipe, queue.now());
        self.finish(queue, number);
        Some(done)
    }

    /// Returns the current backlog of a pipe, as time.
    pub fn backlog(&mut self, now: Time, pipe: PipeId) -> Option<Duration> {
        let (wire, frames) = self.wire_of(pipe)?;
        Some(wire.pipe.general(frames).unfinished(now))
    }

    /// Begins to meter a pipe, if the event core drives it. If `others`, records which other frames
    /// arrive.
    pub fn meter(&mut self, pipe: PipeId, others: bool) {
        if let Some((wire, _)) = self.wire_of(pipe) {
            wire.meter = Some(Box::new(WireMeter::new(others)));
        }
    }

    /// Samples the backlogs of metered pipes.
    pub fn sample_meters(&mut self, now: Time) {
        for Wire { pipe, meter, .. } in self.wires.iter_mut() {
            if let Some(meter) = meter {
                meter.sample(pipe.general(&mut self.frames), now);
            }
        }
    }

    /// Returns what a metered pipe did since the last call, or `None` if it is not metered. `full`
    /// is the length of a full frame in bytes.
    pub fn metered(&mut self, now: Time, pipe: PipeId, full: u32) -> Option<Metered> {
        let (Wire { pipe, meter, .. }, frames) = self.wire_of(pipe)?;
        Some(meter.as_mut()?.report(pipe.general(frames), now, full))
    }

    fn wire_of(&mut self, pipe: PipeId) -> Option<(&mut Wire, &mut FrameSlots<Packet>)> {
        let PipeLocation::Wire(number) = self.places.of(pipe) else { return None };
        Some((self.wires.get_mut(number)?, &mut self.frames))
    }
}
