//! Background as a fluid. It affects frames like an equal amount of small virtual frames and is
//! counted like them, and the results do not depend on when the pipe is called.

use std::collections::BTreeMap;

use netloom_link::{
    Background, BackgroundStatistics, FrameInfo, LogEncoder, LogEntry, LogHeader, Pipe, PipeConfig,
    PipeStatistics, Stream,
};
use netloom_units::{Duration, Time};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::driven::{Driven, draws_of_channel};
use crate::common::packet::{Packet, header};
use crate::common::statistics::assert_mean;
use crate::common::{change, config, ms, ns};

/// Returns a line of 10 Mbit/s without framing, so 1000 bytes take 0.8 ms.
fn line(limit: &str, background: &str) -> String {
    format!(
        r#"{{"rate":"10Mbit/s","framing":"none","queue":{{"limit":"{limit}"}},
            "background":{background}}}"#
    )
}

/// Returns a constant fluid.
fn constant(rate: &str) -> String {
    format!(r#"[{{"cbr":{{"rate":"{rate}"}},"size":"1000B","as":"fluid"}}]"#)
}

fn packet(number: u64) -> Packet {
    Packet { number, flow: 0, header: Some(header(0)) }
}

/// Checks the conservation laws of a pipe with a fluid.
fn conserved(s: &PipeStatistics) {
    let b = s.background.unwrap();
    assert_eq!(b.offered, b.delivered + b.dropped + b.queued + b.on_line, "{b:?}");
    let waiting = s.queue.now - b.queued;
    assert_eq!(s.offered, s.delivered + s.dropped.total() + waiting + s.in_flight);
}

/// The results of random probes, and the statistics of the background.
struct Met {
    /// Mean wait in ms.
    mean_wait: f64,
    lost: f64,
    background: BackgroundStatistics,
}

/// Sends probes of 64 bytes at random times within a minute.
fn probe(text: &str, seed: u64) -> Met {
    const PROBES: u64 = 20_000;
    const END: u64 = 60_000_000_000;
    let mut pipe = Pipe::<u64>::new(config(text), Stream::new(seed, "p"), Time::ZERO);
    let mut times: Vec<u64> = {
        let mut stream = Stream::new(seed, "probes");
        (0..PROBES).map(|_| stream.below(END)).collect()
    };
    times.sort_unstable();
    let (mut waited, mut lost) = (Vec::new(), 0);
    let mut collect = |pipe: &mut Pipe<u64>, now| {
        while let Some(delivery) = pipe.poll(now) {
            let passage = delivery.passage;
            waited.push(passage.started.since(passage.offered).as_secs_f64() * 1e3);
        }
    };
    for at in times.into_iter().map(ns) {
        lost += u64::from(pipe.offer(at, FrameInfo::single(64), 0).is_err());
        collect(&mut pipe, at);
    }
    collect(&mut pipe, ns(END));
    let counted = pipe.statistics(ns(END));
    conserved(&counted);
    Met {
        mean_wait: waited.iter().sum::<f64>() / waited.len() as f64,
        lost: lost as f64 / PROBES as f64,
        background: counted.background.unwrap(),
    }
}

/// Asserts that `found` is within the share `share` of `expected`, or within `or`.
fn assert_close(found: f64, expected: f64, (share, or): (f64, f64), what: &str) {
    let most = (expected * share).max(or);
    assert!((found - expected).abs() <= most, "{what}: {found}, not {expected}");
}

/// Compares the same bursts as virtual frames of 64 bytes and as a fluid.
#[test]
fn a_fluid_is_to_frames_what_small_virtual_frames_are() {
    let ppbp = |load: u32, bursts: u32| {
        format!(r#""ppbp":{{"load":"{load}%","bursts":{bursts},"burst":"1s","hurst":0.8}}"#)
    };
    let on_off = r#""on_off":{"sources":40,"on":{"pareto":{"mean":"200ms","shape":1.5}},
        "off":{"exponential":"200ms"},"rate":"450kbit/s"}"#;
    let models = [ppbp(60, 20), ppbp(80, 20), ppbp(95, 100), on_off.into()];
    // A frame takes 51.2 µs.
    let three_frames = 3.0 * 0.0512;
    let (mut overflowed, mut long) = (0, 0);
    for (seed, model) in (1..).zip(&models) {
        let background =
            |what: &str| line("50kB", &format!(r#"[{{{model},"size":"64B","as":"{what}"}}]"#));
        let frames = probe(&background("frames"), seed);
        let fluid = probe(&background("fluid"), seed);
        let wait = (0.03, three_frames);
        assert_close(fluid.mean_wait, frames.mean_wait, wait, &format!("wait beside {model}"));
        let share =
            |met: &Met| met.background.dropped.bytes as f64 / met.background.offered.bytes as f64;
        let loss = (0.05, 1e-4);
        assert_close(share(&fluid), share(&frames), loss, &format!("loss of {model}"));
        // There are few probes, so the bound is five standard errors.
        let error = 5.0 * (frames.lost / 20_000.0).sqrt();
        assert_close(fluid.lost, frames.lost, (0.05, error), &format!("probes in {model}"));
        let offered = (fluid.background.offered.bytes, frames.background.offered.bytes);
        assert_close(offered.0 as f64, offered.1 as f64, (0.001, 0.0), "offered");
        overflowed += u64::from(share(&frames) > 0.002);
        long += u64::from(frames.mean_wait > 10.0 * three_frames);
    }
    assert!(overflowed >= 2 && long >= 2, "there is something to compare");
}

/// Half of the line is fluid.
#[test]
fn a_frame_waits_for_the_fluid_in_front_of_it() {
    let mut pipe = Pipe::<u64>::new(
        config(&line("1MB", &constant("5Mbit/s"))),
        Stream::new(1, "p"),
        Time::ZERO,
    );
    let offers = [
        // The line is free and then busy for 0.8 ms.
        (1_000_000_000, 1),
        // The line is busy for another 0.4 ms, and 2000 bits of fluid take 0.2 ms. Both of these
        // frames come behind that.
        (1_000_400_000, 2),
        (1_000_400_000, 3),
        // Frames 2 and 3 have been sent at 2.6 ms. The fluid of the 2.2 ms since 0.4 ms takes 1.1
        // ms.
        (1_002_600_000, 4),
    ];
    for (at, number) in offers {
        pipe.offer(ns(at), FrameInfo::single(1000), number).unwrap();
    }
    let mut started = BTreeMap::new();
    while let Some(delivery) = pipe.poll(ms(2000)) {
        let start = delivery.passage.started.as_nanos() - 1_000_000_000;
        assert_eq!(delivery.passage.serialized.as_nanos() - 1_000_000_000, start + 800_000);
        started.insert(delivery.frame, start);
    }
    let expected = [(1, 0), (2, 1_000_000), (3, 1_800_000), (4, 3_700_000)];
    assert_eq!(started, BTreeMap::from(expected));
    let counted = pipe.statistics(ms(2000));
    // Half of the time for the fluid, and four frames.
    assert!(counted.busy_ns.abs_diff(1_000_000_000 + 4 * 800_000) <= 1_000_000, "{counted:?}");
    let background = counted.background.unwrap();
    assert_eq!((background.offered.bytes, background.offered.frames), (1_250_000, 1250));
    conserved(&counted);
}

/// There is twice as much fluid as the line takes, so half of the fluid's frames would find room,
/// and room for two of them is there for a quarter. A limit in packets counts frames alone.
#[test]
fn a_longer_frame_needs_the_room_of_several() {
    for (limit, expected) in [("10kB", 0.25), ("10packets", 0.5)] {
        let text = line(limit, &constant("20Mbit/s"));
        let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(3, "p"), Time::ZERO);
        let mut taken = Vec::new();
        for number in 0..10_000u64 {
            let at = ms(100 + 5 * number);
            let offered = pipe.offer(at, FrameInfo::single(2000), number);
            taken.push(f64::from(u8::from(offered.is_ok())));
            while pipe.poll(at).is_some() {}
        }
        // Five standard errors.
        assert_mean(&taken, expected, 0.025, limit);
    }
}

/// There is twice as much fluid as the line takes. So half of it is lost, and half of the frames.
#[test]
fn where_the_fluid_overflows_frames_are_lost_as_it_is() {
    let text = line("10kB", &constant("20Mbit/s"));
    let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(2, "p"), Time::ZERO);
    // The excess has grown to 10 kB at 8 ms.
    assert_eq!(pipe.statistics(ms(4)).queue.now.bytes, 5000);
    assert_eq!(pipe.statistics(ms(8)).queue.now.bytes, 10_000);
    assert_eq!(pipe.statistics(ms(8)).background.unwrap().dropped.bytes, 0);
    assert_eq!(pipe.statistics(ms(12)).background.unwrap().dropped.bytes, 5000);

    let (mut taken, mut waits) = (Vec::new(), Vec::new());
    for number in 0..10_000u64 {
        let at = ms(100 + 5 * number);
        taken.push(f64::from(u8::from(pipe.offer(at, FrameInfo::single(60), number).is_ok())));
        while let Some(delivery) = pipe.poll(at) {
            waits.push(delivery.passage.started.since(delivery.passage.offered).as_nanos());
        }
    }
    // Five standard errors of a fair coin.
    assert_mean(&taken, 0.5, 0.025, "frames taken");
    assert!(waits.iter().all(|wait| wait.abs_diff(8_000_000) <= 1), "all stand at the limit");

    let end = ms(60_000);
    let window = pipe.recent_statistics(end, "3s".parse().unwrap());
    assert_eq!(window.load, 1.0);
    assert_close(window.queue.fill.unwrap(), 1.0, (1e-6, 0.0), "fill");
    assert_close(window.queue.mean_frames, 10.0, (1e-6, 0.0), "mean queue");
    assert_eq!(window.queue.maximum.frames, 10);
    let b = pipe.statistics(end).background.unwrap();
    let lost = b.dropped.bytes as f64 / b.offered.bytes as f64;
    // The frames take 0.24 % of the line for most of the time.
    assert_close(lost, 0.5, (0.006, 0.0), "lost fluid");
    conserved(&pipe.statistics(end));
}

/// Fluid and frames share the line: the same part of both is lost.
#[test]
fn fluid_and_frames_lose_the_same_share_on_a_full_line() {
    // 4 Mbit/s of frames and 11 Mbit/s of fluid on 10 Mbit/s: a third is lost.
    let text = line("20kB", &constant("11Mbit/s"));
    let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(3, "p"), Time::ZERO);
    let mut gaps = Stream::new(3, "gaps");
    let mut at = 0.0;
    while at < 60e9 {
        // 500 bytes per millisecond on average.
        at -= (1.0 - gaps.uniform()).ln() * 1e6;
        let _ = pipe.offer(ns(at as u64), FrameInfo::single(500), 0);
        while pipe.poll(ns(at as u64)).is_some() {}
    }
    let counted = pipe.statistics(ms(60_000));
    let background = counted.background.unwrap();
    let frames = counted.lost_percent.unwrap() / 100.0;
    let fluid = background.dropped.bytes as f64 / background.offered.bytes as f64;
    // Frames find a queue that is full or has just become full, so the bounds are wide.
    assert_close(frames, 1.0 / 3.0, (0.1, 0.0), "frames");
    assert_close(fluid, 1.0 / 3.0, (0.1, 0.0), "fluid");
    conserved(&counted);
}

