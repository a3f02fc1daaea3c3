//! Two data planes, as on two machines, with links between them.
#![allow(dead_code)]

pub mod relay;

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use netloom_dataplane::{
    CrossedFrames, Dataplane, Doors, End, LinkWiring, Options, PeerId, Secret, Tunnels, Wiring,
};
use netloom_fabric::PipeId;
use netloom_ports::memory::MemoryPeer;

use crate::common::*;
use relay::{Fault, Relay};

pub const M1: PeerId = PeerId(1);
pub const M2: PeerId = PeerId(2);
/// Long enough for a frame to reach the other machine before its release, however busy this one is.
pub const LONG: &str = r#"{"delay":"50ms"}"#;

pub fn tunnels(me: PeerId, datagram: usize) -> Tunnels {
    Tunnels {
        secret: Some(Secret::new([7; 32])),
        me,
        peers: vec![if me == M1 { M2 } else { M1 }],
        session: 0x5eed,
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        ports: 0..=0,
        datagram,
    }
}

/// Returns the half of a link that is on one machine, whose `end` is there.
pub fn half(me: PeerId, name: &str, end: usize, here: End, away: bool, text: &str) -> LinkWiring {
    let there = End::Away { is_segment: away };
    let ends = if end == 0 { [here, there] } else { [there, here] };
    let peer = Some(if me == M1 { M2 } else { M1 });
    LinkWiring { peer, ..link(name, ends, text) }
}

/// Two machines.
pub struct Machines {
    pub planes: [Dataplane; 2],
    /// Held for the life of the data planes.
    _relays: Vec<Relay>,
}

impl Machines {
    /// Machines that are connected.
    pub fn of(planes: [Dataplane; 2]) -> Self {
        Self { planes, _relays: Vec::new() }
    }

    /// Starts a data plane on each, with datagrams of this length, and connects them, by relays
    /// with this fault if there is one.
    pub fn start(wirings: [Wiring; 2], datagram: usize, fault: Option<Fault>) -> Self {
        let now = Instant::now();
        // Origins differ, as on machines: only the clocks' offset tells.
        let origins = [now, now - Duration::from_millis(700)];
        let mut planes =
            [M1, M2].into_iter().zip(wirings).zip(origins).map(|((me, wiring), at)| {
                let tunnels = Some(tunnels(me, datagram));
                Dataplane::start(wiring, Options { tunnels, origin: at, ..options() }).unwrap()
            });
        let planes = [planes.next().unwrap(), planes.next().unwrap()];
        let doors = planes.each_ref().map(|plane| plane.tunnel_doors().unwrap().clone());
        let mut relays = Vec::new();
        let doors = doors.map(|doors| match &fault {
            Some(fault) => behind(doors, fault, &mut relays),
            None => doors,
        });
        planes[0].connect_peer(M2, &doors[1]).unwrap();
        planes[1].connect_peer(M1, &doors[0]).unwrap();
        let machines = Self { planes, _relays: relays };
        eventually("clocks", || {
            machines.planes[0].peer_clock(M2).is_some()
                && machines.planes[1].peer_clock(M1).is_some()
        });
        machines
    }

    /// Two machines, each with a device at its end of a link.
    pub fn joined(
        text: &str,
        datagram: usize,
        fault: Option<Fault>,
    ) -> (Self, MemoryPeer, MemoryPeer) {
        let ((a, left), (b, right)) = (device(), device());
        let wirings = [half(M1, "l", 0, a, false, text), half(M2, "l", 1, b, false, text)];
        let machines = Self::start(wirings.map(|half| wiring([half])), datagram, fault);
        (machines, left, right)
    }

    pub fn end(&self) {
        std::thread::scope(|scope| {
            let ends = self.planes.each_ref();
            let ends = ends.map(|plane| scope.spawn(|| plane.end_tunnels(PATIENCE).unwrap()));
            ends.into_iter().for_each(|end| assert_eq!(end.join().unwrap(), []));
        });
    }

    /// What crossed a pipe, by the machine of this index.
    pub fn crossed(&self, machine: usize, pipe: PipeId) -> CrossedFrames {
        let peers = self.planes[machine].peers().unwrap();
        peers[0].pipes.iter().find(|crossed| crossed.pipe == pipe).unwrap().counts
    }

    /// Frames of a forward pipe that the model delivered, that came, and that were lost.
    pub fn forward_counts(&self, link: u32) -> (u64, u64, u64) {
        let CrossedFrames::Received { came, refused, lost, .. } = self.crossed(1, forward(link))
        else {
            panic!("it comes from there")
        };
        assert_eq!(refused, 0);
        (statistics(&self.planes[0], forward(link)).delivered.frames, came, lost)
    }
}

/// Puts a relay before each socket for links. That for clocks stays.
fn behind(doors: Doors, fault: &Fault, relays: &mut Vec<Relay>) -> Doors {
    let mut known = Vec::new();
    let links = doors.links.into_iter().map(|(link, to)| {
        let found = known.iter().find(|(socket, _)| *socket == to).map(|(_, relay)| *relay);
        let relay = found.unwrap_or_else(|| {
            let relay = Relay::start(to, fault.clone());
            let address = relay.address();
            relays.push(relay);
            known.push((to, address));
            address
        });
        (link, relay)
    });
    Doors { links: links.collect(), ..doors }
}
