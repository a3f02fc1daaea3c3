//! Cells on threads. Not here: what happens in a cell, which does not depend on where it runs, and
//! how far each can be run (`netloom_sim::Schedule`).
//!
//! A thread takes the cell that is furthest behind, whichever thread had it before, and hands over
//! what that announces to others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use netloom_sim::{Announcement, Cell, EndlessLoop, Schedule, Simulation, Step};
use netloom_units::Time;

/// How often a thread looks whether there is something to do before it sleeps.
const SPINS: u32 = 5000;

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
    if threads > 1 {
        on_threads(simulation, until, threads)?;
    }
    // All that is left of it, or all.
    simulation.advance(until)
}

fn on_threads(simulation: &mut Simulation, until: Time, threads: usize) -> Result<(), EndlessLoop> {
    let schedule = simulation.schedule(until);
    let seat = |cell| Seat { cell: Mutex::new(cell), mail: Mutex::default() };
    let shared = Shared {
        schedule: Mutex::new((schedule, None)),
        changes: AtomicU64::new(0),
        changed: Condvar::new(),
        seats: simulation.cells.iter_mut().map(seat).collect(),
    };
    thread::scope(|scope| {
        for number in 0..threads {
            let shared = &shared;
            scope.spawn(move || {
                let _alarm = Alarm(shared);
                shared.work(number);
            });
        }
    });
    shared.seats.iter().for_each(Seat::deliver);
    let (_, failed) = shared.schedule.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), Err)
}

/// What the threads have in common.
struct Shared<'a> {
    /// Who is to be run, and what went wrong.
    schedule: Mutex<(Schedule, Option<EndlessLoop>)>,
    /// How often the schedule has changed.
    changes: AtomicU64,
    changed: Condvar,
    seats: Vec<Seat<'a>>,
}

/// A cell, and what has been announced to it meanwhile.
struct Seat<'a> {
    cell: Mutex<&'a mut Cell>,
    mail: Mutex<Vec<Announcement>>,
}

impl Seat<'_> {
    fn deliver(&self) {
        let mut cell = lock(&self.cell);
        let mail = std::mem::take(&mut *lock(&self.mail));
        mail.into_iter().for_each(|announcement| cell.announce(announcement));
    }
}

impl Shared<'_> {
    /// Runs cells until nothing more is to be done.
    fn work(&self, thread: usize) {
        let mut announced = Vec::new();
        let mut schedule = lock(&self.schedule);
        loop {
            match schedule.0.pick(thread) {
                Step::Done => return,
                Step::Wait => schedule = self.wait(schedule),
                Step::Run { cell, horizon } => {
                    drop(schedule);
                    let ran = self.run(cell, horizon, &mut announced);
                    schedule = lock(&self.schedule);
                    let (plan, failed) = &mut *schedule;
                    announced.drain(..).for_each(|(cell, release)| plan.announced(cell, release));
                    match ran {
                        Ok(next) => plan.finish(cell, next),
                        Err(endless) => {
                            failed.get_or_insert(endless);
                            plan.stop();
                        }
                    }
                    self.has_changed();
                }
            }
        }
    }

    /// Runs a cell, notes what it announces, and says when its next event is.
    fn run(
        &self,
        number: usize,
        horizon: Time,
        announced: &mut Vec<(usize, Time)>,
    ) -> Result<Option<Time>, EndlessLoop> {
        let seat = &self.seats[number];
        seat.deliver();
        let mut cell = lock(&seat.cell);
        cell.advance(horizon)?;
        for announcement in cell.take_announcements() {
            let to = announcement.cell as usize;
            announced.push((to, announcement.release));
            lock(&self.seats[to].mail).push(announcement);
        }
        Ok(cell.next_event())
    }

    fn has_changed(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits until the schedule has changed: mostly for less time than it takes to sleep.
    fn wait<'g>(&'g self, schedule: Guard<'g>) -> Guard<'g> {
        let before = self.changes.load(Ordering::Acquire);
        drop(schedule);
        for _ in 0..SPINS {
            if self.changes.load(Ordering::Acquire) != before {
                return lock(&self.schedule);
            }
            std::hint::spin_loop();
        }
        let schedule = lock(&self.schedule);
        let same = |_: &mut _| self.changes.load(Ordering::Acquire) == before;
        self.changed.wait_while(schedule, same).unwrap_or_else(PoisonError::into_inner)
    }
}

type Guard<'a> = MutexGuard<'a, (Schedule, Option<EndlessLoop>)>;

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics ends the others by its alarm.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the other threads if its own panics.
struct Alarm<'a, 'b>(&'a Shared<'b>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.schedule).0.stop();
            self.0.has_changed();
        }
    }
}
