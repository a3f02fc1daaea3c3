//! Background as a fluid: a rate that changes in steps fills a FIFO queue, and the line empties it.
//! Between two changes everything is linear, so the cost of a change does not depend on the volume.
//! Not here: frames, which wait between stretches of fluid; when the line is free (`pipe`).

use std::collections::VecDeque;
use std::ops::{Add, AddAssign, Sub};

use netloom_traffic::{Fluid, RateStep, SizeLaw};
use netloom_units::{Duration, Framing, Stream, Time};

use super::process::NEVER;
use crate::Count;
use crate::queue::{Backlog, Bound};
use crate::statistics::BackgroundCounts;

/// Parts in a bit. A rate in thousandths of a bit per second is the same number of parts per
/// nanosecond.
const BIT: u128 = 1_000_000_000_000;
const BYTE: u128 = 8 * BIT;
/// Parts in a frame.
const FRAME: u128 = 1_000_000_000_000_000_000;

/// An amount of fluid, or the amount that flows in a nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Volume {
    /// Its length on the line, framing included, in parts of a bit.
    pub line: u128,
    /// Its length without framing, in parts of a bit.
    bits: u128,
    /// Number of frames that it stands for, in parts of a frame.
    frames: u128,
}

impl Volume {
    /// Returns the amount that flows in `nanos` nanoseconds at this rate.
    fn over(self, nanos: u64) -> Self {
        let times = |part: u128| part.saturating_mul(u128::from(nanos));
        Self { line: times(self.line), bits: times(self.bits), frames: times(self.frames) }
    }

    /// Removes and returns the part that is `line` long on the line, or everything if there is
    /// less.
    fn take(&mut self, line: u128) -> Self {
        if line >= self.line {
            return std::mem::take(self);
        }
        let all = self.line;
        // Exact, unless the product overflows; then the error is negligible.
        let part = |whole: u128| match whole.checked_mul(line) {
            Some(product) => product / all,
            None => ((whole as f64 * (line as f64 / all as f64)) as u128).min(whole),
        };
        let taken = Self { line, bits: part(self.bits), frames: part(self.frames) };
        *self = *self - taken;
        taken
    }

    /// Returns the same bytes with another framing, as if each frame had the mean length.
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

/// Amounts counted so far, in whole frames or whole bytes.
#[derive(Debug, Default)]
struct Whole {
    offered: u64,
    delivered: u64,
    dropped: u64,
}

impl Whole {
    /// Returns how much the counts of offered, delivered and dropped amounts grow. `offered` and
    /// `dropped` are the totals so far and `waits` is the amount that waits, all rounded down.
    ///
    /// Rounding loses nothing and no count ever falls. Once nothing waits, the offered amount
    /// equals the delivered plus the dropped amount. For this, a drop may be counted later.
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

/// The total amounts offered and dropped, and the part of them that has been counted.
#[derive(Debug, Default)]
struct Meter {
    offered: Volume,
    dropped: Volume,
    frames: Whole,
    bytes: Whole,
}

impl Meter {
    /// Adds the amounts and returns how much the counts of offered, delivered and dropped grow,
    /// while the amount `waits` is in the queue.
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

    /// Amount that is counted as offered, but neither as delivered nor as dropped.
    fn waiting(&self) -> Count {
        Count { frames: self.frames.waiting(), bytes: self.bytes.waiting() }
    }
}

/// One running entry of the background.
#[derive(Debug)]
pub(crate) struct Inflow {
    source: Fluid,
    /// Time of the pipe at which the source's time is 0.
    start: Time,
    /// The next change of its rate.
    next: Option<RateStep>,
    /// Its current rate, in thousandths of a bit per second.
    pace: u64,
    /// Its mean rate in bit/s.
    mean: f64,
    /// Lengths of the frames that it stands for, in bytes.
    sizes: SizeLaw,
    /// Length of the mean frame on the line, in bytes.
    on_line: f64,
}

impl Inflow {
    /// Creates an entry that begins at `start`.
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

    /// Time of the next change of the rate.
    fn next_at(&self) -> Time {
        self.next.map_or(NEVER, |step| self.start + step.at.since(Time::ZERO))
    }

    /// Applies all changes of the rate up to `now`.
    fn settle(&mut self, now: Time) {
        while let Some(step) = self.next.filter(|_| self.next_at() <= now) {
            self.pace = step.rate.map_or(0, netloom_traffic::Pace::thousandths);
            self.next = self.source.next();
        }
    }

