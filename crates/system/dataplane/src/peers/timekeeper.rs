//! The thread that learns what the peers' clocks show: it sends probes, answers those of peers, and
//! publishes what the replies say. Not here: what follows from an exchange (`netloom-clock`).

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use netloom_clock::{Config, Estimator, Event, Exchange, Line, Steering};
use netloom_ports::{DATAGRAMS_BYTES, DatagramSocket, monotonic};
use netloom_tunnel::{Header, Message, Path, Received, Receiver, Sender};
use netloom_units::{Dilation, Duration};

use super::board::Board;
use super::kernel_clock::{Since1970, steering};
use super::ways::{Ways, WaysStatus};
use super::{CLOCK_PATH, Cipher, Tunnels};
use crate::DataplaneError;
use crate::scheduling::Scheduling;
use crate::waiter::{Timeout, Waiter, Waker};
use crate::wakeup::exact_timers;

/// Time between two probes, in ns, and how long more are sent at first.
const PERIOD: u64 = 50_000_000;
const FIRST_PERIOD: u64 = 10_000_000;
const FIRST: u64 = 1_000_000_000;
/// The same in a survey: a peer is asked so often, but there may be many.
const LEAST_PERIOD: u64 = 1_000_000;
const PERIOD_OF_PEER: u64 = 250_000;
/// Time after which a probe counts as lost, in ns.
const PATIENCE: u64 = 1_000_000_000;
/// Number of faults that are kept. Each takes an exchange, so these are some of a second or more.
const FAULTS: usize = 32;
/// Number of recent round trips among which the shortest is reported.
const TRIPS: usize = 64;

/// A handle of the thread, which ends with it.
#[derive(Debug)]
pub(crate) struct Timekeeper {
    shared: Arc<Shared>,
    address: SocketAddr,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    clocks: Mutex<Vec<PeerClock>>,
    board: Arc<Board>,
    stop: AtomicBool,
}

/// The clock of one peer.
#[derive(Debug)]
struct PeerClock {
    path: Path,
    /// Where it is asked, if it is connected.
    to: Option<SocketAddr>,
    sender: Sender<Cipher>,
    receiver: Receiver<Cipher>,
    estimator: Estimator,
    /// When it was connected and when to send the next probe, on this machine's clock in ns.
    connected: u64,
    next_probe: u64,
    waiting: VecDeque<Waiting>,
    trips: VecDeque<u64>,
    faults: VecDeque<Fault>,
    counts: ClockCounts,
    /// What is learnt of the ways there and back, in a survey.
    ways: Option<Ways>,
}

/// A time in which answers may have been wrong by more than their bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub number: u64,
    /// Its beginning, at the earliest, on this machine's clock in ns.
    pub since: i64,
    /// How much more, in ns.
    pub by: u64,
    pub is_step: bool,
}

/// A probe without a reply so far.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    sent: u64,
    /// How our kernel steered its clock then.
    steering: Steering,
    /// The place of its length among those that a survey tries.
    length: Option<usize>,
}

/// What happened in asking a peer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClockCounts {
    pub probes: u64,
    pub lost_probes: u64,
    pub faults: u64,
    /// When it last sent anything, on this machine's clock in ns.
    pub heard: Option<u64>,
}

/// What is known of a peer's clock.
#[derive(Debug, Clone)]
pub(crate) struct ClockStatus {
    pub line: Option<Line>,
    pub round_trip: Option<Duration>,
    pub faults: Vec<Fault>,
    pub counts: ClockCounts,
    /// What is known of the ways there and back, in a survey.
    pub ways: Option<WaysStatus>,
}

impl Timekeeper {
    /// Starts the thread, with a socket of its own.
    pub fn start(
        tunnels: &Tunnels,
        board: Arc<Board>,
        scheduling: Scheduling,
    ) -> Result<Self, DataplaneError> {
        let socket = tunnels.bind();
        let socket = socket.map_err(DataplaneError::system("open a socket for clocks"))?;
        Self::on(socket, tunnels, board, scheduling, &[])
    }

