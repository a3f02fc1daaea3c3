//! A learning switch: out of which lanes a frame goes that has come in by a port. The cost of a frame
//! to one receiver does not depend on the number of ports. Not here: the table (`netloom-link`), and
//! moving the frame (`fabric`), VLANs (`vlan`).

use netloom_link::{Forward, LearningTable, MacKey};
use netloom_units::Time;

/// Of a port without a link.
pub(crate) const NO_LANE: usize = usize::MAX;

/// A switch; each port has the lane that leads out of it.
#[derive(Debug)]
pub(crate) struct Switch {
    number: usize,
    /// Where its spanning tree is, if it runs one.
    pub tree: Option<usize>,
    table: LearningTable,
    lanes: Vec<usize>,
}

impl Switch {
    /// The wiring's switch of that number, without a port.
    pub fn new(number: usize) -> Self {
        Self { number, tree: None, table: LearningTable::default(), lanes: Vec::new() }
    }

    /// Its number in the wiring.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Adds a port out of which `lane` leads; the port's number.
    pub fn add_port(&mut self, lane: usize) -> usize {
        let free = self.lanes.iter().position(|lane| *lane == NO_LANE);
        let port = free.unwrap_or_else(|| {
            self.lanes.push(NO_LANE);
            self.lanes.len() - 1
        });
        self.lanes[port] = lane;
        port
    }

    /// Takes the link from `port`; whether another port still has one.
    pub fn remove_port(&mut self, port: usize) -> bool {
        self.forget(port);
        self.lanes[port] = NO_LANE;
        self.lanes.iter().any(|lane| *lane != NO_LANE)
    }

    /// Where a frame goes whose Ethernet header is at the start of `bytes`, and that came by `port`
    /// at `now`; its source is behind that port from now on.
    pub fn decide(&mut self, now: Time, port: usize, bytes: &[u8]) -> Forward {
        let (source, destination) = addresses(bytes);
        self.table.forward(now, port, source, destination)
    }

    /// The lane that leads out of `port`, or [`NO_LANE`]; never that for a port that the table knows.
    pub fn lane(&self, port: usize) -> usize {
        self.lanes[port]
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.lanes.len()
    }

    /// Forgets what is behind `port`.
    pub fn forget(&mut self, port: usize) {
        self.table.forget_port(port);
    }
}

/// Source and destination of the frame whose Ethernet header is at the start of `bytes`.
#[inline]
pub(crate) fn addresses(bytes: &[u8]) -> (MacKey, MacKey) {
    let address = |at: usize| {
        let address = bytes[at..at + 6].try_into().expect("an address has six bytes");
        MacKey::new(address)
    };
    (address(6), address(0))
}
