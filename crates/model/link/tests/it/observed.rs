//! The statistics of a pipe, since it began and in every window, agree with its events, and its
//! events survive the conversion to their binary form.

use crate::common::config;
use crate::common::recount::Recount;
use netloom_link::{
    FrameEvent, FrameInfo, LogDecoder, LogEncoder, LogEntry, LogHeader, Pipe, PipeChange,
    PipeConfig, PipeStatistics, Stream, Window,
};
use netloom_units::{Duration, Time};
use proptest::collection::vec;
use proptest::prelude::*;

/// Links of every kind, from idle to overloaded.
const LINKS: &[&str] = &[
    r#"{}"#,
    r#"{"rate":"1Mbit/s","delay":"10ms","queue":{"limit":"10packets"}}"#,
    r#"{"rate":"100kbit/s","delay":"1500ms","loss":"10%","queue":{"limit":"20kB"}}"#,
    r#"{"rate":"10Mbit/s","delay":"1ms","duplicate":"10%","corrupt":"5%"}"#,
    r#"{"rate":"2kbit/s","queue":{"limit":"3packets"}}"#,
    r#"{"delay":"2s","ber":"1e-5","jitter":"5ms"}"#,
    r#"{"rate":"300kbit/s","delay":"8ms","reorder":{"probability":"30%","gap":2}}"#,
    r#"{"rate":"200kbit/s","queue":{"discipline":"codel","limit":"15packets"}}"#,
    r#"{"rate":"200kbit/s","queue":{"discipline":"fq_codel","limit":"8packets"}}"#,
    r#"{"rate":"500kbit/s","queue":{"discipline":"red"},"duplicate":"3%"}"#,
    r#"{"rate":"500kbit/s","queue":{"discipline":"pie"}}"#,
    r#"{"rate":"100kbit/s","queue":{"discipline":{"fifo":{"drop":"head"}},"limit":"4packets"}}"#,
];

const CHANGES: &[&str] = &[
    r#"{"queue":{"limit":"9kB"}}"#,
    r#"{"queue":{"limit":"70ms"}}"#,
    r#"{"rate":"5Mbit/s"}"#,
    r#"{"rate":"50kbit/s"}"#,
    r#"{"delay":"20ms"}"#,
    r#"{"state":"down"}"#,
    r#"{"state":"down","in_flight":"deliver"}"#,
    r#"{"state":"up"}"#,
    r#"{"queue":{"limit":"2packets"}}"#,
    r#"{"loss":"50%"}"#,
];

#[derive(Debug, Clone)]
enum Step {
    Offer(u32, u32),
    Change(usize),
    Ask(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (1u32..4, 60u32..1515).prop_map(|(frames, bytes)| Step::Offer(frames, bytes)),
        1 => (0..CHANGES.len()).prop_map(Step::Change),
        2 => (1u64..=60).prop_map(Step::Ask),
    ]
}

/// Returns mostly short waits, and some of many seconds.
fn wait() -> impl Strategy<Value = u64> {
    prop_oneof![
        10 => Just(0),
        30 => 0u64..20_000_000,
        3 => 0u64..2_000_000_000,
        1 => (0u64..100).prop_map(|seconds| seconds * 1_000_000_000),
    ]
}

/// A pipe, its events, and the statistics that it returned.
struct Watched {
    pipe: Pipe<u64>,
    events: Vec<FrameEvent>,
    said: Vec<(PipeStatistics, PipeConfig)>,
}

impl Watched {
    fn new(text: &str, seed: u64) -> Self {
        let mut pipe = Pipe::new(config(text), Stream::new(seed, "p"), Time::ZERO);
        pipe.record_events(true);
        Self { pipe, events: Vec::new(), said: Vec::new() }
    }

    /// Polls at every deadline up to `now`.
    fn run_to(&mut self, now: Time) {
        while let Some(deadline) = self.pipe.next_deadline().filter(|at| *at <= now) {
            self.collect(deadline);
        }
        self.collect(now);
    }

    fn collect(&mut self, now: Time) {
        while self.pipe.poll(now).is_some() {}
        while self.pipe.poll_dropped().is_some() {}
        self.events.extend(std::iter::from_fn(|| self.pipe.poll_event()));
    }

    fn ask(&mut self, now: Time, seconds: u64) {
        let window = Window::new(Duration::from_secs(seconds)).unwrap();
        let said = [self.pipe.statistics(now), self.pipe.recent_statistics(now, window)];
        let config = self.pipe.config().clone();
        self.said.extend(said.map(|statistics| (statistics, config.clone())));
    }

    fn step(&mut self, now: Time, step: &Step) {
        match step {
            Step::Offer(frames, bytes) => {
                let _ = self.pipe.offer(now, FrameInfo::coalesced(*frames, *bytes, *bytes), 0);
            }
            Step::Change(index) => {
                let change: PipeChange = serde_json::from_str(CHANGES[*index]).unwrap();
                self.pipe.change(now, &change);
            }
            Step::Ask(seconds) => self.ask(now, *seconds),
        }
        self.collect(now);
    }

    fn finish(&mut self, mut now: Time) {
        while let Some(deadline) = self.pipe.next_deadline() {
            now = now.max(deadline);
            self.collect(now);
        }
        for seconds in [1, 7, 60] {
            self.ask(now, seconds);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_window_agrees_with_the_events(
        link in 0..LINKS.len(),
        seed in any::<u64>(),
        steps in vec((step(), wait()), 1..150),
    ) {
        let (mut watched, mut now) = (Watched::new(LINKS[link], seed), Time::ZERO);
        for (step, wait) in &steps {
            now += Duration::from_nanos(*wait);
            watched.run_to(now);
            watched.step(now, step);
            if matches!(step, Step::Ask(_)) {
                // Statistics cover their whole last instant, so nothing more may happen in it.
                now += Duration::from_nanos(1);
            }
        }
        watched.finish(now);
        let recount = Recount::new(through_the_log(&watched.events));
        watched.said.iter().for_each(|(said, config)| recount.check(said, config));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes are decoded or refused.
    #[test]
    fn no_bytes_upset_the_reader(body in vec(any::<u8>(), 0..400), cut in 0usize..400) {
        let mut bytes = Vec::new();
        LogEncoder::new(&LogHeader { zero_unix_ns: 0, pipes: vec!["p".into(); 3] }, &mut bytes);
        bytes.extend(body);
        bytes.truncate(cut.max(5));
        let mut decoder = LogDecoder::new();
        let mut entries = 0;
        for piece in bytes.chunks(11) {
            decoder.feed(piece);
            while let Ok(Some(_)) = decoder.next_entry() {
                entries += 1;
            }
        }
        prop_assert!(entries <= bytes.len());
    }
}

/// Returns the events after encoding and decoding them in small pieces.
fn through_the_log(events: &[FrameEvent]) -> Vec<FrameEvent> {
    let header = LogHeader { zero_unix_ns: 5, pipes: vec!["p".into()] };
    let mut bytes = Vec::new();
    let mut encoder = LogEncoder::new(&header, &mut bytes);
    events.iter().for_each(|event| encoder.encode(&LogEntry::Frame(0, *event), &mut bytes));
    let (mut decoder, mut read) = (LogDecoder::new(), Vec::new());
    for piece in bytes.chunks(7) {
        decoder.feed(piece);
        while let Some(entry) = decoder.next_entry().unwrap() {
            let LogEntry::Frame(0, event) = entry else { panic!("{entry:?}") };
            read.push(event);
        }
    }
    assert_eq!(decoder.header(), Some(&header));
    decoder.finish().unwrap();
    assert_eq!(read, events);
    read
}