    /// Starts the thread on a socket. If there are `lengths`, it learns of the ways to the peers,
    /// too: whether datagrams of these lengths come there.
    pub fn on(
        socket: DatagramSocket,
        tunnels: &Tunnels,
        board: Arc<Board>,
        scheduling: Scheduling,
        lengths: &[usize],
    ) -> Result<Self, DataplaneError> {
        let period = LEAST_PERIOD.max(tunnels.peers.len() as u64 * PERIOD_OF_PEER);
        let clocks = tunnels.peers.iter().map(|peer| {
            let path = Path { session: tunnels.session_with(*peer), number: CLOCK_PATH };
            let [to, from] = tunnels.ciphers(*peer);
            Ok(PeerClock {
                path,
                to: None,
                sender: Sender::new(path, tunnels.datagram, to)?,
                receiver: Receiver::new(path, from, []),
                estimator: Estimator::new(Config::default()),
                connected: 0,
                next_probe: u64::MAX,
                waiting: VecDeque::new(),
                trips: VecDeque::new(),
                faults: VecDeque::new(),
                counts: ClockCounts::default(),
                ways: match lengths {
                    [] => None,
                    lengths => Some(Ways::new(tunnels, *peer, lengths, period)?),
                },
            })
        });
        let clocks = Mutex::new(clocks.collect::<Result<Vec<_>, DataplaneError>>()?);
        // Without stamps of the kernel, bounds are wider.
        let _ = socket.stamp();
        let address = socket.address();
        let waiter = Waiter::new(Dilation::NONE);
        let waiter = waiter.map_err(DataplaneError::system("create an event queue"))?;
        let watched = waiter.watch_peers(socket.as_fd());
        watched.map_err(DataplaneError::system("wait for probes of clocks"))?;
        let waker = waiter.waker();
        let shared = Arc::new(Shared { clocks, board, stop: AtomicBool::new(false) });
        let (real_time, room) = (Since1970::default(), vec![0; DATAGRAMS_BYTES]);
        let asking = Asking { shared: Arc::clone(&shared), socket, waiter, room, real_time };
        let thread = thread::Builder::new()
            .name("netloom-clock".into())
            .spawn(move || asking.run(scheduling))
            .map_err(DataplaneError::system("start the thread of clocks"))?;
        Ok(Self { shared, address, waker, thread: Some(thread) })
    }

    /// Returns the address of its socket.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins to ask the peer in this place. Returns `false` if it is asked already.
    pub fn connect(&self, peer: usize, to: SocketAddr) -> bool {
        let mut clocks = self.shared.lock();
        let clock = &mut clocks[peer];
        if clock.to.is_some() {
            return false;
        }
        let now = monotonic();
        (clock.to, clock.connected, clock.next_probe) = (Some(to), now, now);
        drop(clocks);
        self.waker.wake();
        true
    }

    /// Returns what is known of the clock of the peer in this place.
    pub fn status(&self, peer: usize) -> ClockStatus {
        let clocks = self.shared.lock();
        let PeerClock { estimator, trips, faults, counts, ways, .. } = &clocks[peer];
        let round_trip = trips.iter().min().map(|trip| Duration::from_nanos(*trip));
        let faults = faults.iter().copied().collect();
        let line = estimator.line();
        let ways = ways.as_ref().map(|ways| ways.status(line));
        ClockStatus { line, round_trip, faults, counts: *counts, ways }
    }
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.waker.wake();
        // A thread that has panicked has said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<PeerClock>> {
        // What a panic leaves behind is read by nobody but the owner's status.
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread's own part.
struct Asking {
    shared: Arc<Shared>,
    socket: DatagramSocket,
    waiter: Waiter,
    room: Vec<u8>,
    real_time: Since1970,
}

impl Asking {
    fn run(mut self, scheduling: Scheduling) {
        scheduling.enter_ahead();
        exact_timers();
        while !self.shared.stop.load(Ordering::Acquire) {
            let timeout = match self.ask().checked_sub(monotonic()) {
                None | Some(0) => Timeout::None,
                Some(left) => Timeout::For(Duration::from_nanos(left)),
            };
            if self.waiter.wait(timeout).is_err() {
                // The event queue is ours and open, so this is a defect: the line grows old, and
                // its bound with it.
                return;
            }
            if self.waiter.has_peers() {
                self.answer();
            }
        }
    }

    /// Sends the probes that are due. Returns when the next one is.
    fn ask(&mut self) -> u64 {
        let mut clocks = self.shared.lock();
        let mut next = monotonic() + PERIOD;
        for clock in clocks.iter_mut() {
            let Some(to) = clock.to else { continue };
            let now = monotonic();
            while clock.waiting.front().is_some_and(|probe| probe.sent + PATIENCE < now) {
                let lost = clock.waiting.pop_front();
                clock.counts.lost_probes += u64::from(lost.is_some_and(|one| one.length.is_none()));
            }
            if clock.next_probe <= now {
                let period = match &clock.ways {
                    Some(ways) => ways.period,
                    None if now < clock.connected + FIRST => FIRST_PERIOD,
                    None => PERIOD,
                };
                clock.next_probe = (clock.next_probe + period).max(now);
                clock.probe(&mut self.socket, to);
            }
            next = next.min(clock.next_probe);
        }
        next
    }

