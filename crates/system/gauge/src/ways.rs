//! The ways between this machine and others: how long datagrams take, which sizes come through, and
//! how exactly the others' clocks are known. Not here: what follows from that.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::thread;
use std::time::Duration as Patience;

use anyhow::{Context, Result};
use netloom_dataplane::{PeerId, Secret, Survey, Surveyed, Tunnels};
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

/// How long others are asked.
const LASTS: Patience = Patience::from_millis(1000);
/// Smallest MTU that every path has (IPv6), and the greatest that is tried.
const LEAST_MTU: u16 = 1280;
const GREATEST_MTU: u16 = 9216;
/// MTUs above that of Ethernet that networks have.
const LARGE_MTUS: [u16; 19] = [
    1600,
    2000,
    4000,
    4352,
    4470,
    8000,
    8192,
    8500,
    8800,
    8900,
    8942,
    8950,
    8958,
    8972,
    8980,
    9000,
    9001,
    9100,
    GREATEST_MTU,
];

/// One machine among those that are asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// All machines, this one included.
    pub machines: Vec<String>,
    /// Address at which it takes datagrams.
    pub frames: IpAddr,
    /// First and last UDP port that may be used.
    pub ports: Option<[u16; 2]>,
    /// Number that all of these machines share, and nobody else.
    pub session: u64,
    /// What encrypts datagrams.
    pub secret: Option<[u8; 32]>,
}

/// The way from this machine to another one, and back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// Whether anything came from the other one.
    pub is_heard: bool,
    /// Shortest round trip. `None`: nothing was answered.
    pub round_trip: Option<Duration>,
    /// Largest error of what is known of the other one's clock.
    pub clock_bound: Option<Duration>,
    /// Number of steps of one of the two clocks.
    pub clock_steps: u64,
    /// Time that 99.9 % of the datagrams took there, and back.
    pub delays: Option<[Duration; 2]>,
    /// Number of datagrams that were sent there, and that had no answer.
    pub probes: [u64; 2],
    /// Largest IP packet that came there, in bytes.
    pub mtu: Option<u16>,
}

/// The part of this machine. It answers the others for as long as it lives.
#[derive(Debug)]
pub struct Prober {
    place: Place,
    survey: Survey,
}

impl Prober {
    /// Opens the socket.
    ///
    /// # Errors
    /// If the machine has no such address, or no port is free.
    pub fn start(place: Place) -> Result<Self> {
        let headers = headers(place.frames);
        let lengths: Vec<usize> = mtus().map(|mtu| usize::from(mtu) - headers).collect();
        let peers = place.machines.iter().filter(|name| **name != place.name);
        let tunnels = Tunnels {
            me: place.number(&place.name)?,
            peers: peers.map(|name| place.number(name)).collect::<Result<_>>()?,
            session: place.session,
            bind: place.frames,
            ports: place.ports.map_or(0..=0, |[first, last]| first..=last),
            datagram: usize::from(LEAST_MTU) - headers,
            secret: place.secret.map(Secret::new),
        };
        let at = match place.ports {
            None => place.frames.to_string(),
            Some([first, last]) => format!("{}, ports {first}-{last}", place.frames),
        };
        let survey = Survey::start(&tunnels, &lengths).with_context(|| {
            format!(
                "cannot take frames at {at}: `frames` of the list is an address of the machine, \
                 and `tunnel: {{ports: …}}` has ports that are free there"
            )
        })?;
        Ok(Self { place, survey })
    }

    /// Returns the address of the socket.
    pub fn address(&self) -> SocketAddr {
        self.survey.address()
    }

    /// Returns the size of the kernel's queue for the socket, in bytes.
    pub fn queue(&self) -> usize {
        self.survey.queue()
    }

