//! Nothing appears, vanishes, doubles or overtakes unasked, whatever is offered, changed and asked.

mod common;

use std::collections::HashMap;

use netloom_link::{
    BitErrorRate, BitErrors, Count, Discipline, FrameInfo, Framing, InFlight, Jitter, LinkState,
    Loss, Pipe, PipeChange, PipeConfig, PipeStatistics, QueueChange, QueueLimit, RateLimit,
    Reorder, Stream,
};
use netloom_units::{Duration, Probability, Rate, Size, Time};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Offer { frames: u32, full: u32, last: u32 },
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

/// A value from the texts that a scenario would say.
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

/// What the channel and the propagation do beside loss.
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

fn a_change() -> impl Strategy<Value = PipeChange> {
    let queue = limit().prop_map(|limit| QueueChange {
        discipline: Some(Discipline::default()),
        limit: Some(limit),
    });
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
        impairments(),
    )
        .prop_map(|(rate, framing, queue, delay, loss, state, in_flight, impairments)| {
            PipeChange { rate, framing, queue, delay, loss, state, in_flight, ..impairments }
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1u32..5, 60u32..9000, 60u32..9000)
            .prop_map(|(frames, full, last)| Step::Offer { frames, full, last: last.min(full) }),
        2 => a_change().prop_map(|change| Step::Change(Box::new(change))),
        3 => Just(Step::Poll),
        1 => Just(Step::Ask),
    ]
}

/// What the test itself has seen.
#[derive(Default)]
struct Ledger {
    offered: Count,
    delivered: Count,
    dropped: Count,
    duplicated: Count,
    /// What came in and may still come out: how often it has.
    seen: HashMap<u64, (FrameInfo, u32)>,
    last_out: Option<(u64, Time)>,
    /// Reordering has been asked for at some time.
    reorders: bool,
}

fn add(count: &mut Count, info: &FrameInfo) {
    count.frames += u64::from(info.frames());
    count.bytes += info.bytes();
}

impl Ledger {
    fn offer(&mut self, pipe: &mut Pipe<u64>, now: Time, info: FrameInfo, number: u64) {
        add(&mut self.offered, &info);
        match pipe.offer(now, info, number) {
            Ok(()) => assert!(self.seen.insert(number, (info, 0)).is_none()),
            Err(rejected) => {
                assert_eq!(rejected.frame, number);
                add(&mut self.dropped, &info);
            }
        }
    }

    fn change(&mut self, pipe: &mut Pipe<u64>, now: Time, change: &PipeChange) {
        pipe.change(now, change);
        self.reorders |= pipe.config().reorder != Reorder::None;
    }

    fn poll(&mut self, pipe: &mut Pipe<u64>, now: Time) {
        while let Some(delivery) = pipe.poll(now) {
            assert_eq!(self.out(delivery.frame), delivery.info);
            assert!(delivery.release <= now && delivery.passage.offered <= delivery.release);
            let out = (delivery.frame, delivery.release);
            let before = self.last_out.replace(out);
            let in_order = |before: (u64, Time)| self.reorders || before.0 <= out.0;
            assert!(before.is_none_or(|before| in_order(before) && before.1 <= out.1), "order");
            add(&mut self.delivered, &delivery.info);
        }
        while let Some(dropped) = pipe.poll_dropped() {
            assert_eq!(self.out(dropped.frame), dropped.info);
            add(&mut self.dropped, &dropped.info);
        }
    }

    /// Frame `number` came out, delivered or dropped: once, or twice if it was duplicated.
    fn out(&mut self, number: u64) -> FrameInfo {
        let (info, times) = self.seen.get_mut(&number).expect("came in before it comes out");
        *times += 1;
        assert!(*times <= 2, "{number} came out {times} times");
        if *times == 2 {
            add(&mut self.duplicated, info);
        }
        *info
    }

    fn check(&self, statistics: &PipeStatistics) {
        let s = statistics;
        assert_eq!(s.offered, self.offered);
        assert_eq!(s.delivered, self.delivered);
        assert_eq!(
            s.offered + s.duplicated,
            s.delivered + s.dropped.total() + s.queue.now + s.in_flight
        );
        assert!(s.busy_ns <= s.at.since(s.since).as_nanos());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_are_conserved(
        first in a_change(),
        steps in vec((step(), 0u64..2_000_000), 1..120),
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
                Step::Offer { frames, full, last } => {
                    ledger.offer(&mut pipe, now, FrameInfo::coalesced(frames, full, last), number);
                }
                Step::Change(change) => ledger.change(&mut pipe, now, &change),
                Step::Poll => ledger.poll(&mut pipe, now),
                Step::Ask => {
                    ledger.poll(&mut pipe, now);
                    ledger.check(&pipe.statistics(now));
                }
            }
        }
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
