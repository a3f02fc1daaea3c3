//! How long data waited for the engine on their way through published ports: from their arrival at
//! one socket, by the kernel's clock, until the engine hands them to the other. What they wait
//! behind others that are being passed on, or for a reader that takes nothing, is not counted.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use netloom_link::Direction;
use netloom_ports::{ArrivalStamp, monotonic};
use netloom_units::Duration;
use rustix::io::ioctl_fionread;

use super::PipeTally;

/// What passed one published port in one direction: `forward` into the node.
#[derive(Debug, Clone, Default)]
pub struct Passed {
    /// How long pieces of data waited.
    pub waits: PipeTally,
    /// Datagrams that were lost, because the engine had no room for them.
    pub lost: u64,
}

/// What passed all published ports since it was last taken.
#[derive(Debug, Default)]
pub struct Waits(Mutex<BTreeMap<Way, Passed>>);

/// A published port, and a direction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The port: `published web:80/tcp`.
    pub port: Arc<str>,
    /// The direction.
    pub direction: Direction,
}

impl Waits {
    /// Adds a piece of data that has waited for `late`, or for up to `uncertainty` more.
    pub fn count(&self, way: &Way, late: Duration, uncertainty: Duration) {
        self.change(way, |passed| passed.waits.count(late, uncertainty));
    }

    /// Adds a datagram that was lost.
    pub fn lose(&self, way: &Way) {
        self.change(way, |passed| passed.lost += 1);
    }

    /// Takes everything out.
    pub fn take(&self) -> BTreeMap<Way, Passed> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, way: &Way, change: impl FnOnce(&mut Passed)) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(way) {
            Some(passed) => change(passed),
            None => change(all.entry(way.clone()).or_default()),
        }
    }
}

/// When data arrived at a TCP connection, or connections at a listener.
pub struct Arrivals {
    stamp: Option<ArrivalStamp>,
    /// When the stamp was taken last, on `CLOCK_MONOTONIC` in ns.
    looked: u64,
    /// When data were passed on last.
    passed_on: u64,
}

/// The arrival of the oldest data that wait: at a time, or between two times.
#[derive(Debug, Clone, Copy)]
pub struct Oldest {
    not_before: u64,
    not_after: u64,
}

impl Oldest {
    /// Returns the oldest data as if they had come now.
    pub fn anew(self) -> Self {
        let now = monotonic();
        Self { not_before: now, not_after: now }
    }

    /// Returns how long the data have waited now, and how much longer they may have.
    pub fn waited(&self) -> (Duration, Duration) {
        let late = Duration::from_nanos(monotonic().saturating_sub(self.not_after));
        (late, Duration::from_nanos(self.not_after - self.not_before))
    }
}

impl Arrivals {
    /// Begins with a listener. Without privileges, nothing is known of arrivals.
    pub fn at_listener(listener: &impl AsFd) -> Self {
        let looked = monotonic();
        Self { stamp: ArrivalStamp::attach(listener.as_fd()), looked, passed_on: 0 }
    }

    /// Begins with a connection whose first data may have come as early as `oldest`.
    pub fn at(socket: &impl AsFd, oldest: Option<Oldest>) -> Self {
        let looked = oldest.map_or_else(monotonic, |oldest| oldest.not_before);
        Self { stamp: ArrivalStamp::attach_to_tcp(socket.as_fd()), looked, passed_on: 0 }
    }

    /// Returns when the oldest of what has come since the last look came, if that is known.
    pub fn oldest(&mut self) -> Option<Oldest> {
        let stamp = self.stamp.as_ref()?;
        let (before, now) = (self.looked, monotonic());
        self.looked = now;
        // What has no stamp came between the last look and the moment when it was cleared.
        let (not_before, not_after) = match stamp.take() {
            Some(at) => (at, at),
            None => (before, now),
        };
        let limited = |at: u64| at.max(self.passed_on).min(now);
        Some(Oldest { not_before: limited(not_before), not_after: limited(not_after) })
    }

    /// Forgets what has come, because nothing waits any more.
    pub fn clear(&self) {
        self.stamp.iter().for_each(ArrivalStamp::clear);
    }

    /// Notes that earlier data have been passed on now. Those behind them have waited for nothing
    /// else.
    pub fn passed_on(&mut self) {
        self.passed_on = monotonic();
    }
}

/// Returns the number of bytes that a socket has for its reader.
pub fn waiting(socket: &impl AsFd) -> io::Result<usize> {
    Ok(usize::try_from(ioctl_fionread(socket)?).unwrap_or(usize::MAX))
}
