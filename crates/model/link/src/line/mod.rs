//! Serialization: when the line is free and how long a frame takes on it, exactly.
//! Not here: the frames that wait for the line (`queue`).
//!
//! | file | what |
//! |---|---|
//! | `clock` | constant rates, exactly; token buckets |
//! | `trace` | opportunities to send, in Mahimahi's format |
//! | `overhead` | extra time on the line from a distribution |

mod clock;
mod overhead;
mod trace;

use netloom_units::{Duration, Rate, RateSchedule, Size, Time};

pub(crate) use clock::LineClock;
pub(crate) use overhead::Served;
pub use overhead::{OverheadPoint, OverheadProfile};
pub use trace::{OPPORTUNITY_BYTES, RateTrace};

use crate::{PipeConfig, RateLimit, Stream};
use overhead::Overhead;
use trace::TraceClock;

/// The line of one pipe.
#[derive(Debug)]
pub(crate) struct Line {
    pace: Pace,
    burst: Size,
    overhead: Overhead,
    /// Time until which it has work.
    busy_until: Time,
    /// Sum of all service times so far, including those that have begun, in ns.
    committed: u64,
}

/// The source of the line's speed.
#[derive(Debug)]
enum Pace {
    /// No rate: frames take no time.
    Instant,
    Constant(LineClock),
    /// A schedule and the time at which it was set.
    Schedule(LineClock, RateSchedule, Time),
    Trace(TraceClock),
}

/// The service of a frame on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Service {
    /// Time at which its last bit is on the line.
    pub end: Time,
    /// Whether the medium lost it, as an overhead profile does with a share of the frames.
    pub lost: bool,
}

/// A copy of a line at a constant rate, for computing ahead.
pub(crate) struct Preview {
    clock: LineClock,
    burst: Duration,
}

impl Preview {
    /// Returns the time at which the last of `line_bytes` bytes leaves the line, if they are sent
    /// from `now` on, behind everything that was sent before.
    pub fn send(&mut self, now: Time, line_bytes: u64) -> Time {
        self.clock.send(now, line_bytes, self.burst)
    }
}

impl Line {
    pub fn new(config: &PipeConfig, stream: &Stream, start: Time) -> Self {
        Self {
            pace: Pace::new(&config.rate, start),
            burst: config.burst,
            overhead: Overhead::new(&config.mac_overhead, stream),
            busy_until: start,
            committed: 0,
        }
    }

    /// Puts a frame of `line_bytes` on the line at `now`. The line must be free.
    #[inline]
    pub fn serve(&mut self, now: Time, line_bytes: u64, kind: Served) -> Service {
        let from = now.max(self.busy_until);
        let mut end = match &mut self.pace {
            Pace::Instant => now,
            Pace::Constant(clock) => {
                let end = clock.send(now, line_bytes, depth(self.burst, clock.rate()));
                self.busy_until = clock.busy_until();
                end
            }
            Pace::Schedule(clock, schedule, set) => {
                clock.set_rate(schedule.rate_at(now.since(*set)));
                let end = clock.send(now, line_bytes, depth(self.burst, clock.rate()));
                self.busy_until = clock.busy_until();
                end
            }
            Pace::Trace(clock) => {
                self.busy_until = clock.send(now, line_bytes);
                self.busy_until
            }
        };
        let mut lost = false;
        if self.overhead.is_some() {
            let extra = self.overhead.draw(kind);
            (end, lost) = (end + extra.time, extra.lost);
            self.busy_until = self.busy_until.max(end);
            self.pace.hold(end);
        }
        let busy = self.busy_until.since(from).as_nanos();
        self.committed = self.committed.saturating_add(busy);
        Service { end, lost }
    }

    /// Returns a preview of when frames leave the line; `None` if more than their length decides
    /// that.
    pub fn preview(&self) -> Option<Preview> {
        match &self.pace {
            Pace::Constant(clock) if !self.overhead.is_some() => {
                Some(Preview { clock: clock.clone(), burst: depth(self.burst, clock.rate()) })
            }
            _ => None,
        }
    }

    /// Time that `frames` frames of `line_bytes` bytes in total take one after the other, without a
    /// bucket. Where draws or opportunities decide, it is an average.
    pub fn time_for(&self, now: Time, frames: u64, line_bytes: u64) -> Duration {
        let rate = self.rate(now).map(|rate| rate.time_for(Size::from_bytes(line_bytes)));
        let overhead = match frames {
            0 => 0.0,
            frames => self.overhead.mean_nanos() * frames as f64,
        };
        rate.unwrap_or_default() + Duration::from_nanos(libm::round(overhead) as u64)
    }

