//! Twins of TCP connections. Both ends of a twin are in the simulation. They write what real
//! programs wrote, when they wrote it, and react to the simulated network by themselves. Not here:
//! how programs are observed, and what TCP does (`netloom-tcp`).

use std::net::SocketAddr;

use netloom_tcp::{Algorithm, Endpoint, Flags, State};
use netloom_units::Time;

use crate::bytes;

/// An action of a real host on a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketEvent {
    /// Time of the action.
    pub at: Time,
    /// Number of the connection, which is the same at both ends.
    pub connection: u32,
    /// The action.
    pub action: SocketAction,
}

/// An action of a real host on a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketAction {
    /// The host opened the connection.
    Connect(SocketEnds),
    /// The host waits for the other end to open the connection.
    Await(SocketEnds),
    /// The program had written this many bytes by then, in total.
    Wrote(u64),
    /// The program reads more slowly than bytes arrive: it had read this many by then, in total,
    /// and reads no more for now. `None`: it reads everything that arrives.
    Reads(Option<u64>),
    /// The program writes no more.
    Finish,
    /// The host reset the connection.
    Reset,
}

/// The ends of a connection, from the host's point of view, and its TCP parameters there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketEnds {
    /// The host's own end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// Congestion control of the connection. `None`: the host's default.
    pub algorithm: Option<Algorithm>,
    /// The longest segment that the host accepts, as its SYN announces.
    pub mss: Option<u16>,
}

/// Counts of bytes at one end of a connection's twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SocketTotals {
    /// Bytes written: all that the real program had written by then, once there was room.
    pub written: u64,
    /// The part of them that the other end has acknowledged.
    pub acknowledged: u64,
    /// Bytes read.
    pub read: u64,
}

/// The fields of a real host's TCP segment that concern its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealSegment {
    /// Source and destination.
    pub ends: [SocketAddr; 2],
    /// Sequence number of the segment.
    pub sequence: u32,
    /// Bytes of payload.
    pub payload: u32,
    /// Flags of the segment.
    pub flags: Flags,
    /// The longest segment that its sender accepts, if the segment is a SYN that announces it.
    pub mss: Option<u16>,
}

impl RealSegment {
    /// Parses an IP packet. Returns `None` if it holds no complete segment.
    pub fn of(packet: &[u8]) -> Option<Self> {
        let (ends, body) = bytes::tcp(packet)?;
        let (segment, _, _) = bytes::segment_of(&body)?;
        let (sequence, payload, flags) = (segment.seq, segment.len, segment.flags);
        Some(Self { ends, sequence, payload, flags, mss: segment.syn.map(|syn| syn.mss) })
    }
}

/// One end of a connection's twin.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TwinSocket {
    /// The simulated connection with this number.
    Open(u32),
    /// The twin has ended, or never existed.
    Over(SocketTotals),
}

/// The behaviour of a real program at its end of a connection.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Number of the connection.
    connection: u32,
    /// Bytes that the real program has written, in total.
    wanted: u64,
    /// Number of bytes up to which it reads, if it does not read everything that arrives.
    limit: Option<u64>,
    written: u64,
    read: u64,
    /// The action that ends the connection, once everything is written or delivered.
    ends: Option<SocketAction>,
}

impl Program {
    /// Returns the program at an end of a connection.
    pub fn new(connection: u32) -> Self {
        Self { connection, ..Self::default() }
    }

    /// Number of its connection.
    pub fn connection(&self) -> u32 {
        self.connection
    }

    /// Takes note of what the real program did.
    pub fn heed(&mut self, action: SocketAction) {
        match action {
            SocketAction::Connect(_) | SocketAction::Await(_) => {}
            SocketAction::Wrote(bytes) => self.wanted = self.wanted.max(bytes),
            SocketAction::Reads(limit) => self.limit = limit,
            SocketAction::Finish | SocketAction::Reset => self.ends = Some(action),
        }
    }

    /// Writes, reads and ends as far as it can now.
    pub fn go(&mut self, now: Time, endpoint: &mut Endpoint) {
        if self.written < self.wanted {
            self.written += endpoint.write(now, self.wanted - self.written);
        }
        if endpoint.readable() > 0 {
            let most = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.read));
            self.read += endpoint.read(now, most);
        }
        // A connection that is shut down before it is established would be given up.
        let is_open = endpoint.state().synchronized() || endpoint.state() == State::SynReceived;
        if !is_open || self.written < self.wanted {
            return;
        }
        match self.ends {
            Some(SocketAction::Finish) => {
                self.ends = None;
                endpoint.shutdown(now);
            }
            // What the program wrote before the reset has left the host.
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

    /// Returns what has been written and read at its end.
    pub fn totals(&self, endpoint: &Endpoint) -> SocketTotals {
        // `bytes_acked` includes SYN and FIN.
        let acknowledged = endpoint.info().bytes_acked.min(self.written);
        SocketTotals { written: self.written, acknowledged, read: self.read }
    }
}
