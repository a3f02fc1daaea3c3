//! What a network does now, for those who watch: from two looks at its carriers to the frames of
//! `GET /v1/live`.

use std::sync::Arc;

use netloom_api::event::Event;
use netloom_api::flow::FlowStatus;
use netloom_api::live::{
    Header, LAST, LiveLinks, LiveRequest, LiveWord, PipeRow, PositionRow, Row, StationRow, WHOLE,
    frame, state,
};
use netloom_api::medium::StationStatus;
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_link::Glance;
use netloom_results::MediaSample;
use netloom_units::Time;

/// Share of its limit from which on a queue is full.
const FULL: f32 = 0.95;

/// A look at a network.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Its time, since zero.
    pub at: Time,
    /// Number of the network, which changes with another scenario.
    pub revision: u32,
    /// All links, both directions of each.
    pub links: Vec<[PipeLook; 2]>,
    /// All shared media.
    pub media: MediaSample,
    /// Whether all of it is simulated.
    pub simulated: bool,
}

/// A look at one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PipeLook {
    /// A pipe.
    Modelled(Glance),
    /// A direction that the kernel carries. `None` if one of its interfaces is gone.
    Direct(Option<DirectLook>),
}

/// What the kernel has counted of one direction of a direct link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectLook {
    /// Bytes that were sent.
    pub offered: u64,
    /// Bytes that were received.
    pub delivered: u64,
    /// Frames that were dropped.
    pub dropped: u64,
}

impl From<&PipeStatus> for PipeLook {
    fn from(status: &PipeStatus) -> Self {
        match status {
            PipeStatus::Modelled(pipe) => {
                Self::Modelled(Glance::of(&pipe.config, &pipe.statistics))
            }
            PipeStatus::Direct(pipe) => Self::Direct(pipe.statistics.as_ref().map(|counted| {
                let (offered, delivered) = (counted.offered.bytes, counted.delivered.bytes);
                DirectLook { offered, delivered, dropped: counted.dropped_frames }
            })),
        }
    }
}

/// Returns a look at both directions of a link.
pub fn look_at(link: &LinkStatus) -> [PipeLook; 2] {
    [(&link.forward).into(), (&link.reverse).into()]
}

/// Those who watch a run that has no engine. They are shown each sample of it, and take what they
/// need.
pub trait Audience: Send + Sync {
    /// All links, at a time.
    fn links(&self, at: Time, links: &[LinkStatus]);

    /// All shared media, at the time of the last links.
    fn media(&self, media: &MediaSample);

    /// All flows.
    fn flows(&self, flows: &[FlowStatus]);

    /// Something has happened.
    fn happened(&self, event: &Event);
}

impl PipeLook {
    /// Bytes offered and delivered, and frames dropped, if known.
    fn counts(&self) -> Option<[u64; 3]> {
        match self {
            Self::Modelled(of) => Some([of.offered, of.delivered, of.dropped]),
            Self::Direct(of) => of.map(|of| [of.offered, of.delivered, of.dropped]),
        }
    }
}

impl Look {
    fn stations(&self) -> impl Iterator<Item = &StationStatus> {
        self.media.media.iter().flat_map(|medium| &medium.stations)
    }

    /// Returns the number of its stations.
    pub fn station_count(&self) -> usize {
        self.stations().count()
    }

    /// Returns a pipe by its number.
    fn pipe(&self, index: usize) -> Option<&PipeLook> {
        self.links.get(index / 2)?.get(index % 2)
    }
}

/// What one who watches wants, and what was sent.
#[derive(Debug)]
pub struct View {
    request: LiveRequest,
    last: Option<Arc<Look>>,
    /// The look before the last one, if it was at the same network.
    before: Option<Arc<Look>>,
    /// The last row of each pipe, station and position.
    pipes: Vec<Option<PipeRow>>,
    stations: Vec<Option<StationRow>>,
    positions: Vec<Option<PositionRow>>,
    tick: u32,
}

impl View {
    /// Makes the view of one to whom nothing was sent yet.
    pub fn new(request: LiveRequest) -> Self {
        let (pipes, stations, positions) = (Vec::new(), Vec::new(), Vec::new());
        Self { request, last: None, before: None, pipes, stations, positions, tick: 0 }
    }

