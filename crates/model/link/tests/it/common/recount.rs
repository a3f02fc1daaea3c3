//! Computes a pipe's statistics again from its events alone, in the simplest correct way.

use std::collections::HashMap;

use netloom_link::{
    Count, DropReason, FrameEvent, Occurrence, PipeConfig, PipeStatistics, QueueLimit,
};
use netloom_units::Time;

/// The way of a frame through the pipe.
#[derive(Debug, Clone, Copy)]
struct Story {
    count: Count,
    offered: Time,
    /// Time at which it left the queue (or was rejected).
    left: Time,
    /// Times from which and to which it was on the line.
    line: Option<(Time, Time)>,
}

/// All events of one pipe, which is empty at the end.
pub struct Recount {
    events: Vec<FrameEvent>,
    stories: HashMap<u64, Story>,
}

fn count(event: &FrameEvent) -> Count {
    Count { frames: event.frames.into(), bytes: event.bytes }
}

impl Recount {
    pub fn new(events: Vec<FrameEvent>) -> Self {
        let mut stories = HashMap::new();
        for event in &events {
            let story = |offered, left, line| Story { count: count(event), offered, left, line };
            let story = match event.what {
                Occurrence::Rejected { .. } => story(event.at, event.at, None),
                Occurrence::Delivered { offered, started, serialized } => {
                    story(offered, started, Some((started, serialized)))
                }
                Occurrence::Dropped { offered, started, serialized, .. } => {
                    let line = started.map(|started| (started, serialized.unwrap_or(event.at)));
                    story(offered, started.unwrap_or(event.at), line)
                }
                _ => continue,
            };
            stories.insert(event.number, story);
        }
        Self { events, stories }
    }

    /// Checks `statistics` of a pipe with `config` for any period. All values must be exact, except
    /// for percentiles, which must be within 1 %.
    pub fn check(&self, statistics: &PipeStatistics, config: &PipeConfig) {
        let s = statistics;
        let sum = |wanted: &dyn Fn(&Occurrence) -> bool| {
            let inside = |event: &&FrameEvent| (s.since..=s.at).contains(&event.at);
            let events = self.events.iter().filter(inside).filter(|event| wanted(&event.what));
            events.map(count).fold(Count::default(), |sum, count| sum + count)
        };
        assert_eq!(s.offered, sum(&|what| *what == Occurrence::Offered));
        assert_eq!(s.delivered, sum(&|what| matches!(what, Occurrence::Delivered { .. })));
        assert_eq!(s.marked, sum(&|what| *what == Occurrence::Marked));
        assert_eq!(s.corrupted, sum(&|what| *what == Occurrence::Corrupted));
        assert_eq!(s.duplicated, sum(&|what| *what == Occurrence::Duplicated));
        for wanted in DropReason::ALL {
            let dropped = sum(&|what| match what {
                Occurrence::Rejected { reason } => *reason == wanted,
                Occurrence::Dropped { reason, .. } => *reason == wanted,
                _ => false,
            });
            assert_eq!(s.dropped.of(wanted), dropped, "{wanted:?}");
        }
        let mean = |count: Count| count.bytes as f64 / count.frames as f64;
        assert_eq!(s.frame_bytes_mean, (s.offered.frames > 0).then(|| mean(s.offered)));
        let dropped =
            sum(&|what| matches!(what, Occurrence::Rejected { .. } | Occurrence::Dropped { .. }));
        let settled = dropped.frames + s.delivered.frames;
        let lost = (settled > 0).then(|| 100.0 * dropped.frames as f64 / settled as f64);
        assert_eq!(s.lost_percent, lost);
        self.check_queue(s, config);
        self.check_line(s);
        self.check_delays(s);
    }

    fn check_queue(&self, s: &PipeStatistics, config: &PipeConfig) {
        let waited = self.stories.values().filter(|story| story.left > story.offered);
        let (mut area, mut line_area, mut now) = (0u128, 0u128, Count::default());
        for story in waited {
            let inside = story.left.min(s.at).since(story.offered.max(s.since)).as_nanos();
            area += u128::from(inside) * u128::from(story.count.frames);
            line_area += u128::from(inside) * u128::from(on_ethernet(story.count));
            if story.offered <= s.at && story.left > s.at {
                now = now + story.count;
            }
        }
        let elapsed = s.at.since(s.since).as_nanos();
        let mean = if elapsed == 0 { 0.0 } else { area as f64 / elapsed as f64 };
        assert_eq!(s.queue.mean_frames, mean);
        let on_line = if elapsed == 0 { 0.0 } else { line_area as f64 / elapsed as f64 };
        assert_eq!(s.queue.fill, fill(config, mean, on_line));
        assert_eq!(s.queue.now, now);
        let (longest, seen) = self.replayed_queue(s.since, s.at);
        assert_eq!(s.queue.maximum, longest);
        let offered = s.offered.frames;
        let seen = (offered > 0).then(|| seen as f64 / offered as f64);
        assert_eq!(s.queue.seen_mean_frames, seen);
    }

