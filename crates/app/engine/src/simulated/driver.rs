//! The thread of a simulation in real time: it reads frames from real nodes, runs the events that
//! are due by the clock, and delivers frames to real nodes.
//!
//! Events within the simulation happen at their exact times, however late the thread is. Only
//! frames that leave it can be late, and are counted. The thread stays awake for such frames.
//! Everything else may wait a little, so that the thread can sleep, as long as no frame becomes
//! late by that.

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};

use anyhow::{Context, Result, anyhow};
use netloom_api::simulation::SimulationSummary;
use netloom_dataplane::{Clock, Looking, RealTimeBudget, Scheduling};
use netloom_fabric::PipeId;
use netloom_link::PipeChange;
use netloom_nodes::TcpSocket;
use netloom_ports::{PlainTap, SendError};
use netloom_scenario::Endpoint;
use netloom_sim::{Exits, InterfaceId, Leaving, frame_of, packet_of};
use netloom_simulate::symbiosis::{Metadata, Order, RealPipe};
use netloom_simulate::{Border, Joined};
use netloom_units::{Duration, Time};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;

use super::twins::TwinWatch;
use crate::tally::PipeTally;

/// Time before a frame leaves for which the thread stays awake: a machine takes that long to wake
/// it.
const AWAKE: Duration = Duration::from_micros(100);
/// Longest time for which internal events may wait, if no frame becomes late by that.
const MOST_PATIENCE: Duration = Duration::from_micros(500);
/// Lateness that runs permit unless they say otherwise.
const NEEDED: Duration = Duration::from_millis(1);
/// Most of the simulation's time that passes in one turn.
const MOST_AT_ONCE: Duration = Duration::from_millis(1);
/// Most frames that are read from one interface before the others have their turn.
const FRAMES_A_TURN: usize = 64;
/// Most frames that wait in a TAP device.
const QUEUE: usize = 1000;

/// A simulation, and the devices that join it to real nodes.
pub struct Driver {
    pub(super) joined: Joined,
    doors: Vec<Door>,
    /// The index of each interface's door.
    places: HashMap<InterfaceId, usize>,
    exits: Exits,
    clock: Clock,
    /// Time up to which the interfaces have been read.
    looked: Time,
    /// How often to look at devices that do not know when frames arrived.
    looking: Looking,
    budget: RealTimeBudget,
    /// Time for which the thread was busy.
    busy: Busy,
    load: Load,
    /// Time for which internal events may wait.
    patience: Duration,
    /// Longest delay behind the clock since the last query.
    lag: Duration,
    /// Records what real hosts send, in a symbiotic run.
    watch: Option<TwinWatch>,
}

/// Time for which a thread was busy: in total, and in its busiest second.
#[derive(Debug, Default)]
struct Busy {
    all: Duration,
    most: Duration,
    /// The current second, and the busy time in it.
    second: u64,
    in_second: Duration,
}

impl Busy {
    /// Adds the busy time from `since` until `now`.
    fn add(&mut self, since: Time, now: Time) {
        let second = now.as_nanos() / 1_000_000_000;
        if second != self.second {
            (self.second, self.in_second) = (second, Duration::ZERO);
        }
        self.all += now.since(since);
        self.in_second += now.since(since);
        self.most = self.most.max(self.in_second);
    }
}

/// Time that the machine took to simulate a second of the experiment: the longest, however late
/// that second was simulated.
#[derive(Debug, Default)]
struct Load {
    most: Duration,
    /// The simulated part of the current second, and the time that it took.
    from: Time,
    until: Time,
    in_second: Duration,
}

/// Time of the machine from which on a part of a second allows an estimate for the whole second.
const TELLING: Duration = Duration::from_millis(100);

impl Load {
    /// Adds the time that it took to simulate up to `until`, since the last call.
    fn add(&mut self, until: Time, took: Duration) {
        let second = |time: Time| time.as_nanos() / 1_000_000_000;
        if second(until) != second(self.until) {
            (self.from, self.in_second) = (self.until, Duration::ZERO);
        }
        self.until = until;
        self.in_second += took;
        self.most = self.most.max(self.in_second);
    }

    /// Returns the machine's seconds for the experiment's second that took longest. For the current
    /// second, it extrapolates the part so far.
    fn highest(&self) -> f64 {
        let part = self.until.since(self.from).as_secs_f64().min(1.0);
        let whole = match self.in_second >= TELLING && part > 0.0 {
            true => self.in_second.as_secs_f64() / part,
            false => 0.0,
        };
        self.most.as_secs_f64().max(whole)
    }
}

/// An interface of a real node.
struct Door {
    border: Border,
    device: PlainTap,
    outgoing: PipeTally,
    incoming: PipeTally,
    /// Number of frames for which the interface had no room.
    lost: u64,
    /// Whether more frames may wait than were read.
    is_full: bool,
}

