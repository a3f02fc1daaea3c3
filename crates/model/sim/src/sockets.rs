//! Twins of TCP connections: both ends of each are in the simulation, write what real programs
//! wrote when they did, and react to the simulated network by themselves. Not here: who watches
//! programs, and what TCP does (`netloom-tcp`).

use std::net::SocketAddr;
use std::sync::Arc;

use netloom_link::Stream;
use netloom_tcp::{Algorithm, Endpoint, Flags, State};
use netloom_units::Time;

use crate::Simulation;
use crate::application::Application;
use crate::cell::Cell;
use crate::foreign;
use crate::queue::Entity;
use crate::raw;
use crate::route::Exit;
use crate::sending::Kind;
use crate::tcp::Connection;

/// Something that a real host did with a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketEvent {
    /// When.
    pub at: Time,
    /// The number of the connection, which both of its ends have.
    pub connection: u32,
    /// What.
    pub action: SocketAction,
}

/// What a real host did with a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketAction {
    /// Began it.
    Connect(SocketEnds),
    /// Awaits a connection that the other end begins.
    Await(SocketEnds),
    /// Its program had written so many bytes by then, in all.
    Wrote(u64),
    /// Its program reads more slowly than bytes come: so many by then, in all, and no more for now.
    /// `None`: it reads what comes.
    Reads(Option<u64>),
    /// Writes no more.
    Finish,
    /// Reset it.
    Reset,
}

/// The ends of a connection, as the host has them that they are told to, and how it works there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketEnds {
    /// The host's own end.
    pub local: SocketAddr,
    /// The other one.
    pub remote: SocketAddr,
    /// Its congestion control, if that is known; else the host's.
    pub algorithm: Option<Algorithm>,
    /// The longest segment that it takes, as its SYN says.
    pub mss: Option<u16>,
}

/// Bytes at one end of a connection's twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SocketTotals {
    /// What was written: all that the real program had written by then, once there was room.
    pub written: u64,
    /// What of it the other end has acknowledged.
    pub acknowledged: u64,
    /// What was read.
    pub read: u64,
}

/// What a TCP segment of a real host says of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealSegment {
    /// Where it comes from, and where it goes.
    pub ends: [SocketAddr; 2],
    /// Its sequence number.
    pub sequence: u32,
    /// Bytes of payload.
    pub payload: u32,
    /// Its flags.
    pub flags: Flags,
    /// The longest segment that its sender takes, in a SYN that says so.
    pub mss: Option<u16>,
}

impl RealSegment {
    /// What is in an IP packet; nothing if that is no whole segment.
    pub fn of(packet: &[u8]) -> Option<Self> {
        let (ends, body) = raw::tcp(packet)?;
        let (segment, _, _) = foreign::segment_of(&body)?;
        let (sequence, payload, flags) = (segment.seq, segment.len, segment.flags);
        Some(Self { ends, sequence, payload, flags, mss: segment.syn.map(|syn| syn.mss) })
    }
}

/// A twin of a connection, by its host.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TwinSocket {
    /// It is the connection of that place.
    Open(u32),
    /// It is over, or never was.
    Over(SocketTotals),
}

/// What a real program does with its end of a connection.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// The number of its connection.
    connection: u32,
    /// What it has written.
    wanted: u64,
    /// How far it reads, if it does not read all that comes.
    limit: Option<u64>,
    written: u64,
    read: u64,
    /// What it ends with, once all is written, or delivered.
    ends: Option<SocketAction>,
}

impl Program {
    fn heed(&mut self, action: SocketAction) {
        match action {
            SocketAction::Connect(_) | SocketAction::Await(_) => {}
            SocketAction::Wrote(bytes) => self.wanted = self.wanted.max(bytes),
            SocketAction::Reads(limit) => self.limit = limit,
            SocketAction::Finish | SocketAction::Reset => self.ends = Some(action),
        }
    }

    /// Does what it can now.
    pub fn go(&mut self, now: Time, endpoint: &mut Endpoint) {
        if self.written < self.wanted {
            self.written += endpoint.write(now, self.wanted - self.written);
        }
        if endpoint.readable() > 0 {
            let most = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.read));
            self.read += endpoint.read(now, most);
        }
        // Before it is established, it would be given up.
        let is_open = endpoint.state().synchronized() || endpoint.state() == State::SynReceived;
        if !is_open || self.written < self.wanted {
            return;
        }
        match self.ends {
            Some(SocketAction::Finish) => {
                self.ends = None;
                endpoint.shutdown(now);
            }
            // What the program wrote has left before it was reset.
            Some(SocketAction::Reset) => {
                let info = endpoint.info();
                if info.unacked == 0 && info.unsent == 0 {
                    self.ends = None;
                    endpoint.abort(now);
                }
            }
            _ => {}
        }
    }

    fn totals(&self, endpoint: &Endpoint) -> SocketTotals {
        // SYN and FIN count there, too.
        let acknowledged = endpoint.info().bytes_acked.min(self.written);
        SocketTotals { written: self.written, acknowledged, read: self.read }
    }
}

