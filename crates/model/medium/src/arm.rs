//! The virtual arm: a medium that is driven by generators instead of devices, as fast as it goes.
//!
//! Frames are numbers here. Stations send as long as the trial lasts, by a source of
//! `netloom-traffic` or as much as they can, and pass on what is not for them, if they are told to.

use std::collections::BTreeMap;

use netloom_link::FrameInfo;
use netloom_traffic::{Emission, Source};
use netloom_units::{Duration, Time};

use crate::{
    AirEvent, AirOccurrence, Medium, MediumChange, Receiver, Reception, StationConfig, StationId,
    Trajectory,
};

/// No network has so many nodes, whose numbers are those of stations.
const MOST_STATIONS: u32 = 1 << 18;

/// Frames that a saturated station has waiting or in service. One more than it may get rid of
/// between two looks.
const KEPT: u64 = 3;

/// What a station sends.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Who sends.
    pub from: StationId,
    /// To whom.
    pub to: Receiver,
    /// When.
    pub load: Load,
}

/// When a station sends.
#[derive(Debug, Clone)]
pub enum Load {
    /// Always: frames of so many bytes, Ethernet header included, FCS not.
    Saturated(u32),
    /// When the source says. Its sizes are those of Ethernet frames, without FCS.
    Source(Box<Source>),
}

/// A trial of a medium.
#[derive(Debug)]
pub struct Trial {
    /// The medium, with its stations.
    pub medium: Medium<u64>,
    flows: Vec<Arriving>,
    /// To whom a station passes on what it receives.
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
    /// When a saturated station was last given frames: once at a time, so that one whose frames are
    /// dropped at once does not get new ones for ever.
    given: Option<Time>,
}

/// What a station has received and has not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Received {
    /// Frames.
    pub frames: u64,
    /// Bytes of their packets, without Ethernet headers.
    pub packet_bytes: u64,
}

impl Trial {
    /// A trial that begins at the experiment's zero.
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

    /// Makes `station` pass on what it receives.
    pub fn relay(&mut self, station: StationId, to: Receiver) {
        self.relays.insert(station, to);
    }

    /// Goes on for `time`.
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

    /// What a station has received and not passed on.
    pub fn received(&self, station: StationId) -> Received {
        self.received.get(&station).copied().unwrap_or_default()
    }

    /// Bits of packets that all stations have received and not passed on.
    pub fn packet_bits(&self) -> u64 {
        self.received.values().map(|received| received.packet_bytes * 8).sum()
    }

    /// Gives saturated stations something to send.
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
        // What is refused is counted by the medium.
        let _ = self.medium.offer(self.now, from, to, FrameInfo::single(bytes), number);
    }

    /// Takes what comes out of the medium.
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

/// Gives a medium without stations again what came to it from outside, as a log of it says, and
/// returns all that happens: if the medium has the same seed and configuration, and queues that do
/// not look into frames, what the log says. `moves` says how a station moves.
///
/// # Errors
/// Something in the log is not what it says that it is, or is nothing for this medium, or `moves`
/// has failed.
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
                // What is refused is in the log, too.
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