    /// Amount that arrives in a nanosecond.
    fn rate(&self) -> Volume {
        let (pace, bytes) = (self.pace as f64, self.sizes.mean());
        Volume {
            line: libm::round(pace * self.on_line / bytes) as u128,
            bits: self.pace.into(),
            frames: libm::round(pace / (8.0 * bytes) * (FRAME / BIT) as f64) as u128,
        }
    }
}

/// The fluid of one pipe: its inflows, and the amount that waits between frames.
#[derive(Debug)]
pub(crate) struct FluidProcess {
    inflows: Vec<Inflow>,
    /// Amount that arrives in a nanosecond.
    rate: Volume,
    /// Time at which `rate` changes; [`NEVER`] if it does not.
    next_at: Time,
    /// Time up to which the flow has been computed.
    at: Time,
    /// Fluid that waits in front of frames, with the place of the frame behind it among all
    /// arrivals. A frame without fluid in front of it has no entry.
    ahead: VecDeque<(u64, Volume)>,
    /// Fluid that waits behind the last frame.
    tail: Volume,
    /// All fluid that waits.
    waits: Volume,
    /// Length on the line that counts as one packet against a limit in packets: that of the mean
    /// frame, in parts of a bit.
    packet: u128,
    /// Random stream that decides which frames are admitted while the fluid overflows the queue.
    random: Stream,
    meter: Meter,
    /// Speed of the line, and the amount that it has sent of the current nanosecond, which is not
    /// over.
    busy: (u128, u128),
}

impl FluidProcess {
    /// Creates a fluid that begins to flow at `now` and draws from `random`.
    pub fn new(now: Time, random: Stream) -> Self {
        Self {
            inflows: Vec::new(),
            rate: Volume::default(),
            next_at: NEVER,
            at: now,
            ahead: VecDeque::new(),
            tail: Volume::default(),
            waits: Volume::default(),
            packet: BYTE,
            random,
            meter: Meter::default(),
            busy: (0, 0),
        }
    }

    /// Replaces the inflows. The fluid that waits stays.
    pub fn begin(&mut self, inflows: Vec<Inflow>) {
        self.inflows = inflows;
        self.measure_packet();
        self.settle(self.at);
    }

    /// Applies another framing, also to the fluid that waits.
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

    /// Computes the length of the mean frame over all inflows, each weighted by its mean rate.
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

    /// Time up to which the flow has been computed.
    pub fn at(&self) -> Time {
        self.at
    }

    /// Time at which the rate changes next; [`NEVER`] if it does not.
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Whether there is fluid that concerns a frame: it flows, will flow, or waits.
    pub fn is_there(&self) -> bool {
        self.next_at < NEVER || self.rate.line > 0 || self.waits.line > 0
    }

    /// Applies all changes of the rate up to `now`.
    pub fn settle(&mut self, now: Time) {
        let (mut rate, mut next_at) = (Volume::default(), NEVER);
        for inflow in &mut self.inflows {
            inflow.settle(now);
            rate += inflow.rate();
            next_at = next_at.min(inflow.next_at());
        }
        (self.rate, self.next_at) = (rate, next_at);
    }

    /// Amount that waits, in whole frames and bytes.
    pub fn waiting(&self) -> Count {
        self.meter.waiting()
    }

    /// Number of frames that wait, rounded to the nearest.
    pub fn nearest_frames(&self) -> u64 {
        ((self.waits.frames + FRAME / 2) / FRAME) as u64
    }

    /// Largest amount of fluid that may wait under `bound` beside `backlog`: its length on the
    /// line, in parts of a bit. Negative if the backlog exceeds the bound.
    fn most(&self, bound: Bound, backlog: Backlog) -> i128 {
        let left = |all: u64, taken: u64, each: u128| {
            let size = |count: u64| (u128::from(count) * each) as i128;
            size(all) - size(taken)
        };
        let by_packets = left(bound.packets, backlog.frames, self.packet);
        by_packets.max(left(bound.line_bytes, backlog.line_bytes, BYTE))
    }

    /// Whether the waiting fluid and `backlog` are within `bound`.
    pub fn fits(&self, bound: Bound, backlog: Backlog) -> bool {
        self.waits.line as i128 <= self.most(bound, backlog)
    }

    /// Whether the waiting fluid and `backlog` reach or exceed `bound`.
    pub fn is_full(&self, bound: Bound, backlog: Backlog) -> bool {
        self.waits.line as i128 >= self.most(bound, backlog)
    }

    /// Whether more flows in than the line takes, which sends `service` in a nanosecond.
    pub fn overflows(&self, service: u128) -> bool {
        self.rate.line > service
    }

