//! A worker thread: waits, reads devices, releases frames, carries out commands. Not here: the
//! paths of frames (`shard`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Glance, Pipe, Window};
use netloom_units::{Duration, Time};

use crate::Clock;
use crate::answer::{PipeStatus, Unjoined};
use crate::heartbeat::{Heartbeat, LONGEST_SLEEP};
use crate::looking::Looking;
use crate::pipe_frame::PipeFrame;
use crate::scheduling::{RealTimeBudget, WorkerPlace, stay_on};
use crate::shard::{Arrival, NOTICED, Parts, Refused, Returned, Shard};
use crate::timing::{Counters, WorkerLoad};
use crate::waiter::{Timeout, Waiter};
use crate::wakeup::exact_timers;
use crate::wakeup_margin::WakeupMargin;
use crate::watch::{self, Limits, WorkerEnd};
use crate::worker_id::WorkerId;
use crate::worker_stats::WorkerStats;

/// Number of pipes whose statistics are read in one turn, so that frames do not wait for a large
/// snapshot.
const STATUS_BATCH: usize = 16;

/// The same for glances, each of which takes a small part of that time.
const GLANCE_BATCH: usize = 128;

/// A wait that is longer than its system call takes, so there was nothing to do.
const ASLEEP: Duration = Duration::from_micros(10);

pub(crate) struct Worker {
    shard: Shard,
    waiter: Waiter,
    commands: Receiver<Command>,
    clock: Clock,
    stats: Arc<WorkerStats>,
    place: WorkerPlace,
    budget: RealTimeBudget,
    margin: WakeupMargin,
    reports: VecDeque<Report>,
    account: Account,
    heartbeat: Option<(Heartbeat, WorkerId)>,
    looking: Looking,
    /// Time since which frames may wait unread, while the worker has not read all of them.
    behind_since: Option<Time>,
}

/// A command of the owner to a worker.
pub(crate) enum Command {
    /// Do this between two turns. It must be quick: frames wait for it.
    Do(Box<dyn FnOnce(&mut Worker) + Send>),
    /// Report on every pipe, since its start or over the window, a few in each turn.
    Pipes { window: Option<Window>, reply: Sender<Vec<PipeStatus>> },
    /// Report the glances of all pipes.
    Glances(Sender<Vec<(PipeId, Glance)>>),
    /// End the worker.
    Stop,
}

/// A report on all pipes that is being made.
struct Report {
    /// The next slot.
    next: usize,
    of: Reported,
}

/// What a report has so far.
enum Reported {
    Statuses { window: Option<Window>, pipes: Vec<PipeStatus>, reply: Sender<Vec<PipeStatus>> },
    Glances { pipes: Vec<(PipeId, Glance)>, reply: Sender<Vec<(PipeId, Glance)>> },
}

impl Reported {
    /// Number of pipes that are read in one turn.
    const fn batch(&self) -> usize {
        match self {
            Self::Statuses { .. } => STATUS_BATCH,
            Self::Glances { .. } => GLANCE_BATCH,
        }
    }

    fn add(&mut self, id: PipeId, pipe: &mut Pipe<PipeFrame>, now: Time) {
        match self {
            Self::Statuses { window, pipes, .. } => {
                let statistics = match window {
                    None => pipe.statistics(now),
                    Some(window) => pipe.recent_statistics(now, *window),
                };
                pipes.push(PipeStatus { id, config: pipe.config().clone(), statistics });
            }
            Self::Glances { pipes, .. } => pipes.push((id, pipe.glance(now))),
        }
    }

    /// Sends it. Nobody may wait for it any more.
    fn send(self) {
        match self {
            Self::Statuses { pipes, reply, .. } => drop(reply.send(pipes)),
            Self::Glances { pipes, reply } => drop(reply.send(pipes)),
        }
    }
}

/// The account of the worker's time.
struct Account {
    start: Time,
    asleep: Duration,
    spinning: Duration,
}

/// The result of a turn.
#[derive(PartialEq)]
enum Turn {
    Idle,
    Worked,
    Stopped,
}

