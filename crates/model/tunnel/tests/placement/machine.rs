//! A machine: its part of the network, its clock, and its ends of tunnels.

use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{Frame as _, Loss, Network, Observer, PipeId, PipeSlot};
use netloom_link::{
    Announced, Delivery, DropReason, Ecn, Frame as _, FrameEvent, Header, Passage, Pipe,
};
use netloom_tunnel::{Receiver, Record, Sender};
use netloom_units::{Duration, Time};

use crate::common::Keyed;

pub type TestNetwork = Network<TestMemory, Watcher>;

/// A machine.
#[derive(Debug)]
pub struct Machine {
    pub network: TestNetwork,
    pub clock: Clock,
    /// The ends of tunnels, by the machine at the other end.
    pub senders: Vec<Sender<Keyed>>,
    pub receivers: Vec<Receiver<Keyed>>,
}

/// A clock that began at another time than the model's, and goes faster.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub offset: i64,
    pub ppm: i64,
}

impl Clock {
    /// Returns what the clock shows at a time of the model, in ns.
    pub fn stamp(self, time: Time) -> i64 {
        let nanos = i128::from(time.signed_nanos());
        let gained = (nanos * i128::from(self.ppm)).div_euclid(1_000_000);
        (nanos + gained) as i64 + self.offset
    }

    /// Returns the time of the model at which the clock shows this.
    pub fn time_at(self, stamp: i64) -> Time {
        let shown = i128::from(stamp - self.offset);
        let nanos = (shown * 1_000_000).div_euclid(i128::from(1_000_000 + self.ppm));
        let near = (-2..=2).map(|step| Time::from_signed_nanos(nanos as i64 + step));
        near.into_iter().find(|time| self.stamp(*time) == stamp).expect("the clock shows it once")
    }
}

/// Keeps everything that can be observed of a network.
#[derive(Debug, Default)]
pub struct Watcher {
    /// Frames that came out of pipes: release, number, whether marked.
    pub arrived: Vec<(PipeId, Time, u64, bool)>,
    pub dropped: Vec<(PipeId, Time, &'static str)>,
    pub log: Vec<(PipeId, FrameEvent)>,
    pub lost: u64,
}

impl Observer<TestFrame> for Watcher {
    fn dropped(&mut self, pipe: PipeSlot, at: Time, reason: DropReason, _: &TestFrame) {
        self.dropped.push((pipe.id, at, reason.name()));
    }

    fn delivered(&mut self, pipe: PipeSlot, delivery: &Delivery<TestFrame>) {
        let Passage { number, marked, .. } = delivery.passage;
        self.arrived.push((pipe.id, delivery.release, number, marked));
    }

    fn forwarded(&mut self, pipe: PipeSlot, delivery: &Delivery<TestFrame>) {
        self.delivered(pipe, delivery);
    }

    fn lost(&mut self, _: PipeSlot, _: Loss, frames: u64) {
        self.lost += frames;
    }

    fn settled(&mut self, pipe: PipeSlot, state: &mut Pipe<TestFrame>) {
        let events = std::iter::from_fn(|| state.poll_event());
        self.log.extend(events.map(|event| (pipe.id, event)));
    }
}

/// Returns the header of one of six flows: two per DSCP, one of them with ECN, and one flow that is
/// not IP.
pub fn header_of(flow: u8) -> Option<Header> {
    let ecn = if flow.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable };
    (flow != 5).then(|| Header {
        source: [10, 0, 0, 1].into(),
        destination: [10, 0, 1, 1].into(),
        protocol: 17,
        source_port: flow.into(),
        destination_port: 9,
        dscp: flow / 2,
        ecn,
    })
}

/// Returns the record of a frame that has left its line. The header of a test frame is no part of
/// its bytes, and goes in place of a virtio-net header.
pub fn record_of(pipe: PipeId, announced: &Announced<TestFrame>, clock: Clock) -> Record {
    let Announced { delivery: Delivery { frame, info, passage, release }, .. } = announced;
    let mut virtio = [0; 10];
    if let Some(Header { source_port, dscp, ecn, .. }) = frame.header() {
        virtio[..4].copy_from_slice(&[1, source_port as u8, dscp, ecn as u8]);
    }
    virtio[4..6].copy_from_slice(&frame.piece().unwrap_or(0).to_be_bytes());
    Record {
        pipe: pipe.index() as u32,
        sequence: announced.sequence,
        frames: info.frames() as u16,
        number: passage.number,
        release: clock.stamp(*release),
        shift: passage.shift.as_nanos() as u32,
        cuts: announced.cuts,
        marked: passage.marked,
        virtio,
    }
}

/// Returns the frame of a record that comes from a machine with this clock.
pub fn announced_by(record: &Record, bytes: &[u8], clock: Clock) -> Announced<TestFrame> {
    let [has_header, flow, dscp, ecn, ..] = record.virtio;
    let header = header_of(flow).filter(|_| has_header == 1);
    let ecn = [Ecn::NotCapable, Ecn::Capable1, Ecn::Capable0, Ecn::Congestion][usize::from(ecn)];
    let piece = u16::from_be_bytes([record.virtio[4], record.virtio[5]]);
    let frame = TestFrame::of_bytes(bytes).in_pieces(Some(piece));
    let frame = match header {
        Some(header) => frame.with_header(Header { dscp, ecn, ..header }),
        None => frame,
    };
    let info = frame.info().expect("a frame that left a line is well-formed");
    let release = clock.time_at(record.release);
    let passage = Passage {
        number: record.number,
        offered: release,
        started: release,
        serialized: release,
        marked: record.marked,
        shift: Duration::from_nanos(record.shift.into()),
    };
    let delivery = Delivery { frame, info, passage, release };
    Announced { delivery, sequence: record.sequence, cuts: record.cuts }
}
