//! Runs cells on threads. Not here: what happens in a cell, which does not depend on where it runs;
//! how far each cell can be run (`netloom_sim::Schedule`); and other processes (`processes`,
//! `worker`).
//!
//! A thread takes the cell that is furthest behind, whichever thread ran it before, and hands the
//! cell's announcements to other cells. When no cell can be advanced before a frame may arrive from
//! another process, the first thread exchanges the collected announcements with the other
//! processes.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use anyhow::{Error, Result};
use netloom_scenario::Threads;
use netloom_sim::{Announcement, Cell, EndlessLoop, Misdirected, Schedule, Simulation, Step};
use netloom_units::Time;

/// Number of times that a thread checks for work before it sleeps. This takes longer than a wake-up
/// on a virtual machine.
const SPINS: u32 = 20_000;

/// Default number of cells per thread. It is enough to keep all threads equally busy.
const CELLS_A_THREAD: u32 = 4;

/// Returns the number of threads on which a simulation runs.
pub fn number(threads: Threads) -> u32 {
    match threads {
        // There are fewer CPUs than `u32` can number.
        Threads::Auto => thread::available_parallelism().map_or(1, usize::from) as u32,
        Threads::Of(number) => number.get(),
    }
}

/// Returns the largest number of cells that a network is divided into, if it runs on `threads`
/// threads.
pub fn cells(asked: Option<NonZeroU32>, threads: u32) -> u32 {
    match (asked, threads) {
        (Some(cells), _) => cells.get(),
        (None, 1) => 1,
        (None, threads) => threads.saturating_mul(CELLS_A_THREAD),
    }
}

/// The permission of other processes to this one's cells to advance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// Earliest time at which a frame can arrive at each cell from other processes, apart from
    /// those announced here.
    pub bounds: Vec<Time>,
    /// Frames that arrive from other processes.
    pub announcements: Vec<Announcement>,
}

/// The progress of the cells of a process in a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Time of the next event of each cell.
    pub next: Vec<Option<Time>>,
    /// Frames to cells of other processes.
    pub announcements: Vec<Announcement>,
}

/// The other processes.
pub trait Others: Send {
    /// Reports this process's progress to the others, and waits until its cells can be advanced
    /// again. Returns `None` once all cells of all processes have reached the required time.
    fn exchange(&mut self, progress: Progress) -> Result<Option<Round>>;
}

/// No other processes.
struct Nobody;

impl Others for Nobody {
    fn exchange(&mut self, _: Progress) -> Result<Option<Round>> {
        Ok(None)
    }
}

/// Processes all events up to and including `until`, on at most `threads` threads. All of the
/// network must be in this process.
///
/// # Errors
/// If frames go round in circles without time passing.
pub fn advance_alone(simulation: &mut Simulation, until: Time, threads: usize) -> Result<()> {
    advance(simulation, until, threads, (Round::default(), &mut Nobody))?;
    Ok(simulation.reach(until)?)
}

/// Processes all events up to and including `until` in the cells of this process, on at most
/// `threads` threads. It runs a first round, and then those that `others` permit.
///
/// # Errors
/// If frames go round in circles without time passing, or if other processes cannot go on.
pub fn advance(
    simulation: &mut Simulation,
    until: Time,
    threads: usize,
    (first, others): (Round, &mut dyn Others),
) -> Result<()> {
    let shared = Shared::new(simulation, until);
    shared.begin(first)?;
    thread::scope(|scope| {
        for number in 1..threads.min(shared.seats.len()) {
            let shared = &shared;
            scope.spawn(move || {
                let _alarm = Alarm(shared);
                shared.work(number, None);
            });
        }
        let _alarm = Alarm(&shared);
        shared.work(0, Some(others));
    });
    shared.seats.iter().for_each(|seat| drop(seat.take()));
    let common = shared.schedule.into_inner().unwrap_or_else(PoisonError::into_inner);
    common.failed.map_or(Ok(()), Err)
}

/// The data that the threads share.
struct Shared<'a> {
    schedule: Mutex<Common>,
    /// Number of changes of the schedule so far.
    changes: AtomicU64,
    changed: Condvar,
    seats: Vec<Seat<'a>>,
    /// Numbers of the cells.
    region: Range<usize>,
}

/// Data that one thread at a time uses.
struct Common {
    /// The schedule of the cells.
    plan: Schedule,
    /// Frames to other processes.
    leaving: Vec<Announcement>,
    /// The first error.
    failed: Option<Error>,
    /// Number of threads that sleep.
    sleepers: usize,
}

/// A cell, and the announcements to it that have not been delivered. Seats of different cells share
/// no cache line.
#[repr(align(128))]
struct Seat<'a> {
    /// The cell, and a buffer that is reused for its next mail.
    cell: Mutex<(&'a mut Cell, Vec<Announcement>)>,
    mail: Mutex<Vec<Announcement>>,
}

impl<'a> Seat<'a> {
    /// Takes the cell, after its mail has been delivered.
    fn take(&self) -> MutexGuard<'_, (&'a mut Cell, Vec<Announcement>)> {
        let mut seat = lock(&self.cell);
        let (cell, mail) = &mut *seat;
        std::mem::swap(mail, &mut *lock(&self.mail));
        mail.drain(..).for_each(|announcement| cell.announce(announcement));
        seat
    }
}

