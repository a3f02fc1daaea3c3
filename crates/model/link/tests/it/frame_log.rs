//! In virtual time the frame log of a network is identical, byte for byte, in every run and for any
//! distribution of its pipes over threads.

use std::collections::BTreeSet;
use std::thread;

use crate::common::{change, config};
use netloom_link::{
    DropReason, Dscp, Ecn, Frame, FrameEvent, FrameInfo, Header, LogDecoder, LogEncoder, LogEntry,
    LogHeader, Occurrence, Pipe, Stream,
};
use netloom_units::{Duration, Time};

/// Every stage of the model, alone and together.
const PIPES: &[&str] = &[
    r#"{"rate":"10Mbit/s","delay":"10ms","loss":"1%"}"#,
    r#"{"rate":"2Mbit/s","burst":"10kB","queue":{"limit":"20packets"},"jitter":"3ms"}"#,
    r#"{"rate":{"schedule":[{"at":"0s","rate":"5Mbit/s"},{"at":"40ms","rate":"500kbit/s"}],
        "repeat":"100ms"},"queue":{"limit":"30ms"},"duplicate":"5%"}"#,
    r#"{"rate":{"trace":[1,3,3,9,20,21]},"delay":"5ms","jitter":{"normal":"2ms"}}"#,
    r#"{"rate":"4Mbit/s","loss":{"gilbert_elliott":{"p":"2%","r":"20%"}},"framing":"none",
        "mac_overhead":[{"probability":"50%","time":"100us"},{"probability":"98%","time":"2ms"}]}"#,
    r#"{"delay":"20ms","reorder":{"probability":"10%","gap":3},"ber":"1e-6","corrupt":"1%"}"#,
    r#"{"rate":"3Mbit/s","ber":"1e-5","bit_errors":"flip","pipe_mtu":1000}"#,
    r#"{"rate":"2Mbit/s","queue":{"discipline":"codel"}}"#,
    r#"{"rate":"2Mbit/s","queue":{"discipline":"fq_codel","limit":"20packets"}}"#,
    r#"{"rate":"2Mbit/s","queue":{"discipline":"red","limit":"50packets"}}"#,
    r#"{"rate":"2Mbit/s","queue":{"discipline":"pie"}}"#,
    r#"{"rate":"2Mbit/s","queue":{"discipline":"drr","limit":"10packets"}}"#,
    r#"{"rate":"2Mbit/s","queue":{"discipline":"wf2q+","limit":"10packets"}}"#,
    r#"{"rate":"3Mbit/s","condition":[{"match":{"source_port":"1-3"},
        "meter":{"rate":"1Mbit/s","burst":"5kB"},"exceed":"drop"}],"queue":{"discipline":{"prio":
        {"classes":[{"match":{"source_port":[4,5]},"most":"500kbit/s","discipline":"codel"},
            {"discipline":"red"}]}},"limit":"20packets"}}"#,
];

/// The pipe whose far end takes no large packets.
const SHORT_RECEIVER: usize = 0;

const CHANGES: &[&str] = &[
    r#"{"rate":"1Mbit/s","queue":{"limit":"5packets"}}"#,
    r#"{"state":"down"}"#,
    r#"{"state":"up","delay":"2ms"}"#,
    r#"{"state":"down","in_flight":"deliver"}"#,
    r#"{"state":"up","loss":"5%","duplicate":"1%"}"#,
];

const SPAN: Duration = Duration::from_millis(1500);

/// A TCP packet of one of eight flows, half of which are ECN-capable.
#[derive(Debug, Clone, Copy)]
struct Packet(u16);

impl Frame for Packet {
    fn header(&self) -> Option<Header> {
        Some(Header {
            source: [10, 0, 0, 1].into(),
            destination: [10, 0, 0, 2].into(),
            protocol: 6,
            source_port: self.0,
            destination_port: 80,
            dscp: 0,
            ecn: if self.0.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable },
        })
    }
    fn mark_congestion(&mut self) {}
    fn remark(&mut self, _: Dscp) {}
    fn flip_bits(&mut self, _bits: &[u64]) {}
    fn duplicate(&self) -> Self {
        *self
    }
}

/// Returns all events of pipe `index`.
fn simulate(index: usize) -> Vec<FrameEvent> {
    let name = format!("pipe{index}");
    let mut pipe = Pipe::new(config(PIPES[index]), Stream::new(7, &name), Time::ZERO);
    pipe.record_events(true);
    if index == SHORT_RECEIVER {
        pipe.set_receiver_mtu(Some(1200));
    }
    let mut arrivals = Stream::new(8, &name);
    let (mut now, mut events, mut changes) = (Time::ZERO, Vec::new(), CHANGES.iter());
    let mut change_at = Time::ZERO;
    while now < Time::ZERO + SPAN {
        let (wait, size, flow) = (arrivals.uniform(), arrivals.uniform(), arrivals.uniform());
        now += Duration::from_nanos((wait * wait * 6e6) as u64);
        run(&mut pipe, now, &mut events);
        if now >= change_at + Duration::from_millis(200)
            && let Some(text) = changes.next()
        {
            change_at = now;
            pipe.change(now, &change(text));
        }
        let bytes = 60 + (size * 1454.0) as u32;
        let _ = pipe.offer(now, FrameInfo::single(bytes), Packet((flow * 8.0) as u16));
        run(&mut pipe, now, &mut events);
    }
    while let Some(deadline) = pipe.next_deadline() {
        now = now.max(deadline);
        run(&mut pipe, now, &mut events);
    }
    events
}

