//! Background traffic: virtual frames affect other frames exactly like offered frames, but have
//! counters, random numbers and a channel of their own.

use std::collections::BTreeMap;

use netloom_link::{
    Ecn, FrameInfo, Header, Pipe, PipeConfig, PipeStatistics, QueueStatistics, Stream,
};
use netloom_traffic::{FrameSource, Line};
use netloom_units::{Duration, Time};

use crate::common::driven::{Driven, Fate, draws_of_channel};
use crate::common::packet::{Packet, header};
use crate::common::statistics::assert_mean;
use crate::common::{change, config, ms, ns};

const END: Time = Time::from_nanos(300_000_000);

/// Returns the arrivals of the background of `config`, as frames with headers. They are drawn from
/// the same random streams as in the pipe.
fn arrivals(config: &PipeConfig, seed: u64, end: Time) -> Vec<(Time, u32, Header)> {
    let stream = Stream::new(seed, "p").fork("background").fork("0");
    let line = Line { rate: config.rate.nominal().unwrap(), framing: config.framing };
    let mut all = Vec::new();
    for (index, entry) in config.background.entries().iter().enumerate() {
        let stream = stream.fork(&index.to_string());
        let source: FrameSource = entry.model.source(&entry.sizes, Some(&line), &stream).unwrap();
        let mut flows = stream.fork("flows");
        for frame in source.take_while(|frame| frame.at < end) {
            let flow = if entry.flows > 1 { flows.below(entry.flows.into()) } else { 0 };
            let address = |half| format!("198.{half}.{index}.1").parse().unwrap();
            let header = Header {
                source: address(18),
                destination: address(19),
                protocol: 17,
                source_port: 1024 + flow as u16,
                destination_port: 9,
                dscp: entry.dscp,
                ecn: if entry.ecn { Ecn::Capable0 } else { Ecn::NotCapable },
            };
            all.push((frame.at, frame.bytes, header));
        }
    }
    // At the same time, frames come in the order of their entries.
    all.sort_by_key(|(at, ..)| *at);
    all
}

const DISCIPLINES: &[&str] = &[
    r#""fifo""#,
    r#"{"fifo":{"drop":"head"}}"#,
    r#""red""#,
    r#"{"red":{"weight":0.5,"min":"1packet","max":"4packets"}}"#,
    r#""codel""#,
    r#"{"codel":{"target":"10us","interval":"50us"}}"#,
    r#""fq_codel""#,
    r#"{"fq_codel":{"flows":3,"quantum":"256B","target":"0ns","interval":"100us"}}"#,
    r#""pie""#,
    r#"{"pie":{"target":"1us","update":"100us","max_burst":"0ns","alpha":500,"beta":500}}"#,
    r#""drr""#,
    r#"{"drr":{"classes":[{"match":{"dscp":10},"weight":9},{"match":{"dscp":2}}]}}"#,
    r#""wf2q+""#,
    r#"{"wf2q+":{"classes":[{"match":{"dscp":10},"weight":9},{"match":{"dscp":2}}]}}"#,
    r#""prio""#,
    r#"{"prio":{"classes":[{"match":{"dscp":2}},{},{"match":{"dscp":10}}]}}"#,
    r#"{"prio":{"classes":[{"match":{"dscp":10},"most":"2Mbit/s"},
        {"match":{"dscp":2},"discipline":"codel","most":"1Mbit/s"},{"discipline":"fq_codel"}]}}"#,
    r#"{"drr":{"classes":[{"match":{"dscp":10},"discipline":{"red":{"weight":0.5,"min":"1packet",
        "max":"4packets","by_dscp":{"10":{"min":"2packets","max":"9packets"}}}},"weight":3},
        {"match":{"dscp":2},"discipline":{"fifo":{"drop":"head"}},"limit":"3packets"}]}}"#,
    r#"{"wf2q+":{"classes":[{"match":{"dscp":10},"most":"1Mbit/s","weight":5},
        {"match":{"dscp":2},"discipline":{"codel":{"target":"10us","interval":"50us"}}}]}}"#,
];

