//! Decides which cell is run next, and how far: up to the time at which a frame can arrive from
//! another cell. Not here: the threads and processes that run the cells.
//!
//! Nothing happens in a cell before its own next event and the first frame from another cell. Such
//! a frame cannot arrive before the other cell has had an event and the frame has passed the link
//! between them. The earliest time at which anything can happen in each cell is therefore a
//! shortest path: from the next events of all cells, over the propagation delays between them. This
//! is the conservative synchronization of Chandy and Misra 1979 without its null messages: cells
//! without events cost nothing, and links between cells may differ.
//!
//! These bounds stay true while cells advance: nothing makes anything happen earlier. So they are
//! computed anew only when a runner finds none of its own cells ready by the old ones, which is
//! about once for all cells of a runner instead of once for each.
//!
//! Each of several processes has a schedule of its own cells, with a bound for each: the earliest
//! time at which a frame can arrive from another process. One process also has a schedule of all
//! cells, and computes these bounds for each round ([`Schedule::pick_region`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use netloom_units::{Duration, Time};

const NEVER: Time = Time::from_nanos(u64::MAX);

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Advance a cell up to and including a time.
    Run {
        /// Number of the cell.
        cell: usize,
        /// The time.
        horizon: Time,
    },
    /// No cell can be advanced before a running one has finished.
    Wait,
    /// Nothing more happens by the given time, or before a frame may arrive from outside.
    Done,
}

/// The progress of all cells towards a time that they all have to reach.
///
/// # Call order
/// [`pick`](Self::pick); then, once the cell has been advanced, [`announced`](Self::announced) for
/// each frame to another cell that it has handed over, and [`finish`](Self::finish). Several cells
/// can be picked before the first has finished.
#[derive(Debug)]
pub struct Schedule {
    cells: Vec<Progress>,
    /// For each cell, the cells that it sends to, and the shortest time that frames take to each.
    hearers: Vec<Vec<(u32, Duration)>>,
    /// Earliest time at which a frame can arrive at each cell from another process.
    outside: Vec<Time>,
    until: Time,
    running: usize,
    is_stopped: bool,
    /// Earliest time at which anything can happen in each cell.
    earliest: Vec<Time>,
    /// Earliest time at which a frame can arrive at each cell from another one.
    arrival: Vec<Time>,
    heap: BinaryHeap<Reverse<(Time, u32)>>,
    /// Whether the bounds may have become later since they were computed.
    is_stale: bool,
}

/// The progress of a cell.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// Nothing happens in the cell before this time.
    next: Time,
    /// Arrival of the first frame that was announced to the cell since it was picked.
    coming: Time,
    /// Number of the runner that advances the cell, or did last.
    runner: usize,
    is_running: bool,
}