/// Returns the frames of a foreground at random times, some of them at the same time.
fn foreground() -> impl Strategy<Value = Vec<(u64, u32)>> {
    vec((prop_oneof![1 => Just(0u64), 4 => 0u64..1_500_000], 60u32..1515), 1..150)
}

const LIMITS: [&str; 6] = ["default", "5packets", "20kB", "3ms", "1packet", "0B"];

const FLUIDS: [&str; 4] = [
    r#"[{"ppbp":{"load":"90%","bursts":200,"burst":"5ms","hurst":0.8},"size":"imix",
         "as":"fluid"}]"#,
    r#"[{"cbr":{"load":"150%"},"as":"fluid"}]"#,
    r#"[{"on_off":{"sources":9,"on":{"exponential":"3ms"},"off":{"exponential":"3ms"},
         "rate":"3Mbit/s"},"as":"fluid"},
        {"poisson":{"load":"30%"},"size":"200B"}]"#,
    r#"[{"rates":{"schedule":[{"at":"0s","rate":"1Mbit/s"},{"at":"7ms","rate":"25Mbit/s"}],
         "repeat":"12ms"},"as":"fluid"},
        {"flows":{"arrivals":{"poisson":100.0},"bytes":"5kB","rate":"8Mbit/s"},"as":"fluid"}]"#,
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// A fluid that does not flow yet has no effect.
    #[test]
    fn a_fluid_that_does_not_flow_has_no_effect(frames in foreground(), limit in 0..LIMITS.len()) {
        let none = r#""none""#;
        let later = r#"[{"rates":{"file":["0","1Mbit/s"],"step":"1000s"},"as":"fluid"}]"#;
        let outcome = |background: &str| {
            let mut driven = Driven::new(&config(&line(LIMITS[limit], background)), 1);
            let mut at = 0;
            for (number, (gap, bytes)) in (0..).zip(&frames) {
                at += gap;
                driven.offer(ns(at), *bytes, packet(number));
            }
            driven.advance(ms(5000));
            let statistics = driven.pipe.statistics(ms(5000));
            (driven.fates, PipeStatistics { background: None, ..statistics })
        };
        prop_assert_eq!(outcome(none), outcome(later));
    }

    /// The results are the same if a pipe is called at each deadline and often queried, or only
    /// when frames come. Deadlines are exact. Without queries, every count is the same to the bit.
    #[test]
    fn nothing_depends_on_when_the_pipe_is_called(
        frames in foreground(),
        fluid in 0..FLUIDS.len(),
        limit in 0..LIMITS.len(),
        seed in any::<u64>(),
    ) {
        let config = config(&line(LIMITS[limit], FLUIDS[fluid]));
        let mut often = Driven::new(&config, seed);
        let mut polled = Driven::new(&config, seed);
        let mut seldom = Pipe::new(config, Stream::new(seed, "p"), Time::ZERO);
        let (mut at, mut fates) = (0, BTreeMap::new());
        for (number, (gap, bytes)) in (0..).zip(&frames) {
            at += gap;
            for part in 1..4 {
                let now = ns(at - gap + gap * part / 4);
                polled.advance(now);
                often.advance(now);
                conserved(&often.pipe.statistics(now));
            }
            often.offer(ns(at), *bytes, packet(number));
            polled.offer(ns(at), *bytes, packet(number));
            if let Err(rejected) = seldom.offer(ns(at), FrameInfo::single(*bytes), packet(number)) {
                fates.insert(number, (Some(rejected.reason), ns(at), false));
            }
        }
        often.advance(ms(5000));
        polled.advance(ms(5000));
        while let Some(delivery) = seldom.poll(ms(5000)) {
            fates.insert(delivery.frame.number, (None, delivery.release, false));
        }
        prop_assert_eq!(&often.fates, &fates);
        let (one, other) = (often.pipe.statistics(ms(5000)), seldom.statistics(ms(5000)));
        conserved(&one);
        prop_assert_eq!(&polled.pipe.statistics(ms(5000)), &other);
        // Statistics divide the flow into other pieces, so that fractions of frames are rounded at
        // other places.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.max(b).max(1e-6);
        prop_assert!(near(one.queue.mean_frames, other.queue.mean_frames));
        prop_assert!(near(one.load, other.load));
        let (b, c) = (one.background.unwrap(), other.background.unwrap());
        prop_assert_eq!(b.offered, c.offered);
        prop_assert!(b.delivered.bytes.abs_diff(c.delivered.bytes) <= 1);
        prop_assert!(b.dropped.bytes.abs_diff(c.dropped.bytes) <= 1);
    }
}

