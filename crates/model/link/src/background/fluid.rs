//! Background as a fluid: a rate that changes in steps fills a FIFO queue, and the line empties it.
//! Between two changes everything is linear, so that a change costs the same however much flows.
//! Not here: frames, which stand between stretches of fluid; when the line is free (`pipe`).

use std::collections::VecDeque;
use std::ops::{Add, AddAssign, Sub};

use netloom_traffic::{Fluid, RateStep, SizeLaw};
use netloom_units::{Duration, Framing, Stream, Time};

use super::process::NEVER;
use crate::Count;
use crate::queue::{Backlog, Bound};
use crate::statistics::BackgroundCounts;

/// Parts of a bit: a rate in thousandths of a bit a second is as many parts in a nanosecond.
const BIT: u128 = 1_000_000_000_000;
const BYTE: u128 = 8 * BIT;
/// Parts of a frame.
const FRAME: u128 = 1_000_000_000_000_000_000;

/// An amount of fluid, or what flows in a nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Volume {
    /// What it takes on the line, framing included, in parts of a bit.
    pub line: u128,
    /// Its bytes without framing, in parts of a bit.
    bits: u128,
    /// The frames that it stands for, in parts of a frame.
    frames: u128,
}

impl Volume {
    /// What flows in so many nanoseconds.
    fn over(self, nanos: u64) -> Self {
        let times = |part: u128| part.saturating_mul(u128::from(nanos));
        Self { line: times(self.line), bits: times(self.bits), frames: times(self.frames) }
    }

    /// Takes off what is `line` long on the line, or all of it.
    fn take(&mut self, line: u128) -> Self {
        if line >= self.line {
            return std::mem::take(self);
        }
        let all = self.line;
        // Exact unless there is so much that it does not matter.
        let part = |whole: u128| match whole.checked_mul(line) {
            Some(product) => product / all,
            None => ((whole as f64 * (line as f64 / all as f64)) as u128).min(whole),
        };
        let taken = Self { line, bits: part(self.bits), frames: part(self.frames) };
        *self = *self - taken;
        taken
    }

    /// The same bytes with another framing, each frame of the mean length.
    fn reframed(self, framing: Framing) -> Self {
        if self.frames == 0 {
            return self;
        }
        let frames = self.frames as f64 / FRAME as f64;
        let bytes = self.bits as f64 / BYTE as f64 / frames;
        let on_line = f64::from(framing.line_bytes(bytes.round() as u32));
        Self { line: (frames * on_line * BYTE as f64) as u128, ..self }
    }
}

impl Add for Volume {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            line: self.line + other.line,
            bits: self.bits + other.bits,
            frames: self.frames + other.frames,
        }
    }
}

impl AddAssign for Volume {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Volume {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            line: self.line - other.line,
            bits: self.bits - other.bits,
            frames: self.frames - other.frames,
        }
    }
}

/// What is counted of an amount, in whole frames or bytes.
#[derive(Debug, Default)]
struct Whole {
    offered: u64,
    delivered: u64,
    dropped: u64,
}

impl Whole {
    /// What more has been offered, delivered and dropped when so much is offered and dropped in
    /// all, rounded down, and so much waits. Nothing is lost by rounding, no count ever falls, and
    /// what was offered is delivered or dropped once nothing waits: a drop may count later.
    fn grow(&mut self, offered: u64, dropped: u64, waits: u64) -> [u64; 3] {
        let dropped = dropped.min(offered - self.delivered).max(self.dropped);
        let delivered = (offered - dropped).saturating_sub(waits).max(self.delivered);
        let grown = [offered - self.offered, delivered - self.delivered, dropped - self.dropped];
        *self = Self { offered, delivered, dropped };
        grown
    }

    fn waiting(&self) -> u64 {
        self.offered - self.delivered - self.dropped
    }
}

/// All that was offered and dropped, and what is counted of it.
#[derive(Debug, Default)]
struct Meter {
    offered: Volume,
    dropped: Volume,
    frames: Whole,
    bytes: Whole,
}

impl Meter {
    /// What more is counted as offered, delivered and dropped, while `waits` does.
    fn count(&mut self, offered: Volume, dropped: Volume, waits: Volume) -> [Count; 3] {
        self.offered += offered;
        self.dropped += dropped;
        let all = [self.offered, self.dropped, waits];
        let [offered, dropped, waits] = all.map(|volume| (volume.frames / FRAME) as u64);
        let frames = self.frames.grow(offered, dropped, waits);
        let [offered, dropped, waits] = all.map(|volume| (volume.bits / BYTE) as u64);
        let bytes = self.bytes.grow(offered, dropped, waits);
        let count = |index: usize| Count { frames: frames[index], bytes: bytes[index] };
        [count(0), count(1), count(2)]
    }

