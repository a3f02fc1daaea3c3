//! No frame appears, vanishes, is duplicated or overtakes within its flow unless configured, for
//! any offers, changes and calls, under every queue discipline.

use std::collections::HashMap;

use crate::common::packet::{Packet, header};
use netloom_link::{
    Background, BackgroundStatistics, BitErrorRate, BitErrors, Condition, Count, Discipline, Ecn,
    FrameInfo, Framing, Glance, Header, InFlight, Jitter, LinkState, Loss, Pipe, PipeChange,
    PipeConfig, PipeStatistics, QueueChange, QueueLimit, RateLimit, Reorder, Stream, WhenFull,
};
use netloom_units::{Duration, Probability, Rate, Size, Time};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Offer { flow: u16, frames: u32, full: u32, last: u32 },
    Change(Box<PipeChange>),
    Poll,
    Ask,
}

fn rate() -> impl Strategy<Value = RateLimit> {
    prop_oneof![
        Just(RateLimit::Unlimited),
        (1u64..20_000_000_000)
            .prop_map(|bits| RateLimit::Limited(Rate::from_bits_per_second(bits).unwrap())),
    ]
}

fn limit() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        Just(QueueLimit::Default),
        (1u32..20).prop_map(QueueLimit::Packets),
        (0u64..50_000).prop_map(|bytes| QueueLimit::Bytes(Size::from_bytes(bytes))),
        (0u64..10_000_000).prop_map(|nanos| QueueLimit::Time(Duration::from_nanos(nanos))),
    ]
}

fn framing() -> impl Strategy<Value = Framing> {
    prop_oneof![
        Just(Framing::Ethernet),
        Just(Framing::None),
        (0u32..65_536).prop_map(Framing::Bytes),
    ]
}

/// Returns a value parsed from one of these texts, in the notation of scenarios.
fn one_of<T: serde::de::DeserializeOwned + Clone + std::fmt::Debug>(
    texts: &'static [&'static str],
) -> impl Strategy<Value = T> {
    proptest::sample::select(texts).prop_map(|text| serde_json::from_str(text).unwrap())
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        2 => (0.0f64..=1.0).prop_map(|p| Loss::Bernoulli(Probability::new(p).unwrap())),
        1 => one_of(&[
            r#"{"gilbert_elliott":{"p":"10%","r":"30%","bad":"90%"}}"#,
            r#"{"four_state":{"p13":"10%","p31":"30%","p32":"10%","p23":"20%","p14":"5%"}}"#,
            r#"{"pattern":"0010110"}"#,
            r#"{"every":3}"#,
        ]),
    ]
}

/// Returns impairments of the channel and the propagation other than loss.
fn impairments() -> impl Strategy<Value = PipeChange> {
    let probability = || (0.0f64..=1.0).prop_map(|p| Probability::new(p).unwrap());
    let ber =
        prop_oneof![Just(0.0), 1e-6..1e-3, 0.0..=1.0].prop_map(|p| BitErrorRate::new(p).unwrap());
    let bit_errors = prop_oneof![Just(BitErrors::Drop), Just(BitErrors::Flip)];
    let jitter = one_of::<Jitter>(&[
        r#""none""#,
        r#""2ms""#,
        r#"{"normal":"1ms","correlation":"50%"}"#,
        r#"{"pareto":"1ms"}"#,
        r#"{"pattern":["1ms","-1ms","0s"]}"#,
    ]);
    let reorder = one_of::<Reorder>(&[
        r#""none""#,
        r#"{"probability":"0%"}"#,
        r#"{"probability":"50%","gap":3}"#,
        r#"{"probability":"20%","extra_delay":"1ms"}"#,
    ]);
    (
        option::of(jitter),
        option::weighted(0.3, reorder),
        option::weighted(0.3, ber),
        option::of(bit_errors),
        option::weighted(0.3, probability()),
        option::weighted(0.3, probability()),
    )
        .prop_map(|(jitter, reorder, ber, bit_errors, corrupt, duplicate)| PipeChange {
            jitter,
            reorder,
            ber,
            bit_errors,
            corrupt,
            duplicate,
            ..PipeChange::default()
        })
}

