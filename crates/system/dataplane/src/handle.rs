//! The handle of a running data plane for its owner. Not here: how it is put together (`assembly`),
//! and what the workers do.

mod media;
mod peers;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use netloom_fabric::{LinkId, PipeId, SegmentEnd, SegmentId, SegmentKind, receiver_mtus};
use netloom_link::{Direction, Glance, LinkState, LogHeader, PipeChange, Window};
use netloom_ports::{Carrier, DevicePlace, FrameDevice, PacketSocket};
use netloom_units::Time;

use crate::answer::PipeStatus;
use crate::balance::Rebalancing;
use crate::capture::{Capture, capture, capture_interface};
use crate::frame_log::{self, FrameLog, FrameLogSummary};
use crate::gate::tickets;
use crate::scheduling::Scheduling;
use crate::shard::{Parts, Returned};
use crate::timing::Timing;
use crate::waiter::Waker;
use crate::wakeup::{Pulse, WakeupProbe};
use crate::watch::{Limits, Watch};
use crate::wiring::is_segment;
use crate::worker::{Command, Worker};
use crate::worker_id::WorkerId;
use crate::worker_stats::WorkerStats;
use crate::{Clock, DataplaneError, End};
pub(crate) use peers::PeerControl;

/// All links of an experiment on this machine, running.
///
/// Every method may be called from any thread at any time. Dropping it stops the workers and drops
/// the devices; [`stop`](Self::stop) returns the devices instead.
#[derive(Debug)]
pub struct Dataplane {
    pub(crate) clock: Clock,
    /// The seed of the pipes' random streams.
    pub(crate) seed: u64,
    pub(crate) workers: Vec<WorkerHandle>,
    pub(crate) rebalancing: Mutex<Rebalancing>,
    /// Location of each link.
    pub(crate) locations: BTreeMap<LinkId, Location>,
    pub(crate) control: Mutex<Control>,
    /// Links to other machines, if there may be some.
    pub(crate) peers: Option<PeerControl>,
    /// Most frames that wait for the reader of a capture.
    pub(crate) capture_backlog: usize,
    /// Scheduling class of the workers.
    pub(crate) scheduling: Scheduling,
    pub(crate) probe: WakeupProbe,
    /// Held for the life of the data plane.
    pub(crate) alive: Arc<()>,
}

/// A worker thread, with its command queue and waker.
#[derive(Debug)]
pub(crate) struct WorkerHandle {
    pub commands: Sender<Command>,
    pub waker: Waker,
    pub stats: Arc<WorkerStats>,
    pub thread: Option<JoinHandle<Vec<Returned>>>,
}

impl WorkerHandle {
    /// Asks the worker to end.
    fn ask_to_stop(&self) {
        // Fails only if the worker has ended already.
        let _ = self.commands.send(Command::Stop);
        self.waker.wake();
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.ask_to_stop();
    }
}

/// The location of a link: its worker, and the segments at its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    pub worker: WorkerId,
    pub segments: [Option<JoinedSegment>; 2],
}

/// A segment at the end of a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JoinedSegment {
    pub id: SegmentId,
    pub kind: SegmentKind,
}

impl JoinedSegment {
    /// Returns the segment at an end, if there is one.
    pub fn of(end: &End) -> Option<Self> {
        end.segment_port().map(|port| Self { id: port.segment(), kind: port.kind() })
    }
}

/// Controls for changes, one batch at a time.
#[derive(Debug, Default)]
pub(crate) struct Control {
    pub links: BTreeMap<LinkId, LinkControl>,
    /// Time from which times in a frame log count.
    pub zero: Time,
}

/// Controls of one link.
#[derive(Default)]
pub(crate) struct LinkControl {
    /// The state of each pipe.
    states: [LinkState; 2],
    /// The carriers of each end.
    carriers: [Vec<Box<dyn Carrier>>; 2],
    are_segments: [bool; 2],
    /// The MTU of the interface at each end.
    pub mtus: [Option<u32>; 2],
    /// Whether the node at each end has taken its interface down.
    down: [bool; 2],
    /// Whether the station at each end has left its medium.
    left: [bool; 2],
}

impl std::fmt::Debug for LinkControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkControl").field("states", &self.states).finish_non_exhaustive()
    }
}