    /// Whether a frame of `line_bytes` is admitted that finds the queue within its `bound` but
    /// without room for the whole frame. Were the fluid frames, there would be room for one of
    /// them with the probability C/r, the line's share of the fluid. A longer frame, under a limit
    /// in bytes, needs the room of k of them, which is there with the probability (C/r)^k if the
    /// room is geometric, as it is where frames arrive and leave at random.
    pub fn admits(&mut self, service: u128, bound: Bound, line_bytes: u64) -> bool {
        if !self.overflows(service) {
            return true;
        }
        let share = service as f64 / self.rate.line as f64;
        let needed = match bound.line_bytes {
            0 => 1.0,
            _ => (u128::from(line_bytes) * BYTE) as f64 / self.packet as f64,
        };
        self.random.chance(libm::pow(share, needed.max(1.0)))
    }

    /// Records that the frame with the place `order` among all arrivals joins the queue behind all
    /// waiting fluid.
    pub fn queue_frame(&mut self, order: u64) {
        let volume = std::mem::take(&mut self.tail);
        if volume != Volume::default() {
            self.ahead.push_back((order, volume));
        }
    }

    /// Whether fluid waits in front of the frame with this `order`, the first that waits.
    pub fn is_ahead_of(&self, order: u64) -> bool {
        self.ahead.front().is_some_and(|(first, _)| *first == order)
    }

    /// Whether fluid waits, in front of frames or behind them.
    pub fn waits(&self) -> bool {
        self.waits.line > 0
    }

    /// Waiting time of an arrival at this moment, on a line that sends `service` in a nanosecond.
    pub fn wait(&self, service: u128) -> Duration {
        time_for(self.waits.line, service)
    }

    /// Returns at most how much earlier a frame leaves the line if it arrives by `earlier` sooner.
    /// While the fluid brings more than the line takes, the queue grows in that time.
    pub fn overtaken_in(&self, earlier: Duration, service: u128) -> Duration {
        let share = (self.rate.line as f64 / service as f64).max(1.0);
        Duration::from_nanos(libm::ceil(earlier.as_nanos() as f64 * share) as u64)
    }

    /// Returns the time at which the fluid in front of the first frame has left the line, which
    /// sends `service` in a nanosecond; `None` without such fluid.
    pub fn turn(&self, service: u128) -> Option<Time> {
        self.ahead.front().map(|(_, volume)| self.at + time_for(volume.line, service))
    }

    /// Returns how long the fluid in front of each frame takes on a line that sends `service` in a
    /// nanosecond, in the order of the queue.
    pub fn times(&self, service: u128) -> impl Iterator<Item = (u64, Duration)> {
        self.ahead.iter().map(move |(order, volume)| (*order, time_for(volume.line, service)))
    }

    /// Lets the fluid flow up to `until`, or up to the time at which a queue that exceeds its bound
    /// is within it again. Nothing else may change meanwhile. The line sends `service` in a
    /// nanosecond: only the fluid in front of the first frame, or all waiting fluid if no frame
    /// waits. A pipe that is not `open` admits nothing. Returns the counts and the time for which
    /// the line was busy, in ns.
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

    /// Admits the fluid that finds room and sends as much as the line can. Sent fluid makes room.
    /// Returns the amount sent and the amount that found no room.
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

    /// Returns the time up to which the conditions stay the same, and whether the pipe admits
    /// anything until then.
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

    /// Returns the whole nanoseconds for which the line sends `line` parts of a bit.
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

    /// Drops all waiting fluid.
    pub fn drop_all(&mut self) -> BackgroundCounts {
        self.ahead.clear();
        self.tail = Volume::default();
        let dropped = std::mem::take(&mut self.waits);
        self.counted(Volume::default(), dropped, Area::default())
    }
}

/// Returns how long `line` parts of a bit take on a line that sends `service` in a nanosecond,
/// rounded up.
fn time_for(line: u128, service: u128) -> Duration {
    Duration::from_nanos(u64::try_from(line.div_ceil(service)).unwrap_or(u64::MAX))
}

/// Waiting amount integrated over time.
#[derive(Debug, Clone, Copy, Default)]
struct Area {
    /// In 10⁻⁶ frames × ns.
    frames: u128,
    /// In bytes on the line × ns.
    line_bytes: u128,
}

impl Area {
    /// Returns the integral over `nanos` in which `before` became `after`. The amount changed at
    /// the rate `slope`, in parts of a bit per nanosecond, until it reached `after`, and then
    /// stayed.
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
