//! Frames that a station sends: the queue, the frame that is served, and the outcomes of frames.

use std::collections::VecDeque;

use netloom_link::{DropReason, Frame, FrameInfo, FrameQueue, QueueConfig, QueuedFrame, Stream};
use netloom_units::{Duration, Rate, Time};

use crate::counters::StationCounters;
use crate::log::{AirEvent, AirOccurrence, SentRecord};
use crate::{FrameLoss, Receiver, StationId};

/// A frame on its way to a station's MAC.
#[derive(Debug)]
pub(crate) struct Addressed<F> {
    pub frame: F,
    pub to: Receiver,
}

impl<F: Frame> Frame for Addressed<F> {
    fn header(&self) -> Option<netloom_link::Header> {
        self.frame.header()
    }

    fn tag_bytes(&self) -> u32 {
        self.frame.tag_bytes()
    }

    fn mark_congestion(&mut self) {
        self.frame.mark_congestion();
    }

    fn remark(&mut self, dscp: netloom_link::Dscp) {
        self.frame.remark(dscp);
    }

    fn flip_bits(&mut self, bits: &[u64]) {
        self.frame.flip_bits(bits);
    }

    fn duplicate(&self) -> Self {
        Self { frame: self.frame.duplicate(), to: self.to }
    }
}

/// Description, for the MAC, of the frame that it serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub number: u64,
    pub to: Receiver,
    pub info: FrameInfo,
    pub offered: Time,
    /// Time at which its turn came.
    pub turn: Time,
    /// Number of times that it has been sent.
    pub attempts: u32,
    /// Whether it is a beacon, which carries no frame and is not counted.
    pub is_beacon: bool,
}

/// Number of beacons, which no frame has.
const BEACON_NUMBER: u64 = u64::MAX;

/// ReceptionOutcome of the service of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It was sent, and acknowledged where the MAC requires that.
    Sent,
    /// The MAC gives it up.
    Dropped(FrameLoss),
}

/// A frame that comes out of a medium.
#[derive(Debug)]
pub struct Reception<F> {
    /// The frame. Each receiver of a broadcast gets a copy that [`Frame::duplicate`] has made.
    pub frame: F,
    /// Size and kind of the frame on the wire.
    pub info: FrameInfo,
    /// The sender.
    pub from: StationId,
    /// Its number among the frames that were offered to its sender, from 0.
    pub number: u64,
    /// The receiver.
    pub station: StationId,
    /// Time at which it was offered.
    pub offered: Time,
    /// Time at which its last bit arrives.
    pub release: Time,
}

/// A frame that a medium accepted and nobody receives.
#[derive(Debug)]
pub struct Dropped<F> {
    /// The frame.
    pub frame: F,
    /// Size and kind of the frame on the wire.
    pub info: FrameInfo,
    /// The station that sent it or was to send it.
    pub from: StationId,
    /// Its number among the frames that were offered to its sender, from 0.
    pub number: u64,
    /// Time at which it was offered.
    pub offered: Time,
    /// Reason for the drop.
    pub reason: FrameLoss,
    /// Time of the drop.
    pub at: Time,
}

/// A transmission as a monitor receives it that hears everything.
#[derive(Debug)]
pub struct Sniffed<F> {
    /// Time at which it began.
    pub at: Time,
    /// Description of the transmission.
    pub sent: SentRecord,
    /// Duration after its end for which it reserves the medium.
    pub nav: Duration,
    /// A copy of the frame that it carried, made by [`Frame::duplicate`].
    pub frame: Option<F>,
    /// Whether it was cut off, or interference destroyed it at a station that it was for.
    pub is_damaged: bool,
}

/// A frame that a medium did not accept.
#[derive(Debug)]
pub struct Rejected<F> {
    /// The frame.
    pub frame: F,
    /// Its number among the frames that were offered to its sender, from 0.
    pub number: u64,
    /// Reason for the rejection.
    pub reason: FrameLoss,
}

/// Output of a medium, in the order in which it leaves.
#[derive(Debug)]
pub(crate) struct Outlet<F> {
    pub receptions: VecDeque<Reception<F>>,
    pub dropped: VecDeque<Dropped<F>>,
    /// Frames that are no longer needed.
    pub spent: VecDeque<F>,
    /// Events, if they are recorded.
    pub events: Option<VecDeque<AirEvent>>,
    /// Transmissions, if they are recorded.
    pub sniffed: Option<VecDeque<Sniffed<F>>>,
}

impl<F> Outlet<F> {
    /// Records an event.
    #[inline]
    pub fn note(&mut self, at: Time, what: impl FnOnce() -> AirOccurrence) {
        if let Some(events) = &mut self.events {
            events.push_back(AirEvent { at, what: what() });
        }
    }