impl Worker {
    pub fn new(
        shard: Shard,
        waiter: Waiter,
        commands: Receiver<Command>,
        clock: Clock,
        stats: Arc<WorkerStats>,
        place: WorkerPlace,
    ) -> Self {
        let start = clock.now();
        Self {
            shard,
            waiter,
            commands,
            clock,
            stats,
            place,
            budget: RealTimeBudget::none(start),
            margin: WakeupMargin::default(),
            reports: VecDeque::new(),
            account: Account { start, asleep: Duration::ZERO, spinning: Duration::ZERO },
            heartbeat: None,
            looking: Looking::default(),
            behind_since: None,
        }
    }

    /// Sends signs of life from now on, as the worker of this number.
    pub fn beat(&mut self, heartbeat: Option<(Heartbeat, WorkerId)>) {
        self.heartbeat = heartbeat;
    }

    /// Runs until it is stopped, or its owner is gone. Returns the devices.
    pub fn run(mut self) -> Vec<Returned> {
        exact_timers();
        self.stats.begin();
        let mut looked = self.clock.now();
        // If that CPU is gone, the worker may run anywhere.
        self.place.dedicated_cpu = self.place.dedicated_cpu.filter(|cpu| stay_on(*cpu).is_ok());
        let dilation = self.clock.dilation();
        self.budget = RealTimeBudget::new(self.place.scheduling, looked, dilation);
        loop {
            let before = self.clock.now();
            if let Some((heartbeat, worker)) = &self.heartbeat {
                heartbeat.beat(worker.index());
            }
            let timeout = self.timeout(before);
            if self.waiter.wait(timeout).is_err() {
                // The event queue is ours and open, so this is a defect. The owner notices when its
                // next command gets no answer.
                break;
            }
            let now = self.clock.now();
            self.note_unseen(looked, before, now, timeout);
            looked = now;
            if let Timeout::For(sleep) = timeout
                && self.waiter.ready() == 0
            {
                let late = now.since(before + sleep);
                self.margin.overslept(dilation.to_machine(late));
                self.unattended(now, late);
            }
            let turn = self.turn(now);
            self.book(timeout, before, now, &turn);
            match turn {
                Turn::Stopped => break,
                Turn::Idle => self.shard.set_uncertainty(Duration::ZERO),
                Turn::Worked => {}
            }
        }
        self.shard.end_log();
        self.shard.into_devices()
    }

    /// Sets the longest time that a frame read now may have waited in its device: the time since
    /// the worker `looked` last, minus intentional sleep. A stall counts until the worker has
    /// caught up, since frames that it releases late come back late from nodes.
    fn note_unseen(&mut self, looked: Time, before: Time, now: Time, timeout: Timeout) {
        let wanted = match timeout {
            Timeout::None => Duration::ZERO,
            Timeout::For(sleep) => self.undisturbed(before, now).min(sleep),
            Timeout::Endless => self.undisturbed(before, now),
        };
        let dilation = self.clock.dilation();
        if dilation.to_machine(wanted) > ASLEEP {
            self.behind_since = None;
            self.shard.set_uncertainty(Duration::ZERO);
        }
        let blind = now.since(looked).saturating_sub(wanted);
        if dilation.to_machine(blind) > NOTICED {
            self.behind_since.get_or_insert(now - blind);
        }
        if let Some(since) = self.behind_since {
            self.shard.set_uncertainty(self.shard.uncertainty().max(now.since(since)));
        }
    }

    /// Returns for how long the worker slept before a frame came, which is when it wanted to wake.
    /// The machine may not have let it run then, and nothing but the frame's arrival shows that.
    fn undisturbed(&mut self, before: Time, now: Time) -> Duration {
        let slept = now.since(before);
        if self.waiter.ready() == 0 || self.clock.dilation().to_machine(slept) <= ASLEEP {
            return slept;
        }
        self.looking.came(now);
        let waiter = &self.waiter;
        let ports = (0..waiter.ready()).filter_map(|index| waiter.token(index));
        match self.shard.oldest_arrival(ports) {
            Arrival::At(came) => came.since(before).min(slept),
            Arrival::Unknown if self.looking.matters() => Duration::ZERO,
            Arrival::Unknown | Arrival::None => slept,
        }
    }

