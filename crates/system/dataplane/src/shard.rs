//! A worker's part of the network: its links in virtual time, and the devices at their ports. Not
//! here: waiting and commands (`worker`), the paths of frames (`netloom-fabric`), and their counts
//! and captures (`recorder`).

mod peers;

use std::io;

use netloom_fabric::{
    Delivered, Link, LinkEnd, LinkId, MediumView, Network, PipeId, PipeSlot, PortId, SegmentId,
};
use netloom_link::{Delivery, Direction, FrameInfo, Occurrence, Pipe, PipeChange};
use netloom_medium::{AssociationEvent, MediumChange, RadioError};
use netloom_ports::{FrameBuffer, FrameDevice, HEADER_BYTES, SendError};
use netloom_units::{Duration, Time};

use crate::balance::{LinkLoad, Load};
use crate::capture::CaptureSink;
use crate::frame_log::LogSink;
use crate::peers::Streams;
use crate::pipe_frame::{FrameMemory, PipeFrame};
use crate::recorder::{Recorder, Taps};
use crate::timing::DeviceFailure;
use crate::waiter::Waiter;
use crate::watch::Loss;
use crate::{Clock, End};

/// Most frames and bytes that are read from one device before the others have their turn: some 20
/// µs for small frames, some 40 µs for super-frames.
const READ_FRAMES: usize = 16;
const READ_BYTES: usize = 256 << 10;
/// Delays up to this are normal, and negligible beside any tolerance: the time to wake up, or to
/// read other devices.
pub(crate) const NOTICED: Duration = Duration::from_micros(100);
/// Rounds in which frames move on through switches before a link is taken out. No scenario has
/// loops of switches; frames that still wait after these rounds are lost, and counted.
const ROUNDS: usize = 64;

/// A device and the link end it belongs to.
pub(crate) type Returned = (LinkId, usize, Box<dyn FrameDevice>);

/// A link that no worker has: its ends, and its pipes with the frames in them.
pub(crate) struct Parts {
    pub ends: [End; 2],
    pub pipes: [Pipe<PipeFrame>; 2],
    /// The captures of its frames.
    pub taps: [Taps; 2],
    /// Time at which a worker gave it up, if one had it.
    pub parted: Option<Time>,
}

/// A link that could not be joined.
pub(crate) struct Refused {
    pub parts: Parts,
    pub end: usize,
    pub source: io::Error,
}

/// A device at a port.
struct OpenPort {
    device: Box<dyn FrameDevice>,
    is_alive: bool,
    /// Whether the device knows when frames arrived.
    is_stamped: bool,
}

/// Arrival of the oldest frame that waits in some devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It came at this time.
    At(Time),
    /// It waits, and nobody knows since when.
    Unknown,
    /// No frame waits.
    None,
}

pub(crate) struct Shard {
    pub network: Network<FrameMemory, Recorder>,
    /// By [`PortId`].
    ports: Vec<Option<OpenPort>>,
    free_ports: Vec<PortId>,
    /// Ports that are not read until the given time, because their pipe is full.
    held: Vec<(PortId, Time)>,
    /// Number of devices that are read, and do not know when frames arrived.
    unstamped: usize,
    /// Delays up to this are not uncertainty.
    noticed: Duration,
    clock: Clock,
    buffer: FrameBuffer,
    /// What leads to other machines, if some links do.
    streams: Option<Box<Streams>>,
}

impl Shard {
    /// Makes a shard without links.
    pub fn new(clock: Clock, frame_memory: usize) -> Self {
        Self {
            network: Network::new(FrameMemory::new(frame_memory), Recorder::new(clock)),
            ports: Vec::new(),
            free_ports: Vec::new(),
            held: Vec::new(),
            unstamped: 0,
            noticed: clock.dilation().to_experiment(NOTICED),
            clock,
            buffer: FrameBuffer::default(),
            streams: None,
        }
    }

    /// Returns the recorder of counts and captures.
    pub fn recorder(&mut self) -> &mut Recorder {
        self.network.observer_mut()
    }

    /// Whether frames wait that need no event to move on.
    #[inline]
    pub fn has_work(&self) -> bool {
        self.network.has_work()
    }

    /// Returns the time at which something is due next.
    #[inline]
    pub fn next_due(&mut self) -> Option<Time> {
        let due = self.network.next_deadline();
        if self.held.is_empty() && self.streams.is_none() {
            return due;
        }
        let held = self.held.iter().map(|(_, until)| *until);
        let tell = self.streams.as_ref().and_then(|streams| streams.tell_at());
        held.chain(due).chain(tell).min()
    }

