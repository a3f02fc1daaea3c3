//! Comparison of links in virtual time with the same links in the data plane, with real sockets.
//!
//! The model's random decisions for a frame depend only on the frame's number, so both runs must
//! agree exactly on every frame's fate, whatever the machine does. Times agree within the machine's
//! own latency: a frame is never early, and at the median of hundreds of frames at most [`LATE`]
//! late. The median exceeds that only if more than half of the frames do; wake-ups of a loaded
//! virtual machine take 50 µs at the median and 5 ms at the 99th percentile.
//!
//! The decisions of a queue depend on the exact times of arrivals: `replay` compares queue
//! disciplines.

mod lab;

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use lab::datagrams::{Arrival, Receiver, Sender};
use lab::virtual_time;
use netloom_dataplane::{Dataplane, End, LinkWiring, Options, Wiring};
use netloom_fabric::LinkId;
use netloom_link::{FrameInfo, Pipe, PipeChange, PipeConfig, PipeStatistics, Stream};
use netloom_units::Time;

/// Largest lateness of the median frame.
const LATE: i64 = 2_000_000;
/// Largest earliness of a frame: both timestamps are of the wall clock, which may be slewed
/// meanwhile.
const EARLY: i64 = -100_000;
const SEED: u64 = 20_090_701;

/// Datagrams sent over a link.
struct Case {
    properties: &'static str,
    count: u64,
    /// Time between two datagrams.
    gap: Duration,
    /// Length of the Ethernet frame, in bytes.
    length: usize,
}

/// Results of a case.
struct Outcome {
    /// For each datagram that arrived: the number of copies, and the one-way time of the first in
    /// ns.
    arrived: BTreeMap<u64, (u32, i64)>,
    /// Numbers in the order of arrival.
    order: Vec<u64>,
    statistics: PipeStatistics,
}

impl Case {
    fn config(&self) -> PipeConfig {
        let change: PipeChange = serde_json::from_str(self.properties).expect("a valid change");
        let mut config = PipeConfig::default();
        change.apply_to(&mut config);
        config
    }

    /// Runs the case in virtual time, each datagram being sent at its time.
    fn in_virtual_time(&self) -> Outcome {
        let stream = Stream::new(SEED, "l/forward");
        let mut pipe = Pipe::new(self.config(), stream, Time::ZERO);
        let mut outcome = Vec::new();
        let mut last = Time::ZERO;
        let offers = (0..self.count).map(|number| {
            let at = Time::from_nanos(number * self.gap.as_nanos() as u64);
            (at, FrameInfo::single(self.length as u32), number)
        });
        virtual_time::run(&mut pipe, offers, |pipe, now| {
            while let Some(delivery) = pipe.poll(now) {
                let one_way = delivery.release.since(delivery.passage.offered).as_nanos();
                outcome.push((delivery.frame, one_way as i64));
            }
            while pipe.poll_dropped().is_some() {}
            last = now;
        });
        Outcome::new(outcome, pipe.statistics(last))
    }

    /// Runs the case in the data plane.
    fn in_real_time(&self) -> Outcome {
        let ([a, b], taps) = lab::two_quiet_hosts();
        let link = LinkWiring {
            id: LinkId(0),
            name: "l".into(),
            ends: taps.map(|tap| End::Port(Box::new(tap))),
            pipes: [self.config(), PipeConfig::default()],
            mtus: [None; 2],
            peer: None,
        };
        let wiring = Wiring { links: vec![link] };
        let options = Options { seed: SEED, ..Options::default() };
        let dataplane = Dataplane::start(wiring, options).expect("a data plane");
        let (mut sender, receiver) = (Sender::new(&a), Receiver::new(&b));
        let arrivals = receiver.collect_while(Duration::from_millis(700), || {
            if self.gap == Duration::ZERO {
                sender.send_all(self.count, self.length, &dataplane);
            } else {
                self.send_at_intervals(&mut sender);
            }
        });
        let timing = dataplane.timing().expect("timing");
        assert_eq!(timing.unmodelled.total(), 0, "lost outside the model: {:?}", timing.unmodelled);
        assert_eq!(b.counter("Udp", "RcvbufErrors"), 0, "the receiver was too slow");
        let statistics = dataplane.pipes().expect("pipes").swap_remove(0).statistics;
        assert_eq!(statistics.offered.frames, self.count, "only the datagrams, and all of them");
        let of = |arrival: &Arrival| (arrival.number, arrival.one_way());
        Outcome::new(arrivals.iter().map(of).collect(), statistics)
    }

