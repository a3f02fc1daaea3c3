//! Meters of pipes in a symbiotic run: they count what a pipe does to twins in a period. Not here:
//! what follows from the reports (`netloom-symbiosis`).

use std::collections::VecDeque;

use netloom_link::{LinkState, Pipe, Rejected};
use netloom_symbiosis::{Meter, PipeReport, transmission};
use netloom_traffic::Emission;
use netloom_units::{Duration, Time};

use crate::Packet;
use crate::packet::ETHERNET;

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
    /// Returns a meter that, if `others`, records which other frames arrive.
    pub fn new(others: bool) -> Self {
        Self { others: others.then(Vec::new), ..Self::default() }
    }

    /// Offers a packet to the metered pipe.
    pub fn offer(
        &mut self,
        pipe: &mut Pipe<Packet>,
        now: Time,
        packet: Packet,
    ) -> Result<(), Rejected<Packet>> {
        let (is_twin, bytes) = (packet.is_twin(), packet.bytes + ETHERNET);
        let offered = pipe.offer(now, packet.info(), packet);
        let Self { meter, others, taken, .. } = self;
        match (is_twin, &offered) {
            (false, _) => {
                others.iter_mut().for_each(|all| all.push(Emission { at: now, bytes }));
                if offered.is_ok() {
                    *taken = [taken[0] + 1, taken[1] + u64::from(bytes)];
                }
            }
            (true, Ok(())) => {
                meter.offered();
                meter.served(pipe.unfinished(now));
            }
            (true, Err(_)) => {
                meter.offered();
                meter.lost();
            }
        }
        offered
    }

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

    /// Samples the backlog of the metered pipe.
    pub fn sample(&mut self, pipe: &mut Pipe<Packet>, now: Time) {
        self.meter.sampled(pipe.unfinished(now));
    }

    /// Returns what the metered pipe did since the last call. `full` is the length of a full frame
    /// in bytes.
    pub fn report(&mut self, pipe: &mut Pipe<Packet>, now: Time, full: u32) -> Metered {
        self.count_left(now);
        let is_down = pipe.config().state == LinkState::Down;
        let full = transmission(pipe.config(), full);
        let [frames, bytes] = std::mem::take(&mut self.taken);
        // The mean of the lengths does not exceed the longest one.
        let mean = bytes.checked_div(frames).map_or(0, |mean| mean as u32);
        let each = if frames > 0 { transmission(pipe.config(), mean) } else { Duration::ZERO };
        let report = self.meter.report(pipe.unfinished(now), full, is_down);
        Metered {
            report: PipeReport {
                others: Duration::from_nanos(each.as_nanos().saturating_mul(frames)),
                ..report
            },
            others: self.others.as_mut().map(std::mem::take).unwrap_or_default(),
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

/// The report of a metered pipe for a period.
#[derive(Debug, Clone, Default)]
pub struct Metered {
    /// The effect of the pipe on twins.
    pub report: PipeReport,
    /// The other frames that arrived, by time. Empty if they are not wanted.
    pub others: Vec<Emission>,
}
