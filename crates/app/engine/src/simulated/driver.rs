//! The thread of a simulation in real time: it takes in what real nodes send, lets happen what is
//! due by the clock, and hands out what has come to real nodes.
//!
//! What happens within the simulation happens at its exact time, however late the thread is; only
//! what leaves it can be late, and is counted. Such frames are waited for awake. Everything else
//! may wait a little, so that the thread can sleep: as long as no frame is late by it.

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};

use anyhow::{Context, Result, anyhow};
use netloom_api::simulation::SimulationSummary;
use netloom_dataplane::{Clock, Scheduling, Urgency};
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

use super::tally::PipeTally;
use super::twins::TwinWatch;

/// How long before a frame leaves the thread stays awake: a machine needs that to wake it.
const AWAKE: Duration = Duration::from_micros(100);
/// How long what happens inside may wait at most, if no frame is late by it.
const MOST_PATIENCE: Duration = Duration::from_micros(500);
/// How much of the simulation's time passes in a turn at most.
const MOST_AT_ONCE: Duration = Duration::from_millis(1);
/// Frames that are taken from one interface before the others have their turn.
const FRAMES_A_TURN: usize = 64;
/// Frames that wait in a TAP device at most.
const QUEUE: usize = 1000;

/// A simulation and what joins it to real nodes.
pub struct Driver {
    pub(super) joined: Joined,
    doors: Vec<Door>,
    /// The door of each interface.
    places: HashMap<InterfaceId, usize>,
    exits: Exits,
    clock: Clock,
    /// From when on what has come is not looked at yet.
    looked: Time,
    urgency: Urgency,
    /// How long the thread was busy.
    busy: Busy,
    load: Load,
    /// How long what happens inside may wait.
    patience: Duration,
    /// By how much it was behind the clock at most, since that was last asked.
    lag: Duration,
    /// What notes what real hosts send, in a symbiotic run.
    watch: Option<TwinWatch>,
}

/// How long a thread was busy: in all, and in the second in which it was most.
#[derive(Debug, Default)]
struct Busy {
    all: Duration,
    most: Duration,
    /// The second that is under way, and how long it was busy in that.
    second: u64,
    in_second: Duration,
}

impl Busy {
    /// It was so from `since` until `now`.
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

/// How long the machine took for a second of the experiment: for the one that took longest, however
/// late that was simulated.
#[derive(Debug, Default)]
struct Load {
    most: Duration,
    /// What of the second that is being simulated is simulated, and how long that has taken.
    from: Time,
    until: Time,
    in_second: Duration,
}

/// From which time of the machine on a part of a second tells how long all of it takes.
const TELLING: Duration = Duration::from_millis(100);

impl Load {
    /// It took so long to simulate what comes before `until`, since this was last called.
    fn add(&mut self, until: Time, took: Duration) {
        let second = |time: Time| time.as_nanos() / 1_000_000_000;
        if second(until) != second(self.until) {
            (self.from, self.in_second) = (self.until, Duration::ZERO);
        }
        self.until = until;
        self.in_second += took;
        self.most = self.most.max(self.in_second);
    }

    /// Seconds of the machine that the second took which took most. One that is being simulated
    /// goes on as it began.
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
    /// Frames that the interface had no room for.
    lost: u64,
    /// Whether more frames may wait than were taken.
    is_full: bool,
}

impl Driver {
    /// A simulation from now on, with its `devices`.
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
            // What was sent while the interface led nowhere.
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
        let urgency = Urgency::none(looked);
        let lag = Duration::ZERO;
        let mut driver = Self {
            joined,
            doors,
            places,
            exits,
            clock,
            looked,
            urgency,
            busy,
            load: Load::default(),
            patience,
            lag,
            watch,
        };
        driver.follow_links()?;
        Ok(driver)
    }

    /// Plugs cables in and pulls them, as links are up or down, and finds out how long what happens
    /// inside may wait: half of what frames need over the shortest link to a real node.
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

    /// Begins on the calling thread, whose every turn is the driver's from now on.
    pub fn begin(&mut self) {
        // Wake-ups are late by 50 us otherwise, for the sake of batteries.
        let _ = set_timerslack(1);
        let dilation = self.clock.dilation();
        self.urgency = Urgency::new(Scheduling::RealTime, self.clock.now(), dilation);
    }

    /// Does what is due, and says until when there is nothing to do.
    pub fn turn(&mut self) -> Result<Option<Time>> {
        let now = self.clock.now();
        let cell = self.joined.cell();
        // Where nothing happens, it is not behind, for however long it has slept.
        let due = cell.next_event().map_or(now, |due| due.min(now)).max(cell.now());
        // If it is behind, it goes on in steps: others want to be served, too.
        let until = now.min(due + MOST_AT_ONCE);
        self.joined.advance(until)?;
        self.hand_out()?;
        self.lag = self.lag.max(now.since(until));
        if until == now {
            // What comes to a simulation that is behind would come too early.
            self.take_in()?;
            self.hand_out()?;
        }
        let done = self.clock.now();
        self.busy.add(now, done);
        self.load.add(until, self.clock.dilation().to_machine(done.since(now)));
        self.urgency.awake(done);
        Ok(if until < now { Some(Time::ZERO) } else { self.next() })
    }