/// The announcements of the cell that a thread runs.
struct Outgoing {
    /// Numbers of the cells of this process.
    region: Range<usize>,
    /// The announcements to each of these, by index.
    mail: Vec<Vec<Announcement>>,
    /// Indices of the cells that have announcements.
    to: Vec<usize>,
    /// Announcements to cells of other processes.
    leaving: Vec<Announcement>,
    /// Frames that have been handed over: the receiving cell, and the arrival of the first one.
    announced: Vec<(usize, Time)>,
}

impl Outgoing {
    fn new(region: Range<usize>) -> Self {
        let mail = region.clone().map(|_| Vec::new()).collect();
        Self { region, mail, to: Vec::new(), leaving: Vec::new(), announced: Vec::new() }
    }

    fn put(&mut self, announcement: Announcement) {
        let to = announcement.cell as usize;
        if !self.region.contains(&to) {
            return self.leaving.push(announcement);
        }
        let place = to - self.region.start;
        if self.mail[place].is_empty() {
            self.to.push(place);
        }
        self.mail[place].push(announcement);
    }
}

impl<'a> Shared<'a> {
    fn new(simulation: &'a mut Simulation, until: Time) -> Self {
        let plan = simulation.schedule(until);
        let region = simulation.region();
        let seat = |cell| Seat { cell: Mutex::new((cell, Vec::new())), mail: Mutex::default() };
        Self {
            schedule: Mutex::new(Common { plan, leaving: vec![], failed: None, sleepers: 0 }),
            changes: AtomicU64::new(0),
            changed: Condvar::new(),
            seats: simulation.cells.iter_mut().map(seat).collect(),
            region,
        }
    }

    /// Begins a round. No cell may be running.
    fn begin(&self, Round { bounds, announcements }: Round) -> Result<(), Misdirected> {
        let mut common = lock(&self.schedule);
        common.plan.bound(bounds);
        for announcement in announcements {
            let place = (announcement.cell as usize).checked_sub(self.region.start);
            let seat = place.and_then(|place| Some((place, self.seats.get(place)?)));
            let (place, seat) = seat.ok_or(Misdirected)?;
            let (cell, _) = &mut *lock(&seat.cell);
            if !cell.expects(&announcement) {
                return Err(Misdirected);
            }
            common.plan.announced(place, announcement.release);
            cell.announce(announcement);
        }
        self.has_changed(&common);
        Ok(())
    }

    /// Runs cells until nothing is left to do. The thread that has `others` begins new rounds.
    fn work(&self, thread: usize, mut others: Option<&mut dyn Others>) {
        let mut outgoing = Outgoing::new(self.region.clone());
        let mut common = lock(&self.schedule);
        loop {
            match (common.plan.pick(thread), &mut others) {
                (Step::Done, _) if common.plan.is_stopped() => return,
                (Step::Done, Some(others)) => {
                    drop(common);
                    let ended = self.exchange(*others);
                    common = lock(&self.schedule);
                    if let Some(ended) = ended.transpose() {
                        self.end(&mut common, ended);
                    }
                }
                (Step::Done | Step::Wait, _) => common = self.wait(common),
                (Step::Run { cell, horizon }, _) => {
                    drop(common);
                    let ran = self.run(cell, horizon, &mut outgoing);
                    common = lock(&self.schedule);
                    let Common { plan, leaving, .. } = &mut *common;
                    outgoing.announced.drain(..).for_each(|(cell, at)| plan.announced(cell, at));
                    leaving.append(&mut outgoing.leaving);
                    match ran {
                        Ok(next) => plan.finish(cell, next),
                        Err(endless) => self.end(&mut common, Err(endless.into())),
                    }
                    self.has_changed(&common);
                }
            }
        }
    }

    /// Ends the work of all threads.
    fn end(&self, common: &mut Common, ended: Result<()>) {
        common.plan.stop();
        if let Err(error) = ended {
            common.failed.get_or_insert(error);
        }
        self.has_changed(common);
    }

    /// Reports this process's progress to the others, and begins the next round. Returns `Some` if
    /// there is none.
    fn exchange(&self, others: &mut dyn Others) -> Result<Option<()>> {
        let mut common = lock(&self.schedule);
        let next = (0..self.seats.len()).map(|cell| common.plan.next(cell)).collect();
        let announcements = std::mem::take(&mut common.leaving);
        drop(common);
        match others.exchange(Progress { next, announcements })? {
            Some(round) => self.begin(round).map(|()| None).map_err(Error::from),
            None => Ok(Some(())),
        }
    }

    /// Runs a cell and hands over its announcements. Returns the time of its next event.
    fn run(
        &self,
        number: usize,
        horizon: Time,
        outgoing: &mut Outgoing,
    ) -> Result<Option<Time>, EndlessLoop> {
        let mut seat = self.seats[number].take();
        let cell = &mut seat.0;
        cell.advance(horizon)?;
        cell.take_announcements().for_each(|announcement| outgoing.put(announcement));
        for place in outgoing.to.drain(..) {
            let mail = &mut outgoing.mail[place];
            let first = mail.iter().map(|announcement| announcement.release).min();
            outgoing.announced.extend(first.map(|first| (place, first)));
            lock(&self.seats[place].mail).append(mail);
        }
        Ok(cell.next_event())
    }

    fn has_changed(&self, common: &Common) {
        self.changes.fetch_add(1, Ordering::Release);
        if common.sleepers > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until the schedule has changed. This mostly takes less time than going to sleep.
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

/// Locks something that is mostly held for less time than it takes to go to sleep.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // If a thread panics, its alarm ends the others.
    for _ in 0..SPINS {
        match of.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the other threads if its own thread panics.
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
