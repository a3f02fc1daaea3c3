//! Islands: switched networks, and links whose queues examine headers. The fabric runs them. Not
//! here: pipes between two nodes, which the event core drives directly.

use std::collections::BTreeMap;

use netloom_fabric::{AirLogPart, MediumView, Network, Observer, PipeId, PipeSlot};
use netloom_link::{Delivery, DropReason, FrameEvent, Pipe};
use netloom_units::Time;

use super::capture::{Captured, Taps};
use super::ethernet::{EthernetFrame, FrameMemory};
use super::media::{MOST_WATCHED, MediumSample, StationSample};

/// A network of links whose frames need Ethernet headers: they cannot be bare packets.
#[derive(Debug)]
pub(crate) struct Island {
    pub network: Network<FrameMemory, Watcher>,
}

/// Observes an island's pipes: collects the log and captures, and counts hops.
#[derive(Debug, Default)]
pub(crate) struct Watcher {
    /// Events of frames on logged links.
    pub events: Vec<(PipeId, FrameEvent)>,
    /// Number of frames that came out of a pipe.
    pub hops: u64,
    /// Captures of each pipe.
    pub taps: BTreeMap<PipeId, Taps>,
    /// Captured frames.
    pub captured: Vec<Captured>,
}

impl Watcher {
    fn left(&mut self, pipe: PipeSlot, delivery: &Delivery<EthernetFrame>) {
        self.hops += 1;
        if let Some(taps) = self.taps.get(&pipe.id) {
            let Delivery { frame, passage, release, .. } = delivery;
            taps.left(*release, passage, frame, &mut self.captured);
        }
    }
}

impl Observer<EthernetFrame> for Watcher {
    #[inline]
    fn entered(&mut self, pipe: PipeSlot, at: Time, frame: &EthernetFrame) {
        if let Some(taps) = self.taps.get(&pipe.id) {
            taps.entered(at, frame, &mut self.captured);
        }
    }

    #[inline]
    fn dropped(&mut self, pipe: PipeSlot, at: Time, reason: DropReason, frame: &EthernetFrame) {
        if let Some(taps) = self.taps.get(&pipe.id) {
            taps.dropped(at, reason, frame, &mut self.captured);
        }
    }

    #[inline]
    fn delivered(&mut self, pipe: PipeSlot, delivery: &Delivery<EthernetFrame>) {
        self.left(pipe, delivery);
    }

    #[inline]
    fn forwarded(&mut self, pipe: PipeSlot, delivery: &Delivery<EthernetFrame>) {
        self.left(pipe, delivery);
    }

    #[inline]
    fn settled(&mut self, pipe: PipeSlot, state: &mut Pipe<EthernetFrame>) {
        if state.records_events() {
            while let Some(event) = state.poll_event() {
                self.events.push((pipe.id, event));
            }
        }
    }
}

impl Island {
    /// Returns an island without links.
    pub fn new() -> Self {
        Self { network: Network::new(FrameMemory, Watcher::default()) }
    }

    pub fn observer(&mut self) -> &mut Watcher {
        self.network.observer_mut()
    }

    /// Returns the state of its shared media at `now`, and what has happened there since the last
    /// sample.
    pub fn sample_media(&mut self, now: Time) -> Vec<MediumSample> {
        let mut samples = self.look_at_media(now);
        let air = self.network.take_air_logs(now);
        let changes = self.network.neighbour_changes(now, MOST_WATCHED);
        for sample in &mut samples {
            let of = |part: &&AirLogPart| part.medium == sample.medium;
            sample.air = air.iter().filter(of).flat_map(|part| &part.bytes).copied().collect();
            let here = changes.iter().filter(|(medium, _)| *medium == sample.medium);
            sample.changes = here.map(|(_, change)| *change).collect();
        }
        samples
    }

    /// Returns the state of its shared media at `now`.
    pub fn look_at_media(&mut self, now: Time) -> Vec<MediumSample> {
        let reached = self.network.neighbours(now);
        let mut reached: BTreeMap<_, _> =
            reached.into_iter().map(|of| ((of.medium, of.station), of.reached)).collect();
        let sample = |view: MediumView| MediumSample {
            medium: view.id,
            stations: view
                .stations
                .into_iter()
                .map(|station| StationSample {
                    station: station.id,
                    on: station.on,
                    position: station.position,
                    queued: station.queued,
                    window: station.window,
                    counters: station.counters,
                    reached: reached.remove(&(view.id, station.id)).unwrap_or_default(),
                })
                .collect(),
            changes: Vec::new(),
            air: Vec::new(),
        };
        self.network.media(now).into_iter().map(sample).collect()
    }

    /// Returns one of the island's pipes.
    pub fn pipe(&mut self, pipe: PipeId) -> &mut Pipe<EthernetFrame> {
        let (_, pipe) = self.network.pipe(pipe).expect("places know the pipes of islands");
        pipe
    }
}