/// Returns how much earlier the frames would have left the line. The first of them was offered 1 ms
/// late.
#[test]
fn a_late_offer_shifts_by_the_fluid_that_it_lets_pass() {
    let shifts = |rate: &str| {
        let text = line("50kB", &constant(rate));
        let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(1, "p"), Time::ZERO);
        pipe.expect_late_offers();
        // 100 bytes take 80 µs.
        for (number, (at, late)) in (0..).zip([(30, 1), (30, 0), (35, 0)]) {
            let late = Duration::from_millis(late);
            pipe.offer_late(ms(at), late, FrameInfo::single(100), number).unwrap();
        }
        let mut shifts = [0; 3];
        while let Some(delivery) = pipe.poll(ms(900)) {
            shifts[delivery.frame as usize] = delivery.passage.shift.as_nanos();
        }
        shifts
    };
    // The line is free: the first frame would have left 1 ms earlier, and the second would not have
    // waited.
    assert_eq!(shifts("5Mbit/s"), [1_000_000, 80_000, 0]);
    // The line is busy, and the queue was 0.5 ms shorter 1 ms earlier. The other frames wait for
    // the same work, wherever the first frame is in the queue.
    assert_eq!(shifts("15Mbit/s"), [1_500_000, 0, 0]);
}

#[test]
fn only_frames_are_deadlines() {
    let mut driven = Driven::new(&config(&line("1MB", FLUIDS[0])), 1);
    for number in 0..100 {
        driven.offer(ms(7 * number), 1000, packet(number));
    }
    driven.advance(ms(2000));
    assert_eq!(driven.fates.len(), 100);
    // Beside the frames, there is a visit every 50 ms while rates change.
    assert!(driven.idle <= 40, "{} visits", driven.idle);
    // A constant fluid needs no visits.
    let mut driven = Driven::new(&config(&line("1MB", &constant("5Mbit/s"))), 1);
    driven.advance(ms(10));
    assert_eq!(driven.pipe.next_deadline(), None);
}