    /// Returns how long frames that are read now may have waited in their devices unnoticed.
    pub fn uncertainty(&self) -> Duration {
        self.network.uncertainty()
    }

    /// Sets how long frames that are read from now on may have waited in their devices unnoticed.
    pub fn set_uncertainty(&mut self, uncertainty: Duration) {
        self.network.set_uncertainty(uncertainty);
    }

    /// Whether the arrival of some frames can only be bounded by looking often.
    #[inline]
    pub fn has_unstamped(&self) -> bool {
        self.unstamped > 0
    }

    /// Returns when the oldest frame arrived that waits in the device of one of `ports`.
    pub fn oldest_arrival(&mut self, ports: impl Iterator<Item = PortId>) -> Arrival {
        let mut oldest = Arrival::None;
        for port in ports {
            let Some(OpenPort { device, is_alive: true, .. }) = &mut self.ports[port.index()]
            else {
                continue;
            };
            let Some(arrived) = device.take_arrival() else { return Arrival::Unknown };
            let arrived = self.clock.at_machine(arrived);
            oldest = match oldest {
                Arrival::At(before) => Arrival::At(before.min(arrived)),
                _ => Arrival::At(arrived),
            };
        }
        oldest
    }

    /// Reads the frames of the device of `port`, up to a budget, and moves them on. Frames that
    /// come due meanwhile are released. Returns whether all were read that the pipe takes.
    ///
    /// The device was reported readable at the time `seen`: its first frame had arrived by then,
    /// and the cost of reading it does not count for the link. All other frames arrive when they
    /// are read, or since then if the machine held the worker up meanwhile. If the device fails,
    /// `waiter` stops waiting for it.
    pub fn read(&mut self, port: PortId, seen: Time, waiter: &Waiter) -> bool {
        let mut bytes = 0;
        for index in 0..READ_FRAMES {
            if bytes >= READ_BYTES {
                return false;
            }
            let Some(OpenPort { device, .. }) = self.ports[port.index()].as_mut() else {
                return true;
            };
            if let Some(until) = self.network.waits_for(port, seen) {
                self.hold(port, until, waiter);
                return true;
            }
            match device.receive(&mut self.buffer) {
                Ok(true) => {
                    let arrival = if index == 0 { seen } else { self.clock.now() };
                    let unseen = arrival.since(seen);
                    if unseen > self.noticed {
                        let uncertainty = self.network.uncertainty().max(unseen);
                        self.network.set_uncertainty(uncertainty);
                    }
                    bytes += self.buffer.filled();
                    // Frames that are due earlier leave earlier, as in virtual time.
                    if self.network.next_deadline().is_some_and(|due| due <= arrival) {
                        self.release(arrival);
                    }
                    self.arrived(port, arrival);
                    self.release(arrival);
                }
                Ok(false) => return true,
                Err(error) => {
                    self.fail(port, &error);
                    self.forget(port, waiter);
                    return true;
                }
            }
        }
        false
    }

    /// Stops reading a port until its full pipe has taken a frame out.
    #[cold]
    fn hold(&mut self, port: PortId, until: Time, waiter: &Waiter) {
        self.forget(port, waiter);
        self.held.push((port, until));
    }

    /// Resumes reading the ports whose pipes have room again at `now`.
    pub fn resume(&mut self, now: Time, waiter: &Waiter) {
        if self.held.is_empty() {
            return;
        }
        for (port, until) in std::mem::take(&mut self.held) {
            let still = if until > now { Some(until) } else { self.network.waits_for(port, now) };
            match still {
                Some(until) => self.held.push((port, until)),
                None => {
                    let watched = self.watch(port, waiter);
                    if let Err(error) = watched {
                        self.fail(port, &error);
                    }
                }
            }
        }
    }

    /// Delivers every frame that is due at `now`, and moves on frames that wait between pipes.
    #[inline]
    pub fn release(&mut self, now: Time) {
        while let Some(delivered) = self.network.poll(now) {
            self.send(delivered);
        }
    }

    /// Applies `changes` at `now`, all of them before any frame moves.
    pub fn change(&mut self, now: Time, changes: &[(PipeId, PipeChange)]) {
        self.release(now);
        self.network.change(now, changes);
        self.release(now);
    }

