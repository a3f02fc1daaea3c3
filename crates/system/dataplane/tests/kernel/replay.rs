//! Queue disciplines with real sockets and in virtual time: a simulation repeats the events of a
//! run exactly.
//!
//! TCP and UDP flows of the kernel load a link beyond its rate. The frame log records when each
//! frame arrived and what happened to it; a capture at the source contains the frames. Frames with
//! the same headers and lengths are offered to a pipe at the same times, and its events must be
//! those of the log, each to the nanosecond: drops and their reasons, marks, and when each frame
//! began on the line, left it and was to be released. There is no tolerance, because no decision of
//! the model depends on when the data plane calls it. How late a frame is handed over depends on
//! the machine (`two_arms`).
//!
//! Marks are also checked in the frames themselves, where they leave.
//!
//! A link between two machines is one of them: its log is in two parts, joined by the numbers of
//! frames.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::lab::{self, load, virtual_time};
use netloom_dataplane::{
    Capture, Dataplane, End, FrameLog, LinkWiring, Options, PeerId, Tunnels, Wiring,
};
use netloom_fabric::LinkId;
use netloom_link::{
    CaptureDirection, CaptureNote, CapturedFrame, Dscp, Ecn, Frame, FrameEvent, FrameInfo, Header,
    LogDecoder, LogEntry, LogHeader, Occurrence, Pipe, PipeChange, PipeConfig, PipeStatistics,
    Stream,
};
use netloom_ports::Tap;
use netloom_units::Time;

const SEED: u64 = 8033;
/// Rate of the UDP load alone, in bit/s, and rate of most links here: few frames per second.
const RATE: u64 = 10_000_000;
/// Ten times PIE's burst allowance.
const LOAD: Duration = Duration::from_millis(1500);
/// If nothing has arrived for several round trips, nothing will.
const QUIET: Duration = Duration::from_millis(300);
/// More frames than a load sends, so that a capture is complete however late its reader is.
const CAPTURE_BACKLOG: usize = 1 << 17;

/// A frame with only the properties that the model uses.
#[derive(Debug, Clone, Copy)]
struct AnomalyKind(Option<Header>);

impl Frame for AnomalyKind {
    fn header(&self) -> Option<Header> {
        self.0
    }
    fn mark_congestion(&mut self) {
        if let Some(header) = &mut self.0 {
            header.ecn = Ecn::Congestion;
        }
    }
    fn remark(&mut self, dscp: Dscp) {
        if let Some(header) = &mut self.0 {
            header.dscp = dscp.value();
        }
    }
    fn flip_bits(&mut self, _bits: &[u64]) {}
    fn duplicate(&self) -> Self {
        *self
    }
}

/// The record of a real run.
struct Record {
    /// The events of the loaded pipe in the model.
    events: Vec<FrameEvent>,
    /// Its frames, as they were handed over.
    handed_over: Vec<FrameEvent>,
    /// The wire frames that entered it.
    entered: Vec<CapturedFrame>,
    /// The wire frames that left it, with their notes.
    left: Vec<CapturedFrame>,
    statistics: PipeStatistics,
}

fn config(properties: &str) -> PipeConfig {
    let change: PipeChange = serde_json::from_str(properties).expect("a valid change");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    config
}

fn options() -> Options {
    Options { seed: SEED, capture_backlog: CAPTURE_BACKLOG, ..Options::default() }
}