    /// Drops a frame.
    pub fn drop(&mut self, dropped: Dropped<F>) {
        let Dropped { from: station, number, reason, at, .. } = dropped;
        self.note(at, || AirOccurrence::Dropped { station, number, reason });
        self.dropped.push_back(dropped);
    }
}

impl<F> Default for Outlet<F> {
    fn default() -> Self {
        Self {
            receptions: VecDeque::new(),
            dropped: VecDeque::new(),
            spent: VecDeque::new(),
            events: None,
            sniffed: None,
        }
    }
}

/// The queue of a station, and the frame that its MAC serves.
#[derive(Debug)]
pub(crate) struct Desk<F> {
    queue: FrameQueue<Addressed<F>>,
    head: Option<Head>,
    /// The frame that `head` describes, until it has been delivered or is on the air for the last
    /// time.
    frame: Option<F>,
    /// Number of frames offered so far.
    offered: u64,
    /// The access point that relays all frames.
    via: Option<StationId>,
    /// Size in bytes of a beacon that is sent next.
    beacon: Option<u32>,
    pub counters: StationCounters,
}

impl<F: Frame> Desk<F> {
    pub fn new(queue: QueueConfig, rate: Rate, stream: Stream) -> Self {
        Self {
            queue: FrameQueue::new(queue, rate, stream),
            head: None,
            frame: None,
            offered: 0,
            via: None,
            beacon: None,
            counters: StationCounters::default(),
        }
    }

    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Returns whether the frame that is served is still here.
    pub fn has_frame(&self) -> bool {
        self.frame.is_some()
    }

    /// Returns the number of waiting frames, without the one that is served.
    pub fn waiting(&self) -> u64 {
        self.queue.frames()
    }

    /// Accepts a frame. Returns whether a frame is served now and none was before.
    pub fn offer(
        &mut self,
        now: Time,
        me: StationId,
        to: Receiver,
        info: FrameInfo,
        frame: F,
        outlet: &mut Outlet<F>,
    ) -> Result<bool, Rejected<F>> {
        let number = self.offered;
        self.offered += 1;
        self.counters.offered.add(&info);
        let addressed = Addressed { frame, to };
        let is_idle = self.head.is_none() && self.queue.frames() == 0;
        let taken = if is_idle {
            self.queue.pass(now, number, info, addressed)
        } else {
            self.queue.enqueue(now, number, info, addressed).map(|()| None)
        };
        self.clear_out(me, outlet);
        match taken {
            Ok(Some(frame)) => self.serve(now, frame),
            Ok(None) => {}
            Err((Addressed { frame, .. }, reason)) => {
                let reason = FrameLoss::from(reason);
                self.counters.drops.count(reason, info);
                return Err(Rejected { frame, number, reason });
            }
        }
        Ok(is_idle && self.head.is_some())
    }

    /// Counts a frame that the station does not accept at all, and returns its number.
    pub fn refuse(&mut self, reason: FrameLoss, info: FrameInfo) -> u64 {
        let number = self.offered;
        self.offered += 1;
        self.counters.offered.add(&info);
        self.counters.drops.count(reason, info);
        number
    }

    /// Returns the time at which a waiting frame that may not be served yet may be, if none is
    /// served.
    pub fn opens(&self) -> Option<Time> {
        if self.head.is_some() { None } else { self.queue.opens() }
    }

    /// Serves the next frame, if none is served and one may be. Returns whether one is served now.
    pub fn next(&mut self, now: Time, me: StationId, outlet: &mut Outlet<F>) -> bool {
        if self.head.is_some() {
            return false;
        }
        if let Some(bytes) = self.beacon.take() {
            self.serve_beacon(now, bytes);
        } else if let Some(frame) = self.queue.dequeue(now) {
            self.serve(now, frame);
        }
        self.clear_out(me, outlet);
        self.head.is_some()
    }

    fn serve(&mut self, now: Time, queued: QueuedFrame<Addressed<F>>) {
        let QueuedFrame { frame: Addressed { frame, to }, info, number, offered } = queued;
        let to = self.via.map_or(to, Receiver::Station);
        let head = Head { number, to, info, offered, turn: now, attempts: 0, is_beacon: false };
        self.head = Some(head);
        self.frame = Some(frame);
    }

    /// Requests a beacon that is as long as an Ethernet frame of `bytes`. Returns whether it is
    /// served now and nothing was before.
    pub fn beacon(&mut self, now: Time, bytes: u32) -> bool {
        if self.head.is_some() {
            self.beacon = Some(bytes);
            return false;
        }
        self.serve_beacon(now, bytes);
        true
    }

