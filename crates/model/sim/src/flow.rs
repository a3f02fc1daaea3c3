//! Flows of traffic: the packets of each flow, and the counts at both ends. Not here: models of
//! traffic, which decide when and how much is sent.

use std::collections::BTreeMap;
use std::net::IpAddr;

use netloom_link::{Count, Delays};
use netloom_tcp::Config;
use netloom_traffic::{Exchanges, Receivers, Transfers};
use netloom_units::{Duration, Time};

/// A flow from a node to an address.
#[derive(Debug)]
pub struct FlowSpec {
    /// Name of the flow.
    pub name: String,
    /// Number of the node that sends.
    pub from: u32,
    /// Destinations: one address, or those of the members of a group. All are of one address
    /// family.
    pub to: Vec<IpAddr>,
    /// The kind of traffic.
    pub kind: FlowKind,
    /// Time at which the flow begins.
    pub start: Time,
    /// Time at which the flow ends at the latest.
    pub until: Option<Time>,
    /// Whether the run may end before the flow does.
    pub background: bool,
    /// DSCP and ECN bits of its packets.
    pub traffic_class: u8,
}

/// The kind of traffic that a flow sends.
#[derive(Debug)]
pub enum FlowKind {
    /// Echo requests, like those of ping(8).
    Ping {
        /// Times of the requests, and the number of bytes behind the ICMP header of each.
        arrivals: Box<dyn Arrivals>,
    },
    /// UDP datagrams.
    Udp {
        /// Port of the receiver.
        port: u16,
        /// Times and lengths of the datagrams.
        arrivals: Box<dyn Arrivals>,
    },
    /// TCP connections.
    Tcp(Box<TcpFlow>),
    /// The twins that [`Simulation::bring_twins`](crate::Simulation::bring_twins) and
    /// [`bring_sockets`](crate::Simulation::bring_sockets) add. Connections among them use this
    /// configuration.
    Twins(Box<Config>),
}

/// TCP connections of a flow. Two flows between the same nodes have different ports.
#[derive(Debug, Clone)]
pub struct TcpFlow {
    /// Port of the receivers.
    pub port: u16,
    /// The work: the data to be sent, and its times.
    pub work: TcpWork,
    /// Configuration of the ends that open connections. The simulation fills in the MTU and the
    /// length of the IP header.
    pub sender: Config,
    /// Configurations of the receivers' ends, in the order of the receivers.
    pub receivers: Vec<Config>,
}

/// The work of TCP connections: the data to be sent, and its times.
#[derive(Debug, Clone)]
pub enum TcpWork {
    /// Connections that carry as much as they can.
    Bulk {
        /// Bytes that each connection carries. `None`: it sends until the flow ends.
        bytes: Option<u64>,
        /// Place of the receiver of each connection among those of the flow.
        to: Vec<u32>,
    },
    /// One connection for each transfer.
    Transfers {
        /// Times and contents of the transfers.
        transfers: Transfers,
        /// The receiver of each transfer.
        receivers: Receivers,
    },
    /// A client of web servers. The servers' responses are the flow's payload.
    Http {
        /// The requests.
        exchanges: Exchanges,
        /// Whether all requests go over one connection.
        persistent: bool,
        /// The server of each connection.
        receivers: Receivers,
    },
}

/// A model of traffic, which yields packets with the times at which they are sent.
pub trait Arrivals: std::fmt::Debug + Send {
    /// Returns the next packet, or `None` at the end. Times never decrease.
    fn next(&mut self) -> Option<Arrival>;
}

/// A packet of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Time since the start of the flow.
    pub after: Duration,
    /// Bytes of payload.
    pub payload: u32,
    /// Place of its receiver among those of the flow.
    pub to: u32,
}

/// The counts of a flow's ends: of those in one cell, or of all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowTotals {
    /// Packets that were sent, with their payload.
    pub sent: Count,
    /// Packets that could not be sent because the sender had no route.
    pub refused: u64,
    /// Packets that arrived for the first time, with their payload. For a ping these are the
    /// replies.
    pub received: Count,
    /// Packets that arrived at a receiver again.
    pub duplicated: u64,
    /// Packets that arrived at a receiver after one that was sent later.
    pub reordered: u64,
    /// Error messages that came back.
    pub errors: u64,
    /// Time from sending to arrival: one way, or the round trip of a ping.
    pub delay: Delays,
    /// Number of transfers or requests that have begun.
    pub begun: u64,
    /// Durations of those transfers or requests that the receiver, or the client, has received
    /// whole.
    pub completions: Delays,
    /// Interarrival jitter (RFC 3550 §6.4.1) in ns: the greatest of all receivers.
    pub jitter_ns: f64,
}

/// The counts of a flow in one cell, and the state that counting needs.
#[derive(Debug, Default)]
pub(crate) struct FlowCounts {
    /// All counts except the jitter.
    pub totals: FlowTotals,
    /// State of each receiver, by node.
    receivers: BTreeMap<u32, Receiver>,
}

/// The state of one receiver of a flow.
#[derive(Debug, Default)]
struct Receiver {
    arrived: Arrived,
    last_transit: Option<u64>,
    jitter_ns: f64,
}

