//! A survey of the ways between machines, before there is a network: the same questions about
//! clocks as in a run, but more of them, and some longer ones. Not here: who asks for it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use netloom_clock::Line;
use netloom_units::Duration;

use super::Tunnels;
use super::board::Board;
use super::kernel_clock::steering;
use super::timekeeper::Timekeeper;
use crate::DataplaneError;
use crate::peer_id::PeerId;
use crate::scheduling::Scheduling;

/// The part of a survey that one machine does. It ends with it.
#[derive(Debug)]
pub struct Survey {
    peers: Vec<PeerId>,
    timekeeper: Timekeeper,
    queue: usize,
}

/// What a survey has found of a peer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surveyed {
    /// The peer.
    pub peer: PeerId,
    /// Whether anything came from it.
    pub is_heard: bool,
    /// What its clock shows. `None`: no question was answered.
    pub clock: Option<Line>,
    /// Shortest round trip of a probe among the recent ones.
    pub round_trip: Option<Duration>,
    /// Number of probes that were sent, and that had no answer within a second.
    pub probes: [u64; 2],
    /// Number of steps of one of the clocks.
    pub clock_steps: u64,
    /// Time that 99.9 % of the probes took there, and back.
    pub delays: Option<[Duration; 2]>,
    /// Longest datagram that came there, in bytes.
    pub longest: Option<usize>,
}

impl Survey {
    /// Opens the socket, and answers from now on. `lengths` are those of datagrams, in ascending
    /// order, that are tried beside probes of the tunnels' length.
    ///
    /// # Errors
    /// If the socket cannot be opened.
    pub fn start(tunnels: &Tunnels, lengths: &[usize]) -> Result<Self, DataplaneError> {
        let socket = tunnels.bind().map_err(DataplaneError::system("open a socket for frames"))?;
        let socket = socket.uncut();
        let queue = socket.queue().unwrap_or(0);
        let board = Arc::new(Board::new(tunnels.peers.len()));
        let scheduling = Scheduling::RealTime;
        let timekeeper = Timekeeper::on(socket, tunnels, board, scheduling, lengths)?;
        Ok(Self { peers: tunnels.peers.clone(), timekeeper, queue })
    }

    /// Returns the address of its socket.
    pub fn address(&self) -> SocketAddr {
        self.timekeeper.address()
    }

    /// Returns the size of the kernel's queue for its socket, in bytes.
    pub fn queue(&self) -> usize {
        self.queue
    }

    /// Begins to ask a peer.
    ///
    /// # Errors
    /// If it is none of the tunnels' peers.
    pub fn connect(&self, peer: PeerId, to: SocketAddr) -> io::Result<()> {
        let place = self.peers.iter().position(|one| *one == peer);
        let place = place.ok_or_else(|| io::Error::other("there is no such peer"))?;
        self.timekeeper.connect(place, to);
        Ok(())
    }

    /// Returns what is known so far.
    pub fn found(&self) -> Vec<Surveyed> {
        let found = self.peers.iter().enumerate().map(|(place, peer)| {
            let status = self.timekeeper.status(place);
            let ways = status.ways.unwrap_or_default();
            Surveyed {
                peer: *peer,
                is_heard: status.counts.heard.is_some(),
                clock: status.line,
                round_trip: status.round_trip,
                probes: [status.counts.probes, status.counts.lost_probes],
                clock_steps: status.faults.iter().filter(|fault| fault.is_step).count() as u64,
                delays: ways.delays,
                longest: ways.longest,
            }
        });
        found.collect()
    }

    /// Returns how fast this machine's kernel makes its clock run, in ppb, and how far from that it
    /// may run while an offset is removed.
    pub fn steering() -> (i32, u32) {
        let steering = steering();
        (steering.rate, steering.slew)
    }

    /// Whether this thread may be a real-time thread, as workers want to be.
    pub fn may_be_real_time() -> bool {
        let may = Scheduling::RealTime.enter() == Scheduling::RealTime;
        Scheduling::Normal.enter();
        may
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::{Duration as Patience, Instant};

    use super::*;
    use crate::Secret;

    #[test]
    fn two_machines_learn_of_each_other_s_clocks_and_ways() {
        let surveys = [(0, 1), (1, 0)].map(|(me, peer)| {
            let tunnels = Tunnels {
                me: PeerId(me),
                peers: vec![PeerId(peer)],
                session: 7,
                bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
                ports: 0..=0,
                datagram: 1252,
                secret: Some(Secret::new([3; 32])),
            };
            Survey::start(&tunnels, &[1252, 1472, 4000]).unwrap()
        });
        let [first, second] = &surveys;
        assert!(first.connect(PeerId(2), second.address()).is_err());
        first.connect(PeerId(1), second.address()).unwrap();
        let until = Instant::now() + Patience::from_secs(30);
        let found = loop {
            let [found] = first.found()[..] else { panic!("one peer") };
            if found.longest == Some(4000) && found.delays.is_some() {
                break found;
            }
            assert!(Instant::now() < until, "{found:?}");
            std::thread::sleep(Patience::from_millis(5));
        };
        // It is one clock.
        let line = found.clock.unwrap();
        assert!(line.offset.unsigned_abs() <= line.bound, "{line:?}");
        assert!(found.round_trip.is_some() && found.is_heard, "{found:?}");
        let [heard] = second.found()[..] else { panic!("one peer") };
        assert!(heard.is_heard && heard.clock.is_none(), "it was asked, and did not ask");
    }
}
