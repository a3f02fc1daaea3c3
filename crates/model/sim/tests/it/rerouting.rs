//! Routes of all nodes that change at one time.

use std::sync::Arc;

use netloom_fabric::PipeId;
use netloom_link::Direction;
use netloom_sim::{Change, Network, Route, RouteSource, Simulation};

use crate::common::{Sketch, at, counted, datagrams, ping, prefix, whole};

/// The routes of each node.
#[derive(Debug)]
struct Known(Vec<Vec<Route>>);

impl RouteSource for Known {
    fn routes(&self, node: u32) -> Vec<Route> {
        self.0[node as usize].clone()
    }
}

fn by(to: &str, via: &str, interface: u32) -> Route {
    let via = Some(via.parse().expect("an address"));
    Route { to: prefix(to), via, interface: Some(interface), metric: 0 }
}

/// Hosts `a` and `b` at routers 1 and 2, with two links between the routers: 1 (near) and 2 (far).
/// Only the route source decides which of them is used.
fn ring() -> (Sketch, [Arc<dyn RouteSource>; 2], u32, u32) {
    let mut sketch = Sketch::new(3);
    let names = ["a", "r1", "r2", "b"];
    let [a, r1, r2, b] =
        [0, 1, 2, 3].map(|place| sketch.node(names[place], place == 1 || place == 2));
    sketch.link([a, r1], r#"{"delay":"1ms"}"#);
    sketch.link([r1, r2], r#"{"rate":"10Mbit/s","delay":"2ms"}"#);
    sketch.link([r1, r2], r#"{"rate":"10Mbit/s","delay":"20ms"}"#);
    sketch.link([r2, b], r#"{"delay":"1ms"}"#);
    sketch.default_route(a, 0);
    sketch.default_route(b, 0);
    let over = |link: u32| -> Arc<dyn RouteSource> {
        let there = by("10.0.3.0/24", &format!("10.0.{link}.2"), link);
        let back = by("10.0.0.0/24", &format!("10.0.{link}.1"), link - 1);
        Arc::new(Known(vec![vec![], vec![there], vec![back], vec![]]))
    };
    let sources = [over(1), over(2)];
    sketch.network.routes = Some(Arc::clone(&sources[0]));
    (sketch, sources, a, b)
}

fn routes_at(millis: u64, source: &Arc<dyn RouteSource>) -> Change {
    let routes = Some(Arc::clone(source));
    Change { at: at(millis), changes: vec![], media: vec![], route: None, node: None, routes }
}

/// The near link is down from 100 to 300 ms. Routes follow 50 ms later.
fn failing() -> (Network, u32, u32) {
    let (mut sketch, [near, far], a, b) = ring();
    let link = netloom_fabric::LinkId(1);
    sketch.change_at(100, link, r#"{"state":"down"}"#);
    sketch.network.timeline.push(routes_at(150, &far));
    sketch.change_at(300, link, r#"{"state":"up"}"#);
    sketch.network.timeline.push(routes_at(350, &near));
    (sketch.network, a, b)
}

/// Frames that a link has delivered in each direction.
fn over(simulation: &mut Simulation, link: u32) -> [u64; 2] {
    let link = netloom_fabric::LinkId(link);
    Direction::BOTH.map(|direction| {
        let pipe = simulation.statistics(PipeId { link, direction }).expect("it is here");
        pipe.delivered.frames
    })
}

#[test]
fn packets_go_the_other_way_after_a_change_and_come_back() {
    let (network, a, _) = failing();
    let mut run = whole(network, vec![ping(a, "10.0.3.2", 50, 10, 56)]);
    // Requests of 0 to 90 ms, and their answers. The last answer is still on its way.
    run.advance(at(150)).expect("no loop");
    assert_eq!(over(&mut run, 1), [10, 10]);
    assert_eq!(over(&mut run, 2), [0, 0]);
    // Requests of 100 to 140 ms are lost. Those of 150 to 340 ms take the far link. The last two of
    // these are answered when the way back uses the near link again.
    run.advance(at(1000)).expect("no loop");
    assert_eq!(over(&mut run, 2), [20, 18]);
    assert_eq!(over(&mut run, 1), [25, 27], "ten before, 15 from 350 ms on, and two answers");
    let ping = counted(&run, 0);
    assert_eq!((ping.sent.frames, ping.received.frames), (50, 45));
}

#[test]
fn nothing_changes_without_a_change_of_routes() {
    let (mut network, a, _) = failing();
    network.timeline.retain(|change| change.routes.is_none());
    let mut run = whole(network, vec![ping(a, "10.0.3.2", 50, 10, 56)]);
    run.advance(at(1000)).expect("no loop");
    assert_eq!(over(&mut run, 2), [0, 0]);
    assert_eq!(counted(&run, 0).received.frames, 30);
}

#[test]
fn routes_change_at_one_time_in_all_cells() {
    let run = |cells: u32, looks: &[u64]| {
        let (network, a, b) = failing();
        // Some of them arrive in the nanosecond of a change.
        let sent = (0..800).map(|number| (number * 500_000, 200)).collect();
        let flows = vec![datagrams(a, "10.0.3.2", sent), ping(b, "10.0.0.1", 400, 1, 900)];
        let mut run = Simulation::new(network, flows, cells);
        let mut log = vec![];
        for look in looks.iter().chain([&2000]) {
            run.advance(at(*look)).expect("no loop");
            for link in 0..4 {
                over(&mut run, link);
            }
            log.append(&mut run.take_log());
        }
        for link in (0..4).map(netloom_fabric::LinkId) {
            for direction in Direction::BOTH {
                let s = run.statistics(PipeId { link, direction }).expect("it is here");
                let gone = s.delivered + s.dropped.total();
                assert_eq!(s.offered, gone, "{link} {direction}: all is over");
            }
        }
        (run.cells.len(), log)
    };
    let (_, once) = run(1, &[]);
    let (cells, divided) = run(4, &[]);
    assert!(cells > 1, "one cell has no other");
    assert!(once == divided, "the log depends on cells");
    assert!(once == run(2, &[149, 150, 151, 350]).1, "the log depends on who looks when");
}
