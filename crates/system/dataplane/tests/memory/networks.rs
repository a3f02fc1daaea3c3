//! A whole network in real and in virtual time: a simulation repeats the events of a run in every
//! pipe exactly.
//!
//! Frames go from one device through a chain of switches with VLANs and impaired links. The frame
//! log records when each frame entered the first pipe. Frames of the same bytes are offered to a
//! [`Network`] at the same times, and the events of every pipe must be those of the log, each to
//! the nanosecond. There is no tolerance: no decision of the fabric depends on when it is polled.
//!
//! A spanning tree sends frames of its own, beginning when its links are created, which no log
//! records. With trees, the events of all other frames must be the same, over links where frames do
//! not meet.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};

use crate::common::*;
use netloom_dataplane::{Dataplane, End};
use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{
    Link, LinkEnd, LinkId, Network, Observer, PipeSlot, PortId, SegmentEnd, SegmentId, SwitchPort,
    TreeSettings,
};
use netloom_link::{
    Direction, FrameEvent, LogDecoder, LogEntry, LogHeader, Occurrence, Pipe, PortVlans, Stream,
};
use netloom_spanning_tree::{BridgeId, PortState, Priority};
use netloom_units::{Duration, Time};

const LOSSY: &str = r#"{"rate":"20Mbit/s","delay":"2ms","jitter":"500us","loss":"3%",
    "duplicate":"2%","queue":{"limit":"30packets"}}"#;
const FRAMES: usize = 400;
/// Shorter than any frame that a host sends here. BPDUs are not longer.
const SHORTEST: usize = 100;

/// The port of a switch, and its VLAN configuration.
type Port = (u32, &'static str);

/// A network: its links by name, each end being a port or, for `None`, a device.
struct Case {
    links: &'static [(&'static str, [Option<Port>; 2])],
    properties: &'static str,
    has_trees: bool,
}