    /// Replays the queue. Returns its largest length, and the sum over all arrivals of the number
    /// of frames that each found waiting. The queue is longest after an arrival, once the frames
    /// have been dropped that the arrival displaces.
    fn replayed_queue(&self, since: Time, until: Time) -> (Count, u64) {
        let mut starts: Vec<(Time, Count)> = self
            .stories
            .values()
            .filter(|story| story.line.is_some() && story.left > story.offered)
            .map(|story| (story.left, story.count))
            .collect();
        starts.sort_unstable_by_key(|(at, _)| *at);
        let (mut starts, mut now, mut longest) =
            (starts.into_iter().peekable(), Count::default(), Count::default());
        let mut open: Option<Time> = None;
        let mut close = |open: &mut Option<Time>, now: Count| {
            if open.take().is_some_and(|at| at >= since) {
                longest.frames = longest.frames.max(now.frames);
                longest.bytes = longest.bytes.max(now.bytes);
            }
        };
        let (mut begun, mut seen) = (since == Time::ZERO, 0);
        for event in self.events.iter().filter(|event| event.at <= until) {
            let (enters, leaves, cut) = match event.what {
                Occurrence::Offered => (true, false, false),
                Occurrence::Dropped { started: None, reason, .. } => {
                    (false, true, reason == DropReason::Down)
                }
                _ => continue,
            };
            if enters || cut || open.is_some_and(|at| at != event.at) {
                close(&mut open, now);
            }
            if !begun && event.at >= since {
                // Frames that wait at the beginning of the window count in it.
                while let Some((_, count)) = starts.next_if(|(at, _)| *at < since) {
                    now = minus(now, count);
                }
                close(&mut Some(since), now);
                begun = true;
            }
            while let Some((_, count)) = starts.next_if(|(at, _)| *at <= event.at) {
                now = minus(now, count);
            }
            if enters && event.at >= since {
                seen += now.frames * u64::from(event.frames);
            }
            let story = self.stories.get(&event.number);
            if enters && story.is_some_and(|story| self.came_in(event.number, story)) {
                now = now + count(event);
                open = Some(event.at);
            }
            if leaves {
                now = minus(now, count(event));
            }
        }
        close(&mut open, now);
        if !begun {
            while let Some((_, count)) = starts.next_if(|(at, _)| *at < since) {
                now = minus(now, count);
            }
            close(&mut Some(since), now);
        }
        (longest, seen)
    }

    /// Whether a frame joined the queue, even for no time.
    fn came_in(&self, number: u64, story: &Story) -> bool {
        story.left > story.offered
            || self.events.iter().any(|event| {
                event.number == number
                    && matches!(event.what, Occurrence::Dropped { started: None, .. })
            })
    }

    fn check_line(&self, s: &PipeStatistics) {
        let lines = self.stories.values().filter_map(|story| story.line);
        let inside = |(from, to): (Time, Time)| to.min(s.at).since(from.max(s.since)).as_nanos();
        let busy: u64 = lines.map(inside).sum();
        assert_eq!(s.busy_ns, busy);
        let elapsed = s.at.since(s.since).as_nanos();
        let load = if elapsed == 0 { 0.0 } else { busy as f64 / elapsed as f64 };
        assert_eq!(s.load, load);
        let on_line = |story: &&Story| story.line.is_some_and(|l| l.0 <= s.at && l.1 > s.at);
        let on_line = self.stories.values().filter(on_line).map(|story| story.count);
        let flying = self.events.iter().filter(|event| {
            let serialized = match event.what {
                Occurrence::Delivered { serialized, .. } => Some(serialized),
                Occurrence::Dropped { serialized, .. } => serialized,
                _ => None,
            };
            serialized.is_some_and(|serialized| serialized <= s.at) && event.at > s.at
        });
        let inside = on_line.chain(flying.map(count));
        assert_eq!(s.in_flight, inside.fold(Count::default(), |sum, count| sum + count));
    }

    fn check_delays(&self, s: &PipeStatistics) {
        let mut delays: Vec<u64> = Vec::new();
        for event in self.events.iter().filter(|event| (s.since..=s.at).contains(&event.at)) {
            if let Occurrence::Delivered { offered, .. } = event.what {
                let delay = event.at.since(offered).as_nanos();
                delays.extend(std::iter::repeat_n(delay, event.frames as usize));
            }
        }
        delays.sort_unstable();
        let Some(summary) = &s.delay else { return assert!(delays.is_empty()) };
        let frames = delays.len();
        assert_eq!((summary.min_ns, summary.max_ns), (delays[0], delays[frames - 1]));
        let sum: u128 = delays.iter().map(|delay| u128::from(*delay)).sum();
        assert_eq!(summary.mean_ns, sum as f64 / frames as f64);
        let quantiles = [(0.5, summary.p50_ns), (0.99, summary.p99_ns), (0.999, summary.p999_ns)];
        for (share, found) in quantiles {
            let rank = ((share * frames as f64).ceil() as usize).clamp(1, frames);
            let exact = delays[rank - 1];
            let error = found.abs_diff(exact) as f64;
            assert!(error <= 0.01 * exact as f64, "{share}: {found} for {exact}");
        }
    }
}

/// Length on the line of frames of at least 60 bytes: FCS, preamble and gap are 24 bytes.
fn on_ethernet(count: Count) -> u64 {
    count.bytes + 24 * count.frames
}

/// Mean queue divided by the limit.
fn fill(config: &PipeConfig, frames: f64, on_line: f64) -> Option<f64> {
    let rate = config.rate.nominal()?.bits_per_second();
    let bytes_in = |time: u64| (u128::from(rate) * u128::from(time) / 8_000_000_000) as f64;
    match config.queue.limit {
        QueueLimit::Packets(packets) => Some(frames / f64::from(packets)),
        QueueLimit::Bytes(size) => Some(on_line / size.bytes() as f64),
        QueueLimit::Time(time) => Some(on_line / bytes_in(time.as_nanos())),
        // 100 ms or 50 packets, whichever is larger.
        QueueLimit::Default => Some((on_line / bytes_in(100_000_000)).min(frames / 50.0)),
    }
}

fn minus(a: Count, b: Count) -> Count {
    Count { frames: a.frames - b.frames, bytes: a.bytes - b.bytes }
}