    /// Takes another request. What was known is sent again.
    pub fn ask(&mut self, request: LiveRequest) {
        let (tick, last, before) = (self.tick, self.last.take(), self.before.take());
        *self = Self { tick, last, before, ..Self::new(request) };
    }

    /// Returns the request.
    pub fn request(&self) -> &LiveRequest {
        &self.request
    }

    /// Returns the frames of a tick: what has changed since the last one. Of the look of the last
    /// tick, they are over the interval that they were over then.
    pub fn frames(&mut self, now: &Arc<Look>) -> Vec<Vec<u8>> {
        let is_same = self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, now));
        if !is_same {
            let last = self.last.replace(now.clone());
            self.before = last.filter(|last| last.revision == now.revision);
        }
        let before = self.before.clone();
        let is_known = is_same || before.is_some();
        let is_whole = self.pipes.len() != 2 * now.links.len() || !is_known;
        if is_whole {
            self.pipes = vec![None; 2 * now.links.len()];
            self.stations = vec![None; now.station_count()];
            self.positions = vec![None; now.station_count()];
        }
        let before = before.as_deref();
        let interval = before.map(|before| now.at.since(before.at).as_secs_f64());
        let header = Header {
            kind: 0,
            flags: if is_whole { WHOLE } else { 0 },
            count: 0,
            time: now.at.as_secs_f64(),
            interval: interval.unwrap_or_default() as f32,
            revision: now.revision,
            tick: self.tick,
        };
        self.tick = self.tick.wrapping_add(1);
        let mut kinds: Vec<Kind> = vec![Kind::Pipes];
        kinds.extend(self.request.stations.then_some(Kind::Stations));
        kinds.extend(self.request.positions.then_some(Kind::Positions));
        let last = kinds.len() - 1;
        let kinds = kinds.into_iter().enumerate();
        kinds
            .map(|(place, kind)| {
                let flags = header.flags | if place == last { LAST } else { 0 };
                let header = Header { flags, ..header };
                match kind {
                    Kind::Pipes => {
                        let rows = self.wanted(before, now).into_iter();
                        changed(
                            header,
                            rows.filter_map(|at| pipe(at, before, now)),
                            &mut self.pipes,
                        )
                    }
                    Kind::Stations => {
                        changed(header, stations(before, now).into_iter(), &mut self.stations)
                    }
                    Kind::Positions => changed(header, positions(now), &mut self.positions),
                }
            })
            .collect()
    }

    /// Returns the numbers of the pipes that are wanted, in order.
    fn wanted(&self, before: Option<&Look>, now: &Look) -> Vec<usize> {
        let count = now.links.len();
        let mut is_wanted = vec![false; count];
        match &self.request.links {
            LiveLinks::Word(LiveWord::All) => is_wanted.fill(true),
            LiveLinks::Word(LiveWord::None) => {}
            LiveLinks::These(places) => {
                let places = places.iter().filter_map(|place| usize::try_from(*place).ok());
                places.filter(|place| *place < count).for_each(|place| is_wanted[place] = true);
            }
        }
        let busiest = usize::try_from(self.request.busiest).unwrap_or(usize::MAX);
        let mut others: Vec<(u64, usize)> = match busiest {
            0 => Vec::new(),
            _ => (0..count)
                .filter(|place| !is_wanted[*place])
                .map(|place| (delivered(before, now, place), place))
                .filter(|(bytes, _)| *bytes > 0)
                .collect(),
        };
        // Of links that carry the same, the first.
        others.sort_unstable_by_key(|(bytes, place)| (std::cmp::Reverse(*bytes), *place));
        others.iter().take(busiest).for_each(|(_, place)| is_wanted[*place] = true);
        let places = (0..count).filter(|place| is_wanted[*place]);
        places.flat_map(|place| [2 * place, 2 * place + 1]).collect()
    }
}

enum Kind {
    Pipes,
    Stations,
    Positions,
}

/// A row with its number.
trait Numbered: Row {
    fn number(&self) -> usize;
}

macro_rules! numbered {
    ($($row:ty),*) => {$(
        impl Numbered for $row {
            fn number(&self) -> usize {
                self.index as usize
            }
        }
    )*};
}