impl Dataplane {
    /// Returns the experiment's clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns the time now on the experiment's clock.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Applies all changes of `batch` at one time, equal for all pipes, and returns that time once
    /// they are in force. Several changes of one pipe apply in their order.
    ///
    /// Afterwards, a link both of whose pipes went down has lost its carrier at both ends: for the
    /// software there, it is an unplugged cable. The carrier returns with the first pipe that comes
    /// up.
    ///
    /// # Errors
    /// If there is no such pipe, or a change names a file that has not been read (then nothing is
    /// applied), a carrier could not be switched (then all is applied), or a worker has ended.
    pub fn change(&self, batch: &[(PipeId, PipeChange)]) -> Result<Time, DataplaneError> {
        let mut parts: BTreeMap<WorkerId, Vec<(PipeId, PipeChange)>> = BTreeMap::new();
        for (id, change) in batch {
            if let Some(unread) = change.unread_file() {
                return Err(DataplaneError::unread(id.link, unread));
            }
            let location = self.location(id.link).ok_or(DataplaneError::UnknownPipe(*id))?;
            parts.entry(location.worker).or_default().push((*id, change.clone()));
        }
        // Held until the carriers are switched, so that batches do not mix, neither at the gate
        // nor at the carriers.
        let mut control = self.control();
        let time = self.apply(parts)?;
        control.follow(batch)?;
        Ok(time)
    }

    /// Notes that the station at end `end` of a link has joined or left its medium. Its interface
    /// has a carrier only while it has joined.
    ///
    /// # Errors
    /// The error of the kernel.
    pub fn set_carrier(&self, link: LinkId, end: usize, up: bool) -> Result<(), DataplaneError> {
        match self.control().links.get_mut(&link) {
            Some(control) => {
                control.left[end] = !up;
                control.switch_end(link, end)
            }
            None => Ok(()),
        }
    }

    /// Whether the interfaces at end `end` of a link have a carrier. `None` without such a link.
    pub fn has_carrier(&self, link: LinkId, end: usize) -> Option<bool> {
        self.control().links.get(&link).map(|control| control.has_carrier(end))
    }

    /// Notes that the node at end `end` of a link has its interface there `up` or down, with this
    /// MTU. As at a cable, the interface at the other end has a carrier only while this one is up;
    /// a switch or medium there handles the link as one that is cut. Ends that are no interfaces
    /// of nodes are always up: a switch may have taken the place of the node that had one.
    ///
    /// # Errors
    /// The error of the kernel, or a worker has ended.
    pub fn set_end(
        &self,
        link: LinkId,
        end: usize,
        up: bool,
        mtu: Option<u32>,
    ) -> Result<(), DataplaneError> {
        let mut control = self.control();
        let (Some(of_link), Some(location)) = (control.links.get_mut(&link), self.location(link))
        else {
            return Ok(());
        };
        if of_link.carriers[end].is_empty() {
            return Ok(());
        }
        of_link.down[end] = !up;
        of_link.mtus[end] = mtu.or(of_link.mtus[end]);
        let receivers = receiver_mtus(of_link.are_segments, of_link.mtus);
        self.ask(location.worker, move |worker| {
            worker.shard().set_end(link, (end, up), receivers);
        })?;
        of_link.switch_end(link, 1 - end)
    }

    /// Returns the places of all interfaces at ends of links that are interfaces of a kernel, each
    /// with its link and end. Those that were deleted have none.
    pub fn places(&self) -> Vec<(LinkId, usize, Option<DevicePlace>)> {
        let control = self.control();
        let ends = control.links.iter().flat_map(|(id, link)| [(*id, 0, link), (*id, 1, link)]);
        ends.filter_map(|(id, end, link)| Some((id, end, link.place(end)?.ok()))).collect()
    }

    /// Returns the place of the interface at end `end` of a link. `None` if there is no such
    /// interface, or not any more.
    pub fn place_of(&self, link: LinkId, end: usize) -> Option<DevicePlace> {
        self.control().links.get(&link)?.place(end)?.ok()
    }