    /// Changes a shared medium at `now`.
    pub fn change_medium(
        &mut self,
        now: Time,
        medium: SegmentId,
        change: &MediumChange,
    ) -> Result<(), RadioError> {
        self.release(now);
        let changed = self.network.change_medium(now, medium, change);
        self.release(now);
        changed
    }

    /// Notes that the interface at an end of a link is up or down, and which MTUs limit the frames
    /// of its pipes.
    pub fn set_end(&mut self, link: LinkId, (end, up): (usize, bool), receivers: [Option<u32>; 2]) {
        let now = self.clock.now();
        self.release(now);
        for (direction, mtu) in Direction::BOTH.into_iter().zip(receivers) {
            self.network.set_receiver_mtu(now, PipeId { link, direction }, mtu);
        }
        self.network.set_end(now, link, end, up);
        self.release(now);
    }

    /// Returns the shared media of this shard.
    pub fn media(&mut self, now: Time) -> Vec<MediumView> {
        self.network.media(now)
    }

    /// Returns the entries of air logs since the last call.
    pub fn take_air_logs(&mut self, now: Time) -> Vec<netloom_fabric::AirLogPart> {
        self.release(now);
        let parts = self.network.take_air_logs(now);
        self.release(now);
        parts
    }

    /// Returns the stations that have joined or left access points since the last call.
    pub fn take_associations(&mut self) -> Vec<(SegmentId, AssociationEvent)> {
        self.network.take_associations()
    }

    /// Starts everything that changes by itself with time anew, as if it were set at `at`.
    pub fn begin(&mut self, at: Time) {
        self.release(at);
        self.network.begin(at);
        self.release(at);
        // What came to nothing before all machines had met is no loss of the run.
        let drops = &mut self.recorder().counters.unmodelled;
        (drops.tunnel, drops.tunnel_refused) = (0, 0);
    }

    /// Passes the frame in the device buffer into the network.
    #[inline]
    fn arrived(&mut self, port: PortId, now: Time) {
        if self.buffer.filled() < HEADER_BYTES {
            let pipe = self.network.pipe_from(port);
            return self.recorder().lost_at_device(pipe, Loss::Malformed, 1);
        }
        match self.network.memory().take(&mut self.buffer) {
            Some(frame) => self.network.offer(port, now, frame),
            None => {
                let pipe = self.network.pipe_from(port);
                self.recorder().lost_at_device(pipe, Loss::NoMemory, 1);
            }
        }
    }

    /// Writes a frame that has left its link to the device of its port.
    #[inline]
    fn send(&mut self, delivered: Delivered<PipeFrame>) {
        let Delivered { port, pipe, delivery } = delivered;
        let Delivery { mut frame, info, passage, release } = delivery;
        let frames = u64::from(info.frames());
        // As behind a cable. Super-frames stand for frames that a card would have put together.
        if !frame.0.is_super() && frame.0.header().needs_checksum {
            frame.0.finish_checksum();
        }
        let sent = match self.ports[port.index()].as_mut() {
            Some(OpenPort { device, is_alive: true, .. }) => device.send(&frame.0),
            _ => Err(SendError::Gone(io::ErrorKind::NotConnected.into())),
        };
        let mut outcome = Occurrence::HandedOver;
        if let Err(error) = sent {
            self.refused(pipe, port, frames, &error);
            self.network.not_taken(pipe, &info, release);
            outcome = Occurrence::Refused;
        }
        if self.network.observer().has_log() {
            self.log_hand_over(pipe, passage.number, &info, outcome);
        }
        self.network.memory().give_back(frame);
    }

    /// Logs the end of a delivery, after all earlier events of the pipe.
    #[cold]
    fn log_hand_over(
        &mut self,
        pipe: PipeSlot,
        number: u64,
        info: &FrameInfo,
        outcome: Occurrence,
    ) {
        self.network.show_events(pipe);
        self.recorder().log_hand_over(pipe, number, info, outcome);
    }

    #[cold]
    fn refused(&mut self, pipe: PipeSlot, port: PortId, frames: u64, error: &SendError) {
        let loss = match error {
            SendError::Full => Loss::DeviceFull,
            SendError::Rejected(_) => Loss::Rejected,
            SendError::Gone(source) => {
                self.fail(port, source);
                Loss::DeviceGone
            }
            SendError::InterfaceDown => {
                self.recorder().counters.interface_down += frames;
                return;
            }
        };
        self.recorder().lost_at_device(pipe, loss, frames);
    }