/// Three switches in a row. The first and the last host are in VLAN 10, the third in neither of
/// their VLANs.
const CHAIN: Case = Case {
    links: &[
        ("a", [None, Some((0, r#"{"access":10}"#))]),
        ("first", [Some((0, TRUNK)), Some((1, TRUNK))]),
        ("second", [Some((1, r#"{"trunk":{"allowed":10}}"#)), Some((2, TRUNK))]),
        ("b", [Some((2, r#"{"access":10}"#)), None]),
        ("c", [Some((1, r#"{"access":20}"#)), None]),
    ],
    properties: LOSSY,
    has_trees: false,
};

/// Three switches in a ring that a tree opens, and a host at each.
const RING: Case = Case {
    links: &[
        ("a", [None, Some((0, r#"{"access":10}"#))]),
        ("first", [Some((0, TRUNK)), Some((1, TRUNK))]),
        ("second", [Some((1, TRUNK)), Some((2, TRUNK))]),
        ("third", [Some((2, TRUNK)), Some((0, TRUNK))]),
        ("b", [Some((2, r#"{"access":10}"#)), None]),
        ("c", [Some((1, r#"{"access":10}"#)), None]),
    ],
    properties: r#"{"delay":"2ms"}"#,
    has_trees: true,
};

const TRUNK: &str = r#"{"trunk":{"allowed":"all"}}"#;

impl Case {
    fn port(&self, (switch, vlans): Port) -> SwitchPort {
        let address = [2, 0, 0, 0, 0, switch as u8];
        SwitchPort {
            switch: SegmentId(switch),
            vlans: Some(serde_json::from_str::<PortVlans>(vlans).expect("a port")),
            bridge: self.has_trees.then(|| BridgeId::new(Priority::default(), address).into()),
            tree: TreeSettings::default(),
        }
    }

    /// Whether every tree has converged: all ports but one of the ring forward.
    fn has_settled(&self, ends: impl Iterator<Item = SegmentEnd>) -> bool {
        let state = |end: SegmentEnd| end.status.tree.map(|tree| tree.port.state);
        let states = ends.filter_map(state);
        !self.has_trees || states.filter(|state| *state != PortState::Forwarding).count() == 1
    }
}

/// Events by pipe, without whether a device accepted a frame, which the fabric does not know.
type Events = BTreeMap<u32, Vec<FrameEvent>>;

struct Written(Sender<Vec<u8>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn sent(number: usize) -> Vec<u8> {
    // Most frames go to one host, some are broadcast; their lengths differ.
    let mut bytes = if number.is_multiple_of(7) { broadcast(1) } else { frame(2, 1, 60) };
    bytes.resize(SHORTEST + number * 37 % 1400, 0);
    bytes
}

/// Runs the case in the data plane.
fn in_real_time(case: &Case) -> Events {
    let mut peers = Vec::new();
    let links = case.links.iter().map(|(name, ends)| {
        let ends = ends.map(|end| match end {
            Some(port) => End::Segment(case.port(port).into()),
            None => {
                let (device, peer) = device_of(4 * FRAMES);
                peers.push(peer);
                device
            }
        });
        link(name, ends, case.properties)
    });
    let wiring = wiring(links.collect::<Vec<_>>());
    let dataplane = Dataplane::start(wiring, options()).unwrap();
    let (bytes, written) = channel();
    eventually("trees have settled", || {
        case.has_settled(dataplane.segment_ends().unwrap().into_iter())
    });
    let pipes = case.links.iter().flat_map(|(name, _)| [format!("{name}/f"), format!("{name}/r")]);
    let header = LogHeader { zero_unix_ns: 0, pipes: pipes.collect() };
    let links: Vec<_> = (0..case.links.len()).map(|at| (LinkId(at as u32), at)).collect();
    let log = dataplane.log_frames(&links, &header, Written(bytes)).unwrap();
    for number in 0..FRAMES {
        assert!(peers[0].send(&sent(number)));
        if number.is_multiple_of(20) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    eventually("the network is at rest", || {
        let pipes = dataplane.pipes().unwrap();
        let empty = |p: &netloom_dataplane::PipeStatus| {
            p.statistics.in_flight.frames == 0 && p.statistics.queue.now.frames == 0
        };
        pipes[0].statistics.offered.frames == FRAMES as u64 && pipes.iter().all(empty)
    });
    assert_eq!(dataplane.end_frame_log(log).unwrap().lost, 0);
    assert_eq!(dataplane.timing().unwrap().unmodelled.total(), 0);
    let mut decoder = LogDecoder::new();
    decoder.feed(&written.try_iter().flatten().collect::<Vec<_>>());
    let mut events = Events::new();
    while let Some(LogEntry::Frame(pipe, event)) = decoder.next_entry().unwrap() {
        if !matches!(event.what, Occurrence::HandedOver | Occurrence::Refused) {
            events.entry(pipe).or_default().push(event);
        }
    }
    events
}

#[derive(Debug, Default)]
struct Recorder(Events);

impl Observer<TestFrame> for Recorder {
    fn settled(&mut self, slot: PipeSlot, pipe: &mut Pipe<TestFrame>) {
        let events = std::iter::from_fn(|| pipe.poll_event());
        self.0.entry(slot.id.index() as u32).or_default().extend(events);
    }
}

/// Runs the case in virtual time, with frames offered at the recorded times.
fn in_virtual_time(case: &Case, arrivals: &[Time]) -> Events {
    let mut network = Network::new(TestMemory::default(), Recorder::default());
    let mut ports = 0..;
    for (id, (name, ends)) in (0..).zip(case.links) {
        let ends = ends.map(|end| match end {
            Some(port) => LinkEnd::Segment(case.port(port).into()),
            None => LinkEnd::Port(PortId(ports.next().unwrap())),
        });
        let pipes = Direction::BOTH.map(|direction| {
            let stream = Stream::of_pipe(options().seed, name, direction);
            let mut pipe = Pipe::new(config(case.properties), stream, Time::ZERO);
            pipe.record_events(true);
            pipe
        });
        network.join(LinkId(id), Link { ends, pipes }, Time::ZERO);
    }
    let run = |network: &mut Network<TestMemory, Recorder>, until: Time| loop {
        let due = network.next_deadline().filter(|due| *due <= until);
        let Some(due) = due else { break };
        while network.poll(due).is_some() || network.has_work() {}
    };
    // Frames that the trees send immediately.
    while network.poll(Time::ZERO).is_some() || network.has_work() {}
    run(&mut network, arrivals[0] - Duration::from_nanos(1));
    assert!(case.has_settled(network.segment_ends()));
    for (number, at) in arrivals.iter().enumerate() {
        run(&mut network, *at);
        network.offer(PortId(0), *at, TestFrame::of_bytes(&sent(number)));
        while network.poll(*at).is_some() || network.has_work() {}
    }
    // Longer than anything waits here.
    run(&mut network, arrivals[FRAMES - 1] + Duration::from_secs(1));
    network.observer().0.clone()
}

/// Returns the events of the hosts' frames, by frame and time, because the order of different
/// frames depends on the polling. Frames are renumbered as if there were no others.
fn of_hosts(case: &Case, mut events: Vec<FrameEvent>) -> Vec<FrameEvent> {
    events.retain(|event| !case.has_trees || event.bytes >= SHORTEST as u64);
    let numbers: BTreeSet<u64> = events.iter().map(|event| event.number).collect();
    let ranks: BTreeMap<u64, u64> = numbers.into_iter().zip(0..).collect();
    for event in &mut events {
        event.number = ranks[&event.number];
    }
    events.sort_by_key(|event| (event.number, event.at, format!("{:?}", event.what)));
    events
}

/// Returns the number of events of each pipe.
fn same_in_both(case: &Case) -> Vec<usize> {
    let real = in_real_time(case);
    let offered = real[&0].iter().filter(|event| event.what == Occurrence::Offered);
    let arrivals: Vec<Time> = offered.map(|event| event.at).collect();
    assert_eq!(arrivals.len(), FRAMES);
    let again = in_virtual_time(case, &arrivals);
    let events =
        |of: &Events, pipe: u32| of_hosts(case, of.get(&pipe).cloned().unwrap_or_default());
    let pipes = 0..2 * case.links.len() as u32;
    let counts = pipes.map(|pipe| {
        let (real, again) = (events(&real, pipe), events(&again, pipe));
        for (real, again) in real.iter().zip(&again) {
            assert_eq!(real, again, "pipe {pipe}");
        }
        assert_eq!(real.len(), again.len(), "pipe {pipe}");
        real.len()
    });
    counts.collect()
}

#[test]
fn a_network_does_the_same_in_real_and_in_virtual_time() {
    let counts = same_in_both(&CHAIN);
    let busy = counts.iter().filter(|count| **count > 100).count();
    assert!(busy >= 4, "few frames came to pipes: {counts:?}");
}

#[test]
fn trees_lead_frames_the_same_way_in_real_and_in_virtual_time() {
    let counts = same_in_both(&RING);
    // Each frame is offered once to each of the other hosts and delivered there: no loop duplicated
    // one.
    assert_eq!([counts[8], counts[10]], [2 * FRAMES; 2], "{counts:?}");
}
