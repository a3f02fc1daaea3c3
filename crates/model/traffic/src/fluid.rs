//! The total rate of bursts, which changes when one begins or ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::Time;

use crate::source::Bursts;
use crate::{Burst, Pace, RateStep};

/// The total rate, in steps, of bursts that all send at one pace.
#[derive(Debug, Clone)]
pub(crate) struct Merged {
    bursts: Bursts,
    /// The burst that begins next.
    next: Option<Burst>,
    /// Times at which the active bursts end.
    ends: BinaryHeap<Reverse<Time>>,
    /// The rate of one burst.
    pace: Pace,
    /// Number of bursts that were active at the last step. `None` before the first step.
    last: Option<usize>,
}

impl Merged {
    pub fn new(mut bursts: Bursts, pace: Pace) -> Self {
        let next = bursts.next();
        Self { bursts, next, ends: BinaryHeap::new(), pace, last: None }
    }

    /// Returns the next step.
    pub fn next(&mut self) -> Option<RateStep> {
        loop {
            let at = match self.last {
                None => Time::ZERO,
                Some(_) => self.soonest()?,
            };
            self.settle(at);
            if self.last != Some(self.ends.len()) {
                self.last = Some(self.ends.len());
                return Some(RateStep { at, rate: self.pace.times(self.ends.len() as u64) });
            }
        }
    }

    /// Returns the time of the next beginning or end.
    fn soonest(&self) -> Option<Time> {
        let end = self.ends.peek().map(|Reverse(end)| *end);
        let begin = self.next.map(|burst| burst.at);
        [begin, end].into_iter().flatten().min()
    }

    /// Applies everything that begins or ends by `now`.
    fn settle(&mut self, now: Time) {
        while let Some(burst) = self.next.filter(|burst| burst.at <= now) {
            self.ends.push(Reverse(burst.end()));
            self.next = self.bursts.next();
        }
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= now) {
            self.ends.pop();
        }
    }
}