numbered!(PipeRow, StationRow, PositionRow);

/// Returns the frame of those rows that differ from what was sent.
fn changed<R: Numbered>(
    header: Header,
    rows: impl Iterator<Item = R>,
    sent: &mut [Option<R>],
) -> Vec<u8> {
    let is_new = |row: &R| match sent.get_mut(row.number()) {
        Some(Some(before)) if before.is(row) => false,
        Some(before) => {
            *before = Some(*row);
            true
        }
        None => false,
    };
    let rows: Vec<R> = rows.filter(is_new).collect();
    frame(header, &rows)
}

/// Returns the bytes that a link has delivered between two looks.
fn delivered(before: Option<&Look>, now: &Look, place: usize) -> u64 {
    let bytes = |look: &Look| -> u64 {
        let pipes = look.links.get(place).into_iter().flatten();
        pipes.filter_map(PipeLook::counts).map(|[_, delivered, _]| delivered).sum()
    };
    bytes(now).saturating_sub(before.map_or(0, bytes))
}

/// Returns what a pipe has done between two looks.
fn pipe(at: usize, before: Option<&Look>, now: &Look) -> Option<PipeRow> {
    let index = u32::try_from(at).ok()?;
    let (is, was) = (now.pipe(at)?, before.and_then(|before| before.pipe(at)));
    let seconds = before.map_or(0.0, |before| now.at.since(before.at).as_secs_f64());
    let mut row = PipeRow { index, ..PipeRow::default() };
    match is.counts().zip(was.and_then(PipeLook::counts)).filter(|_| seconds > 0.0) {
        Some((is, was)) => {
            let rate = |of: usize| is[of].saturating_sub(was[of]) as f64 / seconds;
            (row.offered, row.delivered) = ((rate(0) * 8.0) as f32, (rate(1) * 8.0) as f32);
            row.drops = rate(2) as f32;
        }
        None => row.state |= state::UNKNOWN,
    }
    if now.simulated {
        row.state |= state::SIMULATED;
    }
    match (is, was) {
        (PipeLook::Direct(_), _) => row.state |= state::DIRECT,
        (PipeLook::Modelled(is), Some(PipeLook::Modelled(was))) if seconds > 0.0 => {
            modelled(is, Some(was), seconds, &mut row);
        }
        (PipeLook::Modelled(is), _) => modelled(is, None, seconds, &mut row),
    }
    Some(row)
}

/// Adds what only the model knows.
fn modelled(is: &Glance, was: Option<&Glance>, seconds: f64, row: &mut PipeRow) {
    row.queued = u32::try_from(is.queued).unwrap_or(u32::MAX);
    row.fill = is.fill;
    if let Some(was) = was {
        let busy = is.busy_ns.saturating_sub(was.busy_ns);
        row.busy = (busy as f64 / 1e9 / seconds).min(1.0) as f32;
        let loses = is.lost_unmodelled > was.lost_unmodelled;
        row.state |= if loses { state::UNMODELLED } else { 0 };
        row.state |= if is.queue_full > was.queue_full { state::FULL } else { 0 };
    }
    row.state |= if row.fill >= FULL { state::FULL } else { 0 };
    row.state |= if is.down { state::DOWN } else { 0 };
    row.state |= if is.background { state::BACKGROUND } else { 0 };
}

/// Returns what stations have done between two looks.
fn stations(before: Option<&Look>, now: &Look) -> Vec<StationRow> {
    let seconds = before.map_or(0.0, |before| now.at.since(before.at).as_secs_f64());
    let mut old = before.into_iter().flat_map(Look::stations);
    let row = |(place, is): (usize, &StationStatus)| {
        let was = old.next().filter(|was| was.interface == is.interface);
        let rate = |of: fn(&StationStatus) -> u64, unit: f64| -> f32 {
            let grown = was.map_or(0, |was| of(is).saturating_sub(of(was)));
            if seconds > 0.0 { (grown as f64 / unit / seconds) as f32 } else { 0.0 }
        };
        let present = if is.position.is_some() { 2 } else { 0 };
        StationRow {
            index: u32::try_from(place).unwrap_or(u32::MAX),
            sent: rate(|it| it.statistics.airtime_ns, 1e9),
            sensed: rate(|it| it.statistics.busy_ns, 1e9),
            retries: rate(|it| it.statistics.retries, 1.0),
            failed: rate(|it| it.statistics.failed.frames, 1.0),
            queued: u32::try_from(is.queued).unwrap_or(u32::MAX),
            state: u8::from(is.on) | present,
        }
    };
    now.stations().enumerate().map(row).collect()
}

