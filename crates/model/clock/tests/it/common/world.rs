//! Two clocks and the path between them: exchanges, in the order in which replies come.

use netloom_clock::{Exchange, Steering};
use netloom_units::Stream;

use super::clock::{Clock, SECOND, True};

/// Delay of a way at a time, in ns: `true` is from us to them.
pub type Path = Box<dyn Fn(&mut Stream, True, bool) -> f64>;

pub struct World {
    pub ours: Clock,
    pub theirs: Clock,
    pub path: Path,
    /// Part of the probes that are lost.
    pub loss: f64,
    /// Part of the exchanges that the estimator gets up to 200 ms late.
    pub late: f64,
    /// How long of every 20 s no probe comes through.
    pub silent: True,
    pub until: True,
    pub random: Stream,
}

/// An exchange, what both kernels reported in it, and when the estimator gets it.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    pub exchange: Exchange,
    pub ours: Steering,
    pub theirs: Steering,
    pub given: True,
}

/// 50 µs each way, and an exponential queue of `mean` ns on each.
pub fn jittery(mean: f64) -> Path {
    Box::new(move |random, _, _| 50_000.0 + exponential(random, mean))
}

pub fn exponential(random: &mut Stream, mean: f64) -> f64 {
    -mean * (1.0 - random.uniform()).ln()
}

impl World {
    pub fn new(until: True, name: &str, ours: Clock, theirs: Clock) -> Self {
        let random = Stream::new(1, name);
        Self {
            ours,
            theirs,
            path: jittery(20_000.0),
            loss: 0.0,
            late: 0.0,
            silent: 0.0,
            until,
            random,
        }
    }

    /// Returns the exchanges in the order in which the estimator gets them: one each 10 ms in the first
    /// second, then one each 50 ms.
    pub fn probes(&mut self) -> Vec<Probe> {
        let mut probes = Vec::new();
        let mut sent = SECOND / 1000.0;
        while sent < self.until {
            let is_lost = sent % (20.0 * SECOND) < self.silent || self.random.chance(self.loss);
            if !is_lost {
                probes.push(self.probe(sent));
            }
            sent += if sent < SECOND { SECOND / 100.0 } else { SECOND / 20.0 };
        }
        probes.sort_by(|a, b| a.given.total_cmp(&b.given));
        probes.retain(|probe| probe.given < self.until);
        probes
    }

    fn probe(&mut self, sent: True) -> Probe {
        let received = sent + (self.path)(&mut self.random, sent, true);
        let replied = received + 5_000.0 + exponential(&mut self.random, 5_000.0);
        let over = replied + (self.path)(&mut self.random, replied, false);
        let exchange = Exchange {
            t1: self.ours.shows(sent),
            t2: self.theirs.shows(received),
            t3: self.theirs.shows(replied),
            t4: self.ours.shows(over),
        };
        let is_late = self.random.chance(self.late);
        let late = if is_late { self.random.uniform() * SECOND / 5.0 } else { 0.0 };
        Probe {
            exchange,
            ours: self.ours.steering(sent),
            theirs: self.theirs.steering(received),
            given: over + late,
        }
    }

    /// Our time and the true offset at a time.
    pub fn truth(&self, at: True) -> (i64, i64) {
        let ours = self.ours.shows(at);
        (ours, self.theirs.shows(at) - ours)
    }
}
