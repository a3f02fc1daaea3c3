//! Links of a worker whose other ends are on other machines: frames leave its network for their
//! streams, and come from there. Not here: the streams (`peers`).

use netloom_fabric::{Frame as _, LinkId};
use netloom_link::{Announced, Cut, Delivery, Passage};
use netloom_units::{Duration, Time};

use super::Shard;
use crate::peers::{Came, News, Route, StreamStatus, Streams};
use crate::pipe_frame::FrameMemory;
use crate::recorder::{self, Recorder};
use crate::waiter::Waiter;
use crate::watch::Loss;
use crate::{Clock, DataplaneError};

/// Most reads from the socket before devices have their turn: up to 64 KiB each.
const READS: usize = 8;

type Network = netloom_fabric::Network<FrameMemory, Recorder>;

impl Shard {
    /// Takes over the socket to other machines.
    pub fn open_streams(
        &mut self,
        streams: Streams,
        waiter: &Waiter,
    ) -> Result<(), DataplaneError> {
        let watched = waiter.watch_peers(std::os::fd::AsFd::as_fd(&streams));
        watched.map_err(DataplaneError::system("wait for frames of other machines"))?;
        self.streams = Some(Box::new(streams));
        Ok(())
    }

    /// Notes that a link, which is here, leads to a peer with its end `away`. At its other end may
    /// be a segment.
    pub fn lead_to(&mut self, peer: usize, link: LinkId, away: usize, to_segment: bool) {
        let [forward, reverse] = self.pipes_of(link)[..] else { return };
        // A pipe begins at the end with its direction's number.
        let (to, from) = if away == 0 { (reverse, forward) } else { (forward, reverse) };
        self.recorder().comes_from_away(from, to_segment);
        self.streams.iter_mut().for_each(|streams| streams.add(peer, to, from));
    }

    /// Begins to exchange frames with a peer.
    pub fn connect(&mut self, peer: usize, routes: &[Route]) -> Result<(), DataplaneError> {
        self.streams.as_mut().map_or(Ok(()), |streams| streams.connect(peer, routes))
    }

    /// Sends the frames that have left lines for other machines.
    #[inline]
    pub fn send_to_peers(&mut self, now: Time) {
        let Some(streams) = &mut self.streams else { return };
        while let Some((pipe, announced)) = self.network.poll_sent() {
            let Delivery { info, passage, release, .. } = &announced.delivery;
            self.network.observer_mut().sent(pipe, passage, info);
            streams.push(pipe.id, signed(self.clock.on_machine(*release)), &announced);
            self.network.memory().give_back(announced.delivery.frame);
        }
        while let Some((pipe, Cut { number, at })) = self.network.poll_cut() {
            streams.cut(pipe.id, number, signed(self.clock.on_machine(at)));
        }
        streams.flush(now);
    }

    /// Reads frames that came from other machines, up to a budget. They wait in the network for
    /// their release. Returns whether all were read.
    pub fn receive_from_peers(&mut self) -> bool {
        let Some(streams) = &mut self.streams else { return true };
        for _ in 0..READS {
            let batch = match streams.read() {
                Ok(Some(batch)) => batch,
                // An error of the socket is that of an earlier datagram, which is lost.
                Ok(None) | Err(_) => return true,
            };
            let (clock, mut all) = (self.clock, Vec::new());
            let arrived = batch.arrived.map(|arrived| clock.at_machine(arrived));
            let at = recorder::Came { arrived, read: clock.now() };
            let network = &mut self.network;
            let take = |came: Came<'_>| take(network, clock, at, came);
            streams.take(batch, take, |pipe, news| all.push((pipe, news)));
            for (pipe, news) in all {
                match news {
                    News::Lost(frames) => {
                        network.observer_mut().lost_at_device(pipe, Loss::Tunnel, frames);
                    }
                    News::Cut { number, at: cut_at } => {
                        let cut_at = cut_at.map_or(0, |at| u64::try_from(at.time).unwrap_or(0));
                        let cut = Cut { number, at: clock.at_machine(cut_at) };
                        // The pipe is one of those that come from away.
                        if let Ok(Some(release)) = network.announce_cut(pipe.id, cut) {
                            network.observer_mut().waited(pipe, at, release);
                        }
                    }
                }
            }
        }
        false
    }

    /// Counts what has arrived at the other ends of links by `now`, before statistics are read.
    pub fn count_arrivals(&mut self, now: Time) {
        if self.streams.is_some() {
            self.network.count_arrivals(now);
        }
    }

    /// Reports to peers from now on what was sent, whether it has changed or not.
    pub fn tell_to_the_end(&mut self) {
        let now = self.clock.now();
        self.send_to_peers(now);
        self.streams.iter_mut().for_each(|streams| streams.tell_to_the_end(now));
    }

    /// Counts what has not come from peers as lost, and what has come and would wait for ever:
    /// the peer has not made a cut that was made here.
    pub fn settle_streams(&mut self) {
        let Some(streams) = &mut self.streams else { return };
        let recorder = self.network.observer_mut();
        let lost = |pipe, frames| recorder.lost_at_device(pipe, Loss::Tunnel, frames);
        for pipe in streams.settle(lost) {
            let frames = self.network.give_up(pipe.id);
            if frames > 0 {
                self.recorder().lost_at_device(pipe, Loss::Tunnel, frames);
            }
        }
    }

    /// Returns what crossed between this worker and each of `peers` peers.
    pub fn stream_status(&self, peers: usize) -> Vec<StreamStatus> {
        let status = |peer| self.streams.as_ref().map(|streams| streams.status(peer));
        (0..peers).map(|peer| status(peer).unwrap_or_default()).collect()
    }

    /// Returns the number of datagrams that belonged to no peer.
    pub fn foreign_datagrams(&self) -> u64 {
        self.streams.as_ref().map_or(0, |streams| streams.foreign())
    }
}

/// Announces a frame to the network. Returns `false` if it is lost.
#[inline]
fn take(network: &mut Network, clock: Clock, at: recorder::Came, came: Came<'_>) -> bool {
    let Came { incoming, record, bytes, line } = came;
    let (slot, frames) = (incoming.slot, u64::from(record.frames));
    let refuse = |network: &mut Network, loss| {
        network.observer_mut().lost_at_device(slot, loss, frames);
        false
    };
    let Some(line) = line else { return refuse(network, Loss::TunnelRefused) };
    let Some(frame) = network.memory().frame_of_parts(&record.virtio, bytes) else {
        return refuse(network, Loss::NoMemory);
    };
    let info = match frame.info() {
        Ok(info) if info.frames() == u32::from(record.frames) => info,
        _ => {
            network.memory().give_back(frame);
            return refuse(network, Loss::TunnelRefused);
        }
    };
    let reading = incoming.convert(record.release, line);
    let release = clock.at_machine(u64::try_from(reading.time).unwrap_or(0));
    let bound = clock.dilation().to_experiment(Duration::from_nanos(reading.bound));
    let (offered, started, serialized) = (release, release, release);
    let (number, marked) = (record.number, record.marked);
    let shift = Duration::from_nanos(record.shift.into());
    let passage = Passage { number, offered, started, serialized, marked, shift };
    let delivery = Delivery { frame, info, passage, release };
    network.observer_mut().came(slot, at, bound, &delivery);
    let announced = Announced { delivery, sequence: record.sequence, cuts: record.cuts };
    let taken = network.announce(slot.id, announced);
    taken.is_ok() || refuse(network, Loss::TunnelRefused)
}

/// A time of the machine's clock, which counts from its start.
fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
