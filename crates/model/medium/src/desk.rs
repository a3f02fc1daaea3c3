//! What a station has to send: the queue, the frame that is served, and what became of frames.

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

/// What a MAC knows of the frame that it serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub number: u64,
    pub to: Receiver,
    pub info: FrameInfo,
    pub offered: Time,
    /// When its turn came.
    pub turn: Time,
    /// How often it has been sent.
    pub attempts: u32,
    /// Whether it is a beacon, which carries no frame and is not counted.
    pub is_beacon: bool,
}

/// The number of beacons, which no frame has.
const BEACON_NUMBER: u64 = u64::MAX;

/// How the service of a frame ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It was sent, and acknowledged where that is asked for.
    Sent,
    /// The MAC gives it up.
    Dropped(FrameLoss),
}

/// A frame that comes out of a medium.
#[derive(Debug)]
pub struct Reception<F> {
    /// The frame. Of a broadcast, each station that receives it has one made by
    /// [`Frame::duplicate`].
    pub frame: F,
    /// What it is on the wire.
    pub info: FrameInfo,
    /// Who sent it.
    pub from: StationId,
    /// Its number among the frames that were offered to its sender, from 0.
    pub number: u64,
    /// Who receives it.
    pub station: StationId,
    /// When it was offered.
    pub offered: Time,
    /// When its last bit arrives.
    pub release: Time,
}

/// A frame that a medium took in and nobody receives.
#[derive(Debug)]
pub struct Dropped<F> {
    /// The frame.
    pub frame: F,
    /// What it was on the wire.
    pub info: FrameInfo,
    /// Who was to send it, or did.
    pub from: StationId,
    /// Its number among the frames that were offered to its sender, from 0.
    pub number: u64,
    /// When it was offered.
    pub offered: Time,
    /// Why.
    pub reason: FrameLoss,
    /// When.
    pub at: Time,
}

/// What somebody who hears everything has heard of a transmission.
#[derive(Debug)]
pub struct Sniffed<F> {
    /// When it began.
    pub at: Time,
    /// What it was.
    pub sent: SentRecord,
    /// For how long after it the medium was spoken for.
    pub nav: Duration,
    /// A copy of the frame that it carried, made by [`Frame::duplicate`].
    pub frame: Option<F>,
    /// Whether it was cut off, or lost at a station that it was for as others disturbed it.
    pub is_damaged: bool,
}

/// A frame that a medium did not take in.
#[derive(Debug)]
pub struct Rejected<F> {
    /// The frame.
    pub frame: F,
    /// Its number among the frames that were offered to its sender, from 0.
    pub number: u64,
    /// Why.
    pub reason: FrameLoss,
}

/// What leaves a medium, in the order in which it does.
#[derive(Debug)]
pub(crate) struct Outlet<F> {
    pub receptions: VecDeque<Reception<F>>,
    pub dropped: VecDeque<Dropped<F>>,
    /// Frames of which nothing is needed any more.
    pub spent: VecDeque<F>,
    /// What happened, if anybody wants to know.
    pub events: Option<VecDeque<AirEvent>>,
    /// What was on the air, if anybody listens.
    pub sniffed: Option<VecDeque<Sniffed<F>>>,
}

impl<F> Outlet<F> {
    /// Notes what happened.
    #[inline]
    pub fn note(&mut self, at: Time, what: impl FnOnce() -> AirOccurrence) {
        if let Some(events) = &mut self.events {
            events.push_back(AirEvent { at, what: what() });
        }
    }

    /// A frame is dropped.
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
    /// The frame that `head` speaks of, until it has been delivered or is on the air for the last
    /// time.
    frame: Option<F>,
    /// Frames offered so far.
    offered: u64,
    /// The access point through which everything goes.
    via: Option<StationId>,
    /// The bytes of a beacon that is to be sent next.
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

    /// Whether the frame that is served is still here.
    pub fn has_frame(&self) -> bool {
        self.frame.is_some()
    }

    /// Frames that wait, without the one that is served.
    pub fn waiting(&self) -> u64 {
        self.queue.frames()
    }

    /// Takes in a frame. Whether there is one to serve now where there was none.
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

    /// Counts a frame that the station does not take in at all, and returns its number.
    pub fn refuse(&mut self, reason: FrameLoss, info: FrameInfo) -> u64 {
        let number = self.offered;
        self.offered += 1;
        self.counters.offered.add(&info);
        self.counters.drops.count(reason, info);
        number
    }

    /// When a frame may be served that waits and may not now, if none is.
    pub fn opens(&self) -> Option<Time> {
        if self.head.is_some() { None } else { self.queue.opens() }
    }

    /// Serves the next frame, if none is served and one may. Whether one is served from now on.
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

    /// A beacon is to be sent, as an Ethernet frame of `bytes` would be. Whether it is served now,
    /// where nothing was.
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

    /// Sends everything through `via`, or to whom it is for.
    pub fn route(&mut self, via: Option<StationId>) {
        self.via = via;
        if let (Some(head), Some(via)) = (&mut self.head, via) {
            head.to = Receiver::Station(via);
        }
    }

    /// The frame that is served is sent once more.
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

    /// Takes the frame that is served, if it is number `number` and was not taken yet.
    pub fn take_frame(&mut self, number: u64) -> Option<F> {
        self.head.filter(|head| head.number == number).and_then(|_| self.frame.take())
    }

    /// A copy of the frame that is served, if it is still here.
    pub fn copy_frame(&self) -> Option<F> {
        self.frame.as_ref().map(F::duplicate)
    }

    /// Is done with a frame that has left the station for good, and serves the next.
    pub fn leave_gone(&mut self, now: Time, me: StationId, outlet: &mut Outlet<F>) {
        if self.frame.is_none() {
            self.head = None;
        }
        self.next(now, me, outlet);
    }

    /// Takes back the frame that is served, which was taken.
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

    /// Gives back everything that waits or is served.
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

    /// Other limits or another discipline.
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

    /// Passes on what the queue dropped.
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
            // A queue by itself gives no other reason.
            _ => Self::QueueFull,
        }
    }
}
