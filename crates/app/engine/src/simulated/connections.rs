//! Derives what programs of real hosts do with TCP connections, so that their twins can do the
//! same. The sources are the segments that hosts send, and the reports of kernels about sockets.
//!
//! Segments show when a connection begins and ends, and that the data they carry was written; at
//! the end, they show exactly how much was written. In between, the kernel knows the number of
//! bytes that were written and wait to be sent, and of those that arrived and wait to be read. Not
//! here: the queries to kernels (`symbiosis`).

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};

use netloom_nodes::TcpSocket;
use netloom_sim::{
    Algorithm, RealSegment, SocketAction, SocketEnds, SocketEvent, TcpFlags as Flags,
};
use netloom_units::{Duration, Time};

/// Time for which an ended connection is remembered, since packets of it may still arrive.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The connections between real hosts.
#[derive(Debug, Default)]
pub struct Connections {
    /// Connections by the end that began each, and the other end.
    all: HashMap<[SocketAddr; 2], Connection>,
    /// Number of connections so far.
    count: u32,
    events: Vec<(u32, SocketEvent)>,
    /// Congestion controls of hosts for connections that ask for none.
    defaults: HashMap<u32, Algorithm>,
    /// Names of congestion controls that the simulation lacks.
    unknown: HashSet<String>,
}

/// A connection.
#[derive(Debug)]
struct Connection {
    number: u32,
    sides: [Side; 2],
    /// Time at which both sides had ended.
    over: Option<Time>,
}

/// The known state of one end.
#[derive(Debug, Default)]
struct Side {
    host: u32,
    /// The sequence number of its SYN.
    initial: Option<u32>,
    /// Number of bytes sent.
    sent: u64,
    /// Number of bytes written, as far as was reported.
    written: u64,
    has_ended: bool,
    was_reset: bool,
    algorithm: Option<Algorithm>,
    /// Number of bytes received at the last query to the kernel.
    received: u64,
    is_slow: bool,
}

impl Side {
    /// Returns the offset behind the data of a segment in the stream that this end sends.
    fn end_of(&self, segment: &RealSegment) -> Option<u64> {
        let first = self.initial?.wrapping_add(1);
        let expected = first.wrapping_add(self.sent as u32);
        let ahead = i64::from(segment.sequence.wrapping_sub(expected) as i32);
        Some(self.sent.checked_add_signed(ahead)? + u64::from(segment.payload))
    }
}