    /// What waits of what is counted.
    fn waiting(&self) -> Count {
        Count { frames: self.frames.waiting(), bytes: self.bytes.waiting() }
    }
}

/// One entry of the background at work.
#[derive(Debug)]
pub(crate) struct Inflow {
    source: Fluid,
    /// When the source's time is 0.
    start: Time,
    /// How its rate changes next.
    next: Option<RateStep>,
    /// Its rate, in thousandths of a bit a second.
    pace: u64,
    /// Its mean rate in bit/s.
    mean: f64,
    /// Lengths of the frames that it stands for.
    sizes: SizeLaw,
    /// How long the mean frame is on the line, in bytes.
    on_line: f64,
}

impl Inflow {
    /// An entry that begins at `start`.
    pub fn new(
        mut source: Fluid,
        start: Time,
        mean: f64,
        sizes: SizeLaw,
        framing: Framing,
    ) -> Self {
        let next = source.next();
        let on_line = sizes.mean_on_line(framing);
        Self { source, start, next, pace: 0, mean, sizes, on_line }
    }

    /// When its rate changes next.
    fn next_at(&self) -> Time {
        self.next.map_or(NEVER, |step| self.start + step.at.since(Time::ZERO))
    }

    /// Takes over all changes up to `now`.
    fn settle(&mut self, now: Time) {
        while let Some(step) = self.next.filter(|_| self.next_at() <= now) {
            self.pace = step.rate.map_or(0, netloom_traffic::Pace::thousandths);
            self.next = self.source.next();
        }
    }

    /// What comes in a nanosecond.
    fn rate(&self) -> Volume {
        let (pace, bytes) = (self.pace as f64, self.sizes.mean());
        Volume {
            line: libm::round(pace * self.on_line / bytes) as u128,
            bits: self.pace.into(),
            frames: libm::round(pace / (8.0 * bytes) * (FRAME / BIT) as f64) as u128,
        }
    }
}

/// The fluid of one pipe: what flows in, and what of it waits, between frames.
#[derive(Debug)]
pub(crate) struct FluidProcess {
    inflows: Vec<Inflow>,
    /// What arrives in a nanosecond.
    rate: Volume,
    /// When that changes; the end of time if it does not.
    next_at: Time,
    /// Up to when everything has flowed.
    at: Time,
    /// What waits in front of frames, each with the frame's place among all that came. Where
    /// nothing is in front of a frame, the frame is not here.
    ahead: VecDeque<(u64, Volume)>,
    /// What waits behind the last frame.
    tail: Volume,
    /// All that waits.
    waits: Volume,
    /// How much of a limit in packets a packet is: the mean frame on the line, in parts of a bit.
    packet: u128,
    /// Draws which frames find a place where the fluid overflows.
    lots: Stream,
    meter: Meter,
    /// The line's speed, and what it has sent in the last nanosecond, which is not over.
    busy: (u128, u128),
}

impl FluidProcess {
    /// A fluid that begins to flow at `now`, with lots from `lots`.
    pub fn new(now: Time, lots: Stream) -> Self {
        Self {
            inflows: Vec::new(),
            rate: Volume::default(),
            next_at: NEVER,
            at: now,
            ahead: VecDeque::new(),
            tail: Volume::default(),
            waits: Volume::default(),
            packet: BYTE,
            lots,
            meter: Meter::default(),
            busy: (0, 0),
        }
    }

    /// Other inflows from now on; what waits stays.
    pub fn begin(&mut self, inflows: Vec<Inflow>) {
        self.inflows = inflows;
        self.measure_packet();
        self.settle(self.at);
    }

    /// Another framing, which holds for what waits, too.
    pub fn reframe(&mut self, framing: Framing) {
        for inflow in &mut self.inflows {
            inflow.on_line = inflow.sizes.mean_on_line(framing);
        }
        self.measure_packet();
        self.settle(self.at);
        self.tail = self.tail.reframed(framing);
        self.ahead.iter_mut().for_each(|(_, volume)| *volume = volume.reframed(framing));
        self.waits = self.ahead.iter().fold(self.tail, |sum, (_, volume)| sum + *volume);
    }

    /// The mean frame of all inflows together, each by its mean rate.
    fn measure_packet(&mut self) {
        let frames = |inflow: &Inflow| inflow.mean / inflow.sizes.mean();
        let (mut bytes, mut count) = (0.0, 0.0);
        for inflow in &self.inflows {
            bytes += frames(inflow) * inflow.on_line;
            count += frames(inflow);
        }
        if bytes > 0.0 {
            self.packet = libm::round(bytes / count * BYTE as f64).max(1.0) as u128;
        }
    }

