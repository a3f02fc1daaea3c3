//! Cells on threads. Not here: what happens in a cell, which does not depend on where it runs.
//!
//! All threads go through the same windows of virtual time: as long as frames need from cell to
//! cell at least, from the first event of all. What was announced in one window is handed over
//! before the next.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use netloom_sim::{Announcement, Cell, EndlessLoop, Simulation, horizon};
use netloom_units::{Duration, Time};

/// How often a thread looks for the others before it lets somebody else have its CPU.
const SPINS: u32 = 2000;

/// Lets everything happen up to and including `until`, on so many threads at most.
///
/// # Errors
/// If frames go round in circles in no time.
pub fn advance(
    simulation: &mut Simulation,
    until: Time,
    threads: usize,
) -> Result<(), EndlessLoop> {
    let threads = threads.min(simulation.cells.len());
    if threads <= 1 {
        return simulation.advance(until);
    }
    let shared = Shared {
        until,
        lookahead: simulation.lookahead,
        barrier: Barrier::new(threads),
        next: (0..threads).map(|_| AtomicU64::new(u64::MAX)).collect(),
        mail: simulation.cells.iter().map(|_| Mutex::default()).collect(),
        failed: Mutex::new(None),
    };
    // Every so many-th cell is a thread's: neighbours in number are alike in load.
    let mut shares: Vec<Vec<(usize, &mut Cell)>> = (0..threads).map(|_| Vec::new()).collect();
    for (number, cell) in simulation.cells.iter_mut().enumerate() {
        shares[number % threads].push((number, cell));
    }
    thread::scope(|scope| {
        for (number, cells) in shares.into_iter().enumerate() {
            let shared = &shared;
            scope.spawn(move || Worker { number, cells, shared }.run());
        }
    });
    match shared.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failed) => Err(failed),
        None => Ok(()),
    }
}

/// What the threads have in common.
struct Shared {
    until: Time,
    lookahead: Option<Duration>,
    barrier: Barrier,
    /// When the cells of each thread have their next event, in ns; the greatest if they have none.
    next: Vec<AtomicU64>,
    /// Announcements to each cell.
    mail: Vec<Mutex<Vec<Announcement>>>,
    failed: Mutex<Option<EndlessLoop>>,
}

/// A thread and its cells.
struct Worker<'a> {
    number: usize,
    cells: Vec<(usize, &'a mut Cell)>,
    shared: &'a Shared,
}

impl Worker<'_> {
    fn run(mut self) {
        let shared = self.shared;
        let _alarm = Alarm(&shared.barrier);
        loop {
            self.publish();
            shared.barrier.wait();
            let next = shared.next.iter().map(|next| next.load(Ordering::Acquire)).min();
            let next = Time::from_nanos(next.unwrap_or(u64::MAX));
            let has_failed = lock(&shared.failed).is_some();
            // Nobody publishes anew before all have read.
            shared.barrier.wait();
            if has_failed {
                return;
            }
            if next > shared.until {
                return self.advance(shared.until);
            }
            self.advance(horizon(next, shared.lookahead, shared.until));
            shared.barrier.wait();
            self.collect();
        }
    }

    /// Says when the first of its cells has something to do.
    fn publish(&mut self) {
        let next = self.cells.iter_mut().filter_map(|(_, cell)| cell.next_event()).min();
        let nanos = next.map_or(u64::MAX, Time::as_nanos);
        self.shared.next[self.number].store(nanos, Ordering::Release);
    }

    fn advance(&mut self, horizon: Time) {
        for (_, cell) in &mut self.cells {
            if let Err(failed) = cell.advance(horizon) {
                lock(&self.shared.failed).get_or_insert(failed);
            }
            for announcement in cell.take_announcements() {
                lock(&self.shared.mail[announcement.cell as usize]).push(announcement);
            }
        }
    }

    fn collect(&mut self) {
        for (number, cell) in &mut self.cells {
            let mail = std::mem::take(&mut *lock(&self.shared.mail[*number]));
            mail.into_iter().for_each(|announcement| cell.announce(announcement));
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A thread that panics breaks the barrier for all others.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A place where threads wait for each other, mostly for less time than it takes to sleep.
struct Barrier {
    threads: usize,
    come: AtomicUsize,
    turn: AtomicUsize,
    /// Whether a thread has died, so that nobody waits for it.
    broken: AtomicBool,
}

/// Breaks a barrier if its thread panics.
struct Alarm<'a>(&'a Barrier);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}

impl Barrier {
    fn new(threads: usize) -> Self {
        Self {
            threads,
            come: AtomicUsize::new(0),
            turn: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    fn wait(&self) {
        let turn = self.turn.load(Ordering::Acquire);
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.come.store(0, Ordering::Relaxed);
            self.turn.fetch_add(1, Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.turn.load(Ordering::Acquire) == turn {
            assert!(!self.broken.load(Ordering::Relaxed), "another thread has died");
            spins += 1;
            if spins % SPINS == 0 {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_passes_a_barrier_before_all_have_come() {
        let (barrier, come) = (Barrier::new(3), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=100 {
                        come.fetch_add(1, Ordering::SeqCst);
                        barrier.wait();
                        assert_eq!(come.load(Ordering::SeqCst), 3 * round);
                        barrier.wait();
                    }
                });
            }
        });
    }
}