impl Connections {
    /// Records a segment from host `from` to host `to`. Returns whether its connection is known, so
    /// that the connection has a twin.
    pub fn note(&mut self, [from, to]: [u32; 2], at: Time, segment: &RealSegment) -> bool {
        let [source, destination] = segment.ends;
        let opens = segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK);
        if opens {
            self.open([from, to], at, segment);
            return true;
        }
        let forward = [source, destination];
        let backward = [destination, source];
        let (key, place) =
            if self.all.contains_key(&forward) { (forward, 0) } else { (backward, 1) };
        let Some(connection) = self.all.get_mut(&key) else { return false };
        let (number, side) = (connection.number, &mut connection.sides[place]);
        let mut report = |action| {
            self.events.push((from, SocketEvent { at, connection: number, action }));
        };
        if segment.flags.contains(Flags::SYN) {
            side.initial = Some(segment.sequence);
            return true;
        }
        // What follows a FIN carries no data, and its number is one higher: the FIN counts.
        if let Some(end) = side.end_of(segment).filter(|_| !side.has_ended) {
            side.sent = side.sent.max(end);
        }
        if side.sent > side.written {
            side.written = side.sent;
            report(SocketAction::Wrote(side.written));
        }
        if segment.flags.contains(Flags::FIN) && !side.has_ended {
            side.has_ended = true;
            report(SocketAction::Finish);
        }
        if segment.flags.contains(Flags::RST) && !side.was_reset {
            (side.has_ended, side.was_reset) = (true, true);
            report(SocketAction::Reset);
        }
        let is_over = connection.sides.iter().all(|side| side.has_ended)
            || connection.sides.iter().any(|side| side.was_reset);
        if is_over {
            connection.over.get_or_insert(at);
        }
        true
    }

    /// Records a SYN: a connection begins, unless the SYN is a retransmission.
    fn open(&mut self, [from, to]: [u32; 2], at: Time, segment: &RealSegment) {
        let known = self.all.get(&segment.ends);
        if known.is_some_and(|known| known.sides[0].initial == Some(segment.sequence)) {
            return;
        }
        let number = self.count;
        self.count = self.count.wrapping_add(1);
        let [local, remote] = segment.ends;
        let mss = segment.mss;
        let await_ = SocketEnds { local: remote, remote: local, algorithm: None, mss: None };
        let connect = SocketEnds { local, remote, algorithm: None, mss };
        let mut report = |host, action| {
            self.events.push((host, SocketEvent { at, connection: number, action }));
        };
        report(to, SocketAction::Await(await_));
        report(from, SocketAction::Connect(connect));
        let side = |host, initial| Side { host, initial, ..Side::default() };
        let sides = [side(from, Some(segment.sequence)), side(to, None)];
        self.all.insert(segment.ends, Connection { number, sides, over: None });
    }

    /// Records the state of a host's sockets, as its kernel reports it.
    pub fn account(&mut self, host: u32, at: Time, sockets: &[TcpSocket]) {
        for socket in sockets {
            let [local, remote] = socket.ends;
            let sides = [([local, remote], 0), ([remote, local], 1)];
            let of_host = |(key, place): &([SocketAddr; 2], usize)| {
                self.all.get(key).is_some_and(|known| known.sides[*place].host == host)
            };
            let Some((key, place)) = sides.into_iter().find(of_host) else { continue };
            let known = algorithm(&socket.algorithm, &mut self.unknown);
            let Some(connection) = self.all.get_mut(&key) else { continue };
            let (number, side) = (connection.number, &mut connection.sides[place]);
            side.algorithm = known.or(side.algorithm);
            let mut report = |action| {
                self.events.push((host, SocketEvent { at, connection: number, action }));
            };
            if socket.written > side.written && !side.has_ended {
                side.written = socket.written;
                report(SocketAction::Wrote(side.written));
            }
            // Bytes that had arrived at the last query are not all read yet.
            let read = socket.received.saturating_sub(socket.unread);
            let is_slow = read < side.received;
            if is_slow || side.is_slow {
                report(SocketAction::Reads(is_slow.then_some(read)));
            }
            (side.received, side.is_slow) = (socket.received, is_slow);
        }
    }

    /// Sets the congestion control of a host's connections whose programs ask for none.
    pub fn default_algorithm(&mut self, host: u32, name: &str) {
        if let Some(known) = algorithm(name, &mut self.unknown) {
            self.defaults.insert(host, known);
        }
    }

    /// Takes the events before `until`.
    pub fn take(&mut self, until: Time) -> Vec<(u32, SocketEvent)> {
        let count = self.events.partition_point(|(_, event)| event.at < until);
        let mut taken: Vec<_> = self.events.drain(..count).collect();
        let of_sides = self.all.values().flat_map(|known| {
            known.sides.iter().map(|side| ((known.number, side.host), side.algorithm))
        });
        let known: HashMap<_, _> = of_sides.collect();
        for (host, event) in &mut taken {
            let SocketEvent { connection, action, .. } = event;
            if let SocketAction::Connect(ends) | SocketAction::Await(ends) = action {
                let asked = known.get(&(*connection, *host)).copied().flatten();
                ends.algorithm = asked.or_else(|| self.defaults.get(host).copied());
            }
        }
        self.all.retain(|_, one| one.over.is_none_or(|over| until.since(over) < REMEMBERED));
        taken
    }

    /// Returns the names of congestion controls that the simulation lacks.
    pub fn unknown(&self) -> Vec<String> {
        self.unknown.iter().cloned().collect()
    }
}

/// Returns the congestion control of this name. Adds names without one to `unknown`.
fn algorithm(name: &str, unknown: &mut HashSet<String>) -> Option<Algorithm> {
    let known = name.parse().ok();
    if known.is_none() && !name.is_empty() {
        unknown.insert(name.into());
    }
    known
}