impl Simulation {
    /// Has a flow of twins do what a real host did with its connections, at times that do not go
    /// back and are not over.
    pub fn bring_sockets(&mut self, flow: u32, events: impl IntoIterator<Item = SocketEvent>) {
        if let Some(cell) = self.cells.iter_mut().find(|cell| cell.senders.get(flow).is_some()) {
            cell.queue_twins(flow, |queue| queue.sockets.extend(events));
        }
    }

    /// What twins of connections have written and read, by the flow of their host and their number.
    pub fn socket_totals(&self) -> impl Iterator<Item = ((u32, u32), SocketTotals)> {
        self.cells.iter().flat_map(|cell| {
            cell.sockets.iter().map(|(whose, socket)| (*whose, cell.totals_of(socket)))
        })
    }
}

impl Cell {
    /// A host does something with a connection.
    pub(crate) fn act(&mut self, flow: u32, event: &SocketEvent) {
        let SocketEvent { connection, action, .. } = *event;
        let number = match action {
            SocketAction::Connect(ends) => self.mirror(flow, connection, &ends, true),
            SocketAction::Await(ends) => self.mirror(flow, connection, &ends, false),
            _ => match self.sockets.get(&(flow, connection)) {
                Some(TwinSocket::Open(number)) => Some(*number),
                Some(TwinSocket::Over(_)) | None => None,
            },
        };
        let now = self.now;
        let Some(number) = number else { return };
        let Some(found) = self.connections[number as usize].as_mut() else { return };
        if let Application::Mirrors(program) = &mut found.application {
            program.heed(action);
            program.go(now, &mut found.endpoint);
        }
        self.pump(number);
    }

    /// Makes an end of a connection's twin; none where the network knows no way.
    fn mirror(
        &mut self,
        flow: u32,
        connection: u32,
        ends: &SocketEnds,
        begins: bool,
    ) -> Option<u32> {
        self.sockets.insert((flow, connection), TwinSocket::Over(SocketTotals::default()));
        let flows = Arc::clone(&self.flows);
        let host = &flows[flow as usize];
        let Kind::Twins(config) = &host.kind else { return None };
        let local = self.book.find(ends.local.ip())?;
        let remote = self.book.find(ends.remote.ip())?;
        let (node, v6) = (host.from, ends.local.is_ipv6());
        let exit = self.nodes[node].exit(remote, &self.book, &self.neighbours);
        if matches!(exit, Exit::NoRoute | Exit::NoHost) {
            return None;
        }
        let peer = (remote, ends.remote.port(), ends.local.port());
        // The ports of a connection that is over serve another one.
        if let Some(before) = self.nodes[node].stack.connections.get(&peer).copied() {
            self.queue.set(Entity::Timer(before), None);
            self.forget(before);
        }
        let mut config = config.as_ref().clone();
        config.congestion_control = ends.algorithm.unwrap_or(config.congestion_control);
        config.max_segment = ends.mss.or(config.max_segment);
        let config = self.fitted(&config, node, exit, v6);
        let name = format!("{}/{connection}", host.name);
        let initial = Stream::new(self.seed, &name).bits() as u32;
        let endpoint = match begins {
            true => Endpoint::connect(self.now, config, initial),
            false => Endpoint::listen(config, initial),
        };
        let program = Program { connection, ..Program::default() };
        let number = self.add(Connection {
            node,
            local,
            peer,
            v6,
            traffic_class: 0,
            flow,
            begun: self.now,
            is_many: true,
            left: false,
            application: Application::Mirrors(Box::new(program)),
            endpoint: Box::new(endpoint),
        });
        self.sockets.insert((flow, connection), TwinSocket::Open(number));
        Some(number)
    }

    /// An end of a connection's twin is over: only what it wrote and read is kept.
    pub(crate) fn forget_socket(&mut self, flow: u32, program: &Program, endpoint: &Endpoint) {
        let over = TwinSocket::Over(program.totals(endpoint));
        self.sockets.insert((flow, program.connection), over);
    }

    fn totals_of(&self, socket: &TwinSocket) -> SocketTotals {
        let number = match socket {
            TwinSocket::Over(totals) => return *totals,
            TwinSocket::Open(number) => *number as usize,
        };
        match self.connections.get(number).and_then(Option::as_deref) {
            Some(Connection { application: Application::Mirrors(program), endpoint, .. }) => {
                program.totals(endpoint)
            }
            _ => SocketTotals::default(),
        }
    }
}