const CONDITIONS: &[&str] = &[
    r#""none""#,
    r#""none""#,
    r#"[{"match":{"dscp":"af11"},"meter":{"rate":"2Mbit/s","burst":"9kB"},"conform":{"dscp":2},
        "exceed":"drop"}]"#,
    r#"[{"meter":{"trtcm":{"cir":"1Mbit/s","cbs":"5kB","pir":"3Mbit/s","pbs":"5kB","aware":true}},
        "green":{"dscp":"af11"},"yellow":{"dscp":2},"red":"drop"}]"#,
];

const BACKGROUNDS: &[&str] = &[
    r#"[{"poisson":{"load":"70%"},"size":"imix","flows":7,"dscp":"af11","ecn":true}]"#,
    r#"[{"cbr":{"load":"60%"},"size":"500B"},{"poisson":{"load":"60%"},"dscp":2,"flows":3}]"#,
    r#"[{"on_off":{"sources":5,"on":{"exponential":"9ms"},"off":{"exponential":"9ms"},
         "rate":"2Mbit/s"}}]"#,
    r#"[{"ppbp":{"load":"90%","bursts":200,"burst":"20ms","hurst":0.8},"size":"64B","ecn":true}]"#,
    r#"[{"trace":{"file":["0.001 900","0.001 60","0.004 1500"],"repeat":"5ms"},"flows":2}]"#,
];

/// Returns the configuration of a pipe with a background and without a channel, drawn from
/// `stream`.
fn random_pipe(stream: &mut Stream) -> PipeConfig {
    let mut pick = |all: &[&str]| all[stream.below(all.len() as u64) as usize].to_owned();
    let text = format!(
        r#"{{"rate":{},"framing":"{}","burst":"{}","delay":"{}","mac_overhead":{},"pipe_mtu":"{}",
            "condition":{},"queue":{{"discipline":{},"limit":"{}"}},"background":{}}}"#,
        pick(&[
            r#""3Mbit/s""#,
            r#""10Mbit/s""#,
            r#""7777777bit/s""#,
            r#"{"schedule":[{"at":"0s","rate":"9Mbit/s"},{"at":"70ms","rate":"3Mbit/s"}]}"#,
        ]),
        pick(&["ethernet", "none", "11B"]),
        pick(&["0B", "0B", "4kB"]),
        pick(&["0ns", "3ms"]),
        pick(&["[]", "[]", r#"[{"probability":"100%","time":"100us"}]"#]),
        pick(&["none", "none", "1400B"]),
        pick(CONDITIONS),
        pick(DISCIPLINES),
        pick(&["10packets", "20kB", "30ms", "1MB"]),
        pick(BACKGROUNDS),
    );
    config(&text)
}

/// Returns the frames of a foreground. Some of them come in the same nanosecond as a background
/// frame.
fn foreground(stream: &mut Stream, background: &[(Time, u32, Header)]) -> Vec<(Time, u32, Packet)> {
    let mut times: Vec<Time> = (0..stream.below(150))
        .map(|_| match stream.below(5) {
            0 => background[stream.below(background.len() as u64) as usize].0,
            _ => ns(stream.below(END.as_nanos())),
        })
        .collect();
    times.sort_unstable();
    let mut number = 0;
    let frame = |at| {
        number += 1;
        let flow = stream.below(6) as u16;
        let ecn = if flow.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable };
        let header = Header { dscp: 2 * flow as u8, ecn, ..header(flow) };
        let bytes = 60 + stream.below(1455) as u32;
        (at, bytes, Packet { number, flow, header: Some(header) })
    };
    times.into_iter().map(frame).collect()
}

/// Number of the first background frame that is offered.
const BACKGROUND: u64 = 1 << 32;

