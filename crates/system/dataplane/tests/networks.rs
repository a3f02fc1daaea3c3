//! A whole network in real and in virtual time: what a run did in every pipe is done again,
//! exactly.
//!
//! Frames go from one device through a chain of switches with VLANs and impaired links. The frame
//! log says when each frame came to the first pipe. A [`Network`] is offered frames of the same
//! bytes at the same times, and the events of every pipe must be those of the log, one by one and
//! to the nanosecond. There is no tolerance: nothing that the fabric decides depends on when it is
//! polled.

mod common;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};

use common::*;
use netloom_dataplane::{Dataplane, End};
use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{
    Link, LinkEnd, LinkId, Network, Observer, PipeSlot, PortId, SegmentId, SwitchPort, TreeSettings,
};
use netloom_link::{
    Direction, FrameEvent, LogDecoder, LogEntry, LogHeader, Occurrence, Pipe, PortVlans, Stream,
};
use netloom_units::Time;

const LOSSY: &str = r#"{"rate":"20Mbit/s","delay":"2ms","jitter":"500us","loss":"3%",
    "duplicate":"2%","queue":{"limit":"30packets"}}"#;
const NAMES: [&str; 5] = ["a", "first", "second", "b", "c"];
const FRAMES: usize = 400;

/// The port of a switch at one end of a link; `None` where a device is.
type Ends = [Option<(u32, &'static str)>; 2];

/// Three switches in a row; the first and the last host are in VLAN 10, the third in none of
/// theirs.
const ENDS: [Ends; 5] = [
    [None, Some((0, r#"{"access":10}"#))],
    [Some((0, r#"{"trunk":{"allowed":"all"}}"#)), Some((1, r#"{"trunk":{"allowed":"all"}}"#))],
    [Some((1, r#"{"trunk":{"allowed":10}}"#)), Some((2, r#"{"trunk":{"allowed":10}}"#))],
    [Some((2, r#"{"access":10}"#)), None],
    [Some((1, r#"{"access":20}"#)), None],
];

fn vlan_port((switch, text): (u32, &str)) -> (SegmentId, PortVlans) {
    (SegmentId(switch), serde_json::from_str(text).expect("a port"))
}

/// Events by pipe; whether a device took a frame is not the fabric's.
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
    // Most go to one host, some to everybody; their lengths differ.
    let mut bytes = if number.is_multiple_of(7) { broadcast(1) } else { frame(2, 1, 60) };
    bytes.resize(60 + number * 37 % 1400, 0);
    bytes
}

/// Through the data plane.
fn in_real_time() -> Events {
    let mut peers = Vec::new();
    let links = NAMES.iter().zip(ENDS).map(|(name, ends)| {
        let ends = ends.map(|end| match end.map(vlan_port) {
            Some((switch, vlans)) => End::vlan_port(switch, vlans),
            None => {
                let (device, peer) = device_of(4 * FRAMES);
                peers.push(peer);
                device
            }
        });
        link(name, ends, LOSSY)
    });
    let wiring = wiring(links.collect::<Vec<_>>());
    let dataplane = Dataplane::start(wiring, options()).unwrap();
    let (bytes, written) = channel();
    let pipes = NAMES.iter().flat_map(|name| [format!("{name}/f"), format!("{name}/r")]);
    let header = LogHeader { zero_unix_ns: 0, pipes: pipes.collect() };
    let links: Vec<_> = (0..NAMES.len()).map(|at| (LinkId(at as u32), at)).collect();
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

/// In virtual time, frames offered when they came.
fn in_virtual_time(arrivals: &[Time]) -> Events {
    let mut network = Network::new(TestMemory::default(), Recorder::default());
    let mut ports = 0..;
    for (id, (name, ends)) in (0..).zip(NAMES.iter().zip(ENDS)) {
        let ends = ends.map(|end| match end.map(vlan_port) {
            Some((switch, vlans)) => {
                let (vlans, tree) = (Some(vlans), TreeSettings::default());
                LinkEnd::Segment(SwitchPort { switch, vlans, bridge: None, tree })
            }
            None => LinkEnd::Port(PortId(ports.next().unwrap())),
        });
        let pipes = Direction::BOTH.map(|direction| {
            let stream = Stream::of_pipe(options().seed, name, direction);
            let mut pipe = Pipe::new(config(LOSSY), stream, Time::ZERO);
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
    for (number, at) in arrivals.iter().enumerate() {
        run(&mut network, *at);
        network.offer(PortId(0), *at, TestFrame::of_bytes(&sent(number)));
        while network.poll(*at).is_some() || network.has_work() {}
    }
    run(&mut network, Time::from_nanos(u64::MAX));
    network.observer().0.clone()
}

/// Sorted by frame and time: the events of different frames interleave by when somebody looked.
fn in_order(mut events: Vec<FrameEvent>) -> Vec<FrameEvent> {
    events.sort_by_key(|event| (event.number, event.at, format!("{:?}", event.what)));
    events
}

#[test]
fn a_network_does_the_same_in_real_and_in_virtual_time() {
    let real = in_real_time();
    let offered = real[&0].iter().filter(|event| event.what == Occurrence::Offered);
    let arrivals: Vec<Time> = offered.map(|event| event.at).collect();
    assert_eq!(arrivals.len(), FRAMES);
    let mut again = in_virtual_time(&arrivals);
    assert!(real.keys().all(|pipe| again.contains_key(pipe)));
    for (pipe, real) in real {
        let (real, again) = (in_order(real), in_order(again.remove(&pipe).unwrap_or_default()));
        assert!(real.len() > 100, "few frames came to pipe {pipe}: {}", real.len());
        for (real, again) in real.iter().zip(&again) {
            assert_eq!(real, again, "pipe {pipe}");
        }
        assert_eq!(real.len(), again.len(), "pipe {pipe}");
    }
}
