//! Serialization: when the line is free and how long a frame takes on it, exactly.
//! Not here: what waits for the line (`queue`).
//!
//! | file | what |
//! |---|---|
//! | `clock` | constant rates, exactly; token bucket |
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
    /// Until when it has work.
    busy_until: Time,
    /// Sum of all service times begun so far, in ns.
    committed: u64,
}

/// What decides how fast the line is.
#[derive(Debug)]
enum Pace {
    /// Nothing takes any time.
    Instant,
    Constant(LineClock),
    /// The schedule and when it was set.
    Schedule(LineClock, RateSchedule, Time),
    Trace(TraceClock),
}

/// A frame's turn on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Service {
    /// When its last bit is on the line.
    pub end: Time,
    /// Whether the medium lost it: the share that an overhead profile leaves out.
    pub lost: bool,
}

/// A line at a constant rate, looked ahead on.
pub(crate) struct Preview {
    clock: LineClock,
    burst: Duration,
}

impl Preview {
    /// When the last of `line_bytes` leaves the line that is sent, one frame after the other, from
    /// `now` on.
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

    /// Puts a frame of `line_bytes` on the line at `now`, when the line is free.
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

    /// When frames to come will leave the line, if nothing decides about that but their length.
    pub fn preview(&self) -> Option<Preview> {
        match &self.pace {
            Pace::Constant(clock) if !self.overhead.is_some() => {
                Some(Preview { clock: clock.clone(), burst: depth(self.burst, clock.rate()) })
            }
            _ => None,
        }
    }

    /// What so many frames of so many line bytes take one after the other: on average where draws or
    /// opportunities decide, and without a bucket.
    pub fn time_for(&self, now: Time, frames: u64, line_bytes: u64) -> Duration {
        let rate = self.rate(now).map(|rate| rate.time_for(Size::from_bytes(line_bytes)));
        let overhead = match frames {
            0 => 0.0,
            frames => self.overhead.mean_nanos() * frames as f64,
        };
        rate.unwrap_or_default() + Duration::from_nanos(libm::round(overhead) as u64)
    }

    /// The line sent something else than frames for so many nanoseconds, in which it was free.
    pub fn carried(&mut self, nanos: u64) {
        self.committed = self.committed.saturating_add(nanos);
    }

    /// Takes the frame off the line at `now`, before it is through.
    pub fn abort(&mut self, now: Time) {
        self.committed = self.busy(now);
        self.busy_until = self.busy_until.min(now);
        match &mut self.pace {
            Pace::Constant(clock) | Pace::Schedule(clock, ..) => clock.abort(now),
            Pace::Instant | Pace::Trace(_) => {}
        }
    }

    /// New properties, from the next frame on. A trace or a schedule that is set anew begins at `now`;
    /// one that stays as it was goes on.
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

    /// A trace or a schedule begins at `now`, from the next frame on.
    pub fn begin(&mut self, now: Time, rate: &RateLimit) {
        let busy_until = self.busy_until.max(now);
        self.pace = Pace::new(rate, now);
        self.pace.hold(busy_until);
    }

    /// The rate that holds at `now`, or the mean where opportunities decide.
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

    /// Whether something is drawn for each frame, so that super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        self.overhead.is_some() || matches!(self.pace, Pace::Trace(_))
    }

    /// Whether frames take time on it, so that others may wait.
    pub fn takes_time(&self) -> bool {
        self.overhead.is_some() || !matches!(self.pace, Pace::Instant)
    }

    /// Time spent sending up to `now`, in ns.
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
                // Whoever builds a pipe checks that its files were read.
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

/// A token bucket's depth as time at `rate`.
#[inline]
fn depth(burst: Size, rate: Rate) -> Duration {
    if burst == Size::default() { Duration::ZERO } else { rate.time_for(burst) }
}