    /// Takes all datagrams that have come.
    fn answer(&mut self) {
        let mut clocks = self.shared.lock();
        loop {
            self.real_time.look();
            let Ok(Some(arrived)) = self.socket.receive(&mut self.room) else {
                // All that comes from now on comes after that look.
                return self.real_time.keep();
            };
            let received = self.real_time.on_machine(arrived.unix_ns);
            for datagram in self.room[..arrived.bytes].chunks_mut(arrived.length.max(1)) {
                let Some(header) = Header::decode(datagram) else { continue };
                let is_of = |clock: &PeerClock| clock.path.session == header.path.session;
                let Some(peer) = clocks.iter().position(is_of) else { continue };
                let clock = &mut clocks[peer];
                let receiver = match (&mut clock.ways, header.path == clock.path) {
                    (_, true) => Some(&mut clock.receiver),
                    (ways, false) => ways.as_mut().and_then(|ways| ways.receiver(header.path)),
                };
                let Some(receiver) = receiver else { continue };
                // Refused ones are counted there; no others come to this socket.
                let opened = receiver.datagram(datagram, |_, _| ());
                let Ok(Received::Message(message)) = opened else { continue };
                clock.counts.heard = Some(received);
                let from = (&mut self.socket, arrived.from);
                if let Some(line) = clock.take(&message, received, from) {
                    self.shared.board.publish(peer, line);
                }
            }
        }
    }
}

impl PeerClock {
    /// Sends a probe, and in a survey another one of the next length.
    fn probe(&mut self, socket: &mut DatagramSocket, to: SocketAddr) {
        self.counts.probes += 1;
        let sent = monotonic();
        self.waiting.push_back(Waiting { sent, steering: steering(), length: None });
        let probe = self.sender.message(&Message::Probe { sent: signed(sent) });
        // What is not sent has no answer, which counts.
        let _ = socket.send(probe.bytes, to);
        let Some(ways) = &mut self.ways else { return };
        let sent = monotonic();
        if let Some((place, probe)) = ways.probe(signed(sent)) {
            self.waiting.push_back(Waiting { sent, steering: steering(), length: Some(place) });
            let _ = socket.send(probe.bytes, to);
        }
    }

    /// Takes a message that was `received` at this time. Returns what is known from a reply on.
    fn take(
        &mut self,
        message: &Message,
        received: u64,
        (socket, from): (&mut DatagramSocket, SocketAddr),
    ) -> Option<Line> {
        match *message {
            Message::Probe { sent } => {
                let Steering { rate, slew } = steering();
                let (probe_sent, probe_received) = (sent, signed(received));
                let sent = signed(monotonic());
                let reply = Message::Reply { probe_sent, probe_received, sent, rate, slew };
                // As a reply that is lost on its way.
                let _ = socket.send(self.sender.message(&reply).bytes, from);
                None
            }
            Message::Reply { probe_sent: t1, probe_received: t2, sent: t3, rate, slew } => {
                let asked = |probe: &Waiting| signed(probe.sent) == t1;
                let asked = self.waiting.iter().position(asked)?;
                let Waiting { steering: ours, length, .. } = self.waiting.remove(asked)?;
                let exchange = Exchange { t1, t2, t3, t4: signed(received) };
                if let Some(ways) = &mut self.ways {
                    ways.answered(length, exchange);
                }
                if length.is_some() {
                    return None;
                }
                let theirs = Steering { rate, slew };
                let event = self.estimator.add(exchange, ours, theirs).ok()?;
                event.into_iter().for_each(|event| self.note(event));
                if self.trips.len() == TRIPS {
                    self.trips.pop_front();
                }
                self.trips.push_back(u64::try_from(exchange.round_trip()).unwrap_or(0));
                self.estimator.line()
            }
        }
    }

    #[cold]
    fn note(&mut self, event: Event) {
        let (since, by, is_step) = match event {
            Event::Steered { since, by } => (since, by, false),
            Event::Stepped { since, by } => (since, by, true),
        };
        if self.faults.len() == FAULTS {
            self.faults.pop_front();
        }
        self.faults.push_back(Fault { number: self.counts.faults, since, by, is_step });
        self.counts.faults += 1;
    }
}

/// A time of a monotonic clock, which counts from the machine's start.
fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
