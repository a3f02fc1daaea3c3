//! Twins of the TCP connections of real programs.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_sim::{
    Algorithm, FlowKind, FlowSpec, Simulation, SocketAction, SocketEnds, SocketEvent, SocketTotals,
};
use netloom_units::Duration;

use crate::common::{Sketch, at, flow};

/// A fast link, and a slow one with room for 20 frames.
const LINKS: [&str; 2] =
    [r#"{"delay":"10ms"}"#, r#"{"delay":"10ms","rate":"10Mbit/s","queue":{"limit":"20packets"}}"#];

const SLOW: PipeId = PipeId { link: LinkId(1), direction: Direction::Forward };

/// The flows of the two hosts.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;

fn chain(cells: u32) -> Simulation {
    let (sketch, from, to) = Sketch::chain(1, &LINKS);
    let twins = |node| FlowSpec {
        name: format!("twins of {node}"),
        background: true,
        to: vec![],
        ..flow(node, "10.0.1.2", FlowKind::Twins(Box::default()))
    };
    let mut simulation = Simulation::new(sketch.network, vec![twins(from), twins(to)], cells);
    simulation.meter([SLOW], true);
    simulation
}

/// Returns the ends of the connection, from the point of view of a host.
fn ends(host: u32) -> SocketEnds {
    let ends = ["10.0.0.1:40000", "10.0.1.2:80"].map(|end| end.parse().expect("an end"));
    let [local, remote] = if host == CLIENT { ends } else { [ends[1], ends[0]] };
    SocketEnds { local, remote, algorithm: Some(Algorithm::Reno), mss: Some(1000) }
}

/// Queues the actions of hosts, each with its flow and its time.
fn brings(simulation: &mut Simulation, all: &[(u32, u64, SocketAction)]) {
    for host in [CLIENT, SERVER] {
        let of_host = all.iter().filter(|(one, ..)| *one == host);
        let event = |(_, millis, action): &_| SocketEvent {
            at: at(*millis),
            connection: 7,
            action: *action,
        };
        simulation.bring_sockets(host, of_host.map(event));
    }
}

fn opens(simulation: &mut Simulation) {
    let begin = [
        (SERVER, 0, SocketAction::Await(ends(SERVER))),
        (CLIENT, 0, SocketAction::Connect(ends(CLIENT))),
    ];
    brings(simulation, &begin);
}

fn totals(simulation: &Simulation, host: u32) -> SocketTotals {
    let mut all = simulation.socket_totals();
    all.find(|(whose, _)| *whose == (host, 7)).expect("it was opened").1
}

/// The behaviour of a connection depends on the network alone, not on how cells are divided. The
/// test is an exchange whose ends finish before everything has been sent.
#[test]
fn a_twin_carries_what_programs_wrote_to_the_byte() {
    let reports = [1, 2].map(|cells| {
        let mut simulation = chain(cells);
        opens(&mut simulation);
        use SocketAction::{Finish, Wrote};
        let rest = [
            (CLIENT, 1, Wrote(12_345)),
            (CLIENT, 200, Wrote(2_000_000)),
            (CLIENT, 201, Finish),
            (SERVER, 250, Wrote(777)),
            (SERVER, 300, Finish),
        ];
        brings(&mut simulation, &rest);
        simulation.advance(at(190)).expect("no loop");
        let first = totals(&simulation, SERVER);
        assert_eq!(first, SocketTotals { written: 0, acknowledged: 0, read: 12_345 });
        simulation.advance(at(500)).expect("no loop");
        let half = totals(&simulation, SERVER).read;
        assert!(half < 1_000_000, "the slow link carries 10 Mbit/s: {half}");
        simulation.advance(at(10_000)).expect("no loop");
        let client = SocketTotals { written: 2_000_000, acknowledged: 2_000_000, read: 777 };
        assert_eq!(totals(&simulation, CLIENT), client);
        let server = SocketTotals { written: 777, acknowledged: 777, read: 2_000_000 };
        assert_eq!(totals(&simulation, SERVER), server);
        let metered = simulation.metered(SLOW, 1514).expect("it is metered");
        // All of its frames are twins of 1000 bytes each, as its SYN announces. Some are lost and
        // sent again.
        let frames = metered.report.offered;
        assert!((2000..4000).contains(&frames) && metered.others.is_empty(), "{frames}");
        let received = simulation.take_received_twins();
        let there = received[&[ends(CLIENT).local.ip(), ends(CLIENT).remote.ip()]];
        assert!(there.frames >= 2000 && there.bytes > 2_000_000, "{there:?}");
        let mean = there.delay.as_nanos() / there.frames;
        assert!((20_000_000..60_000_000).contains(&mean), "{mean}");
        (metered.report, received)
    });
    assert_eq!(reports[0], reports[1]);
}

/// A reader that stops reading closes the window. The writer then waits until the reader goes on.
#[test]
fn a_slow_reader_holds_the_writer() {
    let mut simulation = chain(1);
    opens(&mut simulation);
    use SocketAction::{Finish, Reads, Wrote};
    let wanted = 20_000_000;
    let rest = [
        (CLIENT, 1, Wrote(wanted)),
        (CLIENT, 2, Finish),
        (SERVER, 100, Reads(Some(1000))),
        (SERVER, 10_000, Reads(Some(5000))),
        (SERVER, 20_000, Reads(None)),
    ];
    brings(&mut simulation, &rest);
    simulation.advance(at(9_000)).expect("no loop");
    let (before, sent) = (totals(&simulation, SERVER).read, totals(&simulation, CLIENT));
    assert!(before < 200_000 && sent.acknowledged < 8_000_000, "{before} {sent:?}");
    simulation.advance(at(12_000)).expect("no loop");
    assert_eq!(totals(&simulation, SERVER).read, before.max(5000));
    assert!(totals(&simulation, CLIENT).acknowledged < 8_000_000);
    simulation.advance(at(60_000)).expect("no loop");
    assert_eq!(totals(&simulation, SERVER).read, wanted);
}

/// A reset end gets what was written before the reset, and the other end is notified of it.
#[test]
fn a_reset_comes_behind_what_was_written() {
    let mut simulation = chain(1);
    opens(&mut simulation);
    use SocketAction::{Reset, Wrote};
    brings(&mut simulation, &[(CLIENT, 1, Wrote(50_000)), (CLIENT, 2, Reset)]);
    simulation.advance(at(1_000)).expect("no loop");
    assert_eq!(totals(&simulation, SERVER).read, 50_000);
    brings(&mut simulation, &[(SERVER, 1_500, Wrote(10)), (CLIENT, 1_500, Wrote(60_000))]);
    simulation.advance(at(3_000)).expect("no loop");
    assert_eq!(totals(&simulation, SERVER).written, 0, "it is over");
    assert_eq!(totals(&simulation, CLIENT).written, 50_000);
}

/// Ports are used again by another connection. A connection to an end that does not wait for one is
/// refused.
#[test]
fn ports_serve_again_and_strangers_are_refused() {
    let mut simulation = chain(1);
    opens(&mut simulation);
    brings(&mut simulation, &[(CLIENT, 1, SocketAction::Wrote(3000))]);
    simulation.advance(at(500)).expect("no loop");
    let again = |host, action| (host, SocketEvent { at: at(600), connection: 8, action });
    let all = [
        again(SERVER, SocketAction::Await(ends(SERVER))),
        again(CLIENT, SocketAction::Connect(ends(CLIENT))),
        again(CLIENT, SocketAction::Wrote(4000)),
    ];
    for (host, event) in all {
        simulation.bring_sockets(host, [event]);
    }
    let stranger = SocketEnds { remote: "10.0.1.2:81".parse().expect("an end"), ..ends(CLIENT) };
    let event = SocketEvent { at: at(600), connection: 9, action: SocketAction::Connect(stranger) };
    simulation.bring_sockets(CLIENT, [event]);
    simulation.advance(at(600) + Duration::from_secs(2)).expect("no loop");
    let read = |host: u32, connection: u32| {
        let mut all = simulation.socket_totals();
        all.find(|(whose, _)| *whose == (host, connection)).map(|(_, totals)| totals.read)
    };
    assert_eq!([read(SERVER, 7), read(SERVER, 8)], [Some(3000), Some(4000)]);
    assert_eq!([read(CLIENT, 9), read(SERVER, 9)], [Some(0), None]);
}
