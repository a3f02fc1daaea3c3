//! The background of a running pipe: which virtual frame arrives next.

use netloom_traffic::Source;
use netloom_units::{Duration, Stream, Time};

use super::Virtual;
use super::config::line_of;
use crate::{Count, Ecn, FrameInfo, PipeConfig};

/// A pipe with a background is visited at least so often, so that what happened since is never much
/// work at once.
const VISIT: Duration = Duration::from_millis(50);

/// The background of one pipe. Its random numbers are its own.
#[derive(Debug)]
pub(crate) struct BackgroundProcess {
    stream: Stream,
    /// How often a background was set: each has other numbers.
    set: u64,
    entries: Vec<Entry>,
    /// When the next frame arrives; the end of time if none does.
    next_at: Time,
    /// Which entry sends it.
    next: usize,
    /// What of it waits for the line.
    pub waiting: Count,
    /// When the first offered frame leaves the line that waits behind virtual ones.
    pub due: Due,
}

/// When the first offered frame that waits behind a virtual one leaves the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// It is to be found out.
    Unknown,
    /// It leaves the line then, whatever arrives meanwhile.
    At(Time),
    /// It depends on what arrives.
    Open,
}

/// One entry at work.
#[derive(Debug)]
struct Entry {
    source: Source,
    /// When the source's time is 0.
    start: Time,
    /// What it sends next.
    at: Time,
    bytes: u32,
    flows: u16,
    /// Draws the 5-tuples.
    stream: Stream,
    frame: Virtual,
}

/// When nothing happens any more.
const NEVER: Time = Time::from_nanos(u64::MAX);

impl BackgroundProcess {
    /// No background yet, with the random numbers of the pipe's `stream`.
    pub fn new(stream: &Stream) -> Self {
        Self {
            stream: stream.fork("background"),
            set: 0,
            entries: Vec::new(),
            next_at: NEVER,
            next: 0,
            waiting: Count::default(),
            due: Due::Unknown,
        }
    }

    /// Begins the background of `config` anew at `now`. An entry that cannot send is left out:
    /// whoever builds a pipe checks that.
    pub fn begin(&mut self, now: Time, config: &PipeConfig) {
        let line = line_of(config);
        let stream = self.stream.fork(&self.set.to_string());
        self.set += 1;
        let entry = |(index, entry): (usize, &super::BackgroundFlow)| {
            let stream = stream.fork(&index.to_string());
            let source = entry.model.source(&entry.sizes, line.as_ref(), &stream).ok()?;
            let ecn = if entry.ecn { Ecn::Capable0 } else { Ecn::NotCapable };
            // There are at most 64 entries.
            let frame = Virtual { entry: index as u8, flow: 0, dscp: entry.dscp, ecn };
            let (at, bytes, flows) = (now, 0, entry.flows);
            let stream = stream.fork("flows");
            Some(Entry { source, start: now, at, bytes, flows, stream, frame })
        };
        self.entries = config.background.entries().iter().enumerate().filter_map(entry).collect();
        self.entries.iter_mut().for_each(Entry::advance);
        self.find_next();
    }

    /// When the next frame arrives, if one does.
    #[inline]
    pub fn next_at(&self) -> Option<Time> {
        (self.next_at < NEVER).then_some(self.next_at)
    }

    /// When the pipe is to be visited, at the latest, if it was at `now`.
    #[inline]
    pub fn visit(&self, now: Time) -> Option<Time> {
        Some(self.next_at()?.max(now + VISIT))
    }

    /// Takes the frame that arrives next.
    #[inline]
    pub fn take(&mut self) -> Option<(FrameInfo, Virtual)> {
        let entry = self.entries.get_mut(self.next)?;
        let info = FrameInfo::single(entry.bytes);
        let mut frame = entry.frame;
        if entry.flows > 1 {
            frame.flow = entry.stream.below(entry.flows.into()) as u16;
        }
        entry.advance();
        self.find_next();
        Some((info, frame))
    }

    /// Finds the next arrival; of those at one time, that of the first entry.
    #[inline]
    fn find_next(&mut self) {
        (self.next_at, self.next) = (NEVER, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.at < self.next_at {
                (self.next_at, self.next) = (entry.at, index);
            }
        }
    }
}

impl Entry {
    #[inline]
    fn advance(&mut self) {
        let Some(frame) = self.source.next() else {
            self.at = NEVER;
            return;
        };
        self.at = self.start + frame.at.since(Time::ZERO);
        self.bytes = frame.bytes;
    }
}