    fn send_at_intervals(&self, sender: &mut Sender) {
        let start = Instant::now();
        for number in 0..self.count as u32 {
            thread::sleep((start + self.gap * number).saturating_duration_since(Instant::now()));
            sender.send(self.length);
        }
    }

    fn both(&self) -> Option<[Outcome; 2]> {
        if !lab::available("two_arms") {
            return None;
        }
        Some([self.in_virtual_time(), self.in_real_time()])
    }
}

impl Outcome {
    fn new(arrivals: Vec<(u64, i64)>, statistics: PipeStatistics) -> Self {
        let mut arrived = BTreeMap::new();
        for (number, one_way) in &arrivals {
            arrived.entry(*number).or_insert((0, *one_way)).0 += 1;
        }
        let order = arrivals.into_iter().map(|(number, _)| number).collect();
        Self { arrived, order, statistics }
    }

    fn times(&self) -> BTreeMap<u64, u32> {
        self.arrived.iter().map(|(number, (times, _))| (*number, *times)).collect()
    }
}

/// Checks that both runs lose and duplicate the same frames, and have the same statistics.
fn same_fates(case: &Case) {
    let Some([model, real]) = case.both() else { return };
    assert_eq!(model.times(), real.times(), "{}", case.properties);
    assert_eq!(model.statistics.dropped, real.statistics.dropped, "{}", case.properties);
    assert_eq!(model.statistics.duplicated, real.statistics.duplicated, "{}", case.properties);
    let lost = case.count - real.arrived.len() as u64;
    let changed = lost + real.statistics.duplicated.frames;
    assert!(changed > 0, "nothing happened to any frame: {}", case.properties);
}

/// Checks that both runs take the same time for each frame, apart from the latency of the machine.
fn same_times(case: &Case) {
    let Some([model, real]) = case.both() else { return };
    assert_eq!(model.times(), real.times(), "{}", case.properties);
    let late = |(number, (_, time)): (&u64, &(u32, i64))| time - model.arrived[number].1;
    let mut late: Vec<i64> = real.arrived.iter().map(late).collect();
    late.sort_unstable();
    let (first, median) = (late[0], late[late.len() / 2]);
    assert!(first >= EARLY, "{first} ns: before its time: {}", case.properties);
    assert!(median <= LATE, "the median frame is {median} ns late: {}", case.properties);
}

const QUICK: Duration = Duration::ZERO;

#[test]
fn losses_are_of_the_same_frames() {
    for properties in [
        r#"{"loss":"10%"}"#,
        r#"{"loss":{"gilbert_elliott":{"p":"2%","r":"20%","bad":"90%","good":"0.1%"}}}"#,
        r#"{"loss":{"four_state":{"p13":"2%","p31":"30%","p32":"10%","p23":"50%","p14":"1%"}}}"#,
        r#"{"loss":{"pattern":"0010110"}}"#,
        r#"{"loss":{"every":9}}"#,
    ] {
        same_fates(&Case { properties, count: 20_000, gap: QUICK, length: 100 });
    }
}