/// Returns every discipline, with default parameters and with parameters that make it act often in
/// a short time.
fn discipline() -> impl Strategy<Value = Discipline> {
    let written = [
        r#""fifo""#,
        r#"{"fifo":{"drop":"head"}}"#,
        r#""red""#,
        r#"{"red":{"weight":0.5,"min":"1packet","max":"4packets"}}"#,
        r#"{"red":{"weight":1.0,"min":"1kB","max":"9kB","gentle":false,"ecn":false}}"#,
        r#""codel""#,
        r#"{"codel":{"target":"0ns","interval":"100us"}}"#,
        r#"{"codel":{"target":"10us","interval":"50us","ecn":false}}"#,
        r#""fq_codel""#,
        r#"{"fq_codel":{"flows":3,"quantum":"256B","target":"0ns","interval":"100us"}}"#,
        r#""pie""#,
        r#"{"pie":{"target":"1us","update":"100us","max_burst":"0ns","alpha":500,"beta":500}}"#,
        r#"{"pie":{"target":"1us","update":"100us","max_burst":"9us","derandomize":false}}"#,
        r#""step""#,
        r#"{"step":{"mark_at":"1packet"}}"#,
        r#"{"red":{"weight":1.0,"min":"2packets","max":"2packets","hard_drop":true}}"#,
        r#"{"red":{"weight":1.0,"min":"1packet","max":"2packets","no_drop":true}}"#,
        r#"{"red":{"weight":0.5,"min":"1packet","max":"9packets","adaptive":true}}"#,
        r#"{"codel":{"target":"0ns","interval":"100us","ce_threshold":"1us"}}"#,
        r#""dualpi2""#,
        r#"{"dualpi2":{"target":"1us","update":"100us","alpha":500,"beta":500,"step":"1us"}}"#,
        r#""drr""#,
        r#"{"drr":{"flows":2,"quantum":"256B"}}"#,
        concat!(
            r#"{"drr":{"classes":[{"match":{"dscp":1},"weight":9},{"match":{"dscp":2},"#,
            r#""limit":"3packets"}]}}"#,
        ),
        r#"{"drr":{"classes":[{"match":{"dscp":1}},{"match":{"dscp":2},"weight":9}]}}"#,
        r#""wf2q+""#,
        r#"{"wf2q+":{"flows":2}}"#,
        concat!(
            r#"{"wf2q+":{"classes":[{"match":{"dscp":1},"weight":9},{"match":{"dscp":2},"#,
            r#""limit":"1ms"}]}}"#,
        ),
        r#"{"wf2q+":{"classes":[{"match":{"dscp":1}},{"match":{"dscp":2},"weight":65536}]}}"#,
        r#""prio""#,
        r#"{"prio":{"classes":[{"match":{"dscp":2}},{},{"match":{"dscp":1}}]}}"#,
        concat!(
            r#"{"red":{"weight":0.5,"min":"1packet","max":"9packets","#,
            r#""by_dscp":{"1":{"min":"2packets","max":"3packets"}}}}"#,
        ),
        concat!(
            r#"{"prio":{"classes":[{"match":{"dscp":2},"most":"1Mbit/s"},{"match":{"dscp":1},"#,
            r#""discipline":{"codel":{"target":"0ns","interval":"100us"}},"most":"50Mbit/s"},"#,
            r#"{"discipline":{"red":{"weight":0.5,"min":"1packet","max":"4packets"}}}]}}"#,
        ),
        concat!(
            r#"{"prio":{"classes":[{"match":{"dscp":2}},{"match":{"dscp":1},"discipline":"pie"},"#,
            r#"{"most":"9kbit/s","limit":"9kB"}]}}"#,
        ),
        concat!(
            r#"{"drr":{"classes":[{"match":{"dscp":1},"discipline":{"fq_codel":{"flows":3,"#,
            r#""target":"0ns","interval":"100us"}},"limit":"4packets"},{"match":{"dscp":2},"#,
            r#""discipline":{"fifo":{"drop":"head"}},"limit":"3kB","most":"3Mbit/s"}]}}"#,
        ),
        concat!(
            r#"{"wf2q+":{"classes":[{"match":{"dscp":1},"discipline":{"codel":{"target":"0ns","#,
            r#""interval":"100us","ecn":false}},"most":"9Gbit/s"},{"match":{"dscp":2},"#,
            r#""most":"2Mbit/s","weight":9}]}}"#,
        ),
    ];
    prop::sample::select(written.to_vec()).prop_map(|text| serde_json::from_str(text).unwrap())
}

/// Returns the header of one of six flows: two per DSCP, one of them with ECN, and one flow that is
/// not IP.
fn header_of(flow: u16) -> Option<Header> {
    let ecn = if flow.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable };
    (flow != 5).then(|| Header { dscp: (flow / 2) as u8, ecn, ..header(flow) })
}

fn background() -> impl Strategy<Value = Background> {
    one_of(&[
        r#""none""#,
        r#"[{"poisson":{"rate":"20Mbit/s"},"size":"imix","flows":3,"dscp":1,"ecn":true}]"#,
        r#"[{"cbr":{"rate":"3Mbit/s"}},{"poisson":{"rate":"3Mbit/s"},"dscp":2}]"#,
        r#"[{"ppbp":{"load":"95%","bursts":300,"burst":"5ms","hurst":0.8},"as":"fluid"}]"#,
        r#"[{"cbr":{"rate":"1Gbit/s"},"size":"imix","as":"fluid"},{"poisson":{"rate":"3Mbit/s"}}]"#,
    ])
}