    /// Starts everything that changes by itself with time (traces, schedules, positions) anew, as
    /// if it were set at `at`. This is the time from which a run counts, so logs of frames count
    /// from it, too. It must be recent.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn begin(&self, at: Time) -> Result<(), DataplaneError> {
        self.control().zero = at;
        self.ask_all(move |worker| worker.shard().begin(at)).map(drop)
    }

    /// Returns the configuration and the counts of every pipe, in the order of their ids.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn pipes(&self) -> Result<Vec<PipeStatus>, DataplaneError> {
        self.report(None)
    }

    /// Returns the configuration of every pipe and its counts over the last seconds, in the order
    /// of their ids.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn recent_pipes(&self, window: Window) -> Result<Vec<PipeStatus>, DataplaneError> {
        self.report(Some(window))
    }

    /// Returns a glance at every pipe, in the order of their ids: for those who look often.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn glances(&self) -> Result<Vec<(PipeId, Glance)>, DataplaneError> {
        let mut pipes = self.of_all(Command::Glances)?;
        pipes.sort_unstable_by_key(|(id, _)| *id);
        Ok(pipes)
    }

    fn report(&self, window: Option<Window>) -> Result<Vec<PipeStatus>, DataplaneError> {
        let mut pipes = self.of_all(|reply| Command::Pipes { window, reply })?;
        pipes.sort_unstable_by_key(|pipe: &PipeStatus| pipe.id);
        Ok(pipes)
    }

    /// Gives all workers a command, and returns what all of them answer.
    fn of_all<T>(
        &self,
        command: impl Fn(Sender<Vec<T>>) -> Command,
    ) -> Result<Vec<T>, DataplaneError> {
        let workers = WorkerId::first(self.workers.len());
        let reports = workers.map(|worker| {
            let (reply, report) = channel();
            self.send(worker, command(reply)).map(|()| report)
        });
        let mut pipes = Vec::new();
        for report in reports.collect::<Result<Vec<_>, _>>()? {
            pipes.append(&mut self.receive(&report)?);
        }
        Ok(pipes)
    }

    /// Whether both pipes of a link are down, so that interfaces at its ends have no carrier.
    pub fn is_cut(&self, link: LinkId) -> bool {
        self.control().links.get(&link).is_some_and(LinkControl::is_cut)
    }

    /// Returns how well the data plane kept time, and the losses outside the model.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn timing(&self) -> Result<Timing, DataplaneError> {
        let counters = self.ask_all(Worker::counters)?;
        Ok(Timing::of(self.now(), &counters, self.probe.summary()))
    }

    /// Reports disturbances to a monitor from now on, as they happen. A later watch replaces an
    /// earlier one.
    ///
    /// # Errors
    /// If a worker has ended, or the machine refuses the thread that detects pauses.
    pub fn watch(&self, limits: Limits) -> Result<Watch, DataplaneError> {
        let pulse = Pulse::start(self.clock, self.scheduling, limits.pause)?;
        let now = self.now();
        let workers = self.ask_all(move |worker| worker.watch(limits))?;
        Ok(Watch::new(limits, workers, pulse, now))
    }

    /// Returns the ends of links that are ports of switches, with their states, in the order of
    /// links and ends.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn segment_ends(&self) -> Result<Vec<SegmentEnd>, DataplaneError> {
        let reports = self.ask_all(|worker| worker.shard().segment_ends())?;
        let mut ends: Vec<_> = reports.into_iter().flatten().collect();
        ends.sort_unstable_by_key(|end: &SegmentEnd| (end.link, end.end));
        Ok(ends)
    }

    /// Begins to capture the frames that pass end `end` of link `link`, in both directions.
    ///
    /// # Errors
    /// If there is no such end, or its worker has ended.
    pub fn capture(&self, link: LinkId, end: usize) -> Result<Capture, DataplaneError> {
        self.open_capture(link, end, false)
    }

    /// Begins a capture that also has the frames that the link drops on the way from or to this
    /// end, at the times of the drops.
    ///
    /// # Errors
    /// If there is no such end, or its worker has ended.
    pub fn capture_with_drops(&self, link: LinkId, end: usize) -> Result<Capture, DataplaneError> {
        self.open_capture(link, end, true)
    }

    /// Captures the frames that `socket` receives, on the same clock, until the data plane ends.
    pub fn capture_interface(&self, socket: PacketSocket) -> Capture {
        capture_interface(socket, self.clock, &self.alive)
    }

    fn open_capture(
        &self,
        link: LinkId,
        end: usize,
        drops: bool,
    ) -> Result<Capture, DataplaneError> {
        let location = self.location(link).ok_or(DataplaneError::UnknownEnd { link, end })?;
        let worker = location.worker;
        if end > 1 {
            return Err(DataplaneError::UnknownEnd { link, end });
        }
        let (sink, capture) = capture(drops, self.capture_backlog);
        // Frames that enter at an end take the pipe that begins there.
        let [entry, exit] =
            [end, 1 - end].map(|end| PipeId { link, direction: Direction::from_end(end) });
        self.ask(worker, move |worker| worker.shard().capture(entry, exit, sink))?;
        Ok(capture)
    }

    /// Writes the events of every frame of `links` into `out` from now on, until
    /// [`end_frame_log`](Self::end_frame_log). Each link comes with its index among the links that
    /// `header` names, with two pipes each. Workers never wait for the log.
    ///
    /// # Errors
    /// If there is no such link, `header` does not name its pipes, a log is being written already,
    /// or the machine refuses a thread.
    pub fn log_frames(
        &self,
        links: &[(LinkId, usize)],
        header: &LogHeader,
        out: impl Write + Send + 'static,
    ) -> Result<FrameLog, DataplaneError> {
        let mut pipes = vec![Vec::new(); self.workers.len()];
        for (link, place) in links {
            let unknown = PipeId { link: *link, direction: Direction::Forward };
            let named = (place + 1) * 2 <= header.pipes.len();
            let location = self.location(*link).filter(|_| named);
            let location = location.ok_or(DataplaneError::UnknownPipe(unknown))?;
            pipes[location.worker.index()].extend(Direction::BOTH.map(|direction| {
                let number = 2 * place + direction.index();
                (PipeId { link: *link, direction }, u32::try_from(number).unwrap_or(u32::MAX))
            }));
        }
        // Actions that involve many workers run one at a time.
        let control = self.control();
        let (log, sinks) = frame_log::start((header, control.zero), out, self.workers.len())?;
        let logged = WorkerId::first(self.workers.len()).zip(pipes.into_iter().zip(sinks));
        let begun = logged.map(|(worker, (pipes, sink))| {
            self.request(worker, move |worker| worker.shard().log(&pipes, sink))
        });
        let mut all = true;
        for begun in begun.collect::<Result<Vec<_>, _>>()? {
            all &= self.receive(&begun)?;
        }
        if all { Ok(log) } else { Err(DataplaneError::LoggedAlready) }
    }

    /// Ends a frame log and waits until it is written.
    ///
    /// # Errors
    /// If a worker or the log's writer has ended by itself.
    pub fn end_frame_log(&self, log: FrameLog) -> Result<FrameLogSummary, DataplaneError> {
        self.ask_all(|worker| worker.shard().end_log())?;
        log.wait()
    }

    /// Stops the workers and returns the devices, in the order of links and ends, so that the
    /// caller can close them later. Devices of a worker that ended by itself are lost.
    pub fn stop(mut self) -> Vec<Box<dyn FrameDevice>> {
        let mut devices = self.halt();
        devices.sort_unstable_by_key(|(link, end, _)| (*link, *end));
        devices.into_iter().map(|(_, _, device)| device).collect()
    }

    fn apply(
        &self,
        parts: BTreeMap<WorkerId, Vec<(PipeId, PipeChange)>>,
    ) -> Result<Time, DataplaneError> {
        let (done, applied) = channel();
        let count = parts.len();
        for ((worker, changes), ticket) in parts.into_iter().zip(tickets(count)) {
            let done = done.clone();
            let change = move |worker: &mut Worker| {
                if let Some(time) = ticket.pass(&worker.clock()) {
                    worker.shard().change(time, &changes);
                    // The owner may no longer wait for the reply.
                    let _ = done.send(time);
                }
            };
            self.send(worker, Command::Do(Box::new(change)))?;
        }
        drop(done);
        let mut time = self.now();
        for _ in 0..count {
            time = self.receive(&applied)?;
        }
        Ok(time)
    }

    pub(crate) fn location(&self, link: LinkId) -> Option<&Location> {
        self.locations.get(&link)
    }

    pub(crate) fn control(&self) -> MutexGuard<'_, Control> {
        // States and carriers are set one by one. After a panic, those that were set remain.
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn send(&self, worker: WorkerId, command: Command) -> Result<(), DataplaneError> {
        let handle = &self.workers[worker.index()];
        handle.commands.send(command).map_err(|_| DataplaneError::WorkerGone { worker })?;
        handle.waker.wake();
        Ok(())
    }

    pub(crate) fn receive<T>(&self, reply: &Receiver<T>) -> Result<T, DataplaneError> {
        reply.recv().map_err(|_| {
            let ended =
                |handle: &WorkerHandle| handle.thread.as_ref().is_none_or(JoinHandle::is_finished);
            let worker = self.workers.iter().position(ended).unwrap_or_default();
            DataplaneError::WorkerGone { worker: WorkerId::at(worker) }
        })
    }

    /// Has a worker do something. Its answer comes, unless it ends.
    fn request<T: Send + 'static>(
        &self,
        worker: WorkerId,
        what: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Result<Receiver<T>, DataplaneError> {
        let (reply, answer) = channel();
        let what = move |worker: &mut Worker| {
            // The owner may no longer wait for the reply.
            let _ = reply.send(what(worker));
        };
        self.send(worker, Command::Do(Box::new(what)))?;
        Ok(answer)
    }

    /// Returns the answer of one worker.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        worker: WorkerId,
        what: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Result<T, DataplaneError> {
        self.receive(&self.request(worker, what)?)
    }

    /// Returns the answer of every worker, in the order of the workers.
    fn ask_all<T: Send + 'static>(
        &self,
        what: impl Fn(&mut Worker) -> T + Clone + Send + 'static,
    ) -> Result<Vec<T>, DataplaneError> {
        let workers = WorkerId::first(self.workers.len());
        let answers = workers.map(|worker| self.request(worker, what.clone()));
        let answers = answers.collect::<Result<Vec<_>, _>>()?;
        answers.iter().map(|answer| self.receive(answer)).collect()
    }

    fn halt(&mut self) -> Vec<Returned> {
        self.workers.iter().for_each(WorkerHandle::ask_to_stop);
        let threads = self.workers.iter_mut().filter_map(|handle| handle.thread.take());
        let devices = threads.filter_map(|thread| thread.join().ok()).flatten().collect();
        // Carriers share their devices' descriptors.
        self.control().links.clear();
        devices
    }
}