    /// Up to when everything has flowed.
    pub fn at(&self) -> Time {
        self.at
    }

    /// When the rate changes next; the end of time if it does not.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Whether it matters to a frame: it flows, will flow, or waits.
    pub fn is_there(&self) -> bool {
        self.next_at < NEVER || self.rate.line > 0 || self.waits.line > 0
    }

    /// Takes over all changes of the rate up to `now`.
    pub fn settle(&mut self, now: Time) {
        let (mut rate, mut next_at) = (Volume::default(), NEVER);
        for inflow in &mut self.inflows {
            inflow.settle(now);
            rate += inflow.rate();
            next_at = next_at.min(inflow.next_at());
        }
        (self.rate, self.next_at) = (rate, next_at);
    }

    /// What waits, in whole frames and bytes.
    pub fn waiting(&self) -> Count {
        self.meter.waiting()
    }

    /// What waits, in frames, rounded to the nearest.
    pub fn nearest_frames(&self) -> u64 {
        ((self.waits.frames + FRAME / 2) / FRAME) as u64
    }

    /// How much fluid may wait under `bound` beside `backlog`, in parts of a bit on the line.
    fn most(&self, bound: Bound, backlog: Backlog) -> i128 {
        let left = |all: u64, taken: u64, each: u128| {
            let size = |count: u64| (u128::from(count) * each) as i128;
            size(all) - size(taken)
        };
        let by_packets = left(bound.packets, backlog.frames, self.packet);
        by_packets.max(left(bound.line_bytes, backlog.line_bytes, BYTE))
    }

    /// Whether what waits and `backlog` are within `bound`.
    pub fn fits(&self, bound: Bound, backlog: Backlog) -> bool {
        self.waits.line as i128 <= self.most(bound, backlog)
    }

    /// Whether what waits, `backlog` beside it, stands at `bound` or above.
    pub fn is_full(&self, bound: Bound, backlog: Backlog) -> bool {
        self.waits.line as i128 >= self.most(bound, backlog)
    }

    /// Whether more flows in than a line takes that sends `service` in a nanosecond.
    pub fn overflows(&self, service: u128) -> bool {
        self.rate.line > service
    }

    /// Whether the fluid lets in a frame that finds the queue within its bound, but no room for all
    /// of itself: with the share of the fluid that the line takes, so that frames are dropped as
    /// the fluid is.
    pub fn lets_in(&mut self, service: u128) -> bool {
        !self.overflows(service) || self.lots.chance(service as f64 / self.rate.line as f64)
    }

    /// A frame comes behind all that waits; `order` is its place among all that came.
    pub fn stands_before(&mut self, order: u64) {
        let volume = std::mem::take(&mut self.tail);
        if volume != Volume::default() {
            self.ahead.push_back((order, volume));
        }
    }

    /// Whether something waits in front of the frame of that place, which is the first that waits.
    pub fn is_ahead_of(&self, order: u64) -> bool {
        self.ahead.front().is_some_and(|(first, _)| *first == order)
    }

    /// Whether something waits, in front of frames or behind them.
    pub fn waits(&self) -> bool {
        self.waits.line > 0
    }

    /// How long what comes now waits for a line that sends `service` in a nanosecond.
    pub fn wait(&self, service: u128) -> Duration {
        time_for(self.waits.line, service)
    }

    /// How much earlier a frame leaves the line, at most, that comes by `earlier`: while the fluid
    /// brings more than the line takes, the queue has become longer since.
    pub fn overtaken_in(&self, earlier: Duration, service: u128) -> Duration {
        let share = (self.rate.line as f64 / service as f64).max(1.0);
        Duration::from_nanos(libm::ceil(earlier.as_nanos() as f64 * share) as u64)
    }

    /// When what waits in front of the first frame has left the line, which sends `service` in a
    /// nanosecond.
    pub fn turn(&self, service: u128) -> Option<Time> {
        self.ahead.front().map(|(_, volume)| self.at + time_for(volume.line, service))
    }

    /// How long what waits in front of each frame takes on that line, in the order of the queue.
    pub fn times(&self, service: u128) -> impl Iterator<Item = (u64, Duration)> {
        self.ahead.iter().map(move |(order, volume)| (*order, time_for(volume.line, service)))
    }