/// Polls at every deadline up to `now`.
fn run(pipe: &mut Pipe<Packet>, now: Time, events: &mut Vec<FrameEvent>) {
    loop {
        let due = pipe.next_deadline().filter(|deadline| *deadline <= now);
        while pipe.poll(due.unwrap_or(now)).is_some() {}
        while pipe.poll_dropped().is_some() {}
        events.extend(std::iter::from_fn(|| pipe.poll_event()));
        if due.is_none() {
            return;
        }
    }
}

/// Returns the log of all pipes, simulated on `threads` threads.
fn log(threads: usize) -> Vec<u8> {
    log_from(threads, Time::ZERO)
}

fn log_from(threads: usize, zero: Time) -> Vec<u8> {
    let mut all: Vec<(usize, FrameEvent)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let own = (0..PIPES.len()).filter(|pipe| pipe % threads == thread);
                    let with_pipe = |pipe| simulate(pipe).into_iter().map(move |e| (pipe, e));
                    own.flat_map(with_pipe).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    // The sort is stable, so events of one frame at the same time keep their order.
    all.sort_by_key(|(pipe, event)| (event.at, *pipe, event.number));
    let pipes = (0..PIPES.len()).map(|index| format!("pipe{index}")).collect();
    let mut bytes = Vec::new();
    let mut encoder =
        LogEncoder::new(&LogHeader { zero_unix_ns: 0, pipes }, &mut bytes).counted_from(zero);
    for (pipe, event) in all {
        encoder.encode(&LogEntry::Frame(pipe as u32, event), &mut bytes);
    }
    bytes
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn the_scenario_has_every_event_and_every_reason() {
    let (mut names, mut reasons) = (BTreeSet::new(), BTreeSet::new());
    for event in (0..PIPES.len()).flat_map(simulate) {
        names.insert(event.what.name());
        if let Occurrence::Rejected { reason } | Occurrence::Dropped { reason, .. } = event.what {
            reasons.insert(reason.name());
        }
    }
    let all = ["corrupted", "delivered", "dropped", "duplicated", "marked", "offered", "rejected"];
    assert_eq!(names, BTreeSet::from(all));
    assert_eq!(reasons, DropReason::ALL.iter().map(|reason| reason.name()).collect());
}

#[test]
fn the_log_is_the_same_on_any_number_of_threads() {
    let one = log(1);
    assert!(one.len() > 10_000, "{} bytes", one.len());
    for threads in [1, 2, 4] {
        assert!(log(threads) == one, "{threads} threads");
    }
}

#[test]
fn the_log_is_the_same_on_any_machine() {
    let bytes = log(1);
    // These values change with every change of the model's draws or the log's format. Update them
    // then.
    assert_eq!((bytes.len(), hash(&bytes)), (171_020, 3_139_776_233_149_310_538));
}

#[test]
fn a_log_may_count_from_another_zero() {
    let zero = Time::ZERO + Duration::from_nanos(SPAN.as_nanos() / 2);
    let entries = |bytes: &[u8]| {
        let mut decoder = LogDecoder::new();
        decoder.feed(bytes);
        std::iter::from_fn(|| decoder.next_entry().unwrap()).collect::<Vec<_>>()
    };
    let counted = |time: Time| time.counted_from(zero);
    let plain = entries(&log(1)).into_iter().map(|entry| {
        let LogEntry::Frame(pipe, event) = entry else { return entry };
        let what = match event.what {
            Occurrence::Delivered { offered, started, serialized } => Occurrence::Delivered {
                offered: counted(offered),
                started: counted(started),
                serialized: counted(serialized),
            },
            Occurrence::Dropped { reason, offered, started, serialized } => Occurrence::Dropped {
                reason,
                offered: counted(offered),
                started: started.map(counted),
                serialized: serialized.map(counted),
            },
            other => other,
        };
        LogEntry::Frame(pipe, FrameEvent { at: counted(event.at), what, ..event })
    });
    let moved = entries(&log_from(1, zero));
    assert!(moved == plain.collect::<Vec<_>>());
    let is_early = |entry: &LogEntry| matches!(entry, LogEntry::Frame(_, e) if e.at < Time::ZERO);
    assert!(moved.iter().any(is_early) && !moved.iter().all(is_early));
}
