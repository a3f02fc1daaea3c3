//! The virtual arm: a medium that generators drive instead of devices, as fast as it can run.
//!
//! Frames are numbers here. Stations send as long as the trial lasts, either from a source of
//! `netloom-traffic` or as much as they can. A station that is configured as a relay passes on the
//! frames that it receives.

use std::collections::BTreeMap;

use netloom_link::FrameInfo;
use netloom_traffic::{Emission, FrameSource};
use netloom_units::{Duration, Time};

use crate::{
    AirEvent, AirOccurrence, Medium, MediumChange, Receiver, Reception, StationConfig, StationId,
    Trajectory,
};

/// More stations than any network has. Numbers of nodes are numbers of stations.
const MOST_STATIONS: u32 = 1 << 18;

/// Number of frames that a saturated station has waiting or in service. This is one more than it
/// may complete between two checks.
const KEPT: u64 = 3;

/// The traffic that a station sends.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The sender.
    pub from: StationId,
    /// The receiver.
    pub to: Receiver,
    /// The times at which it sends.
    pub load: Load,
}

/// The times at which a station sends.
#[derive(Debug, Clone)]
pub enum Load {
    /// All the time: frames of this many bytes, with Ethernet header, without FCS.
    Saturated(u32),
    /// The times of the source. Its sizes are those of Ethernet frames, without FCS.
    Source(Box<FrameSource>),
}

/// A trial of a medium.
#[derive(Debug)]
pub struct Trial {
    /// The medium, with its stations.
    pub medium: Medium<u64>,
    flows: Vec<Arriving>,
    /// The receiver of the frames that a relay passes on.
    relays: BTreeMap<StationId, Receiver>,
    now: Time,
    frames: u64,
    received: BTreeMap<StationId, Received>,
}

/// A flow, and its next frame.
#[derive(Debug)]
struct Arriving {
    flow: Flow,
    next: Option<Emission>,
    /// Time at which a saturated station was last given frames. It gets frames only once at a time.
    /// Otherwise a station whose frames are dropped immediately would get new ones for ever.
    given: Option<Time>,
}

/// Frames that a station has received and has not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Received {
    /// Number of frames.
    pub frames: u64,
    /// Bytes of their packets, without Ethernet headers.
    pub packet_bytes: u64,
}

impl Trial {
    /// Creates a trial that begins at the experiment's zero.
    pub fn new(medium: Medium<u64>, flows: Vec<Flow>) -> Self {
        let flows = flows.into_iter().map(|mut flow| {
            let next = match &mut flow.load {
                Load::Saturated(_) => None,
                Load::Source(source) => source.next(),
            };
            Arriving { flow, next, given: None }
        });
        Self {
            medium,
            flows: flows.collect(),
            relays: BTreeMap::new(),
            now: Time::ZERO,
            frames: 0,
            received: BTreeMap::new(),
        }
    }

    /// Makes `station` pass on the frames that it receives to `to`.
    pub fn relay(&mut self, station: StationId, to: Receiver) {
        self.relays.insert(station, to);
    }

    /// Continues the trial for `time`.
    pub fn run(&mut self, time: Duration) {
        let until = self.now + time;
        loop {
            self.saturate();
            let deadline = self.medium.next_deadline();
            let next = self.flows.iter().filter_map(|arriving| arriving.next).map(|next| next.at);
            let Some(at) = deadline.into_iter().chain(next).min().filter(|at| *at <= until) else {
                break;
            };
            self.now = self.now.max(at);
            self.arrive();
            self.collect();
        }
        self.now = until;
        self.collect();
    }

    /// Returns the frames that a station has received and not passed on.
    pub fn received(&self, station: StationId) -> Received {
        self.received.get(&station).copied().unwrap_or_default()
    }

    /// Returns the number of bits of packets that all stations have received and not passed on.
    pub fn packet_bits(&self) -> u64 {
        self.received.values().map(|received| received.packet_bytes * 8).sum()
    }

    /// Offers frames to saturated stations.
    fn saturate(&mut self) {
        for place in 0..self.flows.len() {
            let Flow { from, to, load: Load::Saturated(bytes) } = self.flows[place].flow else {
                continue;
            };
            let queued = self.medium.queued(from);
            if queued >= KEPT || self.flows[place].given == Some(self.now) {
                continue;
            }
            self.flows[place].given = Some(self.now);
            for _ in queued..KEPT {
                self.offer(from, to, bytes);
            }
        }
    }

    /// Offers the frames that are due.
    fn arrive(&mut self) {
        for place in 0..self.flows.len() {
            while let Arriving { flow: Flow { from, to, load }, next, .. } = &mut self.flows[place]
                && let Some(emission) = next.filter(|next| next.at <= self.now)
            {
                *next = match load {
                    Load::Saturated(_) => None,
                    Load::Source(source) => source.next(),
                };
                let (from, to) = (*from, *to);
                self.offer(from, to, emission.bytes);
            }
        }
    }

    fn offer(&mut self, from: StationId, to: Receiver, bytes: u32) {
        let number = self.frames;
        self.frames += 1;
        // The medium counts the frames that it refuses.
        let _ = self.medium.offer(self.now, from, to, FrameInfo::single(bytes), number);
    }

    /// Collects the output of the medium.
    fn collect(&mut self) {
        while let Some(reception) = self.medium.poll(self.now) {
            let Reception { station, info, .. } = reception;
            if let Some(to) = self.relays.get(&station).copied() {
                self.offer(station, to, info.largest());
                continue;
            }
            let received = self.received.entry(station).or_default();
            received.frames += u64::from(info.frames());
            received.packet_bytes += info.packet_bytes();
        }
        while self.medium.poll_dropped().is_some() {}
        while self.medium.poll_spent().is_some() {}
    }
}

/// Replays a log of a medium: passes the recorded inputs to `medium`, which has no stations, and
/// returns all events. They equal those of the log if the medium has the same seed and
/// configuration, and if its queues do not look into frames. `moves` returns the trajectory of a
/// station.
///
/// # Errors
/// The log has a malformed configuration or change, the medium refuses a change, or `moves` has
/// failed.
pub fn replay(
    medium: &mut Medium<u64>,
    log: impl Iterator<Item = AirEvent>,
    moves: &mut dyn FnMut(&StationConfig) -> Result<Trajectory, String>,
) -> Result<Vec<AirEvent>, String> {
    medium.record(true);
    let mut number = 0;
    let mut events = Vec::new();
    for AirEvent { at, what } in log {
        match what {
            AirOccurrence::Offered { station, to, bytes, .. } => {
                let info = FrameInfo::single(bytes);
                // Refused frames are in the log, too.
                let _ = medium.offer(at, station, to, info, number);
                number += 1;
            }
            AirOccurrence::Changed(change) => {
                let change = MediumChange::from_json(&change)?;
                medium.change(at, &change).map_err(|error| error.to_string())?;
            }
            AirOccurrence::Joined { station, config } => {
                if station.0 >= MOST_STATIONS {
                    return Err(format!("a log has no station with the number {}", station.0));
                }
                let config = StationConfig::from_json(&config)?;
                let trajectory = moves(&config)?;
                medium.add(at, station, config, trajectory);
            }
            AirOccurrence::Left { station } => medium.remove(at, station),
            AirOccurrence::Sent(_)
            | AirOccurrence::Heard { .. }
            | AirOccurrence::Dropped { .. } => {}
        }
        while medium.poll(at).is_some() {}
        while medium.poll_dropped().is_some() || medium.poll_spent().is_some() {}
        events.extend(std::iter::from_fn(|| medium.poll_event()));
    }
    Ok(events)
}