impl FlowTotals {
    /// Adds the counts of other ends of the flow.
    pub fn add(&mut self, other: &Self) {
        self.sent = self.sent + other.sent;
        self.refused += other.refused;
        self.received = self.received + other.received;
        self.duplicated += other.duplicated;
        self.reordered += other.reordered;
        self.errors += other.errors;
        self.delay.merge(&other.delay);
        self.begun += other.begun;
        self.completions.merge(&other.completions);
        self.jitter_ns = self.jitter_ns.max(other.jitter_ns);
    }
}

impl FlowCounts {
    /// Counts a packet that was sent at `sent` and arrives at a node.
    pub fn receive(&mut self, node: u32, number: u32, sent: Time, now: Time, payload: u32) {
        let totals = &mut self.totals;
        let receiver = self.receivers.entry(node).or_default();
        match receiver.arrived.note(number) {
            Coming::Again => return totals.duplicated += 1,
            Coming::Behind => totals.reordered += 1,
            Coming::InOrder => {}
        }
        totals.received.frames += 1;
        totals.received.bytes += u64::from(payload);
        let transit = now.since(sent);
        totals.delay.record(transit);
        let transit = transit.as_nanos();
        if let Some(last) = receiver.last_transit.replace(transit) {
            let difference = transit.abs_diff(last) as f64;
            receiver.jitter_ns += (difference - receiver.jitter_ns) / 16.0;
        }
    }

    /// Returns the counts up to now.
    pub fn read(&self) -> FlowTotals {
        let jitters = self.receivers.values().map(|receiver| receiver.jitter_ns);
        FlowTotals { jitter_ns: jitters.fold(0.0, f64::max), ..self.totals.clone() }
    }
}

/// The order in which a packet arrives among those of its flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    InOrder,
    Behind,
    Again,
}

/// Records which packets have arrived. It remembers the last 1024 numbers; packets with older
/// numbers count as late.
#[derive(Debug, Clone)]
struct Arrived {
    /// One more than the highest number so far.
    next: u32,
    window: [u64; Self::WORDS],
}

impl Default for Arrived {
    fn default() -> Self {
        Self { next: 0, window: [0; Self::WORDS] }
    }
}

impl Arrived {
    const WORDS: usize = 16;
    const NUMBERS: u32 = 64 * Self::WORDS as u32;

    fn note(&mut self, number: u32) -> Coming {
        if number >= self.next {
            let skipped = (self.next..number).take(Self::NUMBERS as usize);
            skipped.for_each(|number| self.clear(number));
            self.next = number.saturating_add(1);
            self.set(number);
            return Coming::InOrder;
        }
        if self.next - number <= Self::NUMBERS && self.set(number) {
            return Coming::Again;
        }
        Coming::Behind
    }

    fn place(number: u32) -> (usize, u64) {
        ((number / 64) as usize % Self::WORDS, 1 << (number % 64))
    }

    fn clear(&mut self, number: u32) {
        let (word, bit) = Self::place(number);
        self.window[word] &= !bit;
    }

    /// Marks a number, and returns whether its bit was set before. A number from `next` on shares
    /// its place with one a window earlier.
    fn set(&mut self, number: u32) -> bool {
        let (word, bit) = Self::place(number);
        let before = self.window[word] & bit != 0;
        self.window[word] |= bit;
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_distinguished_over_a_whole_window() {
        let mut arrived = Arrived::default();
        let mut notes = |numbers: &[u32]| -> Vec<Coming> {
            numbers.iter().map(|number| arrived.note(*number)).collect()
        };
        use Coming::{Again, Behind, InOrder};
        assert_eq!(notes(&[0, 2, 1, 2, 1]), [InOrder, InOrder, Behind, Again, Again]);
        // A jump far ahead frees the places of the window before.
        assert_eq!(notes(&[5000, 4000, 4000, 5000]), [InOrder, Behind, Again, Again]);
        assert_eq!(notes(&[3]), [Behind], "too long ago to tell");
    }

    #[test]
    fn jitter_is_that_of_rfc_3550() {
        let mut counts = FlowCounts::default();
        for (number, transit) in [(0, 100), (1, 116), (2, 116)] {
            let sent = Time::from_nanos(u64::from(number) * 1000);
            counts.receive(0, number, sent, sent + Duration::from_nanos(transit), 10);
        }
        let FlowTotals { jitter_ns, received, .. } = counts.read();
        assert!((jitter_ns - (1.0 - 1.0 / 16.0)).abs() < 1e-12, "{jitter_ns}");
        assert_eq!(received, Count { frames: 3, bytes: 30 });
    }

    #[test]
    fn receivers_count_by_themselves_wherever_they_are() {
        let transits = [(0, 100), (1, 900), (0, 116), (1, 904), (0, 116)];
        let counted = |nodes: &[u32]| {
            let mut counts = FlowCounts::default();
            for ((node, transit), number) in transits.into_iter().zip(0..) {
                let sent = Time::from_nanos(u64::from(number) * 10);
                if nodes.contains(&node) {
                    counts.receive(node, number, sent, sent + Duration::from_nanos(transit), 10);
                }
            }
            counts.read()
        };
        let whole = counted(&[0, 1]);
        let mut parts = counted(&[1]);
        parts.add(&counted(&[0]));
        assert_eq!(parts, whole);
        assert_eq!(whole.jitter_ns, counted(&[0]).jitter_ns, "the greater one");
        assert_eq!((whole.reordered, whole.received.frames), (0, 5));
        assert_eq!(whole.delay.quantile(0.5), Some(Duration::from_nanos(116)));
    }
}