    fn serve_beacon(&mut self, now: Time, bytes: u32) {
        self.head = Some(Head {
            number: BEACON_NUMBER,
            to: Receiver::All,
            info: FrameInfo::single(bytes),
            offered: now,
            turn: now,
            attempts: 0,
            is_beacon: true,
        });
    }

    /// Sends all frames through `via`, or directly to their receivers if that is `None`.
    pub fn route(&mut self, via: Option<StationId>) {
        self.via = via;
        if let (Some(head), Some(via)) = (&mut self.head, via) {
            head.to = Receiver::Station(via);
        }
    }

    /// Counts another attempt of the frame that is served.
    pub fn attempt(&mut self) {
        let Some(head) = &mut self.head else { return };
        head.attempts += 1;
        if head.is_beacon {
            return;
        }
        self.counters.attempts += 1;
        if head.attempts > 1 {
            self.counters.retries += 1;
        }
    }

    /// Takes the frame that is served, if its number is `number` and it has not been taken yet.
    pub fn take_frame(&mut self, number: u64) -> Option<F> {
        self.head.filter(|head| head.number == number).and_then(|_| self.frame.take())
    }

    /// Returns a copy of the frame that is served, if it is still here.
    pub fn copy_frame(&self) -> Option<F> {
        self.frame.as_ref().map(F::duplicate)
    }

    /// Completes a frame that has left the station for good, and serves the next.
    pub fn leave_gone(&mut self, now: Time, me: StationId, outlet: &mut Outlet<F>) {
        if self.frame.is_none() {
            self.head = None;
        }
        self.next(now, me, outlet);
    }

    /// Puts back the frame that is served, after it was taken.
    pub fn put_back(&mut self, frame: F) {
        self.frame = Some(frame);
    }

    /// Ends the service of a frame and serves the next.
    pub fn finish(&mut self, now: Time, me: StationId, end: End, outlet: &mut Outlet<F>) {
        let Some(head) = self.head.take() else { return };
        let frame = self.frame.take();
        match end {
            _ if head.is_beacon => {}
            End::Sent => {
                self.counters.sent.add(&head.info);
                self.counters.access_delay.record(now.since(head.turn).as_nanos(), 1);
                outlet.spent.extend(frame);
            }
            End::Dropped(reason) => {
                self.counters.failed.add(&head.info);
                if let Some(frame) = frame {
                    self.drop(head, frame, me, reason, now, outlet);
                }
            }
        }
        self.next(now, me, outlet);
    }

    /// Drops all frames that wait or are served.
    pub fn empty(&mut self, now: Time, me: StationId, reason: FrameLoss, outlet: &mut Outlet<F>) {
        self.beacon = None;
        if let (Some(head), Some(frame)) = (self.head.take(), self.frame.take()) {
            self.drop(head, frame, me, reason, now, outlet);
        }
        let waiting: Vec<_> = self.queue.drain().collect();
        for queued in waiting {
            let QueuedFrame { frame: Addressed { frame, to }, info, number, offered } = queued;
            let turn = now;
            let head = Head { number, to, info, offered, turn, attempts: 0, is_beacon: false };
            self.drop(head, frame, me, reason, now, outlet);
        }
    }

    /// Applies other limits or another queue discipline.
    pub fn configure(&mut self, now: Time, queue: &QueueConfig, rate: Rate) {
        self.queue.configure(now, queue, rate);
    }

    fn drop(
        &mut self,
        head: Head,
        frame: F,
        from: StationId,
        reason: FrameLoss,
        at: Time,
        outlet: &mut Outlet<F>,
    ) {
        let Head { number, info, offered, .. } = head;
        self.counters.drops.count(reason, info);
        outlet.drop(Dropped { frame, info, from, number, offered, reason, at });
    }

    /// Passes on the frames that the queue has dropped.
    fn clear_out(&mut self, from: StationId, outlet: &mut Outlet<F>) {
        for (queued, reason, at) in self.queue.take_dropped() {
            let QueuedFrame { frame: Addressed { frame, .. }, info, number, offered } = queued;
            let reason = FrameLoss::from(reason);
            self.counters.drops.count(reason, info);
            outlet.drop(Dropped { frame, info, from, number, offered, reason, at });
        }
    }
}

impl From<DropReason> for FrameLoss {
    fn from(reason: DropReason) -> Self {
        match reason {
            DropReason::Down => Self::Down,
            DropReason::Mtu => Self::Mtu,
            DropReason::Aqm => Self::Aqm,
            // A queue on its own gives no other reason.
            _ => Self::QueueFull,
        }
    }
}
