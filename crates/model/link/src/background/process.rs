//! The background of a running pipe: finds the virtual frame that arrives next.

use std::collections::VecDeque;

use netloom_traffic::{Emission, FrameSource};
use netloom_units::{Duration, Stream, Time};

use super::config::line_of;
use super::fluid::{FluidProcess, Inflow};
use super::{BackgroundFlow, Representation, Virtual};
use crate::{Count, Ecn, FrameInfo, PipeConfig};

/// Longest time between two visits of a pipe with a background. It bounds the work that one visit
/// has to catch up on.
const VISIT: Duration = Duration::from_millis(50);

/// The background of one pipe. It has random streams of its own.
#[derive(Debug)]
pub(crate) struct BackgroundProcess {
    stream: Stream,
    /// Number of times that a background was set. Each one draws other random numbers.
    set: u64,
    entries: Vec<Entry>,
    /// Time at which the next frame arrives; [`NEVER`] if none does.
    next_at: Time,
    /// Index of the entry that sends it; the number of entries if the frame was brought from
    /// outside.
    next: usize,
    /// Brought frames that have yet to arrive.
    brought: VecDeque<Emission>,
    /// Virtual frames that wait for the line.
    pub waiting: Count,
    /// The fluid. It exists once an entry has been a fluid.
    pub fluid: Option<Box<FluidProcess>>,
    /// When the first offered frame that waits behind virtual ones leaves the line.
    pub due: Due,
}

/// When the first offered frame that waits behind a virtual one leaves the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Not computed yet.
    Unknown,
    /// It leaves the line at this time, whatever arrives meanwhile.
    At(Time),
    /// It depends on later arrivals.
    Open,
}

/// One running entry.
#[derive(Debug)]
struct Entry {
    source: FrameSource,
    /// Time of the pipe at which the source's time is 0.
    start: Time,
    /// Time at which its next frame arrives.
    at: Time,
    bytes: u32,
    flows: u16,
    /// Stream from which the 5-tuples are drawn.
    stream: Stream,
    frame: Virtual,
}

/// A time that never comes, for events that do not happen.
pub(super) const NEVER: Time = Time::from_nanos(u64::MAX);

impl BackgroundProcess {
    /// Creates an empty background with random streams forked from the pipe's `stream`.
    pub fn new(stream: &Stream) -> Self {
        Self {
            stream: stream.fork("background"),
            set: 0,
            entries: Vec::new(),
            next_at: NEVER,
            next: 0,
            brought: VecDeque::new(),
            waiting: Count::default(),
            fluid: None,
            due: Due::Unknown,
        }
    }

    /// Begins the background of `config` anew at `now`. An entry that cannot send is left out,
    /// because whoever builds a pipe has checked that.
    pub fn begin(&mut self, now: Time, config: &PipeConfig) {
        let line = line_of(config);
        let stream = self.stream.fork(&self.set.to_string());
        self.set += 1;
        self.begin_fluid(now, config, &stream);
        let entry = |(index, entry): (usize, &BackgroundFlow)| {
            if entry.representation == Representation::Fluid {
                return None;
            }
            let stream = stream.fork(&index.to_string());
            let source = entry.model.source(&entry.sizes, line.as_ref(), &stream).ok()?;
            let ecn = if entry.ecn { Ecn::Capable0 } else { Ecn::NotCapable };
            // A background has at most 64 entries.
            let frame = Virtual { entry: index as u8, flow: 0, dscp: entry.dscp, ecn };
            let (at, bytes, flows) = (now, 0, entry.flows);
            let stream = stream.fork("flows");
            Some(Entry { source, start: now, at, bytes, flows, stream, frame })
        };
        self.entries = config.background.entries().iter().enumerate().filter_map(entry).collect();
        self.entries.iter_mut().for_each(Entry::advance);
        self.find_next();
    }

    /// Begins the entries that are a fluid.
    fn begin_fluid(&mut self, now: Time, config: &PipeConfig, stream: &Stream) {
        let line = line_of(config);
        let inflow = |(index, entry): (usize, &BackgroundFlow)| {
            if !entry.fits_as_fluid(config) {
                return None;
            }
            let (stream, line) = (stream.fork(&index.to_string()), line.as_ref());
            let source = entry.model.fluid(&entry.sizes, line, &stream).ok()?;
            let mean = entry.model.moments(&entry.sizes, line).ok()?.mean;
            Some(Inflow::new(source, now, mean, entry.sizes.law().ok()?, config.framing))
        };
        let entries = config.background.entries().iter().enumerate();
        let inflows: Vec<_> = entries.filter_map(inflow).collect();
        if self.fluid.is_none() && inflows.is_empty() {
            return;
        }
        let fluid = || Box::new(FluidProcess::new(now, stream.fork("lots")));
        self.fluid.get_or_insert_with(fluid).begin(inflows);
    }

    /// Time at which the next frame arrives, if one does.
    #[inline]
    pub fn next_at(&self) -> Option<Time> {
        (self.next_at < NEVER).then_some(self.next_at)
    }

    /// Returns the latest time for the next visit of the pipe after a visit at `now`.
    #[inline]
    pub fn visit(&self, now: Time) -> Option<Time> {
        let change = self.fluid.as_ref().map_or(NEVER, |fluid| fluid.next_at());
        let next = self.next_at.min(change);
        (next < NEVER).then(|| next.max(now + VISIT))
    }

    /// Adds frames that arrive beside those of the entries. They are given in the order of their
    /// times.
    pub fn bring(&mut self, arrivals: impl Iterator<Item = Emission>) {
        let mut last = self.brought.back().map_or(Time::ZERO, |one| one.at);
        for one in arrivals {
            last = last.max(one.at);
            self.brought.push_back(Emission { at: last, ..one });
        }
        self.find_next();
    }

    /// Removes and returns the frame that arrives next.
    #[inline]
    pub fn take(&mut self) -> Option<(FrameInfo, Virtual)> {
        let Some(entry) = self.entries.get_mut(self.next) else {
            let Emission { bytes, .. } = self.brought.pop_front()?;
            self.find_next();
            return Some((FrameInfo::single(bytes), Virtual::BROUGHT));
        };
        let info = FrameInfo::single(entry.bytes);
        let mut frame = entry.frame;
        if entry.flows > 1 {
            frame.flow = entry.stream.below(entry.flows.into()) as u16;
        }
        entry.advance();
        self.find_next();
        Some((info, frame))
    }

    /// Finds the next arrival. If several arrive at the same time, the first entry comes first.
    #[inline]
    fn find_next(&mut self) {
        (self.next_at, self.next) = (NEVER, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.at < self.next_at {
                (self.next_at, self.next) = (entry.at, index);
            }
        }
        if let Some(one) = self.brought.front().filter(|one| one.at < self.next_at) {
            (self.next_at, self.next) = (one.at, self.entries.len());
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