    /// Continues a line whose frame on it ends with `clock`, if it has a rate, and whose service
    /// times so far, with those that have begun, are `committed` ns. The line must be new.
    pub fn restore(&mut self, now: Time, clock: Option<LineClock>, committed: u64) {
        self.committed = committed;
        self.busy_until = clock.as_ref().map_or(now, LineClock::busy_until);
        if let Some(clock) = clock {
            self.pace = Pace::Constant(clock);
        }
    }

    /// The clock of a line that is idle at `now`, if it has a constant rate, and all of its service
    /// times so far, in ns. `None` if it is not idle.
    pub fn rest(&self, now: Time) -> Option<(Option<LineClock>, u64)> {
        let clock = match &self.pace {
            Pace::Constant(clock) => Some(clock.clone()),
            Pace::Instant | Pace::Schedule(..) | Pace::Trace(_) => None,
        };
        // With a bucket, frames leave before the clock has come as far.
        let end = clock.as_ref().map_or(self.busy_until, LineClock::busy_until);
        (self.busy_until.max(end) <= now).then_some((clock, self.committed))
    }

    /// Adds `nanos` nanoseconds in which the line was free of frames and sent something else.
    pub fn carried(&mut self, nanos: u64) {
        self.committed = self.committed.saturating_add(nanos);
    }

    /// Takes a frame off the line at `now`, before all of it has been sent.
    pub fn abort(&mut self, now: Time) {
        self.committed = self.busy(now);
        self.busy_until = self.busy_until.min(now);
        match &mut self.pace {
            Pace::Constant(clock) | Pace::Schedule(clock, ..) => clock.abort(now),
            Pace::Instant | Pace::Trace(_) => {}
        }
    }

    /// Sets the properties from the next frame on. A new trace or schedule begins at `now`; an
    /// unchanged one continues.
    pub fn configure(&mut self, now: Time, old: &PipeConfig, new: &PipeConfig) {
        self.burst = new.burst;
        if new.mac_overhead != old.mac_overhead {
            self.overhead.configure(&new.mac_overhead);
        }
        if new.rate == old.rate {
            return;
        }
        match (&mut self.pace, &new.rate) {
            (Pace::Constant(clock), RateLimit::Limited(rate)) => clock.set_rate(*rate),
            (_, rate) => self.begin(now, rate),
        }
    }

    /// Begins a trace or a schedule at `now`, from the next frame on.
    pub fn begin(&mut self, now: Time, rate: &RateLimit) {
        let busy_until = self.busy_until.max(now);
        self.pace = Pace::new(rate, now);
        self.pace.hold(busy_until);
    }

    /// The rate at `now`, or the mean rate of a trace; `None` without a rate.
    pub fn rate(&self, now: Time) -> Option<Rate> {
        match &self.pace {
            Pace::Instant => None,
            Pace::Constant(clock) => Some(clock.rate()),
            Pace::Schedule(_, schedule, set) => Some(schedule.rate_at(now.since(*set))),
            Pace::Trace(clock) => Some(clock.mean()),
        }
    }

    /// Whether the rate changes by itself.
    pub fn varies(&self) -> bool {
        matches!(self.pace, Pace::Schedule(..))
    }

    /// Whether random numbers or opportunities apply to each frame, so super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        self.overhead.is_some() || matches!(self.pace, Pace::Trace(_))
    }

    /// Whether frames take time on the line, so others may wait.
    pub fn takes_time(&self) -> bool {
        self.overhead.is_some() || !matches!(self.pace, Pace::Instant)
    }

    /// Time that the line has spent sending up to `now`, in ns.
    pub fn busy(&self, now: Time) -> u64 {
        self.committed.saturating_sub(self.busy_until.since(now).as_nanos())
    }
}

impl Pace {
    fn new(rate: &RateLimit, now: Time) -> Self {
        match rate {
            RateLimit::Unlimited => Self::Instant,
            RateLimit::Limited(rate) => Self::Constant(LineClock::new(*rate, now)),
            RateLimit::Schedule(schedule) => {
                let clock = LineClock::new(schedule.first(), now);
                Self::Schedule(clock, schedule.clone(), now)
            }
            RateLimit::Trace(trace) => match trace.values() {
                Some(trace) => Self::Trace(TraceClock::new(trace.clone(), now)),
                // Whoever builds a pipe has checked that its files were read.
                None => Self::Instant,
            },
        }
    }

    /// Keeps the line busy until `end` at least.
    fn hold(&mut self, end: Time) {
        match self {
            Self::Constant(clock) | Self::Schedule(clock, ..) => clock.hold(end),
            Self::Instant | Self::Trace(_) => {}
        }
    }
}

/// Depth of a token bucket as time at `rate`.
#[inline]
fn depth(burst: Size, rate: Rate) -> Duration {
    if burst == Size::default() { Duration::ZERO } else { rate.time_for(burst) }
}