#[test]
fn virtual_frames_affect_others_like_offered_ones() {
    for seed in 0..1000 {
        let mut stream = Stream::new(seed, "pipes");
        let config = random_pipe(&mut stream);
        let background = arrivals(&config, seed, END);
        let frames = foreground(&mut stream, &background);

        let mut with = Driven::new(&config, seed);
        for (at, bytes, packet) in &frames {
            with.offer(*at, *bytes, *packet);
        }
        with.advance(END);
        // Frames that arrive exactly at the end are not included.
        let counted = with.pipe.statistics(END);

        let mut plain = config.clone();
        change(r#"{"background":"none"}"#).apply_to(&mut plain);
        let mut offered = Driven::new(&plain, seed);
        let virtual_frames =
            (BACKGROUND..).zip(&background).map(|(number, (at, bytes, header))| {
                (*at, *bytes, Packet { number, flow: 99, header: Some(*header) })
            });
        let mut all: Vec<_> = frames.iter().copied().chain(virtual_frames).collect();
        all.sort_by_key(|(at, _, packet)| (*at, packet.number));
        for (at, bytes, packet) in all {
            offered.offer(at, bytes, packet);
        }
        offered.advance(END);
        let counted_there = offered.pipe.statistics(END);

        let (mine, others): (BTreeMap<u64, Fate>, BTreeMap<u64, Fate>) =
            offered.fates.into_iter().partition(|(number, _)| *number < BACKGROUND);
        let differ = with.fates.iter().zip(&mine).find(|(one, other)| one != other);
        assert_eq!(differ, None, "seed {seed}: {config:?}");
        assert_eq!(with.fates.len(), mine.len(), "seed {seed}: {config:?}");
        check(&counted, &counted_there, &others, seed);
    }
}

/// Checks that the counters of a pipe with a background match those of a pipe to which all frames
/// were offered.
fn check(with: &PipeStatistics, offered: &PipeStatistics, others: &BTreeMap<u64, Fate>, seed: u64) {
    let background = with.background.unwrap();
    // Virtual frames do not count as arrivals that find a queue.
    let queue = |s: &PipeStatistics| QueueStatistics { seen_mean_frames: None, ..s.queue };
    assert_eq!(queue(with), queue(offered), "seed {seed}");
    assert_eq!((with.busy_ns, with.load), (offered.busy_ns, offered.load));
    assert_eq!(with.offered + background.offered, offered.offered);
    assert_eq!(with.dropped.total() + background.dropped, offered.dropped.total());
    assert_eq!(with.marked + background.marked, offered.marked);
    let dropped = others.values().filter(|(reason, ..)| reason.is_some()).count();
    assert_eq!(background.dropped.frames, dropped as u64);
    conserved(with);
}

/// Checks the conservation of each kind of frame.
fn conserved(s: &PipeStatistics) {
    let b = s.background.unwrap();
    assert_eq!(b.offered, b.delivered + b.dropped + b.queued + b.on_line);
    let waiting = s.queue.now - b.queued;
    assert_eq!(s.offered, s.delivered + s.dropped.total() + waiting + s.in_flight);
}

#[test]
fn on_fifo_lines_only_frames_and_visits_are_deadlines() {
    let text = r#"{"rate":"10Mbit/s","queue":{"limit":"1MB"},
        "background":[{"poisson":{"load":"95%"},"size":"64B"}]}"#;
    let mut driven = Driven::new(&config(text), 1);
    for number in 0..100 {
        let packet = Packet { number, flow: 0, header: Some(header(0)) };
        driven.offer(ms(7 * number), 1000, packet);
    }
    driven.advance(ms(2000));
    assert_eq!(driven.fates.len(), 100);
    let counted = driven.pipe.statistics(ms(2000)).background.unwrap();
    assert!(counted.delivered.frames > 25_000, "{counted:?}");
    // From about 700 ms on, there is only the background.
    assert!((20..=40).contains(&driven.idle), "{} visits", driven.idle);
}

#[test]
fn a_background_that_has_ended_needs_no_visits() {
    let text = r#"{"rate":"10Mbit/s","background":[{"trace":{"file":["0.001 900"]}}]}"#;
    let mut driven = Driven::new(&config(text), 1);
    driven.advance(ms(500));
    assert_eq!(driven.pipe.next_deadline(), None);
    let counted = driven.pipe.statistics(ms(500)).background.unwrap();
    assert_eq!((counted.delivered.frames, counted.delivered.bytes), (1, 900));
}