    /// Returns how long to wait for events.
    fn timeout(&mut self, now: Time) -> Timeout {
        if self.shard.has_work() || !self.reports.is_empty() {
            return Timeout::None;
        }
        let longest = self.longest_sleep(now);
        let Some(deadline) = self.shard.next_due() else {
            return longest.map_or(Timeout::Endless, Timeout::For);
        };
        let left = deadline.since(now);
        let margin = if self.may_wait_awake() { self.margin.get() } else { Duration::ZERO };
        let margin = self.clock.dilation().to_experiment(margin);
        let sleep = left.saturating_sub(margin).min(longest.unwrap_or(left));
        if sleep == Duration::ZERO { Timeout::None } else { Timeout::For(sleep) }
    }

    /// Returns the longest sleep that owners and devices permit.
    fn longest_sleep(&self, now: Time) -> Option<Duration> {
        let beat = self.heartbeat.as_ref().map(|_| LONGEST_SLEEP);
        let look = match self.shard.has_unstamped() {
            true => self.looking.longest_sleep(now),
            false => None,
        };
        beat.into_iter().chain(look).min()
    }

    fn may_wait_awake(&self) -> bool {
        let sleeps_in_time = self.place.dedicated_cpu.is_some() && self.budget.is_far_ahead();
        self.stats.may_spin() && !sleeps_in_time
    }

    /// Does everything that is due once.
    fn turn(&mut self, now: Time) -> Turn {
        let due = self.shard.next_due().is_some_and(|deadline| deadline <= now);
        let mut turn = if due || self.waiter.ready() > 0 || self.shard.has_work() {
            Turn::Worked
        } else {
            Turn::Idle
        };
        let mut all_read = !self.waiter.is_full();
        if self.waiter.has_peers() {
            all_read &= self.shard.receive_from_peers();
        }
        self.shard.release(now);
        self.shard.resume(now, &self.waiter);
        for index in 0..self.waiter.ready() {
            if let Some(port) = self.waiter.token(index) {
                all_read &= self.shard.read(port, now, &self.waiter);
            }
        }
        if all_read {
            self.behind_since = None;
        }
        if self.waiter.woken() && !self.take_commands() {
            turn = Turn::Stopped;
        }
        if !self.reports.is_empty() {
            turn = if turn == Turn::Stopped { turn } else { Turn::Worked };
            self.report();
        }
        self.shard.send_to_peers(now);
        turn
    }

    /// Books the time since `before`.
    fn book(&mut self, timeout: Timeout, before: Time, woke: Time, turn: &Turn) {
        if timeout == Timeout::None {
            self.budget.awake(woke);
        } else {
            self.budget.slept(before, woke);
            self.account.asleep += woke.since(before);
        }
        match turn {
            Turn::Idle if timeout == Timeout::None => {
                self.account.spinning += woke.since(before);
                let spinning = self.clock.dilation().to_machine(self.account.spinning);
                self.stats.waited_awake(spinning);
                if let Some(writer) = &self.shard.recorder().watch_writer {
                    writer.waits_awake(woke);
                }
            }
            Turn::Worked => {
                let now = self.clock.now();
                let worked = now.since(woke);
                self.shard.recorder().counters.unattended.record(worked, 1);
                self.unattended(now, worked);
            }
            Turn::Idle | Turn::Stopped => {}
        }
    }

    /// Reports that devices were not read for `lasted` until `now`, although there was work.
    #[inline]
    fn unattended(&mut self, now: Time, lasted: Duration) {
        if let Some(writer) = &mut self.shard.recorder().watch_writer {
            writer.unattended(now, lasted);
        }
    }

    /// Carries out every command that has arrived. Returns `false` to stop.
    fn take_commands(&mut self) -> bool {
        loop {
            match self.commands.try_recv() {
                Ok(Command::Stop) | Err(TryRecvError::Disconnected) => return false,
                Ok(command) => self.carry_out(command),
                Err(TryRecvError::Empty) => return true,
            }
        }
    }