    /// Stops using the device of `port`. Records the reason once.
    #[cold]
    fn fail(&mut self, port: PortId, error: &io::Error) {
        let Some(state) = self.ports[port.index()].as_mut() else { return };
        if std::mem::replace(&mut state.is_alive, false) {
            // Frames from a device enter the pipe that begins at its end of the link.
            let PipeId { link, direction } = self.network.pipe_from(port).id;
            let (end, at, error) = (direction.index(), self.clock.now(), error.to_string());
            self.recorder().counters.failures.push(DeviceFailure { link, end, at, error });
        }
    }

    /// Stops waiting for the device of `port`.
    fn forget(&self, port: PortId, waiter: &Waiter) {
        let state = self.ports[port.index()].as_ref();
        if let Some(fd) = state.and_then(|port| port.device.fd()) {
            // Fails only if the descriptor left the queue by itself, which is the aim.
            let _ = waiter.forget(fd);
        }
    }

    /// Joins a link.
    ///
    /// # Errors
    /// If a device cannot be waited for. Nothing has changed then.
    pub fn join(&mut self, id: LinkId, parts: Parts, waiter: &Waiter) -> Result<(), Box<Refused>> {
        let Parts { ends, pipes, taps, parted } = parts;
        let ends = ends.map(|end| self.open(end));
        let unwatched = ends.iter().map(|end| self.watch_end(end, waiter));
        let refused = unwatched.enumerate().find_map(|(end, watched)| Some((end, watched.err()?)));
        if let Some((end, source)) = refused {
            let ends = ends.map(|end| self.close(end, waiter));
            return Err(Box::new(Refused {
                parts: Parts { ends, pipes, taps, parted },
                end,
                source,
            }));
        }
        self.network.join(id, Link { ends, pipes }, self.clock.now());
        for (pipe, taps) in self.pipes_of(id).into_iter().zip(taps) {
            self.recorder().open(pipe, taps);
        }
        Ok(())
    }

    /// Removes a link, with its captures, and with or without the frames in it.
    pub fn part(&mut self, id: LinkId, with_frames: bool, waiter: &Waiter) -> Option<Parts> {
        let now = self.clock.now();
        for _ in 0..ROUNDS {
            if !self.network.has_work() {
                break;
            }
            self.release(now);
        }
        self.network.drop_hops();
        if !with_frames {
            self.network.empty(id, now);
        }
        let slots = self.pipes_of(id);
        let Link { ends, pipes } = self.network.part(id, now)?;
        let mut taps = slots.into_iter().map(|pipe| self.recorder().close(pipe));
        let taps = [taps.next()?, taps.next()?];
        let ends = ends.map(|end| self.close(end, waiter));
        Some(Parts { ends, pipes, taps, parted: Some(now) })
    }

    /// Returns the slots of the two pipes of a link, if it is here.
    fn pipes_of(&mut self, link: LinkId) -> Vec<PipeSlot> {
        let slot = |direction| Some(self.network.pipe(PipeId { link, direction })?.0);
        Direction::BOTH.into_iter().filter_map(slot).collect()
    }

    /// Adds a capture of the frames that enter one pipe of a link and of those that leave the
    /// other.
    pub fn capture(&mut self, entry: PipeId, exit: PipeId, sink: CaptureSink) {
        if let Some((pipe, _)) = self.network.pipe(entry) {
            self.recorder().taps(pipe).entry.push(sink.clone());
        }
        if let Some((pipe, _)) = self.network.pipe(exit) {
            self.recorder().taps(pipe).exit.push(sink);
        }
    }

    /// Logs the events in these pipes from now on, each under its number in the log. Returns
    /// `false` if there is a log already.
    pub fn log(&mut self, pipes: &[(PipeId, u32)], sink: LogSink) -> bool {
        if !self.recorder().begin_log(sink) {
            return false;
        }
        for (id, number) in pipes {
            if let Some((slot, pipe)) = self.network.pipe(*id) {
                pipe.record_events(true);
                self.recorder().log_pipe(slot, *number);
            }
        }
        true
    }

