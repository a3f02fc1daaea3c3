//! Peers: data planes on other machines, each of which has the far ends of some links. Here is what
//! an owner says and asks about them. Not here: who the machines are, and how they find each other.
//!
//! | module | contents |
//! |---|---|
//! | `streams` | a worker's socket: frames to the peers and from them |
//! | `translation` | times of a pipe's frames, from one clock to the other |
//! | `timekeeper` | the thread that learns what the peers' clocks show |
//! | `kernel_clock` | what the kernel says of this machine's clocks |
//! | `ways` | how long datagrams take to a peer, and how long they may be |
//! | `survey` | clocks and ways between machines before there is a network: [`Survey`] |
//! | `sealing` | encryption of datagrams |
//! | `board` | what that thread has learnt, for workers to read without a lock |

mod board;
mod kernel_clock;
mod sealing;
mod streams;
mod survey;
mod timekeeper;
mod translation;
mod ways;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

use netloom_clock::Line;
use netloom_fabric::{LinkId, PipeId};
use netloom_ports::DatagramSocket;
use netloom_tunnel::Refused;
use netloom_units::{Duration, Time};

use crate::peer_id::PeerId;
pub(crate) use board::Board;
use sealing::Cipher;
pub use sealing::Secret;
pub(crate) use streams::{Came, Heard, News, Route, StreamStatus, Streams, TELL};
pub use survey::{Survey, Surveyed};
pub(crate) use timekeeper::{Fault, Timekeeper};

/// Number of the path between two sockets for clocks. All others are smaller.
const CLOCK_PATH: u32 = u32::MAX;

/// How this data plane exchanges frames with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tunnels {
    /// Number of this machine.
    pub me: PeerId,
    /// The other machines that links lead to.
    pub peers: Vec<PeerId>,
    /// Number that all machines of this experiment share, and no other experiment has. Datagrams
    /// with another one are refused.
    pub session: u64,
    /// Address that the sockets are bound to.
    pub bind: IpAddr,
    /// UDP ports that the sockets may have, one each: one socket for each worker with such links,
    /// and one for clocks. `0..=0`: whichever are free.
    pub ports: RangeInclusive<u16>,
    /// Length of a datagram, in bytes of UDP payload: what the path carries unfragmented.
    pub datagram: usize,
    /// What all machines of the experiment know and nobody else, by which datagrams are encrypted.
    /// `None`: they are not.
    pub secret: Option<Secret>,
}

impl Tunnels {
    /// Returns the session of datagrams between this machine and a peer, the same on both. No other
    /// pair has it.
    fn session_with(&self, peer: PeerId) -> u64 {
        let (low, high) = (self.me.min(peer), self.me.max(peer));
        self.session ^ (u64::from(low.0) << 32 | u64::from(high.0))
    }

    /// Returns what seals datagrams to a peer, and what opens those from it.
    fn ciphers(&self, peer: PeerId) -> [Cipher; 2] {
        let of = |from, to| sealing::cipher(self.secret.as_ref(), self.session, from, to);
        [of(self.me, peer), of(peer, self.me)]
    }

    /// Opens a socket.
    fn bind(&self) -> io::Result<DatagramSocket> {
        DatagramSocket::bind(self.bind, self.ports.clone(), self.datagram)
    }
}

/// The sockets of a data plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doors {
    /// The socket that answers questions about the clock.
    pub clock: SocketAddr,
    /// The socket that serves each link with an end on another machine, in the order of links.
    pub links: Vec<(LinkId, SocketAddr)>,
}

impl Doors {
    /// Returns the number of each socket for links: its place in the order of the first links.
    pub(crate) fn numbers(&self) -> BTreeMap<SocketAddr, u32> {
        let mut numbers = BTreeMap::new();
        for (_, socket) in &self.links {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            numbers.entry(*socket).or_insert(next);
        }
        numbers
    }
}

/// State of a peer.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerStatus {
    /// The peer.
    pub peer: PeerId,
    /// What its `CLOCK_MONOTONIC` shows, and how exactly that is known. `None` until it has
    /// answered.
    pub clock: Option<Line>,
    /// Shortest round trip of a probe among the recent ones. `None` until it has answered.
    pub round_trip: Option<Duration>,
    /// Number of probes that were sent.
    pub probes: u64,
    /// Number of probes that were not answered within a second.
    pub lost_probes: u64,
    /// When what `clock` said was last wrong, the latest time last. After a step, the estimate
    /// begins anew.
    pub clock_faults: Vec<ClockFault>,
    /// Time at which it last sent anything about its clock.
    pub heard: Option<Time>,
    /// What came from it and was refused: datagrams, and records in them.
    pub refused: Refused,
    /// Why datagrams to it were last not sent, if some were not.
    pub trouble: Option<String>,
    /// What crossed each pipe between it and this machine, in the order of pipes.
    pub pipes: Vec<CrossedPipe>,
}

/// A time in which more was wrong with what was known of a peer's clock than its bound said. That
/// is known only afterwards, from the first exchange that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockFault {
    /// Its number among all of the peer, from 0.
    pub number: u64,
    /// When it began, at the earliest.
    pub since: Time,
    /// How much more it may have been, on the machine's clock.
    pub by: Duration,
    /// Whether one of the clocks has jumped, or runs at a rate that was excluded. Then it may have
    /// been any amount; `by` is what was seen of it.
    pub is_step: bool,
}

/// What crossed a pipe between two machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossedPipe {
    /// The pipe.
    pub pipe: PipeId,
    /// Counts of its frames.
    pub counts: CrossedFrames,
}

/// Counts of the wire frames of a pipe between two machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrossedFrames {
    /// The pipe leads to the peer.
    Sent {
        /// Frames that left the line of the pipe.
        left: u64,
        /// Frames among these that the socket had no room for. The peer counts them as lost.
        full: u64,
        /// Frames among these that left before the peer was connected. The peer counts them as
        /// lost as soon as it has heard of the pipe.
        unconnected: u64,
    },
    /// The pipe comes from the peer.
    Received {
        /// Frames that were sent, as far as the peer has told. (It tells every 100 ms.)
        sent: u64,
        /// Frames that came.
        came: u64,
        /// Frames among these that could not be put into the network: unmodelled losses.
        refused: u64,
        /// Frames that were sent and have not come: unmodelled losses.
        lost: u64,
    },
}
