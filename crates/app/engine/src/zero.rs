//! The zero of an experiment's time: the moment at which all that runs from the start is ready. The
//! engine works by a clock that begins when the network is up. What leaves the engine counts from
//! zero, and is negative if it was earlier.

use std::sync::OnceLock;

use netloom_dataplane::Clock;
use netloom_units::Time;

/// The engine's clock, and its time at zero.
pub struct Zero {
    clock: Clock,
    at: OnceLock<Time>,
}

impl Zero {
    /// Makes a zero that is not known yet.
    pub fn new(clock: Clock) -> Self {
        Self { clock, at: OnceLock::new() }
    }

    /// Returns the engine's clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Sets zero to a time of the engine's clock. Later calls have no effect.
    pub fn set(&self, at: Time) {
        let _ = self.at.set(at);
    }

    /// Whether zero is known.
    pub fn is_known(&self) -> bool {
        self.at.get().is_some()
    }

    /// Returns the time of the engine's clock at zero. Until zero is known, it is the time at which
    /// the network was up.
    pub fn at(&self) -> Time {
        self.at.get().copied().unwrap_or_default()
    }

    /// Returns a time of the engine's clock as time since zero. Until zero is known, it is the time
    /// since the network was up.
    pub fn since(&self, time: Time) -> Time {
        time.counted_from(self.at())
    }
}