fn condition() -> impl Strategy<Value = Condition> {
    one_of(&[
        r#""none""#,
        r#"[{"meter":{"rate":"5Mbit/s","burst":"4kB"},"conform":{"dscp":2},"exceed":"drop"}]"#,
        r#"[{"match":{"dscp":1},"conform":"pass"},
            {"match":{"protocol":"udp"},"meter":{"srtcm":{"cir":"2Mbit/s","cbs":"9kB","ebs":"9kB"}},
             "yellow":{"dscp":1},"red":"drop"},
            {"meter":{"trtcm":
                {"cir":"1Mbit/s","cbs":"3kB","pir":"9Mbit/s","pbs":"9kB","aware":true}},
             "green":{"dscp":"af11"},"red":{"dscp":"af13"}}]"#,
    ])
}

fn a_change() -> impl Strategy<Value = PipeChange> {
    let full = option::of(prop_oneof![Just(WhenFull::Drop), Just(WhenFull::Wait)]);
    let queue = (option::of(discipline()), option::of(limit()), full)
        .prop_map(|(discipline, limit, full)| QueueChange { discipline, limit, full });
    let delay = (0u64..3_000_000).prop_map(Duration::from_nanos);
    let state = prop_oneof![4 => Just(LinkState::Up), 1 => Just(LinkState::Down)];
    let in_flight = prop_oneof![Just(InFlight::Drop), Just(InFlight::Deliver)];
    (
        option::of(rate()),
        option::of(framing()),
        option::of(queue),
        option::of(delay),
        option::weighted(0.2, loss()),
        option::of(state),
        option::of(in_flight),
        (option::weighted(0.2, background()), option::weighted(0.2, condition())),
        impairments(),
    )
        .prop_map(|(rate, framing, queue, delay, loss, state, in_flight, front, rest)| {
            let (background, condition) = front;
            let rest = PipeChange { background, condition, ..rest };
            PipeChange {
                rate,
                framing,
                queue,
                delay: delay.map(Into::into),
                loss,
                state,
                in_flight,
                ..rest
            }
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0u16..6, prop_oneof![4 => Just(1u32), 1 => 1u32..5], 60u32..9000, 60u32..9000)
            .prop_map(|(flow, frames, full, last)| Step::Offer {
                flow,
                frames,
                full,
                last: last.min(full),
            }),
        2 => a_change().prop_map(|change| Step::Change(Box::new(change))),
        3 => Just(Step::Poll),
        1 => Just(Step::Ask),
    ]
}

/// The counts that the test itself keeps.
#[derive(Default)]
struct Ledger {
    offered: Count,
    delivered: Count,
    dropped: Count,
    duplicated: Count,
    /// Accepted frames that may still come out, with the number of times that they have.
    seen: HashMap<u64, (FrameInfo, u32)>,
    /// Number of the last frame that came out, for each flow.
    last_out: HashMap<u16, u64>,
    last_release: Time,
    /// Whether reordering has been configured at any time.
    reorders: bool,
    marked: Count,
}

fn add(count: &mut Count, info: &FrameInfo) {
    count.frames += u64::from(info.frames());
    count.bytes += info.bytes();
}

impl Ledger {
    fn offer(&mut self, pipe: &mut Pipe<Packet>, now: Time, info: FrameInfo, packet: Packet) {
        add(&mut self.offered, &info);
        match pipe.offer(now, info, packet) {
            Ok(()) => assert!(self.seen.insert(packet.number, (info, 0)).is_none()),
            Err(rejected) => {
                // A conditioner may have changed its DSCP.
                assert_eq!(rejected.frame.number, packet.number);
                add(&mut self.dropped, &info);
            }
        }
    }

    fn change(&mut self, pipe: &mut Pipe<Packet>, now: Time, change: &PipeChange) {
        pipe.change(now, change);
        self.reorders |= pipe.config().reorder != Reorder::None;
        // Packets of a flow that get different DSCPs may be in different classes.
        self.reorders |= !pipe.config().condition.is_none();
    }

    fn poll(&mut self, pipe: &mut Pipe<Packet>, now: Time) {
        while let Some(delivery) = pipe.poll(now) {
            let packet = delivery.frame;
            let (info, times) = self.out(packet.number);
            assert_eq!(info, delivery.info);
            assert!(delivery.release <= now && delivery.passage.offered <= delivery.release);
            assert!(self.last_release <= delivery.release, "in order of release");
            self.last_release = delivery.release;
            let before = self.last_out.insert(packet.flow, packet.number);
            let in_order = |before: u64| self.reorders || before <= packet.number;
            assert!(before.is_none_or(in_order), "in order within the flow");
            if packet.is_marked() && times == 1 {
                add(&mut self.marked, &info);
            }
            add(&mut self.delivered, &info);
        }
        while let Some(dropped) = pipe.poll_dropped() {
            let (info, _) = self.out(dropped.frame.number);
            assert_eq!(info, dropped.info);
            add(&mut self.dropped, &info);
        }
    }

