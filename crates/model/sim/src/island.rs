//! A switched network, or one whose queues look at headers: what the fabric itself runs. Not here:
//! pipes between two nodes, which the event core drives directly.

use netloom_fabric::{Network, Observer, PipeId, PipeSlot};
use netloom_link::{Delivery, FrameEvent, Pipe, PipeConfig, PipeStatistics};
use netloom_units::Time;

use crate::cell::counted;
use crate::ethernet::{EthernetFrame, FrameMemory};

/// A network of links that frames must not leave as bare packets.
#[derive(Debug)]
pub(crate) struct Island {
    pub network: Network<FrameMemory, Watcher>,
}

/// Collects the log, and counts.
#[derive(Debug, Default)]
pub(crate) struct Watcher {
    /// What has happened to frames on logged links.
    pub events: Vec<(PipeId, FrameEvent)>,
    /// Frames that came out of a pipe.
    pub hops: u64,
}

impl Observer<EthernetFrame> for Watcher {
    #[inline]
    fn delivered(&mut self, _: PipeSlot, _: &Delivery<EthernetFrame>) {
        self.hops += 1;
    }

    #[inline]
    fn forwarded(&mut self, _: PipeSlot, _: &Delivery<EthernetFrame>) {
        self.hops += 1;
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
    /// An island without links.
    pub fn new() -> Self {
        Self { network: Network::new(FrameMemory, Watcher::default()) }
    }

    pub fn observer(&mut self) -> &mut Watcher {
        self.network.observer_mut()
    }

    /// What one of its pipes runs on, and what it has counted up to `now`.
    pub fn statistics(&mut self, pipe: PipeId, now: Time) -> (PipeConfig, PipeStatistics) {
        let (_, pipe) = self.network.pipe(pipe).expect("places know the pipes of islands");
        counted(pipe, now)
    }
}
