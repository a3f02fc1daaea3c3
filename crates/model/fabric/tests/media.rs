//! Shared media as segments: receivers of frames, and times of reception.

use std::sync::Arc;

use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{Link, LinkEnd, LinkId, Network, PortId, SegmentId, SegmentPort, StationPort};
use netloom_link::{Direction, MacKey, Pipe, PipeConfig, Stream};
use netloom_medium::{
    AirLogReader, AirOccurrence, Kind, MediumConfig, MediumSetup, Phy, Point, Setting,
    StationConfig, StationId, Trajectory,
};
use netloom_units::Time;

const BROADCAST: [u8; 6] = [0xff; 6];

fn address(station: u32) -> [u8; 6] {
    [2, 0, 0, 0, 0, station as u8]
}

/// Stations 0 to `stations`, at ports of these numbers.
fn cell(stations: u32) -> Network<TestMemory, ()> {
    cell_of(stations, false)
}

fn cell_of(stations: u32, logged: bool) -> Network<TestMemory, ()> {
    let mut network = Network::new(TestMemory::default(), ());
    let setting = Setting { name: "air".into(), seed: 1, ..Setting::default() };
    let setup = MediumSetup { config: MediumConfig::new(Phy::B), setting, logged };
    let setup = Arc::new(setup);
    for number in 0..stations {
        let station = StationPort {
            medium: SegmentId(9),
            setup: setup.clone(),
            station: StationId(number),
            address: Some(MacKey::new(address(number))),
            config: StationConfig { name: format!("s{number}"), ..StationConfig::default() },
            moves: Trajectory::fixed(Point::ZERO),
        };
        let pipe = |direction| {
            let stream = Stream::of_pipe(1, &format!("s{number}--air"), direction);
            Pipe::new(PipeConfig::default(), stream, Time::ZERO)
        };
        let ends = [
            LinkEnd::Port(PortId(number)),
            LinkEnd::Segment(SegmentPort::Station(Box::new(station))),
        ];
        let link = Link { ends, pipes: Direction::BOTH.map(pipe) };
        network.join(LinkId(number), link, Time::ZERO);
    }
    network
}

fn frame(from: u32, to: [u8; 6]) -> TestFrame {
    TestFrame::between(address(from), to, 86)
}

/// Returns the ports by which frames leave, with the times.
fn outcome(network: &mut Network<TestMemory, ()>) -> Vec<(u32, Time)> {
    let mut out = Vec::new();
    while let Some(due) = network.next_deadline() {
        while let Some(delivered) = network.poll(due) {
            out.push((delivered.port.0, delivered.delivery.release));
        }
    }
    out
}

#[test]
fn all_others_hear_a_broadcast_at_once() {
    let mut network = cell(4);
    network.offer(PortId(1), Time::from_nanos(1_000_000), frame(1, BROADCAST));
    assert!(network.poll(Time::from_nanos(1_000_000)).is_none());
    let out = outcome(&mut network);
    let ports: Vec<u32> = out.iter().map(|(port, _)| *port).collect();
    assert_eq!(ports, [0, 2, 3]);
    // 122 bytes on the air at 1 Mbit/s, after a preamble of 192 µs.
    let end = Time::from_nanos(1_000_000 + 192_000 + 122 * 8 * 1000);
    assert!(out.iter().all(|(_, at)| *at == end), "{out:?}");
}

#[test]
fn a_frame_goes_to_the_station_with_its_address() {
    let mut network = cell(4);
    network.offer(PortId(1), Time::from_nanos(1_000_000), frame(1, address(3)));
    assert!(network.poll(Time::from_nanos(1_000_000)).is_none());
    let out = outcome(&mut network);
    assert_eq!(out.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [3]);
}

#[test]
fn movement_counts_from_when_a_run_begins() {
    let mut network = cell(2);
    let mut moves = Trajectory::fixed(Point::ZERO);
    moves.go(Point { x: 100.0, ..Point::ZERO }, 10.0);
    let setting = Setting { name: "air".into(), seed: 1, ..Setting::default() };
    let setup = Arc::new(MediumSetup { config: MediumConfig::new(Phy::B), setting, logged: false });
    let station = StationPort {
        medium: SegmentId(9),
        setup,
        station: StationId(2),
        address: Some(MacKey::new(address(2))),
        config: StationConfig { name: "s2".into(), ..StationConfig::default() },
        moves,
    };
    let pipe = |direction| {
        Pipe::new(PipeConfig::default(), Stream::of_pipe(1, "s2--air", direction), Time::ZERO)
    };
    let ends =
        [LinkEnd::Port(PortId(2)), LinkEnd::Segment(SegmentPort::Station(Box::new(station)))];
    network.join(LinkId(2), Link { ends, pipes: Direction::BOTH.map(pipe) }, Time::ZERO);
    let second = |second: u64| Time::from_nanos(second * 1_000_000_000);
    let place = |network: &mut Network<TestMemory, ()>, at| {
        let views = network.media(at);
        let station = views[0].stations.iter().find(|station| station.id == StationId(2));
        station.unwrap().position.unwrap().x
    };
    assert_eq!(place(&mut network, second(2)), 20.0);
    network.begin(second(3));
    for (at, x) in [(3, 0.0), (4, 10.0), (8, 50.0), (13, 100.0), (99, 100.0)] {
        assert_eq!(place(&mut network, second(at)), x, "at {at} s");
    }
}

#[test]
fn the_parts_of_an_air_log_are_a_log() {
    let mut network = cell_of(2, true);
    let mut log = Vec::new();
    for frame_number in 1..4u64 {
        let at = Time::from_nanos(frame_number * 10_000_000);
        network.offer(PortId(1), at, frame(1, address(0)));
        while network.poll(at).is_some() {}
        for part in network.take_air_logs(at) {
            assert_eq!(part.medium, SegmentId(9));
            log.extend(part.bytes);
        }
    }
    outcome(&mut network);
    for part in network.take_air_logs(Time::from_nanos(100_000_000)) {
        log.extend(part.bytes);
    }
    let reader = AirLogReader::new(&log).unwrap();
    assert_eq!(reader.header().medium, "air");
    let events: Vec<_> = reader.map(Result::unwrap).collect();
    let count = |wanted: fn(&AirOccurrence) -> bool| {
        events.iter().filter(|event| wanted(&event.what)).count()
    };
    assert_eq!(count(|what| matches!(what, AirOccurrence::Joined { .. })), 2);
    assert_eq!(count(|what| matches!(what, AirOccurrence::Offered { .. })), 3);
    let sent = |kind| {
        let is =
            |what: &AirOccurrence| matches!(what, AirOccurrence::Sent(sent) if sent.kind == kind);
        events.iter().filter(|event| is(&event.what)).count()
    };
    assert_eq!((sent(Kind::Data), sent(Kind::Ack)), (3, 3));
    assert!(cell(2).take_air_logs(Time::ZERO).is_empty());
}