#[test]
fn a_background_changes_no_draw_of_the_channel() {
    let without = draws_of_channel(r#""none""#);
    let with = draws_of_channel(r#"[{"poisson":{"load":"50%"},"size":"imix"}]"#);
    assert_eq!(with, without);
    assert!(without.2.frames > 300);
}

/// The medium draws for virtual frames from a stream of their own.
#[test]
fn a_background_changes_no_draw_of_the_medium() {
    let outcome = |background: &str| {
        let text = format!(
            r#"{{"rate":"10Mbit/s","queue":{{"limit":"10MB"}},"background":{background},
                "mac_overhead":[{{"probability":"0%","time":"0ns"}},
                                {{"probability":"90%","time":"300us"}}]}}"#
        );
        let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(5, "p"), Time::ZERO);
        for number in 0..1000 {
            pipe.offer(ms(number), FrameInfo::single(500), number).unwrap();
        }
        let mut out = Vec::new();
        while let Some(delivery) = pipe.poll(ms(10_000)) {
            out.push((delivery.frame, delivery.passage.serialized.since(delivery.passage.started)));
        }
        (out, pipe.statistics(ms(10_000)))
    };
    let (without, _) = outcome(r#""none""#);
    let (with, counted) = outcome(r#"[{"poisson":{"load":"20%"}}]"#);
    // Fractions of a nanosecond are carried from one frame to the next, so times may differ by 1
    // ns.
    let close = |(a, b): (&(u64, Duration), &(u64, Duration))| {
        a.0 == b.0 && a.1.as_nanos().abs_diff(b.1.as_nanos()) <= 1
    };
    assert!(with.len() == without.len() && with.iter().zip(&without).all(close));
    let background = counted.background.unwrap();
    assert!(background.dropped.frames > 100, "the medium loses a tenth: {background:?}");
}

/// Poisson arrivals and constant service times (M/D/1): the formula of Pollaczek and Khinchin.
#[test]
fn waits_in_a_poisson_background_are_those_of_the_formula() {
    for (load, precision) in [(0.5, 0.02), (0.8, 0.1), (0.9, 0.5)] {
        // 1000 bytes take 1 ms. A tenth of the frames are probes.
        let background = format!("{}bit/s", (8e6 * load * 0.9) as u64);
        let text = format!(
            r#"{{"rate":"8Mbit/s","framing":"none","queue":{{"limit":"100MB"}},
                "background":[{{"poisson":{{"rate":"{background}"}},"size":"1000B"}}]}}"#
        );
        let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(3, "p"), Time::ZERO);
        let mut probes = Stream::new(4, "probes");
        let (mut now, mut waits) = (0.0, Vec::new());
        let end = 1e6 / (load * 1000.0);
        for number in 0.. {
            now -= (1.0 - probes.uniform()).ln() / (load * 100.0);
            if now > end {
                break;
            }
            let at = ns((now * 1e9) as u64);
            pipe.offer(at, FrameInfo::single(1000), number).unwrap();
            while let Some(delivery) = pipe.poll(at) {
                let passage = delivery.passage;
                waits.push(passage.started.since(passage.offered).as_secs_f64() * 1e3);
            }
        }
        let counted = pipe.statistics(ns((end * 1e9) as u64));
        assert!(counted.background.unwrap().offered.frames > 890_000);
        let expected = load / (2.0 * (1.0 - load));
        assert_mean(&waits, expected, precision, &format!("waits at a load of {load}"));
    }
}