#[test]
fn bit_errors_and_duplicates_are_of_the_same_frames() {
    for properties in
        [r#"{"ber":1e-5}"#, r#"{"duplicate":"5%"}"#, r#"{"ber":1e-5,"duplicate":"5%","loss":"1%"}"#]
    {
        same_fates(&Case { properties, count: 10_000, gap: QUICK, length: 1514 });
    }
}

/// The receiving kernel detects flipped bits: frames that neither run counts as corrupted arrive
/// unchanged, and a flip in the payload of a datagram is detected by its checksum.
#[test]
fn flipped_bits_reach_the_receiver() {
    let properties = r#"{"corrupt":"10%"}"#;
    let case = Case { properties, count: 5000, gap: QUICK, length: 1514 };
    let Some([model, real]) = case.both() else { return };
    assert_eq!(model.statistics.corrupted, real.statistics.corrupted);
    assert_eq!(model.statistics.dropped, real.statistics.dropped);
    let whole = case.count - real.statistics.corrupted.frames;
    let arrived = real.arrived.len() as u64;
    // A flip in an address or in padding is detected by nobody, or by others.
    assert!((whole..=whole + real.statistics.corrupted.frames / 20).contains(&arrived));
}

#[test]
fn delays_are_the_same() {
    for properties in [
        r#"{"delay":"10ms"}"#,
        // Where frames may overtake each other, no frame's time depends on the one before.
        r#"{"delay":"20ms","jitter":{"normal":"3ms"},"reorder":{"probability":"0%"}}"#,
        concat!(
            r#"{"delay":"20ms","jitter":{"pareto":"3ms","correlation":"50%"},"#,
            r#""reorder":{"probability":"0%"}}"#,
        ),
        concat!(
            r#"{"delay":"5ms","jitter":{"pattern":["1ms","-2ms","30ms"]},"#,
            r#""reorder":{"probability":"0%"}}"#,
        ),
        r#"{"delay":"20ms","jitter":"5ms","reorder":{"probability":"0%"}}"#,
        // Each frame is on the line for 15.38 ms.
        r#"{"rate":"800kbit/s","delay":"3ms"}"#,
    ] {
        let gap = Duration::from_millis(if properties.contains("rate") { 20 } else { 4 });
        let count = if properties.contains("rate") { 60 } else { 250 };
        same_times(&Case { properties, count, gap, length: 1514 });
    }
}

/// Frames that overtake others arrive 20 ms before their turn, which is five others.
#[test]
fn the_same_frames_are_sent_out_of_turn() {
    let properties = r#"{"delay":"40ms","reorder":{"probability":"30%","gap":3}}"#;
    let case = Case { properties, count: 300, gap: Duration::from_millis(4), length: 100 };
    let Some([model, real]) = case.both() else { return };
    let early = |outcome: &Outcome| -> Vec<u64> {
        let early = outcome.arrived.iter().filter(|(_, (_, time))| *time < 20_000_000);
        early.map(|(number, _)| *number).collect()
    };
    // A machine that sleeps for 20 ms makes a frame late, never early; none is missing.
    assert_eq!(model.arrived.len(), real.arrived.len());
    let (wanted, seen) = (early(&model), early(&real));
    assert!(wanted.len() > 10 && seen.iter().all(|number| wanted.contains(number)));
    assert!(seen.len() * 10 >= wanted.len() * 9, "{} of {} were early", seen.len(), wanted.len());
    assert!(real.order.windows(2).any(|pair| pair[1] < pair[0]), "somebody overtook");
}

/// A burst into a slow link: frames on the line, in the queue, and those that the line sent
/// meanwhile.
#[test]
fn a_full_queue_drops_the_rest_of_a_burst() {
    // Each frame takes 10 ms.
    let properties = r#"{"rate":"800kbit/s","framing":"none","queue":{"limit":"20packets"}}"#;
    let case = Case { properties, count: 200, gap: QUICK, length: 1000 };
    let Some([model, real]) = case.both() else { return };
    assert_eq!(model.arrived.keys().copied().collect::<Vec<_>>(), (0..21).collect::<Vec<_>>());
    let arrived: Vec<u64> = real.arrived.keys().copied().collect();
    // Sending may take any time; each 10 ms of it make room for one more frame.
    assert!(arrived.len() >= 21 && arrived[..21] == (0..21).collect::<Vec<_>>());
    assert_eq!(arrived.len() as u64 + real.statistics.dropped.queue_full.frames, case.count);
}
