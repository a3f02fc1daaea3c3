//! How much later frames leave a link because the engine was late to take frames in. A frame's time of arrival
//! is when a worker saw it; after a stall it may have waited unseen, and if its link is busy it has those behind
//! it wait too, until the line is next idle. Not here: how long nobody looked (`worker`).
//!
//! Frames leave the line one after the other, so with frame n seen `u` late, `w` the time for which it waited
//! for the line, and `g` the time for which the line was idle before it, `e(n) = min(u + w, e(n-1) + g)` is how
//! much earlier it would have left the line, had every frame been seen at once (Lindley's recursion, for both
//! cases). Senders who are answered adapt: a second after the last frame that was late for having been seen late,
//! none is counted, though the line may not have been idle since.

use std::collections::VecDeque;

use netloom_link::Passage;
use netloom_units::{Duration, Time};

/// What is everyday, and nothing beside any tolerance: the time that it takes to wake up, or to read what other
/// devices have.
pub(crate) const NOTICED: Duration = Duration::from_micros(100);
/// For how long what follows from a stall is followed.
const MEMORY: Duration = Duration::from_secs(1);

/// Of one pipe.
#[derive(Debug, Default)]
pub(crate) struct Shift {
    /// How many frames were offered.
    arrivals: u64,
    /// When the line was last idle or done with a frame.
    free: Time,
    /// Of the frame that left last.
    by: Duration,
    until: Time,
    /// Frames that were seen late and have not left yet.
    unseen: VecDeque<Unseen>,
}

/// Frames that arrived one after the other, by the arrivals' numbers, and may have been there for so long.
#[derive(Debug, Clone, Copy)]
struct Unseen {
    first: u64,
    last: u64,
    by: Duration,
}

impl Shift {
    /// A frame is offered that may have been there `unseen` for so long.
    #[inline]
    pub fn offered(&mut self, unseen: Duration) {
        let number = self.arrivals;
        self.arrivals += 1;
        if unseen > Duration::ZERO {
            self.note(number, unseen);
        }
    }

    #[cold]
    fn note(&mut self, number: u64, by: Duration) {
        match self.unseen.back_mut().filter(|last| last.by == by && last.last + 1 == number) {
            Some(last) => last.last = number,
            None => self.unseen.push_back(Unseen { first: number, last: number, by }),
        }
    }

    /// How much earlier a frame that leaves now might have left.
    #[inline]
    pub fn of(&mut self, passage: &Passage) -> Duration {
        let free = std::mem::replace(&mut self.free, passage.serialized);
        if self.by == Duration::ZERO && self.unseen.is_empty() {
            return Duration::ZERO;
        }
        self.follow(passage, free)
    }

    #[cold]
    fn follow(&mut self, passage: &Passage, free: Time) -> Duration {
        let Passage { number, offered, started, .. } = *passage;
        while self.unseen.front().is_some_and(|unseen| unseen.last < number) {
            self.unseen.pop_front();
        }
        let unseen = self.unseen.front().filter(|unseen| unseen.first <= number);
        let late = unseen.map_or(Duration::ZERO, |unseen| unseen.by);
        let (waited, idle) = (started.since(offered), started.since(free));
        let before = if offered > self.until { Duration::ZERO } else { self.by };
        self.by = (late + waited).min(before + idle);
        // Of a line that had work all the time, a stall changes nothing.
        if self.by > waited.min(before + idle) {
            self.until = offered + MEMORY;
        }
        self.by
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SERVICE: u64 = 100;

    fn micros(time: u64) -> Time {
        Time::from_nanos(time * 1000)
    }

    /// Frames that take 100 us each, given when they were there and when they were seen: by how much each is
    /// late by the recursion, and by how much it is when the line is looked at twice.
    fn both(frames: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut shift = Shift::default();
        let (mut seen_free, mut true_free) = (0, 0);
        let mut late = Vec::new();
        let mut passages = Vec::new();
        for (there, seen) in frames {
            shift.offered(Duration::from_micros(seen - there));
            let started = seen_free.max(*seen);
            (seen_free, true_free) = (started + SERVICE, true_free.max(*there) + SERVICE);
            passages.push((*seen, started, seen_free - true_free));
        }
        for (number, (seen, started, twice)) in (0..).zip(passages) {
            let passage = Passage {
                number,
                offered: micros(seen),
                started: micros(started),
                serialized: micros(started + SERVICE),
                marked: false,
            };
            late.push((shift.of(&passage).as_nanos() / 1000, twice));
        }
        late
    }

    proptest! {
        #[test]
        fn it_is_what_two_lines_say_of_any_frames(
            steps in prop::collection::vec((1u64..300, prop::option::weighted(0.05, 1u64..2000)), 1..200),
        ) {
            let (mut there, mut seen, mut blind) = (0, 0, 0);
            let frames: Vec<_> = steps
                .into_iter()
                .map(|(pause, stall)| {
                    there += pause;
                    blind = blind.max(there + stall.unwrap_or(0));
                    // Those that were there meanwhile are seen one after the other.
                    seen = if blind > there { blind.max(seen + 1) } else { there.max(seen + 1) };
                    (there, seen)
                })
                .collect();
            for (recursion, twice) in both(&frames) {
                prop_assert_eq!(recursion, twice);
            }
        }
    }

    #[test]
    fn it_is_what_two_lines_say() {
        // Alone; two in one stall; one behind a stall while the line works it off; after an idle moment.
        let frames =
            [(1000, 1000), (2000, 2500), (2050, 2501), (2650, 2650), (2750, 2750), (9000, 9000)];
        let late = both(&frames);
        assert!(late.iter().all(|(recursion, twice)| recursion == twice), "{late:?}");
        assert_eq!(late.iter().map(|late| late.0).collect::<Vec<_>>(), [0, 500, 500, 50, 50, 0]);
    }

    #[test]
    fn a_busy_line_makes_up_for_a_stall() {
        // The line has work for all of it.
        let frames: Vec<_> =
            (0..20).map(|_| (1000, 1000)).chain([(1500, 2000), (2500, 2500)]).collect();
        let late = both(&frames);
        assert!(late.iter().all(|late| *late == (0, 0)), "{late:?}");
    }

    #[test]
    fn a_second_later_it_is_forgotten() {
        // After the stall the line always has fifty frames to send, so that no stall that follows matters to it.
        let stall = [(10_000, 11_000)].into_iter().chain([(11_001, 11_001); 50]);
        let rest = (1..20_000).map(|n| {
            let there = 11_000 + n * SERVICE;
            (there, if n % 100 == 50 { there + 50 } else { there })
        });
        let late = both(&stall.chain(rest).collect::<Vec<_>>());
        assert_eq!(late[0], (1000, 1000));
        assert_eq!(late[9_000].0, 99);
        assert_eq!(late[12_000].0, 0);
    }
}
