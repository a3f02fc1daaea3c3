//! Which cell is run next, and how far: as far as nothing can come to it from any other cell. Not
//! here: who runs cells, on how many threads.
//!
//! Nothing happens in a cell before its own next event, and before the first frame from another
//! cell. That one comes no earlier than something happens there and a frame has passed the link
//! between them. So the earliest time at which anything can happen in each cell is a shortest path
//! from the next events of all cells over the propagation between them. This is the conservative
//! synchronization of Chandy and Misra 1979 without its null messages: cells without events cost
//! nothing, and links between cells need not be alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::{Duration, Time};

const NEVER: Time = Time::from_nanos(u64::MAX);

/// What is to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A cell is to be advanced up to and including a time.
    Run {
        /// Its place.
        cell: usize,
        /// The time.
        horizon: Time,
    },
    /// No cell can be advanced before one that is being advanced has been.
    Wait,
    /// Nothing more happens in time.
    Done,
}

/// How far each cell is, up to a time that all are to reach.
///
/// # Call order
/// [`pick`](Self::pick); then, once the cell has been advanced, [`announced`](Self::announced) for
/// each frame to another cell that it has handed over, and [`finish`](Self::finish). Several cells
/// can be picked before the first has finished.
#[derive(Debug)]
pub struct Schedule {
    cells: Vec<Progress>,
    /// For each cell, those that it sends to, and how long frames need to there at least.
    hearers: Vec<Vec<(u32, Duration)>>,
    until: Time,
    running: usize,
    is_stopped: bool,
    /// When anything can happen in each cell at the earliest.
    earliest: Vec<Time>,
    /// When anything can come to each cell from others at the earliest.
    arrival: Vec<Time>,
    heap: BinaryHeap<Reverse<(Time, u32)>>,
}

/// How far a cell is.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// Nothing happens in it before this.
    next: Time,
    /// The first frame that was announced to it since it was picked.
    coming: Time,
    /// By whom it is being advanced, or was last.
    runner: usize,
    is_running: bool,
}

impl Schedule {
    /// Of cells whose next events are `next`; `hearers` are the cells that each one sends to, and
    /// how long frames need to there at least.
    pub fn new(
        next: impl IntoIterator<Item = Option<Time>>,
        hearers: Vec<Vec<(u32, Duration)>>,
        until: Time,
    ) -> Self {
        let progress = |next: Option<Time>| Progress {
            next: next.unwrap_or(NEVER),
            coming: NEVER,
            runner: 0,
            is_running: false,
        };
        let cells: Vec<_> = next.into_iter().map(progress).collect();
        let (earliest, arrival) = (vec![NEVER; cells.len()], vec![NEVER; cells.len()]);
        let heap = BinaryHeap::new();
        Self { cells, hearers, until, running: 0, is_stopped: false, earliest, arrival, heap }
    }

    /// The cell that is furthest behind of those that can be advanced: of those that `runner`
    /// advanced last, whose caches know them, or else of all.
    pub fn pick(&mut self, runner: usize) -> Step {
        if self.is_stopped {
            return Step::Done;
        }
        self.look_ahead();
        let ready = |(number, cell): &(usize, &Progress)| {
            !cell.is_running && cell.next <= self.until && cell.next < self.arrival[*number]
        };
        let cells = self.cells.iter().enumerate();
        let first = |(_, cell): &(usize, &Progress)| (cell.runner != runner, cell.next);
        let Some((cell, _)) = cells.filter(ready).min_by_key(first) else {
            return if self.running == 0 { Step::Done } else { Step::Wait };
        };
        let horizon = self.until.min(self.arrival[cell] - Duration::from_nanos(1));
        let picked = &mut self.cells[cell];
        (picked.is_running, picked.coming, picked.runner) = (true, NEVER, runner);
        self.running += 1;
        Step::Run { cell, horizon }
    }

    /// A frame is on its way to `cell`, to arrive at `release`.
    pub fn announced(&mut self, cell: usize, release: Time) {
        let cell = &mut self.cells[cell];
        cell.coming = cell.coming.min(release);
        if !cell.is_running {
            cell.next = cell.next.min(release);
        }
    }