    /// Carries out one command.
    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Do(what) => what(self),
            Command::Pipes { window, reply } => {
                let of = Reported::Statuses { window, pipes: Vec::new(), reply };
                self.reports.push_back(Report { next: 0, of });
            }
            Command::Glances(reply) => {
                let of = Reported::Glances { pipes: Vec::new(), reply };
                self.reports.push_back(Report { next: 0, of });
            }
            Command::Stop => {}
        }
    }

    /// Returns the worker's links.
    pub fn shard(&mut self) -> &mut Shard {
        &mut self.shard
    }

    /// Returns the data plane's clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns timing and lost frames.
    pub fn counters(&mut self) -> Counters {
        let load = self.load();
        let counters = &mut self.shard.recorder().counters;
        counters.load = load;
        counters.clone()
    }

    /// Reports to a monitor from now on, in place of an earlier one.
    pub fn watch(&mut self, limits: Limits) -> WorkerEnd {
        let (end, writer) = watch::ends(limits, self.shard.pipes_by_slot());
        writer.begin();
        self.shard.recorder().watch_writer = Some(writer);
        self.looking.watched(limits.needed);
        end
    }

    /// Sets the longest time that frames may have waited while nobody had their links.
    fn note_unattended(&mut self, links: &[(LinkId, Parts)]) {
        let parted = links.iter().filter_map(|(_, parts)| parts.parted).min();
        let waited = parted.map_or(Duration::ZERO, |parted| self.clock.now().since(parted));
        if self.clock.dilation().to_machine(waited) > NOTICED {
            self.shard.set_uncertainty(self.shard.uncertainty().max(waited));
        }
    }

    /// Joins all of `links`, or none.
    pub fn join(&mut self, links: Vec<(LinkId, Parts)>) -> Result<(), Unjoined> {
        self.note_unattended(&links);
        let mut joined = Vec::with_capacity(links.len());
        let mut links = links.into_iter();
        while let Some((id, parts)) = links.next() {
            match self.shard.join(id, parts, &self.waiter) {
                Ok(()) => joined.push(id),
                Err(refused) => {
                    let Refused { parts, end, source } = *refused;
                    let mut all = self.part(joined, true);
                    all.push((id, parts));
                    all.extend(links);
                    return Err(Unjoined { links: all, failed: id, end, source });
                }
            }
        }
        Ok(())
    }

    /// Removes links, with the frames in them or without.
    pub fn part(&mut self, links: Vec<LinkId>, with_frames: bool) -> Vec<(LinkId, Parts)> {
        let part = |id| Some((id, self.shard.part(id, with_frames, &self.waiter)?));
        links.into_iter().filter_map(part).collect()
    }

    /// Continues the first report.
    fn report(&mut self) {
        let Some(mut report) = self.reports.pop_front() else { return };
        let now = self.clock.now();
        // Reading the statistics of a pipe advances it to that time, so earlier events come first.
        self.shard.release(now);
        self.shard.count_arrivals(now);
        let mut pipes = self.shard.pipes(report.next);
        for (slot, pipe) in pipes.by_ref().take(report.of.batch()) {
            report.of.add(slot.id, pipe, now);
            report.next = slot.slot + 1;
        }
        match pipes.next() {
            Some(_) => self.reports.push_front(report),
            None => report.of.send(),
        }
    }

    fn load(&mut self) -> WorkerLoad {
        let total = self.clock.now().since(self.account.start).as_secs_f64().max(1e-9);
        let asleep = self.account.asleep.as_secs_f64() / total;
        let spinning = self.account.spinning.as_secs_f64() / total;
        WorkerLoad {
            busy: (1.0 - asleep - spinning).clamp(0.0, 1.0),
            spinning,
            scheduling: self.budget.granted(),
            dedicated_cpu: self.place.dedicated_cpu,
            lateness: self.shard.recorder().counters.lateness.summary(),
        }
    }
}