fn positions(now: &Look) -> impl Iterator<Item = PositionRow> {
    now.stations().enumerate().map(|(place, station)| {
        let at = station.position.unwrap_or_default();
        PositionRow {
            index: u32::try_from(place).unwrap_or(u32::MAX),
            x: at.x as f32,
            y: at.y as f32,
            z: at.z as f32,
            present: u8::from(station.position.is_some()),
        }
    })
}

#[cfg(test)]
mod tests {
    use netloom_api::live::read;
    use netloom_units::Duration;

    use super::*;

    /// A look at links of which each has delivered so many bytes in either direction.
    fn look(second: u64, revision: u32, bytes: &[u64]) -> Arc<Look> {
        let at = Time::ZERO + Duration::from_secs(second);
        let link = |bytes: &u64| {
            let counted = DirectLook { offered: *bytes, delivered: *bytes, dropped: 0 };
            [PipeLook::Direct(Some(counted)); 2]
        };
        Arc::new(Look { at, revision, links: bytes.iter().map(link).collect(), ..Look::default() })
    }

    fn asked(links: LiveLinks, busiest: u32) -> LiveRequest {
        LiveRequest { interval_ms: 100, links, busiest, stations: false, positions: false }
    }

    fn rows(view: &mut View, look: &Arc<Look>) -> (Header, Vec<PipeRow>) {
        let frames = view.frames(look);
        assert_eq!(frames.len(), 1);
        read(&frames[0]).unwrap()
    }

    #[test]
    fn rates_are_over_the_time_between_looks_and_sent_once() {
        let mut view = View::new(asked(LiveLinks::Word(LiveWord::All), 0));
        let (header, first) = rows(&mut view, &look(1, 0, &[0, 0]));
        assert_eq!((header.flags, first.len()), (WHOLE | LAST, 4));
        assert!(first.iter().all(|row| row.state == state::DIRECT | state::UNKNOWN));
        let (header, second) = rows(&mut view, &look(3, 0, &[1000, 0]));
        assert_eq!((header.flags, header.interval, header.tick), (LAST, 2.0, 1));
        let rates: Vec<(u32, f32)> = second.iter().map(|row| (row.index, row.delivered)).collect();
        assert_eq!(rates, [(0, 4000.0), (1, 4000.0), (2, 0.0), (3, 0.0)]);
        // The first link goes on as before, and the other one does nothing.
        let (header, third) = rows(&mut view, &look(5, 0, &[2000, 0]));
        assert_eq!((header.count, third.len()), (0, 0));
        // Another network has other links.
        let (header, fourth) = rows(&mut view, &look(6, 1, &[2000]));
        assert_eq!((header.flags & WHOLE, fourth.len()), (WHOLE, 2));
        view.ask(asked(LiveLinks::These(vec![0, 7]), 0));
        let last = look(7, 1, &[3000]);
        assert_eq!(rows(&mut view, &last).1.len(), 2, "sent again");
        // Nobody has looked again: what was known of the last interval is.
        view.ask(asked(LiveLinks::Word(LiveWord::All), 0));
        let (header, again) = rows(&mut view, &last);
        assert_eq!((header.flags, header.interval), (WHOLE | LAST, 1.0));
        assert!(again.iter().all(|row| row.state == state::DIRECT && row.delivered == 8000.0));
    }

    #[test]
    fn the_busiest_of_the_others_are_sent_too() {
        let mut view = View::new(asked(LiveLinks::These(vec![0]), 1));
        rows(&mut view, &look(1, 0, &[0, 0, 0]));
        let (_, rows) = rows(&mut view, &look(2, 0, &[0, 500, 900]));
        let links: Vec<u32> = rows.iter().map(|row| row.index / 2).collect();
        assert_eq!(links, [0, 0, 2, 2]);
    }
}