impl Schedule {
    /// Returns a schedule of cells whose next events are `next`. `hearers` are the cells that each
    /// one sends to, with the shortest time that frames take to them.
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
        let outside = vec![NEVER; cells.len()];
        let [earliest, arrival] = [(); 2].map(|()| vec![Time::ZERO; cells.len()]);
        Self {
            cells,
            hearers,
            outside,
            until,
            running: 0,
            is_stopped: false,
            earliest,
            arrival,
            heap: BinaryHeap::new(),
            is_stale: true,
        }
    }

    /// Sets the times before which no frame arrives at the cells from outside, until the next call.
    pub fn bound(&mut self, outside: impl IntoIterator<Item = Time>) {
        self.outside.iter_mut().zip(outside).for_each(|(bound, at)| *bound = at);
        self.is_stale = true;
    }

    /// Sets the time that all cells have to reach.
    pub fn extend(&mut self, until: Time) {
        self.until = until;
    }

    /// Returns the time of a cell's next event, or `None` if it has none.
    pub fn next(&self, cell: usize) -> Option<Time> {
        Some(self.cells[cell].next).filter(|next| *next < NEVER)
    }

    /// Picks the cell that is furthest behind among those that can be advanced. Cells that `runner`
    /// advanced last come first, because its caches hold their data.
    pub fn pick(&mut self, runner: usize) -> Step {
        if self.is_stopped {
            return Step::Done;
        }
        let mut found = self.first_ready(runner);
        let is_own = found.is_some_and(|cell| self.cells[cell].runner == runner);
        if self.is_stale && !is_own {
            self.look_ahead();
            found = self.first_ready(runner);
        }
        let Some(cell) = found else {
            return if self.running == 0 { Step::Done } else { Step::Wait };
        };
        let horizon = self.until.min(self.arrival[cell] - Duration::from_nanos(1));
        let picked = &mut self.cells[cell];
        (picked.is_running, picked.coming, picked.runner) = (true, NEVER, runner);
        self.running += 1;
        Step::Run { cell, horizon }
    }

    /// Returns the cell that `runner` should advance, among those that can be advanced by the last
    /// look-ahead.
    fn first_ready(&self, runner: usize) -> Option<usize> {
        let cells = self.cells.iter().enumerate().filter(|(number, _)| self.is_ready(*number));
        let first = |(_, cell): &(usize, &Progress)| (cell.runner != runner, cell.next);
        cells.min_by_key(first).map(|(number, _)| number)
    }

    /// Picks all cells of a process, if any of them can be advanced. Returns the earliest time at
    /// which a frame can arrive at each of them from outside. Each must be finished afterwards.
    pub fn pick_region(&mut self, region: Range<usize>) -> Option<Vec<Time>> {
        if self.is_stopped {
            return None;
        }
        self.look_ahead();
        if !region.clone().any(|cell| self.is_ready(cell)) {
            return None;
        }
        let mut outside = vec![NEVER; region.len()];
        let others = (0..self.cells.len()).filter(|cell| !region.contains(cell));
        for (from, (to, least)) in
            others.flat_map(|from| self.hearers[from].iter().map(move |hearer| (from, hearer)))
        {
            let to = *to as usize;
            if region.contains(&to) && self.earliest[from] < NEVER {
                let bound = &mut outside[to - region.start];
                *bound = (self.earliest[from] + *least).min(*bound);
            }
        }
        for cell in region {
            let picked = &mut self.cells[cell];
            (picked.is_running, picked.coming) = (true, NEVER);
            self.running += 1;
        }
        Some(outside)
    }

    /// Whether any cell is running.
    pub fn is_running(&self) -> bool {
        self.running > 0
    }

    /// Whether a cell can be advanced, by the last look-ahead.
    fn is_ready(&self, number: usize) -> bool {
        let cell = &self.cells[number];
        !cell.is_running && cell.next <= self.until && cell.next < self.arrival[number]
    }

    /// Records that a frame is on its way to `cell` and arrives at `release`.
    pub fn announced(&mut self, cell: usize, release: Time) {
        let cell = &mut self.cells[cell];
        cell.coming = cell.coming.min(release);
        // A cell that runs with its region may have had no events of its own.
        cell.next = cell.next.min(release);
        self.is_stale = true;
    }

    /// Records that a cell has been advanced. `next` is its next event.
    pub fn finish(&mut self, cell: usize, next: Option<Time>) {
        let cell = &mut self.cells[cell];
        cell.is_running = false;
        cell.next = next.unwrap_or(NEVER).min(cell.coming);
        self.running -= 1;
        self.is_stale = true;
    }

    /// Stops the schedule, even if cells are running.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Whether the schedule has been stopped.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Computes `earliest` and `arrival` (Dijkstra 1959).
    fn look_ahead(&mut self) {
        self.is_stale = false;
        self.heap.clear();
        for (number, (cell, outside)) in (0..).zip(self.cells.iter().zip(&self.outside)) {
            let earliest = cell.next.min(*outside);
            self.earliest[number as usize] = earliest;
            self.arrival[number as usize] = *outside;
            if earliest < NEVER {
                self.heap.push(Reverse((earliest, number)));
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

    /// Returns three cells in a row, 10 and 30 ns apart.
    fn row(next: [Option<u64>; 3], until: u64) -> Schedule {
        let nanos = Duration::from_nanos;
        let hearers =
            vec![vec![(1, nanos(10))], vec![(0, nanos(10)), (2, nanos(30))], vec![(1, nanos(30))]];
        Schedule::new(next.map(|next| next.map(at)), hearers, at(until))
    }

    #[test]
    fn a_cell_is_run_as_far_as_nothing_can_come_to_it() {
        let mut schedule = row([Some(100), Some(105), None], 1000);
        // The second cell's event at 105 reaches the first cell at 115.
        assert_eq!(schedule.pick(0), Step::Run { cell: 0, horizon: at(114) });
        // The first cell's event at 100 reaches the second cell at 110.
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(109) });
        assert_eq!(schedule.pick(0), Step::Wait);
        schedule.finish(0, None);
        schedule.announced(2, at(140));
        schedule.finish(1, None);
        // The second cell may answer, 60 ns later.
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
        // The first cell is further behind, but another runner's.
        assert_eq!(schedule.pick(2), Step::Run { cell: 1, horizon: at(129) });
        assert_eq!(schedule.pick(2), Step::Run { cell: 0, horizon: at(130) });
    }

    #[test]
    fn bounds_hold_for_all_of_a_runners_cells() {
        let mut schedule = row([Some(100), Some(105), None], 1000);
        assert_eq!(schedule.pick(0), Step::Run { cell: 0, horizon: at(114) });
        schedule.finish(0, Some(at(120)));
        // By the bounds that the first pick found. Nothing could come before 130 by now.
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(109) });
        schedule.finish(1, Some(at(125)));
        // None is ready by these any more.
        assert_eq!(schedule.pick(0), Step::Run { cell: 0, horizon: at(134) });
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(129) });
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

    #[test]
    fn a_region_is_bound_by_when_something_can_come_from_others() {
        let mut schedule = row([Some(100), Some(105), Some(300)], 1000);
        // The third cell can reach the second one once an answer to the first cell's event has come
        // back.
        assert_eq!(schedule.pick_region(0..2), Some(vec![NEVER, at(165)]));
        assert!(schedule.is_running());
        // The second cell can reach the third one before the third one's own event.
        assert_eq!(schedule.pick_region(2..3), None);
        schedule.announced(2, at(135));
        schedule.finish(0, None);
        schedule.finish(1, Some(at(400)));
        assert_eq!(schedule.pick_region(0..2), None);
        // The frame that it sends at 135 may be answered.
        assert_eq!(schedule.pick_region(2..3), Some(vec![at(195)]));
        // While it runs, the others must assume that it may answer at once.
        assert_eq!(schedule.pick_region(0..2), None);
        schedule.finish(2, None);
        assert_eq!(schedule.pick_region(0..2), Some(vec![NEVER, at(460)]));
        schedule.finish(0, None);
        schedule.finish(1, None);
        assert!(!schedule.is_running());
    }

    #[test]
    fn what_comes_to_a_region_that_is_run_counts_before_it_is_finished() {
        let mut schedule = row([Some(60), Some(500), Some(50)], 1000);
        // The second cell runs together with the third one, and has nothing to do.
        assert_eq!(schedule.pick_region(1..3), Some(vec![at(70), NEVER]));
        assert_eq!(schedule.pick_region(0..1), Some(vec![at(80)]));
        schedule.announced(1, at(75));
        schedule.finish(0, Some(at(88)));
        // A frame that reaches the second cell at 75 may be answered at 85; one from the third cell
        // arrives at 90.
        assert_eq!(schedule.pick_region(0..1), None);
    }

    #[test]
    fn nothing_is_run_beyond_what_can_come_from_outside() {
        let mut schedule = row([None, Some(100), None], 1000);
        schedule.bound([at(150), NEVER, NEVER]);
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(119) });
        schedule.finish(1, Some(at(200)));
        // A frame that reaches the first cell at 150 may be in the second one at 160.
        assert_eq!(schedule.pick(0), Step::Done);
        assert_eq!((schedule.next(0), schedule.next(1)), (None, Some(at(200))));
        schedule.bound([at(210), NEVER, NEVER]);
        assert_eq!(schedule.pick(0), Step::Run { cell: 1, horizon: at(219) });
        schedule.finish(1, Some(at(220)));
        assert_eq!(schedule.pick(0), Step::Done);
    }
}