    /// When there is something to do next.
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

    /// Waits until then, or for a frame, or to be woken by `wake`.
    pub fn wait(&mut self, until: Option<Time>, wake: &EventFd) -> Result<()> {
        let since = self.clock.now();
        let left = until.map(|until| until.since(since));
        let dilation = self.clock.dilation();
        let timeout = left.map(|left| TimeSpec::from_duration(dilation.to_machine(left).into()));
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
        if left.is_none_or(|left| left > Duration::ZERO) {
            let now = self.clock.now();
            self.urgency.slept(since, now);
            // A frame wakes the thread. What may have come unseen has come since it was to wake.
            self.looked = until.map_or(now, |until| until.min(now));
        }
        Ok(())
    }

    /// Takes in what real nodes have sent. Each frame comes when it has been read, which may be
    /// late, but never too early.
    fn take_in(&mut self) -> Result<()> {
        let looked = std::mem::replace(&mut self.looked, self.clock.now());
        for door in &mut self.doors {
            door.is_full = true;
            for _ in 0..FRAMES_A_TURN {
                let Some(frame) = door.device.receive().context("a device cannot be read")? else {
                    door.is_full = false;
                    break;
                };
                if let Some(answer) = door.border.peer.answer(frame) {
                    send(&door.device, &answer)?;
                } else if let Some((to, packet)) = packet_of(frame) {
                    let now = self.clock.now();
                    self.joined.advance(now)?;
                    // What is no packet, or names too many addresses, goes nowhere.
                    if self.joined.cell().enter(door.border.at, to, packet).is_ok() {
                        door.outgoing.count(Duration::ZERO, now.since(looked));
                        if let Some(watch) = &mut self.watch {
                            watch.note(door.border.at, now, packet);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Hands out what has come to real nodes.
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

    /// Has small pipes do what `orders` say from now on: when, and what they had done by then.
    pub fn follow(&mut self, orders: &[Order]) -> Result<(Time, Vec<RealPipe>)> {
        let now = self.clock.now();
        self.joined.advance(now)?;
        self.hand_out()?;
        let done = self.watch.as_mut().map(|watch| watch.follow(&mut self.joined, orders));
        Ok((now, done.unwrap_or_default()))
    }

    /// Begins to note what real hosts send, at times that count from `zero` on.
    pub fn watch_from(&mut self, zero: Time) {
        if let Some(watch) = &mut self.watch {
            watch.begin(zero);
        }
    }

    /// Connections of a real host have this congestion control if nobody asks for another one.
    pub fn note_algorithm(&mut self, host: u32, name: &str) {
        if let Some(watch) = &mut self.watch {
            watch.note_algorithm(host, name);
        }
    }

    /// The kernel of a real host accounts for its sockets.
    pub fn note_sockets(&mut self, host: u32, sockets: &[TcpSocket]) {
        if let Some(watch) = &mut self.watch {
            watch.note_sockets(host, self.clock.now(), sockets);
        }
    }

    /// Congestion controls of real hosts that the simulation has not.
    pub fn unknown_algorithms(&self) -> Vec<String> {
        self.watch.as_ref().map(TwinWatch::unknown_algorithms).unwrap_or_default()
    }

    /// Takes what real hosts have sent, and what has come to them, before `until`.
    pub fn take_metadata(&mut self, until: Time) -> Metadata {
        self.watch.as_mut().map(|watch| watch.take(until)).unwrap_or_default()
    }

    /// Has traffic begin, whose times count from `zero` on, or from now if that is over.
    pub fn begin_traffic(&mut self, zero: Time) {
        let now = self.joined.cell().now();
        self.joined.cell().begin_traffic(zero.max(now));
    }

    /// How it went so far.
    pub fn summary(&self) -> SimulationSummary {
        let Busy { all, most, .. } = self.busy;
        SimulationSummary {
            wall_seconds: self.clock.dilation().to_machine(all).as_secs_f64(),
            busiest_second: Some(most.as_secs_f64()),
            highest_load: Some(self.load.highest()),
            ..self.joined.summary()
        }
    }

    /// By how much it was behind the clock at most since this was last called.
    pub fn take_lag(&mut self) -> Duration {
        std::mem::replace(&mut self.lag, Duration::ZERO)
    }

    /// What was counted at each pipe to or from a real node since this was last called, with how
    /// many frames of it were lost outside the model.
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

/// Has a real node receive a frame; whether its interface had room for it. One that is down takes
/// nothing, as it would from a cable.
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
        // What is under way goes on as it began, if it has taken long enough to tell.
        load.add(at(2501), ms(450));
        assert!((load.highest() - 2.6).abs() < 1e-9);
        load.add(at(2502), ms(2000));
        assert!((load.highest() - 2.5 / 0.602).abs() < 1e-9, "{}", load.highest());
    }
}