    /// Ends the log. All events so far are in it.
    pub fn end_log(&mut self) {
        let slots: Vec<PipeSlot> = self.network.pipes(0).map(|(slot, _)| slot).collect();
        slots.into_iter().for_each(|slot| self.network.show_events(slot));
        self.network.pipes(0).for_each(|(_, pipe)| pipe.record_events(false));
        self.recorder().end_log();
    }

    /// Returns the load of links since the last call.
    pub fn take_load(&mut self) -> Load {
        let links: Vec<_> = self.network.links().collect();
        let mut loads = Vec::with_capacity(links.len());
        for (link, ends) in links {
            let may_move = ends.iter().all(|end| self.is_alive(end));
            let slots = self.pipes_of(link);
            let frames = slots.into_iter().map(|pipe| self.recorder().take_offered(pipe)).sum();
            loads.push(LinkLoad { link, frames, may_move });
        }
        Load { links: loads, logs: self.recorder().has_log() }
    }

    /// Whether there is a single device at the end of a link, and it has not failed.
    fn is_alive(&self, end: &LinkEnd) -> bool {
        let LinkEnd::Port(port) = end else { return false };
        self.ports[port.index()].as_ref().is_some_and(|port| port.is_alive)
    }

    /// Returns the pipes whose slots are at `from` or beyond, in their order. One that comes from
    /// another machine has its account there, and nothing to report here.
    pub fn pipes(&mut self, from: usize) -> impl Iterator<Item = (PipeSlot, &mut Pipe<PipeFrame>)> {
        self.network.pipes(from)
    }

    /// Returns the pipe of each slot. `None` where there is none.
    pub fn pipes_by_slot(&mut self) -> Vec<Option<PipeId>> {
        let mut pipes = vec![None; self.network.slots()];
        self.network.pipes(0).for_each(|(slot, _)| pipes[slot.slot] = Some(slot.id));
        pipes
    }

    /// Returns the ends of links that are ports of switches.
    pub fn segment_ends(&self) -> Vec<netloom_fabric::SegmentEnd> {
        self.network.segment_ends().collect()
    }

    /// Returns all devices, each with the end of its link.
    pub fn into_devices(mut self) -> Vec<Returned> {
        let mut devices = Vec::new();
        for index in 0..self.ports.len() {
            if let Some(OpenPort { device, .. }) = self.ports[index].take() {
                let port = PortId(u32::try_from(index).unwrap_or(u32::MAX));
                let PipeId { link, direction } = self.network.pipe_from(port).id;
                devices.push((link, direction.index(), device));
            }
        }
        devices
    }

    /// Opens ports for the devices at the end of a link.
    fn open(&mut self, end: End) -> LinkEnd {
        end.map(|device| self.add_port(device))
    }

    /// Frees the ports at the end of a link. Returns the end with its devices.
    fn close(&mut self, end: LinkEnd, waiter: &Waiter) -> End {
        end.map(|port| {
            let device = self.remove_port(port, waiter);
            // A port belongs to one link only, and is taken from it once.
            device.unwrap_or_else(|| unreachable!("a port has its device until its link goes"))
        })
    }

    fn add_port(&mut self, device: Box<dyn FrameDevice>) -> PortId {
        let port = self.free_ports.pop().unwrap_or_else(|| {
            self.ports.push(None);
            PortId(u32::try_from(self.ports.len() - 1).unwrap_or(u32::MAX))
        });
        let is_stamped = device.knows_arrivals() || device.fd().is_none();
        self.unstamped += usize::from(!is_stamped);
        self.ports[port.index()] = Some(OpenPort { device, is_alive: true, is_stamped });
        port
    }

    fn remove_port(&mut self, port: PortId, waiter: &Waiter) -> Option<Box<dyn FrameDevice>> {
        self.forget(port, waiter);
        self.held.retain(|(held, _)| *held != port);
        self.free_ports.push(port);
        let OpenPort { device, is_stamped, .. } = self.ports[port.index()].take()?;
        self.unstamped -= usize::from(!is_stamped);
        Some(device)
    }

    /// Waits for frames from the devices at the end of a link.
    fn watch_end(&self, end: &LinkEnd, waiter: &Waiter) -> io::Result<()> {
        end.ports().try_for_each(|port| self.watch(*port, waiter))
    }

    fn watch(&self, port: PortId, waiter: &Waiter) -> io::Result<()> {
        let state = self.ports[port.index()].as_ref();
        state.and_then(|port| port.device.fd()).map_or(Ok(()), |fd| waiter.watch(fd, port))
    }
}