    /// Asks the others for a second. `doors` are their sockets. Returns what was found of each.
    ///
    /// # Errors
    /// If one of them is none of the machines.
    pub fn ask(&self, doors: &BTreeMap<String, SocketAddr>) -> Result<BTreeMap<String, Way>> {
        for (name, at) in doors.iter().filter(|(name, _)| **name != self.place.name) {
            self.survey.connect(self.place.number(name)?, *at)?;
        }
        thread::sleep(LASTS);
        let found = self.survey.found().into_iter().filter_map(|found| {
            let name = self.place.machines.get(usize::try_from(found.peer.0).ok()?)?;
            Some((name.clone(), way(&found, self.place.frames)))
        });
        Ok(found.collect())
    }
}

fn way(found: &Surveyed, frames: IpAddr) -> Way {
    let now = i64::try_from(netloom_ports::monotonic()).unwrap_or(i64::MAX);
    let whole = |bytes: usize| u16::try_from(bytes + headers(frames)).ok();
    Way {
        is_heard: found.is_heard,
        round_trip: found.round_trip,
        clock_bound: found.clock.map(|line| Duration::from_nanos(line.offset(now).bound)),
        clock_steps: found.clock_steps,
        delays: found.delays,
        probes: found.probes,
        mtu: found.longest.and_then(whole),
    }
}

/// Bytes of the headers of IP and UDP.
fn headers(address: IpAddr) -> usize {
    if address.is_ipv4() { 20 + 8 } else { 40 + 8 }
}

/// Returns the MTUs that are tried, in ascending order: up to that of Ethernet each fourth, since
/// tunnels take a few bytes from it.
fn mtus() -> impl Iterator<Item = u16> {
    (LEAST_MTU..=1500).step_by(4).chain(LARGE_MTUS)
}

impl Place {
    fn number(&self, name: &str) -> Result<PeerId> {
        let place = self.machines.iter().position(|machine| machine == name);
        let place = place.with_context(|| format!("there is no machine `{name}`"))?;
        Ok(PeerId(u32::try_from(place)?))
    }
}

/// How the kernel steers this machine's clock: what it gains, in ppb, and how far from that it may
/// run while an offset is removed.
pub fn steering() -> (i32, u32) {
    Survey::steering()
}

/// Whether this process may have real-time threads, as engines want to.
pub fn may_be_real_time() -> bool {
    Survey::may_be_real_time()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn place(name: &str) -> Place {
        Place {
            name: name.into(),
            machines: vec!["m1".into(), "m2".into()],
            frames: IpAddr::V4(Ipv4Addr::LOCALHOST),
            ports: None,
            session: 5,
            secret: Some([1; 32]),
        }
    }

    #[test]
    fn sizes_that_are_tried_ascend_and_have_that_of_ethernet() {
        let all: Vec<u16> = mtus().collect();
        assert!(all.is_sorted() && all.contains(&1500) && all.contains(&9000), "{all:?}");
    }

    #[test]
    fn two_places_find_the_way_between_them() {
        let [m1, m2] = ["m1", "m2"].map(|name| Prober::start(place(name)).unwrap());
        let doors = [("m1", m1.address()), ("m2", m2.address())];
        let doors = doors.map(|(name, at)| (name.to_owned(), at)).into();
        let found = thread::scope(|scope| {
            let other = scope.spawn(|| m2.ask(&doors).unwrap());
            (m1.ask(&doors).unwrap(), other.join().unwrap())
        });
        for way in [found.0["m2"], found.1["m1"]] {
            assert!(way.is_heard && way.delays.is_some(), "{way:?}");
            assert_eq!((way.mtu, way.clock_steps), (Some(GREATEST_MTU), 0), "{way:?}");
        }
    }

    #[test]
    fn an_address_of_another_machine_is_named() {
        let wrong = Place { frames: IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7)), ..place("m1") };
        let error = format!("{:#}", Prober::start(wrong).unwrap_err());
        assert!(error.contains("203.0.113.7") && error.contains("`frames`"), "{error}");
    }
}
