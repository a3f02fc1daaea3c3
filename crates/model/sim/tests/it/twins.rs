//! Twins of the packets of real programs, and their counts.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_sim::{FlowKind, FlowSpec, Fragment, NoPath, Sent, Simulation};
use netloom_symbiosis::{PipeReport, Received};
use netloom_units::Duration;

use crate::common::{Sketch, at, datagrams, flow};

/// A fast link, and one that has room for the frame on its line and five in its queue.
const LINKS: [&str; 2] =
    [r#"{"delay":"10ms"}"#, r#"{"delay":"10ms","rate":"1Mbit/s","queue":{"limit":"5packets"}}"#];

const SLOW: PipeId = PipeId { link: LinkId(1), direction: Direction::Forward };
const BACK: PipeId = PipeId { link: LinkId(0), direction: Direction::Reverse };

/// Returns a datagram of 1000 bytes from one end of the chain to the other.
fn sent(millis: u64) -> Sent {
    Sent {
        at: at(millis),
        interface: 0,
        ends: ["10.0.0.1", "10.0.1.2"].map(|end| end.parse().expect("an address")),
        bytes: 1000,
        protocol: 17,
        ports: [5000, 53],
        hop_limit: 64,
        traffic_class: 0,
        dont_fragment: true,
        fragment: Fragment::default(),
    }
}

fn twins(from: u32) -> FlowSpec {
    FlowSpec {
        background: true,
        to: vec![],
        ..flow(from, "10.0.1.2", FlowKind::Twins(Box::default()))
    }
}

/// Returns the chain with all pipes metered, in `cells` cells, with other traffic.
fn chain(cells: u32, others: Vec<(u64, u32)>) -> Simulation {
    let (sketch, from, _) = Sketch::chain(1, &LINKS);
    let flows = vec![twins(from), datagrams(from, "10.0.1.2", others)];
    let mut simulation = Simulation::new(sketch.network, flows, cells);
    simulation.meter([SLOW, BACK], true);
    simulation
}

fn report(simulation: &mut Simulation, pipe: PipeId) -> PipeReport {
    simulation.metered(pipe, 1514).expect("it is metered").report
}

#[test]
fn twins_are_counted_where_they_go() {
    let mut alone = chain(1, vec![]);
    alone.bring_twins(0, [sent(0)]);
    alone.advance(at(500)).expect("no loop");
    let one = report(&mut alone, SLOW);
    assert_eq!((one.offered, one.left, one.served), (1, 1, 1));
    // 1000 bytes plus the Ethernet overhead, at 1 Mbit/s.
    assert!((Duration::from_millis(8)..Duration::from_millis(9)).contains(&one.time), "{one:?}");

    let mut burst = chain(1, vec![]);
    burst.bring_twins(0, vec![sent(0); 20]);
    burst.advance(at(500)).expect("no loop");
    let many = report(&mut burst, SLOW);
    assert_eq!((many.offered, many.left, many.served), (20, 6, 6));
    assert_eq!(many.lost, (6..20).collect::<Vec<u32>>());
    // The first frame takes its own time, the sixth six times as long.
    assert_eq!(many.time.as_nanos(), 21 * one.time.as_nanos());
    assert!(!many.is_down && many.unfinished == Duration::ZERO);
    // No node answers a twin, and each period is counted by itself.
    assert_eq!(report(&mut burst, BACK).offered, 0);
    assert_eq!(report(&mut burst, SLOW).offered, 0);
}

#[test]
fn frames_are_counted_in_the_period_in_which_they_leave() {
    for cells in [1, 2] {
        let mut simulation = chain(cells, vec![]);
        simulation.bring_twins(0, [sent(0)]);
        // The twin is on its way over the second link.
        simulation.advance(at(25)).expect("no loop");
        let first = report(&mut simulation, SLOW);
        assert_eq!((first.offered, first.left), (1, 0), "{cells} cells");
        simulation.advance(at(50)).expect("no loop");
        let second = report(&mut simulation, SLOW);
        assert_eq!((second.offered, second.left), (0, 1), "{cells} cells");
    }
}

#[test]
fn reports_do_not_depend_on_cells() {
    let all = [1, 2, 3].map(|cells| {
        let mut simulation = chain(cells, (0..40).map(|one| (one * 7_300_000, 700)).collect());
        (0..3)
            .map(|period| {
                simulation.bring_twins(0, (0..30).map(|one| sent(100 * period + 3 * one)));
                simulation.advance(at(100 * period + 100)).expect("no loop");
                simulation.sample_meters();
                let metered = simulation.metered(SLOW, 1514).expect("it is metered");
                (metered.report, metered.others)
            })
            .collect::<Vec<_>>()
    });
    assert!(all[0].iter().all(|(report, others)| report.offered > 20 && !others.is_empty()));
    assert!(all[0].iter().any(|(report, _)| !report.lost.is_empty()));
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
}

/// A router at which the hop limit runs out sends an error message, whose frame counts as one of
/// the twin's flow.
#[test]
fn errors_about_twins_count_as_twins() {
    let mut simulation = chain(1, vec![]);
    simulation.bring_twins(0, [Sent { hop_limit: 1, ..sent(0) }]);
    simulation.advance(at(500)).expect("no loop");
    assert_eq!(report(&mut simulation, SLOW).offered, 0);
    let back = report(&mut simulation, BACK);
    assert_eq!((back.offered, back.left), (1, 1));
}

#[test]
fn a_link_that_is_down_loses_all_twins() {
    let (mut sketch, from, _) = Sketch::chain(1, &LINKS);
    sketch.change_at(5, LinkId(1), r#"{"state":"down"}"#);
    let mut simulation = Simulation::new(sketch.network, vec![twins(from)], 1);
    simulation.meter([SLOW], false);
    simulation.bring_twins(0, vec![sent(10); 3]);
    simulation.advance(at(100)).expect("no loop");
    let down = report(&mut simulation, SLOW);
    assert!(down.is_down && down.lost == [0, 1, 2], "{down:?}");
}

#[test]
fn ways_are_those_that_packets_take() {
    let (sketch, from, to) = Sketch::chain(1, &LINKS);
    let mut simulation = Simulation::new(sketch.network, vec![], 2);
    let address = |text: &str| text.parse().expect("an address");
    let way = simulation.path(from, address("10.0.1.2")).expect("a way");
    let pipes: Vec<PipeId> = way.iter().map(|hop| hop.pipe).collect();
    let first = PipeId { link: LinkId(0), direction: Direction::Forward };
    assert_eq!(pipes, [first, SLOW]);
    assert_eq!(way[1].to.node, to);
    assert_eq!(simulation.path(to, address("10.0.1.2")), Ok(vec![]));
    assert!(matches!(simulation.path(from, address("192.0.2.1")), Err(NoPath::NoRoute(_))));
}

/// Twins are counted where they end, however cells are divided. Of 20 simultaneous datagrams, the
/// slow link takes six.
#[test]
fn what_comes_of_twins_is_known_by_its_ends() {
    for cells in [1, 2] {
        let mut simulation = chain(cells, vec![]);
        simulation.bring_twins(0, vec![sent(0); 20]);
        simulation.advance(at(500)).expect("no loop");
        let received = simulation.take_received_twins();
        let one = report(&mut simulation, SLOW).time.as_nanos() / 21;
        let expected = Received {
            frames: 6,
            bytes: 6000,
            // Each has 20 ms of propagation, and one to six times the transmission time.
            delay: Duration::from_nanos(6 * 20_000_000 + 21 * one),
        };
        let ends = sent(0).ends;
        assert_eq!(received.into_iter().collect::<Vec<_>>(), [(ends, expected)]);
        assert!(simulation.take_received_twins().is_empty(), "a period counts for itself");
    }
}

/// The time that other frames take on the line is counted apart, without frames that find no room.
#[test]
fn others_are_metered_by_the_time_of_their_transmission() {
    let mut simulation = chain(1, vec![(0, 972); 9]);
    simulation.bring_twins(0, [sent(400)]);
    simulation.advance(at(500)).expect("no loop");
    let report = report(&mut simulation, SLOW);
    // Six of nine datagrams find room. The twin after them is as long, and finds no frame in
    // service.
    assert_eq!((report.offered, report.served), (1, 1));
    assert_eq!(report.others.as_nanos(), 6 * report.time.as_nanos());
}