impl Driver {
    /// Makes a driver whose simulation starts now, with its `devices`.
    pub fn new(
        joined: Joined,
        mut devices: HashMap<Endpoint, OwnedFd>,
        clock: Clock,
        watch: Option<TwinWatch>,
    ) -> Result<Self> {
        let mut joined = joined;
        let mut doors = Vec::new();
        for border in &joined.borders {
            let missing = || anyhow!("no device was made for {}", border.end);
            let device = devices.remove(&border.end).ok_or_else(missing)?;
            let mut device = PlainTap::from_fd(device)
                .with_context(|| format!("the device of {} cannot be used", border.end))?;
            // Drops frames that were sent while the interface led nowhere.
            for _ in 0..QUEUE {
                if device.receive()?.is_none() {
                    break;
                }
            }
            let (outgoing, incoming) = Default::default();
            let border = border.clone();
            doors.push(Door { border, device, outgoing, incoming, lost: 0, is_full: false });
        }
        let places = doors.iter().zip(0..).map(|(door, place)| (door.border.at, place));
        let (exits, places) = (joined.cell().exits(), places.collect());
        let (looked, busy, patience) = (clock.now(), Busy::default(), Duration::ZERO);
        let budget = RealTimeBudget::none(looked);
        let lag = Duration::ZERO;
        let mut driver = Self {
            joined,
            doors,
            places,
            exits,
            clock,
            looked,
            looking: Looking::for_need(NEEDED),
            budget,
            busy,
            load: Load::default(),
            patience,
            lag,
            watch,
        };
        driver.follow_links()?;
        Ok(driver)
    }

    /// Sets carriers according to the states of links, and computes how long internal events may
    /// wait: half of the time that frames need over the shortest link to a real node.
    fn follow_links(&mut self) -> Result<()> {
        let mut least = MOST_PATIENCE + MOST_PATIENCE;
        for door in &self.doors {
            let Border { incoming, end, .. } = &door.border;
            least = least.min(self.joined.least_delay(*incoming));
            let up = !self.joined.is_cut(incoming.link);
            let set = door.device.set_carrier(up);
            set.with_context(|| format!("cannot switch the carrier of {end}"))?;
        }
        self.patience = Duration::from_nanos(least.as_nanos() / 2);
        Ok(())
    }

    /// Begins on the calling thread, which the driver uses alone from now on.
    pub fn begin(&mut self) {
        // Otherwise the kernel delays wake-ups by 50 us to save energy.
        let _ = set_timerslack(1);
        let dilation = self.clock.dilation();
        self.budget = RealTimeBudget::new(Scheduling::RealTime, self.clock.now(), dilation);
    }

    /// Does everything that is due, and returns until when there is nothing to do.
    pub fn turn(&mut self) -> Result<Option<Time>> {
        let now = self.clock.now();
        // If it is behind, it advances in steps, so that requests and interfaces are served, too.
        let until = now.min(self.due(now) + MOST_AT_ONCE);
        self.joined.advance(until)?;
        self.hand_out()?;
        self.lag = self.lag.max(now.since(until));
        if until == now {
            // Frames that are read while the simulation is behind would arrive too early.
            self.take_in()?;
            self.hand_out()?;
        }
        let done = self.clock.now();
        self.busy.add(now, done);
        self.load.add(until, self.clock.dilation().to_machine(done.since(now)));
        self.budget.awake(done);
        Ok(if until < now { Some(Time::ZERO) } else { self.next() })
    }

    /// Returns the time up to which everything has happened, at most `now`. Without events the
    /// simulation is not behind, however long it has slept.
    fn due(&mut self, now: Time) -> Time {
        let cell = self.joined.cell();
        cell.next_event().map_or(now, |due| due.min(now)).max(cell.now())
    }

    /// Returns the time at which there is something to do next.
    fn next(&mut self) -> Option<Time> {
        let patience = self.patience;
        let awake = self.clock.dilation().to_experiment(AWAKE);
        let cell = self.joined.cell();
        let leaves = cell.next_leaving(&self.exits).map(|at| at - awake);
        let happens = cell.next_event().map(|at| at + patience);
        let is_full = self.doors.iter().any(|door| door.is_full);
        let more = is_full.then_some(Time::ZERO);
        leaves.into_iter().chain(happens).chain(more).min()
    }

