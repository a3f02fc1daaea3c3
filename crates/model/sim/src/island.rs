//! Islands: switched networks, and links whose queues examine headers. The fabric runs them. Not
//! here: pipes between two nodes, which the event core drives directly.

use std::collections::BTreeMap;

use netloom_fabric::{Network, Observer, PipeId, PipeSlot};
use netloom_link::{Delivery, DropReason, FrameEvent, Pipe};
use netloom_units::Time;

use crate::capture::{Captured, Taps};
use crate::ethernet::{EthernetFrame, FrameMemory};

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

    /// Returns one of the island's pipes.
    pub fn pipe(&mut self, pipe: PipeId) -> &mut Pipe<EthernetFrame> {
        let (_, pipe) = self.network.pipe(pipe).expect("places know the pipes of islands");
        pipe
    }
}