    /// Records that frame `number` came out, delivered or dropped: once, or twice if it was
    /// duplicated. Returns how often it has.
    fn out(&mut self, number: u64) -> (FrameInfo, u32) {
        let (info, times) = self.seen.get_mut(&number).expect("came in before it comes out");
        *times += 1;
        assert!(*times <= 2, "{number} came out {times} times");
        if *times == 2 {
            add(&mut self.duplicated, info);
        }
        (*info, *times)
    }

    fn check(&self, statistics: &PipeStatistics) {
        let s = statistics;
        assert_eq!(s.offered, self.offered);
        assert_eq!(s.delivered, self.delivered);
        assert!(s.marked.frames >= self.marked.frames, "marked frames may be lost later");
        let background = s.background.unwrap_or_default();
        assert_eq!(
            s.offered + s.duplicated,
            s.delivered + s.dropped.total() + (s.queue.now - background.queued) + s.in_flight
        );
        let BackgroundStatistics { offered, delivered, dropped, queued, on_line, .. } = background;
        assert_eq!(offered, delivered + dropped + queued + on_line);
        assert!(s.busy_ns <= s.at.since(s.since).as_nanos());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn frames_are_conserved(
        first in a_change(),
        steps in vec((step(), 0u64..2_000_000), 1..150),
        seed in any::<u64>(),
    ) {
        let mut config = PipeConfig::default();
        first.apply_to(&mut config);
        let mut pipe = Pipe::new(config, Stream::new(seed, "p"), Time::ZERO);
        let (mut now, mut ledger) = (Time::ZERO, Ledger::default());
        ledger.change(&mut pipe, now, &PipeChange::default());
        for (number, (step, wait)) in (0..).zip(steps) {
            now += Duration::from_nanos(wait);
            match step {
                Step::Offer { flow, frames, full, last } => {
                    let packet = Packet { number, flow, header: header_of(flow) };
                    ledger.offer(&mut pipe, now, FrameInfo::coalesced(frames, full, last), packet);
                }
                Step::Change(change) => ledger.change(&mut pipe, now, &change),
                Step::Poll => ledger.poll(&mut pipe, now),
                Step::Ask => {
                    ledger.poll(&mut pipe, now);
                    let statistics = pipe.statistics(now);
                    ledger.check(&statistics);
                    let glance = Glance::of(pipe.config(), &statistics);
                    prop_assert_eq!(pipe.glance(now), glance);
                }
            }
        }
        let none = Some(Background::default());
        let no_more = PipeChange { background: none, ..PipeChange::default() };
        ledger.change(&mut pipe, now, &no_more);
        while let Some(deadline) = pipe.next_deadline() {
            now = now.max(deadline);
            ledger.poll(&mut pipe, now);
        }
        ledger.poll(&mut pipe, now);
        let statistics = pipe.statistics(now);
        ledger.check(&statistics);
        prop_assert!(ledger.seen.values().all(|(_, times)| *times > 0));
        prop_assert_eq!(ledger.offered + ledger.duplicated, ledger.delivered + ledger.dropped);
        prop_assert_eq!(ledger.duplicated, statistics.duplicated);
    }
}

#[test]
fn frames_that_the_far_end_refuses_are_not_delivered() {
    let mut pipe = crate::common::pipe(r#"{"delay": "400ms"}"#);
    let mut taken = 0;
    for number in 0..10u64 {
        pipe.offer(crate::common::ms(200 * number), FrameInfo::single(100), number).unwrap();
    }
    // The frames are collected in the third second. They belong to two past seconds and the current
    // one.
    while let Some(delivery) = pipe.poll(crate::common::ms(2100)) {
        match delivery.frame % 2 {
            0 => pipe.not_taken(&delivery.info, delivery.release),
            _ => taken += 1,
        }
    }
    let all = pipe.statistics(crate::common::ms(2100));
    assert_eq!((all.offered.frames, all.delivered.frames, all.lost_unmodelled.frames), (10, 4, 5));
    assert_eq!(taken, 4);
    assert_eq!(all.offered, all.delivered + all.lost_unmodelled + all.in_flight);
    assert_eq!(all.delay.unwrap().max_ns, 400_000_000);
    // Frames 3 to 7 were released in the second second, 8 in the third.
    let window: netloom_link::Window = "1s".parse().unwrap();
    let recent = pipe.recent_statistics(crate::common::ms(2100), window);
    assert_eq!((recent.delivered.frames, recent.lost_unmodelled.frames), (3, 3));
}