    /// Waits until `until`, for a frame, or to be woken by `wake`.
    pub fn wait(&mut self, until: Option<Time>, wake: &EventFd) -> Result<()> {
        let since = self.clock.now();
        let left = until.map(|until| until.since(since));
        let dilation = self.clock.dilation();
        let longest = self.longest_sleep(since);
        let sleep = left.into_iter().chain(longest).min();
        let timeout = sleep.map(|sleep| TimeSpec::from_duration(dilation.to_machine(sleep).into()));
        let fds = self.doors.iter().map(|door| door.device.as_fd()).chain([wake.as_fd()]);
        let mut fds: Vec<PollFd<'_>> = fds.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        match ppoll(&mut fds, timeout, None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error).context("cannot wait for frames"),
        }
        let woken = fds.last().and_then(PollFd::any).unwrap_or_default();
        if woken {
            wake.read().context("cannot read what woke the simulation")?;
        }
        if sleep.is_none_or(|sleep| sleep > Duration::ZERO) {
            let now = self.clock.now();
            self.budget.slept(since, now);
            // Frames have arrived since the thread wanted to be awake: when the first of them
            // came, or as planned.
            let planned = sleep.map_or(now, |sleep| now.min(since + sleep));
            self.looked = match self.oldest_arrival() {
                Some(came) => planned.min(came),
                None => planned,
            };
        }
        Ok(())
    }

    /// Returns when the oldest frame arrived that waits in a device, or the time of the last look
    /// if nobody knows. `None` if no frame waits.
    fn oldest_arrival(&mut self) -> Option<Time> {
        let fds = self.doors.iter().map(|door| PollFd::new(door.device.as_fd(), PollFlags::POLLIN));
        let mut fds: Vec<PollFd<'_>> = fds.collect();
        let at_once = TimeSpec::from_duration(std::time::Duration::ZERO);
        // Without an answer, all devices may have frames.
        let is_answered = ppoll(&mut fds, Some(at_once), None).is_ok();
        let ready = fds.iter().map(|fd| !is_answered || fd.any().unwrap_or(true));
        let ready: Vec<bool> = ready.collect();
        let (clock, looked) = (self.clock, self.looked);
        let doors = self.doors.iter_mut().zip(ready).filter(|(_, ready)| *ready);
        let arrivals = doors.map(|(door, _)| {
            let came = door.device.take_arrival();
            came.map_or(looked, |came| clock.at_machine(came).max(looked))
        });
        let oldest = arrivals.min();
        if oldest.is_some() {
            self.looking.came(clock.now());
        }
        oldest
    }

    /// Returns the longest sleep in which frames may come: any, if all devices know when they came.
    fn longest_sleep(&self, now: Time) -> Option<Duration> {
        let unstamped = self.doors.iter().any(|door| !door.device.knows_arrivals());
        unstamped.then(|| self.looking.longest_sleep(now)).flatten()
    }

    /// Reads the frames that real nodes have sent. Each arrives at the time when it is read, which
    /// may be late, but never too early.
    fn take_in(&mut self) -> Result<()> {
        let looked = std::mem::replace(&mut self.looked, self.clock.now());
        for place in 0..self.doors.len() {
            self.doors[place].is_full = true;
            for _ in 0..FRAMES_A_TURN {
                // A simulation that needs longer than the machine's time falls behind with each
                // frame: the next ones wait until it has caught up, in steps.
                let now = self.clock.now();
                if now.since(self.due(now)) > MOST_AT_ONCE {
                    self.looked = looked;
                    break;
                }
                let door = &mut self.doors[place];
                let Some(frame) = door.device.receive().context("a device cannot be read")? else {
                    door.is_full = false;
                    break;
                };
                if let Some(answer) = door.border.peer.answer(frame) {
                    send(&door.device, &answer)?;
                } else if let Some((to, packet)) = packet_of(frame) {
                    let now = self.clock.now();
                    self.joined.advance(now)?;
                    // A frame without a packet, or with too many addresses, goes nowhere.
                    if self.joined.cell().enter(door.border.at, to, packet).is_ok() {
                        door.outgoing.count(Duration::ZERO, now.since(looked));
                        if let Some(watch) = &mut self.watch {
                            watch.note(door.border.at, now, packet);
                        }
                    }
                }
            }
        }
        if self.doors.iter().any(|door| door.is_full) {
            // The frames that still wait may be as old as those that were read.
            self.looked = looked;
        }
        Ok(())
    }

    /// Delivers the frames for real nodes.
    fn hand_out(&mut self) -> Result<()> {
        for leaving in self.joined.cell().take_leaving() {
            if let Some(watch) = &mut self.watch {
                watch.note_received(&leaving);
            }
            let Leaving { at, time, packet, .. } = leaving;
            let Some(door) = self.places.get(&at).and_then(|place| self.doors.get_mut(*place))
            else {
                continue;
            };
            let frame = frame_of(door.border.peer.mac, door.border.mac, &packet);
            door.lost += u64::from(!send(&door.device, &frame)?);
            door.incoming.count(self.clock.now().since(time), Duration::ZERO);
        }
        Ok(())
    }

    /// Changes links now.
    pub fn change(&mut self, changes: &[(PipeId, PipeChange)]) -> Result<Time> {
        self.joined.change(changes)?;
        self.follow_links()?;
        Ok(self.joined.cell().now())
    }

    /// Checks changes of links without making them.
    pub fn check(&mut self, changes: &[(PipeId, PipeChange)]) -> Result<()> {
        self.joined.check(changes)
    }

    /// Changes links at `at`, which the simulation has not passed.
    pub fn change_at(&mut self, at: Time, changes: &[(PipeId, PipeChange)]) -> Result<()> {
        self.joined.advance(at)?;
        self.hand_out()?;
        self.change(changes).map(drop)
    }

    /// Sets small pipes according to `orders` from now on. Returns the time and the counts of the
    /// pipes until then.
    pub fn follow(&mut self, orders: &[Order]) -> Result<(Time, Vec<RealPipe>)> {
        let now = self.clock.now();
        self.joined.advance(now)?;
        self.hand_out()?;
        let done = self.watch.as_mut().map(|watch| watch.follow(&mut self.joined, orders));
        Ok((now, done.unwrap_or_default()))
    }

    /// Begins to record what real hosts send, at times relative to `zero`.
    pub fn watch_from(&mut self, zero: Time) {
        if let Some(watch) = &mut self.watch {
            watch.begin(zero);
        }
    }

    /// Sets the congestion control of a real host's connections that ask for none.
    pub fn note_algorithm(&mut self, host: u32, name: &str) {
        if let Some(watch) = &mut self.watch {
            watch.note_algorithm(host, name);
        }
    }

    /// Records the state of a real host's sockets, as its kernel reports it.
    pub fn note_sockets(&mut self, host: u32, sockets: &[TcpSocket]) {
        if let Some(watch) = &mut self.watch {
            watch.note_sockets(host, self.clock.now(), sockets);
        }
    }

    /// Returns congestion controls of real hosts that the simulation lacks.
    pub fn unknown_algorithms(&self) -> Vec<String> {
        self.watch.as_ref().map(TwinWatch::unknown_algorithms).unwrap_or_default()
    }

    /// Takes the records of what real hosts sent and received before `until`.
    pub fn take_metadata(&mut self, until: Time) -> Metadata {
        self.watch.as_mut().map(|watch| watch.take(until)).unwrap_or_default()
    }

    /// Starts traffic, at times relative to `zero`, or to now if that is past.
    pub fn begin_traffic(&mut self, zero: Time) {
        self.joined.cell().begin_traffic(zero);
    }

    /// Returns the summary so far.
    pub fn summary(&self) -> SimulationSummary {
        let Busy { all, most, .. } = self.busy;
        SimulationSummary {
            wall_seconds: self.clock.dilation().to_machine(all).as_secs_f64(),
            busiest_second: Some(most.as_secs_f64()),
            highest_load: Some(self.load.highest()),
            ..self.joined.summary()
        }
    }

    /// Returns the longest delay behind the clock since the last call.
    pub fn take_lag(&mut self) -> Duration {
        std::mem::replace(&mut self.lag, Duration::ZERO)
    }

    /// Returns the counts at each pipe to or from a real node since the last call, with the number
    /// of frames lost outside the model.
    pub fn take_tallies(&mut self) -> Vec<(PipeId, PipeTally, u64)> {
        let all = self.doors.iter_mut().flat_map(|door| {
            let Door { border, outgoing, incoming, lost, .. } = door;
            let lost = std::mem::take(lost);
            [(border.outgoing, outgoing, 0), (border.incoming, incoming, lost)]
        });
        let taken = all.map(|(pipe, tally, lost)| (pipe, std::mem::take(tally), lost));
        taken.filter(|(_, tally, _)| !tally.is_empty()).collect()
    }
}

/// Sends a frame to a real node. Returns whether its interface had room for it. An interface that
/// is down drops the frame, as one at a cable would.
fn send(device: &PlainTap, frame: &[u8]) -> Result<bool> {
    match device.send(frame) {
        Ok(()) | Err(SendError::InterfaceDown | SendError::Rejected(_)) => Ok(true),
        Err(SendError::Full) => Ok(false),
        Err(SendError::Gone(error)) => Err(error).context("a device is gone"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_what_a_second_took_however_late_it_was() {
        let (mut load, ms) = (Load::default(), Duration::from_millis);
        let at = |millis: u64| Time::ZERO + ms(millis);
        for (until, took) in [(300, 200), (900, 200), (1100, 900), (1900, 1700), (2500, 50)] {
            load.add(at(until), ms(took));
        }
        assert_eq!(load.highest(), 2.6);
        // The current second continues as it began, if it has taken long enough for an estimate.
        load.add(at(2501), ms(450));
        assert!((load.highest() - 2.6).abs() < 1e-9);
        load.add(at(2502), ms(2000));
        assert!((load.highest() - 2.5 / 0.602).abs() < 1e-9, "{}", load.highest());
    }
}