    /// A cell has been advanced; `next` is its next event.
    pub fn finish(&mut self, cell: usize, next: Option<Time>) {
        let cell = &mut self.cells[cell];
        cell.is_running = false;
        cell.next = next.unwrap_or(NEVER).min(cell.coming);
        self.running -= 1;
    }

    /// Nothing more is to be done, even if cells are being advanced.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Works out `earliest` and `arrival` (Dijkstra 1959).
    fn look_ahead(&mut self) {
        self.heap.clear();
        for (number, cell) in (0..).zip(&self.cells) {
            self.earliest[number as usize] = cell.next;
            self.arrival[number as usize] = NEVER;
            if cell.next < NEVER {
                self.heap.push(Reverse((cell.next, number)));
            }
        }
        while let Some(Reverse((at, number))) = self.heap.pop() {
            if at > self.earliest[number as usize] {
                continue;
            }
            for (to, least) in &self.hearers[number as usize] {
                let (arrives, to_cell) = (at + *least, *to as usize);
                self.arrival[to_cell] = self.arrival[to_cell].min(arrives);
                if arrives < self.earliest[to_cell] {
                    self.earliest[to_cell] = arrives;
                    self.heap.push(Reverse((arrives, *to)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// Three cells in a row, 10 and 30 ns apart.
    fn row(next: [Option<u64>; 3], until: u64) -> Schedule {
        let nanos = Duration::from_nanos;
        let hearers =
            vec![vec![(1, nanos(10))], vec![(0, nanos(10)), (2, nanos(30))], vec![(1, nanos(30))]];
        Schedule::new(next.map(|next| next.map(at)), hearers, at(until))
    }

    #[test]
    fn a_cell_is_run_as_far_as_nothing_can_come_to_it() {
        let mut schedule = row([Some(100), Some(105), None], 1000);
        // What is at 105 in the second cell comes to the first one at 115.
        assert_eq!(schedule.pick(0), Step::Run { cell: 0, horizon: at(114) });
        // What is at 100 in the first cell comes to the second one at 110.
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(109) });
        assert_eq!(schedule.pick(0), Step::Wait);
        schedule.finish(0, None);
        schedule.announced(2, at(140));
        schedule.finish(1, None);
        // An answer from the second cell, 60 ns later.
        assert_eq!(schedule.pick(0), Step::Run { cell: 2, horizon: at(199) });
        schedule.finish(2, None);
        assert_eq!(schedule.pick(0), Step::Done);
    }

    #[test]
    fn silence_is_skipped_at_once() {
        let mut schedule = row([Some(5_000), None, Some(900_000)], 1_000_000);
        assert_eq!(schedule.pick(0), Step::Run { cell: 0, horizon: at(5_019) });
        schedule.finish(0, Some(at(800_000)));
        assert_eq!(schedule.pick(0), Step::Run { cell: 0, horizon: at(800_019) });
        schedule.finish(0, None);
        assert_eq!(schedule.pick(0), Step::Run { cell: 2, horizon: at(900_059) });
        schedule.finish(2, Some(at(2_000_000)));
        assert_eq!(schedule.pick(0), Step::Done);
    }

    #[test]
    fn who_advanced_a_cell_last_has_it_again() {
        let mut schedule = row([Some(100), Some(105), None], 1000);
        assert_eq!(schedule.pick(1), Step::Run { cell: 0, horizon: at(114) });
        assert_eq!(schedule.pick(2), Step::Run { cell: 1, horizon: at(109) });
        schedule.finish(0, Some(at(120)));
        schedule.finish(1, Some(at(121)));
        // The first cell is further behind, and another one's.
        assert_eq!(schedule.pick(2), Step::Run { cell: 1, horizon: at(129) });
        assert_eq!(schedule.pick(2), Step::Run { cell: 0, horizon: at(130) });
    }

    #[test]
    fn what_is_announced_to_a_running_cell_is_its_next_event_after_it() {
        let mut schedule = row([Some(100), Some(105), None], 1000);
        schedule.pick(0);
        schedule.pick(0);
        schedule.announced(1, at(110));
        schedule.finish(1, Some(at(500)));
        schedule.finish(0, None);
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(129) });
    }
}