/// The machines of a link: one that has both ends, or two with one each.
fn planes(properties: &str, machines: u32, taps: [Tap; 2]) -> Vec<Dataplane> {
    let ends = taps.map(|tap| End::Port(Box::new(tap)));
    let link = |ends, peer| LinkWiring {
        id: LinkId(0),
        name: "l".into(),
        ends,
        pipes: [config(properties), config(r#"{"delay":"5ms"}"#)],
        mtus: [None; 2],
        peer,
    };
    let origin = Instant::now();
    let start = |link, tunnels| {
        let options = Options { origin, tunnels, ..options() };
        Dataplane::start(Wiring { links: vec![link] }, options).expect("a data plane")
    };
    if machines == 1 {
        return vec![start(link(ends, None), None)];
    }
    let away = || End::Away { is_segment: false };
    let [here, there] = ends;
    let tunnels = |me| Tunnels {
        me: PeerId(me),
        peers: vec![PeerId(1 - me)],
        session: 1,
        bind: Ipv4Addr::LOCALHOST.into(),
        ports: 0..=0,
        datagram: 1472,
        secret: None,
    };
    let planes = [
        start(link([here, away()], Some(PeerId(1))), Some(tunnels(0))),
        start(link([away(), there], Some(PeerId(0))), Some(tunnels(1))),
    ];
    let peers = [PeerId(0), PeerId(1)];
    for (me, other) in [(0, 1), (1, 0)] {
        let doors = planes[other].tunnel_doors().expect("doors");
        planes[me].connect_peer(peers[other], doors).expect("a connection");
    }
    let until = Instant::now() + Duration::from_secs(30);
    while (0..2).any(|me| planes[me].peer_clock(peers[1 - me]).is_none()) {
        assert!(Instant::now() < until, "the clocks are not known");
        thread::sleep(Duration::from_millis(10));
    }
    planes.into()
}

/// Begins a frame log of the link, which goes to the receiver.
fn log(dataplane: &Dataplane) -> (FrameLog, Receiver<Vec<u8>>) {
    let (bytes, written) = channel();
    let header = LogHeader { zero_unix_ns: 0, pipes: vec!["f".into(), "r".into()] };
    let log = dataplane.log_frames(&[(LinkId(0), 0)], &header, Written(bytes));
    (log.expect("a frame log"), written)
}

/// Loads a link with `properties`, and returns the record.
fn record(properties: &str, machines: u32) -> Record {
    let (hosts, taps) = lab::two_quiet_hosts();
    let planes = planes(properties, machines, taps);
    let far = planes.len() - 1;
    let captures =
        [(0, 0), (far, 1)].map(|(at, end)| planes[at].capture(LinkId(0), end).expect("a capture"));
    let (logs, written): (Vec<_>, Vec<_>) = planes.iter().map(log).unzip();
    let (statistics, [entered, left]) = thread::scope(|scope| {
        let readers = captures.map(|capture| scope.spawn(move || read(capture)));
        load::fill(&hosts, RATE, LOAD);
        let statistics = at_rest(&planes[0]);
        thread::scope(|scope| {
            let parts = |plane: &Dataplane| {
                assert_eq!(plane.end_tunnels(Duration::from_secs(30)).expect("an end"), []);
            };
            planes.iter().for_each(|plane| _ = scope.spawn(move || parts(plane)));
        });
        for (plane, log) in planes.into_iter().zip(logs) {
            let summary = plane.end_frame_log(log).expect("the log ends");
            assert_eq!(summary.lost, 0, "the log is not complete");
            let losses = plane.timing().expect("timing").unmodelled;
            assert_eq!(losses.total(), 0, "lost outside the model: {losses:?}");
            plane.stop();
        }
        (statistics, readers.map(|reader| reader.join().expect("the reader ends")))
    });
    let going = |direction| move |frame: &CapturedFrame| frame.direction == direction;
    let mut events: Vec<_> =
        written.iter().map(|log| decode(&log.iter().flatten().collect::<Vec<_>>())).collect();
    // One machine has both parts of the log; of two, the first one has the events of the model.
    let handed_over = std::mem::take(&mut events[far].1);
    let events = events.swap_remove(0).0;
    Record {
        events,
        handed_over,
        entered: entered.into_iter().filter(going(CaptureDirection::Outbound)).collect(),
        left: left.into_iter().filter(going(CaptureDirection::Inbound)).collect(),
        statistics,
    }
}

/// Receives the bytes of the frame log.
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

/// Returns everything that is captured until the data plane stops.
fn read(mut capture: Capture) -> Vec<CapturedFrame> {
    let mut frames = Vec::new();
    loop {
        match capture.recv_timeout(Duration::from_secs(1)) {
            Ok(frame) => frames.push(frame),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    assert_eq!(capture.missed(), 0, "the capture is not complete");
    frames
}

/// Waits until the loaded pipe is empty and nothing arrives.
fn at_rest(dataplane: &Dataplane) -> PipeStatistics {
    let pipe = || dataplane.pipes().expect("pipes").swap_remove(0).statistics;
    let (mut last, mut since) = (pipe(), Instant::now());
    let limit = since + Duration::from_secs(30);
    while since.elapsed() < QUIET {
        assert!(Instant::now() < limit, "the link does not come to rest: {last:?}");
        thread::sleep(Duration::from_millis(10));
        let now = pipe();
        let resting = now.in_flight.frames == 0
            && now.queue.now.frames == 0
            && now.offered.frames == last.offered.frames;
        if !resting {
            since = Instant::now();
        }
        last = now;
    }
    last
}

/// Returns the model's events of frames in pipe 0, and the frames that were handed over.
fn decode(bytes: &[u8]) -> (Vec<FrameEvent>, Vec<FrameEvent>) {
    let mut decoder = LogDecoder::new();
    decoder.feed(bytes);
    let (mut events, mut handed_over) = (Vec::new(), Vec::new());
    while let Some(entry) = decoder.next_entry().expect("a frame log") {
        let LogEntry::Frame(pipe, event) = entry else { panic!("entries are missing") };
        match event.what {
            _ if pipe != 0 => {}
            Occurrence::HandedOver | Occurrence::Refused => handed_over.push(event),
            _ => events.push(event),
        }
    }
    (events, handed_over)
}

/// Checks that each frame that the model delivered was handed over once, and not before: the clocks
/// of two machines are known to a ms at least.
fn what_is_delivered_is_handed_over(record: &Record) {
    let releases = record.events.iter().filter_map(|event| match event.what {
        Occurrence::Delivered { .. } => Some((event.number, event.at)),
        _ => None,
    });
    let mut releases: Vec<_> = releases.collect();
    let mut handed: Vec<_> =
        record.handed_over.iter().map(|event| (event.number, event.at)).collect();
    releases.sort_unstable();
    handed.sort_unstable();
    assert_eq!(handed.len(), releases.len(), "frames handed over, and delivered by the model");
    for ((number, release), (seen, at)) in releases.into_iter().zip(handed) {
        assert_eq!(number, seen);
        let known = at + netloom_units::Duration::from_millis(1);
        assert!(known >= release, "frame {number} of {release:?} was handed over at {at:?}");
    }
}

/// Returns the offers of a run: each logged arrival with the wire frames that it consists of.
fn offers(record: &Record) -> Vec<(Time, FrameInfo, AnomalyKind)> {
    let mut entered = record.entered.iter();
    let offered = record.events.iter().filter(|event| event.what == Occurrence::Offered);
    let offers = offered.map(|event| {
        let frames: Vec<_> = entered.by_ref().take(event.frames as usize).collect();
        let length = |frame: Option<&&CapturedFrame>| frame.expect("captured").original_length;
        let info =
            FrameInfo::coalesced(event.frames, length(frames.first()), length(frames.last()));
        assert_eq!(info.bytes(), event.bytes, "log and capture tell of the same frames");
        (event.at, info, AnomalyKind(header(&frames[0].bytes)))
    });
    let offers = offers.collect();
    assert_eq!(entered.count(), 0, "more was captured than logged");
    offers
}

/// Parses the header of an IPv4 packet without options. Every frame on the link is one.
fn header(frame: &[u8]) -> Option<Header> {
    assert_eq!((&frame[12..14], frame[14]), (&[8, 0][..], 0x45), "an IPv4 packet");
    let address = |at: usize| <[u8; 4]>::try_from(&frame[at..at + 4]).expect("four bytes").into();
    let port = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
    Some(Header {
        source: address(26),
        destination: address(30),
        protocol: frame[23],
        source_port: port(34),
        destination_port: port(36),
        dscp: frame[15] >> 2,
        ecn: Ecn::from_bits(frame[15]),
    })
}

/// Repeats the run in virtual time.
fn replay(properties: &str, offers: Vec<(Time, FrameInfo, AnomalyKind)>) -> Vec<FrameEvent> {
    let mut pipe = Pipe::new(config(properties), Stream::new(SEED, "l/forward"), Time::ZERO);
    pipe.record_events(true);
    let mut events = Vec::new();
    virtual_time::run(&mut pipe, offers, |pipe, now| {
        while pipe.poll(now).is_some() {}
        while pipe.poll_dropped().is_some() {}
        events.extend(std::iter::from_fn(|| pipe.poll_event()));
    });
    events
}

/// Separates deliveries from other events. A delivery is logged when it is collected, so the order
/// of both depends on the polling.
fn apart(events: Vec<FrameEvent>) -> [Vec<FrameEvent>; 2] {
    let (delivered, others) =
        events.into_iter().partition(|event| matches!(event.what, Occurrence::Delivered { .. }));
    [delivered, others]
}

/// Checks that the frames that left the pipe have exactly the marks in the log.
fn marks_are_in_the_frames(record: &Record) {
    let [delivered, others] = apart(record.events.clone());
    let marked = others.iter().filter(|event| event.what == Occurrence::Marked);
    let marked: BTreeSet<u64> = marked.map(|event| event.number).collect();
    let are_marked = delivered.iter().flat_map(|event| {
        std::iter::repeat_n(marked.contains(&event.number), event.frames as usize)
    });
    let are_marked: Vec<bool> = are_marked.collect();
    let carried = record.left.iter().map(|frame| {
        let carries = frame.bytes[15] & 3 == 3;
        assert_eq!(frame.note == CaptureNote::Marked, carries, "the capture's note is true");
        carries
    });
    assert_eq!(carried.collect::<Vec<_>>(), are_marked);
}

/// Checks that both runs treat every frame alike, and that the real one had all events of `what`.
fn same_fates(properties: &str, what: &[&str]) {
    same_fates_on(1, properties, what);
}

fn same_fates_on(machines: u32, properties: &str, what: &[&str]) {
    if !lab::available("replay") {
        return;
    }
    let record = record(properties, machines);
    for what in what {
        let count = record.count(what);
        assert!(count > 0, "no {what}: {properties}: {:?}", record.statistics);
    }
    marks_are_in_the_frames(&record);
    what_is_delivered_is_handed_over(&record);
    let again = replay(properties, offers(&record));
    let pairs = apart(record.events).into_iter().zip(apart(again));
    for (real, again) in pairs {
        if let Some(at) =
            (0..real.len().max(again.len())).find(|at| real.get(*at) != again.get(*at))
        {
            let (real, again) = (real.get(at), again.get(at));
            panic!("{properties}: event {at} was {real:?} and is {again:?}");
        }
    }
}

impl Record {
    fn count(&self, what: &str) -> usize {
        let of_tcp = |frame: &&CapturedFrame| frame.bytes[23] == 6;
        match what {
            "queue_full" => self.statistics.dropped.queue_full.frames as usize,
            "aqm" => self.statistics.dropped.aqm.frames as usize,
            "loss" => self.statistics.dropped.loss.frames as usize,
            "policed" => self.statistics.dropped.policed.frames as usize,
            "mark" => self.statistics.marked.frames as usize,
            "super-frame" => self.events.iter().filter(|event| event.frames > 1).count(),
            "full TCP frame" => {
                let full = |frame: &&CapturedFrame| frame.original_length == 1514;
                self.entered.iter().filter(of_tcp).filter(full).count()
            }
            other => panic!("`{other}` is not counted"),
        }
    }
}

/// Tests a link of [`RATE`] with this queue, with TCP flows.
fn same_fates_in(queue: &str, what: &[&str]) {
    let properties = format!(r#"{{"rate":"10Mbit/s","delay":"10ms","queue":{queue}}}"#);
    same_fates(&properties, &[what, &["full TCP frame"]].concat());
}

/// The far end is on another machine: what it hands over is what the model delivers.
#[test]
fn between_machines() {
    let properties = r#"{"rate":"10Mbit/s","delay":"30ms","jitter":"2ms","loss":"1%",
        "queue":{"discipline":{"codel":{"interval":"20ms","ecn":true}},"limit":"60packets"}}"#;
    same_fates_on(2, properties, &["aqm", "mark", "loss", "full TCP frame"]);
}

#[test]
fn fifo() {
    same_fates_in(r#"{"limit":"40packets"}"#, &["queue_full"]);
    same_fates_in(r#"{"discipline":{"fifo":{"drop":"head"}},"limit":"20ms"}"#, &["queue_full"]);
}

/// At 2 Gbit/s, up to eight full frames of a super-frame stay together.
#[test]
fn super_frames() {
    let properties = r#"{"rate":"2Gbit/s","delay":"1ms","queue":{"limit":"100kB"}}"#;
    same_fates(properties, &["super-frame"]);
}

#[test]
fn red() {
    let queue = r#"{"discipline":{"red":{"weight":0.02}},"limit":"40packets"}"#;
    same_fates_in(queue, &["aqm", "mark"]);
}

#[test]
fn codel() {
    let queue = |ecn| {
        format!(
            r#"{{"discipline":{{"codel":{{"interval":"20ms","ecn":{ecn}}}}},"limit":"60packets"}}"#
        )
    };
    same_fates_in(&queue(true), &["aqm", "mark"]);
    same_fates_in(&queue(false), &["aqm"]);
}

#[test]
fn fq_codel() {
    let queue =
        r#"{"discipline":{"fq_codel":{"interval":"20ms","target":"2ms"}},"limit":"30packets"}"#;
    same_fates_in(queue, &["queue_full", "aqm", "mark"]);
    // Flows that share a queue.
    let queue = r#"{"discipline":{"fq_codel":{"interval":"20ms","flows":2}},"limit":"200packets"}"#;
    same_fates_in(queue, &["aqm"]);
}

#[test]
fn pie() {
    let queue = r#"{"discipline":{"pie":{"ecn_threshold":"100%"}},"limit":"200packets"}"#;
    same_fates_in(queue, &["aqm", "mark"]);
    let queue = r#"{"discipline":{"pie":{"derandomize":false,"ecn":false,"max_burst":"15ms"}}}"#;
    same_fates_in(queue, &["aqm"]);
}

/// Frames that a meter drops and marks, and the effect of the marks in classes with their own
/// disciplines and a cap.
#[test]
fn conditions() {
    let condition = r#"[
        {"match":{"protocol":"udp"},"meter":{"rate":"1Mbit/s","burst":"20kB"},
         "conform":{"dscp":"ef"},"exceed":"drop"},
        {"meter":{"srtcm":{"cir":"2Mbit/s","cbs":"30kB","ebs":"300kB"}},
         "green":{"dscp":"af11"},"yellow":{"dscp":"af12"},"red":{"dscp":"af13"}}]"#;
    let queue = r#"{"discipline":{"prio":{"classes":[
        {"match":{"dscp":"ef"},"limit":"40packets"},
        {"match":{"dscp":["af11","af12"]},"discipline":{"red":{"weight":0.02,"by_dscp":{
            "af12":{"min":"2packets","max":"9packets"}}}}},
        {"discipline":"codel","most":"3Mbit/s"}]}},"limit":"60packets"}"#;
    let properties =
        format!(r#"{{"rate":"10Mbit/s","delay":"10ms","condition":{condition},"queue":{queue}}}"#);
    same_fates(&properties, &["policed", "full TCP frame"]);
    // Without a rate, super-frames are split where the result of a meter changes within them.
    let properties = r#"{"delay":"1ms","condition":[{"meter":{"rate":"50Mbit/s","burst":"100kB"},
        "exceed":"drop"}]}"#;
    same_fates(properties, &["policed", "super-frame"]);
}