/// Returns the hosts at the ends of a segment, if both are real and differ.
pub fn hosts_of(segment: &RealSegment, hosts: &HashMap<IpAddr, u32>) -> Option<[u32; 2]> {
    let [from, to] = segment.ends.map(|end| hosts.get(&end.ip()).copied());
    from.zip(to).filter(|(from, to)| from != to).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: u32 = 0;
    const SERVER: u32 = 1;

    fn ends(from: u32) -> [SocketAddr; 2] {
        let mut ends = ["10.0.0.1:40000", "10.0.1.1:80"].map(|end| end.parse().expect("an end"));
        if from == SERVER {
            ends.reverse();
        }
        ends
    }

    fn segment(from: u32, sequence: u32, payload: u32, flags: Flags) -> RealSegment {
        RealSegment { ends: ends(from), sequence, payload, flags, mss: Some(1460) }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    struct Seen(Connections);

    impl Seen {
        /// Makes a connection whose client's sequence numbers begin shortly before they wrap.
        fn begun() -> Self {
            let mut seen = Self(Connections::default());
            seen.sends(CLIENT, 0, u32::MAX - 10, 0, Flags::SYN);
            seen.sends(SERVER, 1, 500, 0, Flags::SYN | Flags::ACK);
            seen
        }

        fn sends(&mut self, from: u32, millis: u64, sequence: u32, payload: u32, flags: Flags) {
            let hosts = [from, 1 - from];
            assert!(self.0.note(hosts, at(millis), &segment(from, sequence, payload, flags)));
        }

        /// Returns the hosts' actions since the last call, without the beginning.
        fn did(&mut self) -> Vec<(u32, SocketAction)> {
            let taken = self.0.take(at(1_000_000)).into_iter();
            let of = |(host, event): (u32, SocketEvent)| (host, event.action);
            let begins = |action: &SocketAction| {
                matches!(action, SocketAction::Connect(_) | SocketAction::Await(_))
            };
            taken.map(of).filter(|(_, action)| !begins(action)).collect()
        }
    }

    fn socket(host: u32, written: u64, received: u64, unread: u64) -> TcpSocket {
        TcpSocket { ends: ends(host), written, received, unread, algorithm: "reno".into() }
    }

    #[test]
    fn segments_tell_how_much_was_written_across_the_wrap() {
        let mut seen = Seen::begun();
        let first = (u32::MAX - 10).wrapping_add(1);
        seen.sends(CLIENT, 2, first, 1000, Flags::ACK);
        seen.sends(CLIENT, 3, first.wrapping_add(1000), 400, Flags::ACK);
        // Once more, and late.
        seen.sends(CLIENT, 4, first, 1000, Flags::ACK);
        seen.sends(SERVER, 5, 501, 7, Flags::ACK);
        seen.sends(CLIENT, 6, first.wrapping_add(1400), 100, Flags::ACK | Flags::FIN);
        seen.sends(CLIENT, 7, first.wrapping_add(1400), 100, Flags::ACK | Flags::FIN);
        // An acknowledgement behind the FIN, which has a number of its own.
        seen.sends(CLIENT, 8, first.wrapping_add(1501), 0, Flags::ACK);
        use SocketAction::{Finish, Wrote};
        let expected = [
            (CLIENT, Wrote(1000)),
            (CLIENT, Wrote(1400)),
            (SERVER, Wrote(7)),
            (CLIENT, Wrote(1500)),
            (CLIENT, Finish),
        ];
        assert_eq!(seen.did(), expected);
    }

    #[test]
    fn kernels_are_ahead_of_segments_and_never_beyond_the_end() {
        let mut seen = Seen::begun();
        seen.0.account(CLIENT, at(10), &[socket(CLIENT, 9000, 0, 0)]);
        let first = (u32::MAX - 10).wrapping_add(1);
        seen.sends(CLIENT, 11, first, 1000, Flags::ACK);
        seen.sends(CLIENT, 12, first.wrapping_add(1000), 8500, Flags::ACK | Flags::FIN);
        seen.0.account(CLIENT, at(13), &[socket(CLIENT, 9501, 0, 0)]);
        use SocketAction::{Finish, Wrote};
        let expected = [(CLIENT, Wrote(9000)), (CLIENT, Wrote(9500)), (CLIENT, Finish)];
        assert_eq!(seen.did(), expected);
    }

    /// Bytes that waited for a whole interval mean a slow reader; others have just arrived.
    #[test]
    fn slow_readers_are_distinguished_from_what_has_just_come() {
        let mut seen = Seen::begun();
        let reads = |seen: &mut Seen, received, unread| {
            seen.0.account(SERVER, at(20), &[socket(SERVER, 0, received, unread)]);
            seen.did()
        };
        assert_eq!(reads(&mut seen, 5000, 5000), []);
        assert_eq!(reads(&mut seen, 9000, 4000), [], "it has read what had come before");
        let slow = [(SERVER, SocketAction::Reads(Some(6000)))];
        assert_eq!(reads(&mut seen, 9000, 3000), slow);
        assert_eq!(reads(&mut seen, 9500, 0), [(SERVER, SocketAction::Reads(None))]);
        assert_eq!(reads(&mut seen, 9500, 0), []);
    }

    #[test]
    fn a_twin_has_the_congestion_control_of_its_socket_or_of_its_host() {
        let mut seen = Seen::begun();
        seen.0.default_algorithm(SERVER, "vegas");
        seen.0.default_algorithm(CLIENT, "of-tomorrow");
        seen.0.account(CLIENT, at(5), &[socket(CLIENT, 0, 0, 0)]);
        let taken = seen.0.take(at(100));
        let found: Vec<_> = taken
            .iter()
            .map(|(host, event)| match event.action {
                SocketAction::Connect(ends) | SocketAction::Await(ends) => {
                    (*host, ends.algorithm.map(Algorithm::name))
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, [(SERVER, Some("vegas")), (CLIENT, Some("reno"))]);
        assert_eq!(seen.0.unknown(), ["of-tomorrow"]);
    }

    #[test]
    fn ports_serve_again_and_what_nobody_opened_has_no_twin() {
        let mut seen = Seen::begun();
        let stranger = RealSegment {
            ends: ["10.0.0.1:1", "10.0.1.1:2"].map(|end| end.parse().expect("an end")),
            ..segment(CLIENT, 1, 1, Flags::ACK)
        };
        assert!(!seen.0.note([CLIENT, SERVER], at(2), &stranger));
        seen.sends(CLIENT, 3, u32::MAX - 10, 0, Flags::SYN);
        seen.sends(CLIENT, 4, 77, 0, Flags::SYN);
        seen.sends(CLIENT, 5, 78, 10, Flags::ACK);
        seen.sends(SERVER, 6, 0, 0, Flags::RST | Flags::ACK);
        let numbers = seen.0.take(at(100)).into_iter().map(|(_, event)| event.connection);
        assert_eq!(numbers.collect::<Vec<_>>(), [0, 0, 1, 1, 1, 1]);
    }
}
