//! Access points joined by segments: a radio on one side, switches and wires on the other.

use std::sync::Arc;

use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{
    AssociationChange, Link, LinkEnd, LinkId, Network, PortId, SegmentId, SegmentPort, StationPort,
};
use netloom_link::{Direction, MacKey, Pipe, PipeConfig, Stream};
use netloom_medium::{
    MediumConfig, MediumSetup, Phy, Point, Setting, StationConfig, StationId, Trajectory,
};
use netloom_units::{Duration, Time};

const BROADCAST: [u8; 6] = [0xff; 6];
const AIR: SegmentId = SegmentId(100);
/// The switch that joins both access points.
const WIRE: SegmentId = SegmentId(10);
/// The port of a host on the wire.
const SERVER: u32 = 9;

/// Returns the address of a station, or of the host on the wire.
fn address(station: u32) -> [u8; 6] {
    [2, 0, 0, 0, 0, station as u8]
}

fn seconds(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9) as u64)
}

type TestNetwork = Network<TestMemory, ()>;

fn join(network: &mut TestNetwork, number: u32, ends: [LinkEnd; 2]) {
    let pipe = |direction| {
        Pipe::new(PipeConfig::default(), Stream::of_pipe(1, "link", direction), Time::ZERO)
    };
    network.join(LinkId(number), Link { ends, pipes: Direction::BOTH.map(pipe) }, Time::ZERO);
}

/// Switches 1 and 2 are access points at 0 m and 100 m, on the wire with a host at port 9. Station
/// 3 at port 3 follows `moves`, and station 4 at port 4 rests at 5 m.
fn network(moves: Trajectory) -> TestNetwork {
    let mut network = Network::new(TestMemory::default(), ());
    let setting = Setting { name: "air".into(), seed: 1, ..Setting::default() };
    let setup = Arc::new(MediumSetup { config: MediumConfig::new(Phy::B), setting, logged: false });
    let station = |number: u32, access_point: bool, moves: Trajectory| {
        let config =
            StationConfig { name: format!("s{number}"), access_point, ..StationConfig::default() };
        LinkEnd::Segment(SegmentPort::Station(Box::new(StationPort {
            medium: AIR,
            setup: setup.clone(),
            station: StationId(number),
            address: (!access_point).then(|| MacKey::new(address(number))),
            config,
            moves,
        })))
    };
    let at = |x: f64| Trajectory::fixed(Point::flat(x, 0.0));
    for (number, x) in [(1, 0.0), (2, 100.0)] {
        let point = SegmentId(number);
        join(&mut network, number, [LinkEnd::switch(point), station(number, true, at(x))]);
        join(&mut network, 10 + number, [LinkEnd::switch(point), LinkEnd::switch(WIRE)]);
    }
    for (number, moves) in [(3, moves), (4, at(5.0))] {
        let port = LinkEnd::Port(PortId(number));
        join(&mut network, number, [port, station(number, false, moves)]);
    }
    join(&mut network, 19, [LinkEnd::Port(PortId(SERVER)), LinkEnd::switch(WIRE)]);
    network
}

fn frame(from: u32, to: [u8; 6]) -> TestFrame {
    TestFrame::between(address(from), to, 86)
}

/// Runs the network until a time. Returns ports, lengths and times of the frames that leave it.
fn run(network: &mut TestNetwork, until: Time) -> Vec<(u32, usize, Time)> {
    let mut out = Vec::new();
    loop {
        let due = network.next_deadline().filter(|due| *due <= until);
        while let Some(one) = network.poll(due.unwrap_or(until)) {
            let bytes = netloom_fabric::Frame::start(&one.delivery.frame).len();
            out.push((one.port.0, bytes, one.delivery.release));
        }
        if due.is_none() {
            return out;
        }
    }
}

/// Returns the ports that receive a frame of `from` for `to`, sent at `at`.
fn who_gets(network: &mut TestNetwork, at: Time, from: u32, to: [u8; 6]) -> Vec<u32> {
    run(network, at);
    network.offer(PortId(from), at, frame(from, to));
    let out = run(network, at + Duration::from_millis(40));
    let mut ports: Vec<u32> = out.iter().map(|(port, ..)| *port).collect();
    ports.sort_unstable();
    ports
}

#[test]
fn an_access_point_bridges_its_stations_to_each_other_and_to_the_wire() {
    let mut network = network(Trajectory::fixed(Point::flat(90.0, 0.0)));
    // Station 3 belongs to the far access point, station 4 to the near one.
    assert_eq!(who_gets(&mut network, seconds(1.0), 3, address(SERVER)), [SERVER]);
    assert_eq!(who_gets(&mut network, seconds(1.1), SERVER, address(3)), [3]);
    assert_eq!(who_gets(&mut network, seconds(1.2), 4, address(3)), [3]);
    // No station receives its own frame, although an access point repeats it.
    assert_eq!(who_gets(&mut network, seconds(1.3), 3, BROADCAST), [4, SERVER]);
    assert_eq!(who_gets(&mut network, seconds(1.4), SERVER, BROADCAST), [3, 4]);
}

#[test]
fn stations_of_one_access_point_talk_through_it() {
    let mut network = network(Trajectory::fixed(Point::flat(20.0, 0.0)));
    assert_eq!(who_gets(&mut network, seconds(1.0), 3, address(4)), [4]);
    assert_eq!(who_gets(&mut network, seconds(1.1), 4, BROADCAST), [3, SERVER]);
}

#[test]
fn switches_send_to_the_new_access_point_as_soon_as_a_station_has_come_to_it() {
    let mut moves = Trajectory::fixed(Point::flat(10.0, 0.0));
    moves.go(Point::flat(95.0, 0.0), 10.0);
    let mut network = network(moves);
    let out = run(&mut network, seconds(9.0));
    let taken = network.take_associations();
    assert!(taken.iter().all(|(medium, _)| *medium == AIR));
    let of_walker = taken.iter().filter(|(_, event)| event.station == StationId(3));
    let changes: Vec<_> = of_walker.map(|(_, event)| (event.at, event.what)).collect();
    let [(first, _), (at, AssociationChange::HandedOver { from, to, since })] = changes[..] else {
        panic!("{changes:?}")
    };
    assert_eq!((from, to), (StationId(1), StationId(2)));
    // All hosts on the wire receive the announcement at that moment. Stations receive it later, by
    // radio.
    let received: Vec<_> = out.iter().filter(|(port, ..)| *port == SERVER).collect();
    assert_eq!(received, [&(SERVER, 60, first), &(SERVER, 60, first), &(SERVER, 60, at)]);
    // Frames for the station are lost before that moment and take the new path from then on.
    let mut network = {
        let mut moves = Trajectory::fixed(Point::flat(10.0, 0.0));
        moves.go(Point::flat(95.0, 0.0), 10.0);
        self::network(moves)
    };
    let got = |network: &mut TestNetwork, at: Time| {
        network.offer(PortId(SERVER), at, frame(SERVER, address(3)));
        run(network, at + Duration::from_millis(5)).iter().filter(|(port, ..)| *port == 3).count()
    };
    run(&mut network, since);
    for step in 0..5 {
        assert_eq!(got(&mut network, since + Duration::from_millis(10 * step)), 0, "{step}");
    }
    run(&mut network, at);
    assert_eq!(got(&mut network, at), 1);
}
