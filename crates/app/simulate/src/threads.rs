//! Cells on threads. Not here: what happens in a cell, which does not depend on where it runs, and
//! how far each can be run (`netloom_sim::Schedule`).
//!
//! A thread takes the cell that is furthest behind, whichever thread had it before, and hands over
//! what that announces to others.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use netloom_scenario::Threads;
use netloom_sim::{Announcement, Cell, EndlessLoop, Schedule, Simulation, Step};
use netloom_units::Time;

/// How often a thread looks whether there is something to do before it sleeps: for longer than it
/// takes to be woken on a virtual machine.
const SPINS: u32 = 20_000;

/// Cells for each thread where nothing is said: enough for threads to be busy alike.
const CELLS_A_THREAD: u32 = 4;

/// On how many threads a simulation runs.
pub fn number(threads: Threads) -> usize {
    match threads {
        Threads::Auto => thread::available_parallelism().map_or(1, usize::from),
        Threads::Of(number) => number.get() as usize,
    }
}

/// Into how many cells a network is divided at most, on so many threads.
pub fn cells(asked: Option<NonZeroU32>, threads: usize) -> u32 {
    match (asked, threads) {
        (Some(cells), _) => cells.get(),
        (None, 1) => 1,
        (None, threads) => CELLS_A_THREAD * threads as u32,
    }
}

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
        schedule: Mutex::new(Common { plan: schedule, failed: None, sleepers: 0 }),
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
    let common = shared.schedule.into_inner().unwrap_or_else(PoisonError::into_inner);
    common.failed.map_or(Ok(()), Err)
}

/// What the threads have in common.
struct Shared<'a> {
    schedule: Mutex<Common>,
    /// How often the schedule has changed.
    changes: AtomicU64,
    changed: Condvar,
    seats: Vec<Seat<'a>>,
}

/// What one thread at a time looks at.
struct Common {
    /// Who is to be run.
    plan: Schedule,
    /// What went wrong.
    failed: Option<EndlessLoop>,
    /// How many threads sleep.
    sleepers: usize,
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
        let mut common = lock(&self.schedule);
        loop {
            match common.plan.pick(thread) {
                Step::Done => return,
                Step::Wait => common = self.wait(common),
                Step::Run { cell, horizon } => {
                    drop(common);
                    let ran = self.run(cell, horizon, &mut announced);
                    common = lock(&self.schedule);
                    let plan = &mut common.plan;
                    announced.drain(..).for_each(|(cell, release)| plan.announced(cell, release));
                    match ran {
                        Ok(next) => plan.finish(cell, next),
                        Err(endless) => {
                            plan.stop();
                            common.failed.get_or_insert(endless);
                        }
                    }
                    self.has_changed(&common);
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

    fn has_changed(&self, common: &Common) {
        self.changes.fetch_add(1, Ordering::Release);
        if common.sleepers > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until the schedule has changed: mostly for less time than it takes to sleep.
    fn wait<'g>(&'g self, common: MutexGuard<'g, Common>) -> MutexGuard<'g, Common> {
        let before = self.changes.load(Ordering::Acquire);
        drop(common);
        for _ in 0..SPINS {
            if self.changes.load(Ordering::Acquire) != before {
                return lock(&self.schedule);
            }
            std::hint::spin_loop();
        }
        let mut common = lock(&self.schedule);
        common.sleepers += 1;
        let same = |_: &mut _| self.changes.load(Ordering::Acquire) == before;
        let woken = self.changed.wait_while(common, same);
        let mut common = woken.unwrap_or_else(PoisonError::into_inner);
        common.sleepers -= 1;
        common
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics ends the others by its alarm.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the other threads if its own panics.
struct Alarm<'a, 'b>(&'a Shared<'b>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut common = lock(&self.0.schedule);
            common.plan.stop();
            self.0.has_changed(&common);
        }
    }
}
