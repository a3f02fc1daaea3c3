//! Meters pipes in a symbiotic run: counts what a pipe does to twins in a period, and steers a pipe
//! that follows another network. Not here: what follows from the reports (`netloom-symbiosis`).

use std::collections::VecDeque;

use netloom_fabric::PipeId;
use netloom_link::{LinkState, Pipe, Rejected};
use netloom_symbiosis::{Meter, PipeReport, transmission};
use netloom_traffic::Emission;
use netloom_units::{Duration, Time};

use crate::cell::{Cell, PipeLocation, Wire};
use crate::packet::ETHERNET;
use crate::{Packet, Simulation};

/// Counts what a wire does to twins.
#[derive(Debug, Default)]
pub(crate) struct WireMeter {
    meter: Meter,
    /// Times at which twins that have left the line arrive in another cell.
    leaving: VecDeque<Time>,
    /// Number of other frames that the wire took, and their bytes.
    taken: [u64; 2],
    /// All other frames that arrived, if they are wanted.
    others: Option<Vec<Emission>>,
}

impl WireMeter {
    /// Counts the loss of a packet that the wire had taken.
    pub fn lost(&mut self, packet: &Packet) {
        if packet.is_twin() {
            self.meter.lost();
        }
    }

    /// Counts a packet that came out.
    pub fn left(&mut self, packet: &Packet) {
        if packet.is_twin() {
            self.meter.left();
        }
    }

    /// Notes a packet that will come out in another cell.
    pub fn leaves(&mut self, packet: &Packet, release: Time) {
        if packet.is_twin() {
            self.leaving.push_back(release);
        }
    }

    fn count_left(&mut self, now: Time) {
        // Few packets overtake others, but some do, so all of them are checked.
        let meter = &mut self.meter;
        self.leaving.retain(|release| {
            let has_left = *release <= now;
            if has_left {
                meter.left();
            }
            !has_left
        });
    }
}

impl Wire {
    /// Offers a packet to a wire, which may be metered.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet) -> Result<(), Rejected<Packet>> {
        match self.meter {
            None => self.pipe.offer(now, packet.info(), packet),
            Some(_) => self.offer_metered(now, packet),
        }
    }

    fn offer_metered(&mut self, now: Time, packet: Packet) -> Result<(), Rejected<Packet>> {
        let (is_twin, bytes) = (packet.is_twin(), packet.bytes + ETHERNET);
        let offered = self.pipe.offer(now, packet.info(), packet);
        let Some(WireMeter { meter, others, taken, .. }) = self.meter.as_deref_mut() else {
            return offered;
        };
        match (is_twin, &offered) {
            (false, _) => {
                others.iter_mut().for_each(|all| all.push(Emission { at: now, bytes }));
                if offered.is_ok() {
                    *taken = [taken[0] + 1, taken[1] + u64::from(bytes)];
                }
            }
            (true, Ok(())) => {
                meter.offered();
                meter.served(self.pipe.unfinished(now));
            }
            (true, Err(_)) => {
                meter.offered();
                meter.lost();
            }
        }
        offered
    }
}

/// The report of a metered pipe for a period.
#[derive(Debug, Clone, Default)]
pub struct Metered {
    /// The effect of the pipe on twins.
    pub report: PipeReport,
    /// The other frames that arrived, by time. Empty if they are not wanted.
    pub others: Vec<Emission>,
}

impl Simulation {
    /// Begins to meter `pipes`, which the event core must drive. Counts what they do to twins and,
    /// if `others`, records which other frames arrive.
    pub fn meter(&mut self, pipes: impl IntoIterator<Item = PipeId>, others: bool) {
        for pipe in pipes {
            let others = others.then(Vec::new);
            let meter = WireMeter { others, ..WireMeter::default() };
            if let Some(wire) = self.home(pipe).wire(pipe) {
                wire.meter = Some(Box::new(meter));
            }
        }
    }

    /// Samples the backlogs of metered pipes. Call it at times that divide a period evenly.
    pub fn sample_meters(&mut self) {
        for cell in &mut self.cells {
            let now = cell.now;
            for Wire { pipe, meter, .. } in cell.wires.iter_mut() {
                if let Some(meter) = meter {
                    meter.meter.sampled(pipe.unfinished(now));
                }
            }
        }
    }

    /// Returns what a metered pipe did since the last call, or `None` if it is not metered. `full`
    /// is the length of a full frame in bytes.
    pub fn metered(&mut self, pipe: PipeId, full: u32) -> Option<Metered> {
        let cell = self.home(pipe);
        let now = cell.now;
        let Wire { pipe, meter, .. } = cell.wire(pipe)?;
        let meter = meter.as_mut()?;
        meter.count_left(now);
        let is_down = pipe.config().state == LinkState::Down;
        let full = transmission(pipe.config(), full);
        let [frames, bytes] = std::mem::take(&mut meter.taken);
        // The mean of the lengths does not exceed the longest one.
        let mean = bytes.checked_div(frames).map_or(0, |mean| mean as u32);
        let each = if frames > 0 { transmission(pipe.config(), mean) } else { Duration::ZERO };
        let report = meter.meter.report(pipe.unfinished(now), full, is_down);
        Some(Metered {
            report: PipeReport {
                others: Duration::from_nanos(each.as_nanos().saturating_mul(frames)),
                ..report
            },
            others: meter.others.as_mut().map(std::mem::take).unwrap_or_default(),
        })
    }

    fn home(&mut self, pipe: PipeId) -> &mut Cell {
        &mut self.cells[self.homes[pipe.index()] as usize]
    }
}

impl Cell {
    /// Applies `order` to a pipe now. Does nothing if the pipe is in another cell, or if the event
    /// core does not drive it.
    pub fn steer<T>(
        &mut self,
        pipe: PipeId,
        order: impl FnOnce(&mut Pipe<Packet>, Time) -> T,
    ) -> Option<T> {
        let now = self.now;
        let PipeLocation::Wire(number) = self.places.of(pipe) else { return None };
        let done = order(&mut self.wires.get_mut(number)?.pipe, now);
        self.finish(number);
        Some(done)
    }

    /// Returns the current backlog of a pipe, as time.
    pub fn backlog(&mut self, pipe: PipeId) -> Option<Duration> {
        let now = self.now;
        Some(self.wire(pipe)?.pipe.unfinished(now))
    }

    fn wire(&mut self, pipe: PipeId) -> Option<&mut Wire> {
        let PipeLocation::Wire(number) = self.places.of(pipe) else { return None };
        self.wires.get_mut(number)
    }
}