/// Returns the record of a run of one pipe: its events in the binary form, and its statistics.
fn record(text: &str, seed: u64) -> (Vec<u8>, PipeStatistics) {
    let mut pipe = Pipe::new(config(text), Stream::new(seed, "p"), Time::ZERO);
    pipe.record_events(true);
    let mut bytes = Vec::new();
    let header = LogHeader { zero_unix_ns: 0, pipes: vec!["p".into()] };
    let mut encoder = LogEncoder::new(&header, &mut bytes);
    for number in 0..3000 {
        let _ = pipe.offer(ms(number), FrameInfo::single(700), number);
        while pipe.poll(ms(number)).is_some() {}
        while let Some(event) = pipe.poll_event() {
            encoder.encode(&LogEntry::Frame(0, event), &mut bytes);
        }
    }
    (bytes, pipe.statistics(ms(3000)))
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for fluid in FLUIDS {
        let text = line("5packets", fluid);
        assert_eq!(record(&text, 1), record(&text, 1));
        assert_ne!(record(&text, 1).0, record(&text, 2).0, "{fluid}");
    }
}

/// The draws of the fluid come from the background's own random stream.
#[test]
fn a_fluid_changes_no_draw_of_the_channel() {
    assert_eq!(draws_of_channel(r#""none""#), draws_of_channel(FLUIDS[0]));
}

#[test]
fn changes_apply_to_waiting_fluid() {
    let text = line("1MB", &constant("20Mbit/s"));
    let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(1, "p"), Time::ZERO);
    // 12.5 kB wait at 10 ms, which take 10 ms. At half the rate they take 20 ms.
    pipe.change(ms(10), &change(r#"{"rate":"5Mbit/s","background":"none"}"#));
    pipe.offer(ms(10), FrameInfo::single(1000), 1).unwrap();
    assert_eq!(pipe.next_deadline(), Some(ns(31_600_000)));
    // The length on the line doubles, with 1000 bytes of framing for each 1000 bytes.
    let slower = pipe.statistics(ms(10));
    pipe.change(ms(10), &change(r#"{"framing":"1000B"}"#));
    assert_eq!(pipe.statistics(ms(10)).background, slower.background);
    assert_eq!(pipe.next_deadline(), Some(ns(10_000_000 + 2 * 21_600_000)));
    // A cut drops both.
    pipe.change(ms(20), &change(r#"{"state":"down"}"#));
    let cut = pipe.statistics(ms(20));
    conserved(&cut);
    assert_eq!((cut.queue.now.bytes, cut.dropped.down.frames), (0, 1));
    assert!(cut.background.unwrap().dropped.bytes > 8000);
    assert_eq!(pipe.next_deadline(), None);
}

#[test]
fn a_pipe_that_is_down_still_sends_waiting_fluid() {
    let text = line("1MB", &constant("20Mbit/s"));
    let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(1, "p"), Time::ZERO);
    pipe.change(ms(8), &change(r#"{"state":"down","in_flight":"deliver"}"#));
    let down = pipe.statistics(ms(100)).background.unwrap();
    assert_eq!((down.delivered.bytes, down.queued.bytes), (20_000, 0));
    assert_eq!(down.dropped.bytes, 20_000_000 / 8 * 92 / 1000);
    pipe.change(ms(100), &change(r#"{"state":"up"}"#));
    let up = pipe.statistics(ms(104)).background.unwrap();
    assert_eq!((up.delivered.bytes, up.queued.bytes), (25_000, 5000));
}

/// Whoever builds a pipe checks for this. If not, the pipe still does not get stuck.
#[test]
fn a_pipe_that_cannot_have_a_fluid_drops_it() {
    let text = line("1MB", &constant("20Mbit/s"));
    for text_of_change in [
        r#"{"queue":{"discipline":"codel"}}"#,
        r#"{"rate":"unlimited"}"#,
        r#"{"rate":{"schedule":[{"at":"0s","rate":"1Mbit/s"}]}}"#,
    ] {
        let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(1, "p"), Time::ZERO);
        pipe.offer(ms(8), FrameInfo::single(1000), 1).unwrap();
        pipe.change(ms(10), &change(text_of_change));
        let counted = pipe.statistics(ms(10));
        conserved(&counted);
        assert_eq!(counted.background.unwrap().queued.frames, 0, "{text_of_change}");
        assert_eq!(pipe.poll(ms(100)).map(|delivery| delivery.frame), Some(1));
        assert_eq!(pipe.statistics(ms(100)).background, pipe.statistics(ms(200)).background);
    }
}

#[test]
fn windows_count_the_fluid_of_their_seconds() {
    let text = line("1MB", &constant("1Mbit/s"));
    let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(1, "p"), Time::ZERO);
    let recent = pipe.recent_statistics(ms(90_500), "2s".parse().unwrap());
    let seconds = recent.at.since(recent.since).as_secs_f64();
    let background = recent.background.unwrap();
    assert_eq!(background.offered.bytes as f64, 125_000.0 * seconds);
    assert_eq!(background.delivered, background.offered);
    assert_eq!((recent.load, recent.queue.fill), (0.1, Some(0.0)));
    let all = pipe.statistics(ms(90_500)).background.unwrap();
    assert_eq!((all.offered.bytes, all.offered.frames), (11_312_500, 11_312));
}

#[test]
fn super_frames_are_cut_beside_a_fluid() {
    let info = FrameInfo::coalesced(10, 1514, 1514);
    let mut pipe = Pipe::<u64>::new(
        config(r#"{"rate":"10Gbit/s","background":[{"cbr":{"load":"1%"},"as":"fluid"}]}"#),
        Stream::new(1, "p"),
        Time::ZERO,
    );
    assert_eq!(pipe.coalesce(ns(9), &info, &0), 1);
    pipe.change(ns(9), &change(r#"{"background":"none"}"#));
    assert_eq!(pipe.coalesce(ms(1), &info, &0), 10);
}

#[test]
fn models_that_cannot_be_a_fluid_are_refused() {
    let wrong = [
        (r#"{"poisson":{"load":"10%"},"as":"fluid"}"#, "`poisson` has no rate that changes"),
        (r#"{"trace":{"file":["0.1 100"]},"as":"fluid"}"#, "`trace` has no rate that changes"),
        (r#"{"on_off":{"on":"1s","off":"1s"},"as":"fluid"}"#, "`on_off` needs a `rate`"),
        (r#"{"cbr":{"load":"10%"},"flows":7,"as":"fluid"}"#, "`flows` has no effect"),
        (r#"{"cbr":{"load":"10%"},"dscp":7,"as":"fluid"}"#, "`dscp` has no effect"),
        (r#"{"cbr":{"load":"10%"},"ecn":true,"as":"fluid"}"#, "`ecn` has no effect"),
    ];
    for (entry, expected) in wrong {
        let error = serde_json::from_str::<Background>(&format!("[{entry}]")).unwrap_err();
        assert!(error.to_string().contains(expected), "{entry}: {error}");
    }
    let wrong = [
        (r#""queue":{"discipline":"codel"}"#, "fluid needs discipline fifo, not codel"),
        (r#""queue":{"discipline":{"fifo":{"drop":"head"}}}"#, "needs drop-tail"),
        (
            r#""rate":{"schedule":[{"at":"0s","rate":"1Mbit/s"}]}"#,
            "a constant rate, not a schedule",
        ),
        (r#""rate":{"trace":[1,5]}"#, "a constant rate, not a trace"),
        (r#""rate":"unlimited""#, "a rate, not unlimited"),
        (r#""burst":"3kB""#, "a line without `burst`, not one of 3kB"),
        (
            r#""mac_overhead":[{"probability":"100%","time":"1us"}]"#,
            "a line without `mac_overhead`",
        ),
        (r#""pipe_mtu":"1000B""#, "a `pipe_mtu` for its frames of 1514B, not 1000B"),
    ];
    let fluid = r#""background":[{"cbr":{"rate":"1Mbit/s"},"as":"fluid"}]"#;
    let check = |config: &PipeConfig| config.background.check(config);
    for (property, expected) in wrong {
        let mut config = config(&format!(r#"{{"rate":"10Mbit/s",{fluid}}}"#));
        check(&config).unwrap();
        change(&format!("{{{property}}}")).apply_to(&mut config);
        let error = check(&config).unwrap_err().to_string();
        assert!(error.contains(expected), "{property}: {error}");
    }
    let often = config(
        r#"{"rate":"10Mbit/s","background":[{"on_off":{"sources":9000,"on":"1ms","off":"1ms",
            "rate":"1kbit/s"},"as":"fluid"}]}"#,
    );
    let error = check(&often).unwrap_err().to_string();
    assert!(error.contains("9.0e6 times a second"), "{error}");
}

#[test]
fn a_fluid_survives_a_round_trip() {
    let text = r#"[{"ppbp":{"load":"40%","bursts":100.0,"burst":"1s","hurst":0.8},"as":"fluid"}]"#;
    let background = change(&format!(r#"{{"background":{text}}}"#)).background.unwrap();
    let again = serde_json::to_value(&background).unwrap();
    assert_eq!(again, serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!(background.to_string(), "ppbp as fluid");
}