    /// Lets it flow up to `until`, or to where a queue that holds too much is at its bound again;
    /// nothing else changes meanwhile. The line sends `service` in a nanosecond: the fluid in front
    /// of the first frame, or all that waits if no frame does. A pipe that is not `open` takes in
    /// nothing. Gives what is counted, and how long the line was busy.
    pub fn flow(
        &mut self,
        until: Time,
        service: u128,
        (bound, backlog): (Bound, Backlog),
        open: bool,
    ) -> (BackgroundCounts, u64) {
        let room = self.most(bound, backlog) - self.waits.line as i128;
        let (until, open) = self.stretch(until, service, room, open);
        let nanos = until.since(self.at).as_nanos();
        let before = self.waits;
        let arriving = self.rate.over(nanos);
        let most = if open { room } else { i128::MIN / 2 };
        let (delivered, dropped) = self.pass(arriving, service * u128::from(nanos), most);
        self.waits = before + arriving - dropped - delivered;
        self.at = until;
        let inflow = if open { self.rate.line as f64 } else { 0.0 };
        let area = Area::between(before, self.waits, inflow - service as f64, nanos as f64);
        let counts = self.counted(arriving, dropped, area);
        (counts, self.busy(delivered.line, service))
    }

    /// Takes in what finds room, and sends as much as the line can; what is sent makes room. Gives
    /// what was sent and what found none.
    fn pass(&mut self, mut arriving: Volume, can_send: u128, room: i128) -> (Volume, Volume) {
        let mut take_in = |sent: u128| arriving.take((room + sent as i128).max(0) as u128);
        let delivered = match self.ahead.front_mut() {
            Some((_, front)) => {
                let delivered = front.take(can_send);
                self.tail += take_in(delivered.line);
                delivered
            }
            None => {
                self.tail += take_in(can_send);
                self.tail.take(can_send)
            }
        };
        if self.ahead.front().is_some_and(|(_, front)| front.line == 0) {
            self.ahead.pop_front();
        }
        (delivered, arriving)
    }

    /// How far things stay as they are, and whether the pipe takes in anything so far.
    fn stretch(&self, until: Time, service: u128, room: i128, open: bool) -> (Time, bool) {
        match (room < 0, service) {
            (false, _) => (until, open),
            (true, 0) => (until, false),
            (true, _) => (until.min(self.at + time_for(room.unsigned_abs(), service)), false),
        }
    }

    fn counted(&mut self, offered: Volume, dropped: Volume, area: Area) -> BackgroundCounts {
        let [offered, delivered, dropped] = self.meter.count(offered, dropped, self.waits);
        BackgroundCounts {
            offered,
            delivered,
            dropped,
            queue_area: area.frames,
            line_area: area.line_bytes,
            ..BackgroundCounts::default()
        }
    }

    /// Whole nanoseconds in which the line sends what is `line` long.
    fn busy(&mut self, line: u128, service: u128) -> u64 {
        if service == 0 {
            return 0;
        }
        if self.busy.0 != service {
            self.busy = (service, 0);
        }
        let sent = self.busy.1 + line;
        self.busy.1 = sent % service;
        (sent / service) as u64
    }

    /// Drops all that waits.
    pub fn drop_all(&mut self) -> BackgroundCounts {
        self.ahead.clear();
        self.tail = Volume::default();
        let dropped = std::mem::take(&mut self.waits);
        self.counted(Volume::default(), dropped, Area::default())
    }
}

/// How long what is `line` long takes on a line that sends `service` in a nanosecond, rounded up.
fn time_for(line: u128, service: u128) -> Duration {
    Duration::from_nanos(u64::try_from(line.div_ceil(service)).unwrap_or(u64::MAX))
}

/// What waited, each for its time.
#[derive(Debug, Clone, Copy, Default)]
struct Area {
    /// In 10⁻⁶ frames × ns.
    frames: u128,
    /// In bytes on the line × ns.
    line_bytes: u128,
}

impl Area {
    /// What waited in `nanos` while `before` became `after`: at the rate `slope` until that was
    /// reached, in parts of a bit a nanosecond, and no more from then on.
    fn between(before: Volume, after: Volume, slope: f64, nanos: f64) -> Self {
        let (from, to) = (before.line as f64, after.line as f64);
        let moving = match slope {
            0.0 => 0.0,
            slope => ((to - from) / slope).clamp(0.0, nanos),
        };
        let area = (from + to) / 2.0 * moving + to * (nanos - moving);
        let line = from + to;
        if line == 0.0 {
            return Self::default();
        }
        let frames = (before.frames as f64 + after.frames as f64) / line;
        Self {
            frames: (area * frames * 1e6 / FRAME as f64) as u128,
            line_bytes: (area / BYTE as f64) as u128,
        }
    }
}