#[test]
fn the_same_seed_gives_the_same_background() {
    let text = format!(r#"{{"rate":"10Mbit/s","background":{}}}"#, BACKGROUNDS[1]);
    let counted = |seed| {
        let mut driven = Driven::new(&config(&text), seed);
        driven.advance(ms(700));
        driven.pipe.statistics(ms(700))
    };
    assert_eq!(counted(1), counted(1));
    assert_ne!(counted(1), counted(2));
}

#[test]
fn a_cut_drops_the_background_and_a_change_begins_it_anew() {
    let text = r#"{"rate":"10Mbit/s","background":[{"cbr":{"load":"150%"}}]}"#;
    let mut pipe = Pipe::<u64>::new(config(text), Stream::new(1, "p"), Time::ZERO);
    pipe.change(ms(100), &change(r#"{"state":"down"}"#));
    let cut = pipe.statistics(ms(100));
    conserved(&cut);
    assert_eq!((cut.queue.now.frames, cut.in_flight.frames), (0, 0));
    pipe.change(ms(200), &change(r#"{"state":"up"}"#));
    let down = pipe.statistics(ms(200)).background.unwrap();
    let before = cut.background.unwrap();
    assert_eq!(down.delivered, before.delivered, "nothing passes a pipe that is down");
    assert!(down.dropped.frames - before.dropped.frames > 110);

    // From here on, the background has another rate: 50 % of the line with short frames.
    pipe.change(ms(200), &change(r#"{"background":[{"cbr":{"load":"50%"},"size":"100B"}]}"#));
    let half = pipe.statistics(ms(1200));
    let more = half.background.unwrap().offered.bytes - down.offered.bytes;
    let expected = 0.5 * 10e6 / 8.0 * 100.0 / 124.0;
    assert!((more as f64 / expected - 1.0).abs() < 0.01, "{more} bytes, not {expected}");

    pipe.change(ms(1200), &change(r#"{"background":"none"}"#));
    let end = pipe.statistics(ms(1300));
    conserved(&end);
    assert_eq!(end.background.unwrap().offered, half.background.unwrap().offered);
    assert_eq!((end.queue.now.frames, pipe.next_deadline()), (0, None));
}

#[test]
fn super_frames_are_cut_where_there_is_a_background() {
    let info = FrameInfo::coalesced(10, 1514, 1514);
    let together = |background: &str| {
        let text = format!(r#"{{"rate":"10Gbit/s","background":{background}}}"#);
        Pipe::<u64>::new(config(&text), Stream::new(1, "p"), Time::ZERO).coalesce(ns(9), &info, &0)
    };
    assert_eq!(together(r#""none""#), 10);
    assert_eq!(together(r#"[{"poisson":{"load":"1%"}}]"#), 1);
}

#[test]
fn windows_count_the_background_of_their_seconds() {
    let text = r#"{"rate":"10Mbit/s","background":[{"cbr":{"rate":"1Mbit/s"},"size":"1250B"}]}"#;
    let mut pipe = Pipe::<u64>::new(config(text), Stream::new(1, "p"), Time::ZERO);
    let window = "2s".parse().unwrap();
    let recent = pipe.recent_statistics(ms(90_500), window).background.unwrap();
    let span = 90.5 - pipe.recent_statistics(ms(90_500), window).since.as_nanos() as f64 / 1e9;
    assert!((recent.offered.frames as f64 - 100.0 * span).abs() <= 1.0, "{recent:?} in {span} s");
    let all = pipe.statistics(ms(90_500)).background.unwrap();
    assert!(all.offered.frames.abs_diff(9050) <= 1, "{all:?}");
}

#[test]
fn backgrounds_survive_a_round_trip() {
    let written = [
        r#""none""#,
        r#"[{"ppbp":{"load":"40%","burst_rate":"5Mbit/s","burst":"1s","hurst":0.8},
             "flows":200,"size":"imix","dscp":10}]"#,
        r#"[{"cbr":{"rate":"1Mbit/s"},"ecn":true},
            {"flows":{"arrivals":{"poisson":5.0},"bytes":"10kB","rate":"1Mbit/s"}}]"#,
    ];
    for text in written {
        let background = change(&format!(r#"{{"background":{text}}}"#)).background.unwrap();
        let again = serde_json::to_value(&background).unwrap();
        assert_eq!(again, serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}

#[test]
fn invalid_backgrounds_are_refused() {
    let wrong = [
        (r#"[{"size":"64B"}]"#, "add a model"),
        (
            r#"[{"cbr":{"rate":"1Mbit/s"},"poisson":{"rate":"1Mbit/s"}}]"#,
            "both `cbr` and `poisson`",
        ),
        (r#"[{"cbr":{"rate":"1Mbit/s"},"flows":0}]"#, "from 1 to 64511"),
        (r#"[{"cbr":{"rate":"1Mbit/s"},"dscp":[1,2]}]"#, "one DSCP, not 2"),
        (r#"[{"cbr":{"rate":"1Mbit/s"},"colour":1}]"#, "unknown field `colour`"),
        (r#"[{"cbr":{}}]"#, "one of `rate` and `load` is needed"),
        (r#"[{"bulk":{}}]"#, "unknown field `bulk`"),
        (r#"[{"flows":{"arrivals":{"poisson":5.0},"bytes":"10kB"}}]"#, "needs a `rate` here"),
        (r#""some""#, "`none`, or a list"),
    ];
    for (text, expected) in wrong {
        let error = serde_json::from_str::<netloom_link::Background>(text).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let many =
        config(r#"{"rate":"10Gbit/s","background":[{"cbr":{"rate":"2Gbit/s"},"size":"60B"}]}"#);
    let error = many.background.check(&many).unwrap_err().to_string();
    assert!(error.contains("4.2e6 frames a second"), "{error}");
}