#[test]
fn classes() {
    let classes =
        r#""classes":[{"match":{"dscp":"ef"},"weight":3},{"match":{"dscp":10},"weight":2}]"#;
    for discipline in ["drr", "wf2q+"] {
        let queue =
            format!(r#"{{"discipline":{{"{discipline}":{{{classes}}}}},"limit":"40packets"}}"#);
        same_fates_in(&queue, &["queue_full"]);
        // A queue for each flow.
        let queue = format!(r#"{{"discipline":"{discipline}","limit":"40packets"}}"#);
        same_fates_in(&queue, &["queue_full"]);
    }
    let classes = r#""classes":[{"match":{"dscp":10}},{"match":{"dscp":"ef"}}]"#;
    let queue = format!(r#"{{"discipline":{{"prio":{{{classes}}}}},"limit":"40packets"}}"#);
    same_fates_in(&queue, &["queue_full"]);
}

/// All stages together: each draws from its own stream.
#[test]
fn all_stages() {
    let properties = r#"{"rate":"10Mbit/s","burst":"10kB","delay":"10ms","jitter":{"normal":"2ms"},
        "loss":"2%","duplicate":"1%","ber":1e-7,"reorder":{"probability":"1%"},
        "queue":{"discipline":{"pie":{"ecn_threshold":"100%"}},"limit":"60packets"}}"#;
    same_fates(properties, &["loss", "aqm", "mark"]);
}