impl Drop for Dataplane {
    fn drop(&mut self) {
        self.halt();
    }
}

impl Control {
    /// Records the states that `batch` has set, and switches the carriers of the links that it has
    /// cut or restored.
    fn follow(&mut self, batch: &[(PipeId, PipeChange)]) -> Result<(), DataplaneError> {
        let mut before = BTreeMap::new();
        for (id, change) in batch {
            if let (Some(state), Some(link)) = (change.state, self.links.get_mut(&id.link)) {
                before.entry(id.link).or_insert(link.is_cut());
                link.states[id.direction.index()] = state;
            }
        }
        for (id, was_cut) in before {
            if let Some(link) = self.links.get(&id).filter(|link| link.is_cut() != was_cut) {
                link.switch_carriers(id)?;
            }
        }
        Ok(())
    }
}

impl LinkControl {
    /// Returns the controls of a link that is not joined yet.
    pub fn of(parts: &Parts, mtus: [Option<u32>; 2]) -> Self {
        let carriers = |end: &End| end.ports().filter_map(|device| device.carrier()).collect();
        Self {
            states: parts.pipes.each_ref().map(|pipe| pipe.config().state),
            carriers: parts.ends.each_ref().map(carriers),
            are_segments: parts.ends.each_ref().map(is_segment),
            mtus,
            ..Self::default()
        }
    }

    /// Whether both pipes are down.
    pub fn is_cut(&self) -> bool {
        self.states == [LinkState::Down; 2]
    }

    /// Whether the interfaces at an end have a carrier.
    pub fn has_carrier(&self, end: usize) -> bool {
        !self.is_cut() && !self.left[end] && !self.down[1 - end]
    }

    /// The place of the interface at an end; of several ones, that of the first, which carries the
    /// frames of the others.
    fn place(&self, end: usize) -> Option<io::Result<DevicePlace>> {
        self.carriers[end].first()?.place().transpose()
    }

    /// Switches the carriers of all its interfaces.
    pub fn switch_carriers(&self, id: LinkId) -> Result<(), DataplaneError> {
        (0..2).try_for_each(|end| self.switch_end(id, end))
    }

    /// Switches the carriers of the interfaces at one end.
    fn switch_end(&self, id: LinkId, end: usize) -> Result<(), DataplaneError> {
        let up = self.has_carrier(end);
        let failed = |source| DataplaneError::Carrier { link: id, end, source };
        self.carriers[end].iter().try_for_each(|carrier| carrier.set(up).map_err(failed))
    }
}
