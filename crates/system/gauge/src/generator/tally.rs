//! Counts the arrivals of one flow. Times are arguments.

use std::collections::BTreeMap;
use std::sync::Mutex;

use netloom_link::Delays;
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

/// Number of datagrams among which second copies are recognized.
const WINDOW: u32 = 4096;

/// Traffic that connections brought, or were served, by sender and interval.
pub type Flows = Mutex<BTreeMap<u16, BTreeMap<u64, Arrived>>>;

/// Arrivals of the datagrams that were sent in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Arrived {
    /// Number of datagrams, each counted once; none for TCP.
    pub packets: u64,
    /// Bytes: of frames for UDP, each counted once; of payload for TCP.
    pub bytes: u64,
    /// Number of second copies.
    pub doubled: u64,
    /// Number of datagrams that came after one that was sent later.
    pub out_of_order: u64,
    /// Sum of the one-way delays from the intended time of sending, in ns.
    pub delay_sum: u64,
    /// Largest of these delays, in ns.
    pub delay_most: u64,
    /// Interarrival jitter (RFC 3550, §6.4.1) at the arrival of the last datagram, in ns.
    pub jitter: u64,
}

impl Arrived {
    /// Adds other arrivals. The jitter becomes the greater of both.
    pub fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.doubled += other.doubled;
        self.out_of_order += other.out_of_order;
        self.delay_sum += other.delay_sum;
        self.delay_most = self.delay_most.max(other.delay_most);
        self.jitter = self.jitter.max(other.jitter);
    }
}

/// Arrivals of one flow.
#[derive(Debug)]
pub struct Tally {
    intervals: BTreeMap<u64, Arrived>,
    delays: Delays,
    /// One more than the highest number so far.
    next: u32,
    /// Whether each of the last numbers has come: one bit each, by number modulo [`WINDOW`].
    come: Vec<u64>,
    /// Delay of the last datagram, in ns.
    last_delay: Option<u64>,
    jitter: f64,
}

impl Tally {
    pub fn new() -> Self {
        Self {
            intervals: BTreeMap::new(),
            delays: Delays::default(),
            next: 0,
            come: vec![0; WINDOW as usize / 64],
            last_delay: None,
            jitter: 0.0,
        }
    }

    /// Counts the datagram `number` of `bytes`. It was to be sent in `interval`, and took `delay`
    /// ns.
    pub fn arrived(&mut self, number: u32, interval: u64, bytes: u64, delay: u64) {
        let is_new = self.note(number);
        let is_behind = number.wrapping_add(1) != self.next && is_new;
        let now = self.intervals.entry(interval).or_default();
        if !is_new {
            now.doubled += 1;
            return;
        }
        now.packets += 1;
        now.bytes += bytes;
        now.out_of_order += u64::from(is_behind);
        now.delay_sum += delay;
        now.delay_most = now.delay_most.max(delay);
        self.delays.record(Duration::from_nanos(delay));
        if let Some(last) = self.last_delay.replace(delay) {
            self.jitter += (delay.abs_diff(last) as f64 - self.jitter) / 16.0;
        }
        now.jitter = self.jitter as u64;
    }

    /// Notes that `number` has come. Returns whether it came for the first time. Numbers further
    /// back than the window count as new.
    fn note(&mut self, number: u32) -> bool {
        // The distance from the next expected number; numbers wrap around.
        let ahead = number.wrapping_sub(self.next);
        if ahead < u32::MAX / 2 {
            for passed in 0..ahead.min(WINDOW) {
                self.set(self.next.wrapping_add(passed), false);
            }
            self.set(number, true);
            self.next = number.wrapping_add(1);
            return true;
        }
        if self.next.wrapping_sub(number) > WINDOW {
            return true;
        }
        let is_new = !self.has(number);
        self.set(number, true);
        is_new
    }

    fn has(&self, number: u32) -> bool {
        let index = number % WINDOW;
        self.come[index as usize / 64] >> (index % 64) & 1 == 1
    }

    fn set(&mut self, number: u32, come: bool) {
        let index = number % WINDOW;
        let word = &mut self.come[index as usize / 64];
        *word = *word & !(1 << (index % 64)) | u64::from(come) << (index % 64);
    }

    /// The arrivals so far by interval.
    pub fn intervals(&self) -> &BTreeMap<u64, Arrived> {
        &self.intervals
    }

    /// The arrivals by interval, and the delays of all of them.
    pub fn into_parts(self) -> (BTreeMap<u64, Arrived>, Delays) {
        (self.intervals, self.delays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallied(numbers: &[u32]) -> Arrived {
        let mut tally = Tally::new();
        numbers.iter().for_each(|number| tally.arrived(*number, 0, 100, 1000));
        tally.into_parts().0[&0]
    }

    #[test]
    fn copies_and_late_datagrams_are_distinguished() {
        let all = tallied(&[0, 1, 3, 2, 2, 4, 4, 4]);
        assert_eq!((all.packets, all.bytes, all.doubled, all.out_of_order), (5, 500, 3, 1));
    }

    #[test]
    fn gaps_are_neither_copies_nor_late() {
        let all = tallied(&[5, 6, 10_000, 10_001, 6000]);
        assert_eq!((all.packets, all.doubled, all.out_of_order), (5, 0, 1));
        // A number that the window has passed over may come once.
        let all = tallied(&[0, 5000, 4000, 4000]);
        assert_eq!((all.packets, all.doubled), (3, 1));
    }

    #[test]
    fn numbers_go_round() {
        let mut tally = Tally::new();
        tally.next = u32::MAX;
        for number in [u32::MAX, 0, 1, 0] {
            tally.arrived(number, 0, 1, 0);
        }
        let all = tally.into_parts().0[&0];
        assert_eq!((all.packets, all.doubled, all.out_of_order), (3, 1, 0));
    }

    #[test]
    fn delays_and_jitter_are_those_of_the_interval() {
        let mut tally = Tally::new();
        for (number, delay) in [(0, 1000), (1, 1000), (2, 1160)] {
            tally.arrived(number, u64::from(number) / 2, 100, delay);
        }
        let intervals = tally.into_parts().0;
        assert_eq!((intervals[&0].delay_sum, intervals[&0].jitter), (2000, 0));
        assert_eq!((intervals[&1].delay_most, intervals[&1].jitter), (1160, 10));
    }
}
