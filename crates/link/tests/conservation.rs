//! Nothing appears, vanishes, doubles or overtakes, whatever is offered, changed and asked.

mod common;

use std::collections::HashMap;

use netloom_link::{
    Count, Discipline, FrameInfo, Framing, InFlight, LinkState, Loss, Pipe, PipeChange, PipeConfig,
    PipeStatistics, QueueChange, QueueLimit, RateLimit, Stream,
};
use netloom_units::{Duration, Probability, Rate, Size, Time};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Offer { frames: u32, full: u32, last: u32 },
    Change(PipeChange),
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

fn a_change() -> impl Strategy<Value = PipeChange> {
    let queue = limit().prop_map(|limit| QueueChange {
        discipline: Some(Discipline::default()),
        limit: Some(limit),
    });
    let delay = (0u64..3_000_000).prop_map(Duration::from_nanos);
    let loss = (0.0f64..=1.0).prop_map(|p| Loss::Bernoulli(Probability::new(p).unwrap()));
    let state = prop_oneof![4 => Just(LinkState::Up), 1 => Just(LinkState::Down)];
    let in_flight = prop_oneof![Just(InFlight::Drop), Just(InFlight::Deliver)];
    (
        option::of(rate()),
        option::of(framing()),
        option::of(queue),
        option::of(delay),
        option::weighted(0.2, loss),
        option::of(state),
        option::of(in_flight),
    )
        .prop_map(|(rate, framing, queue, delay, loss, state, in_flight)| PipeChange {
            rate,
            framing,
            queue,
            delay,
            loss,
            state,
            in_flight,
            ..PipeChange::default()
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1u32..5, 60u32..9000, 60u32..9000)
            .prop_map(|(frames, full, last)| Step::Offer { frames, full, last: last.min(full) }),
        2 => a_change().prop_map(Step::Change),
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
    inside: HashMap<u64, FrameInfo>,
    last_out: Option<(u64, Time)>,
}

fn add(count: &mut Count, info: &FrameInfo) {
    count.frames += u64::from(info.frames());
    count.bytes += info.bytes();
}

impl Ledger {
    fn offer(&mut self, pipe: &mut Pipe<u64>, now: Time, info: FrameInfo, number: u64) {
        add(&mut self.offered, &info);
        match pipe.offer(now, info, number) {
            Ok(()) => assert!(self.inside.insert(number, info).is_none()),
            Err(rejected) => {
                assert_eq!(rejected.frame, number);
                add(&mut self.dropped, &info);
            }
        }
    }

    fn poll(&mut self, pipe: &mut Pipe<u64>, now: Time) {
        while let Some(delivery) = pipe.poll(now) {
            let info = self.inside.remove(&delivery.frame).expect("came in, goes out once");
            assert_eq!(info, delivery.info);
            assert!(delivery.release <= now && delivery.passage.offered <= delivery.release);
            let out = (delivery.frame, delivery.release);
            let before = self.last_out.replace(out);
            assert!(before.is_none_or(|before| before.0 < out.0 && before.1 <= out.1), "order");
            add(&mut self.delivered, &info);
        }
        while let Some(dropped) = pipe.poll_dropped() {
            let info = self.inside.remove(&dropped.frame).expect("came in, dropped once");
            add(&mut self.dropped, &info);
        }
    }

    fn check(&self, statistics: &PipeStatistics) {
        let s = statistics;
        assert_eq!(s.offered, self.offered);
        assert_eq!(s.delivered, self.delivered);
        assert_eq!(s.offered, s.delivered + s.dropped.total() + s.queue.now + s.in_flight);
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
        for (number, (step, wait)) in (0..).zip(steps) {
            now += Duration::from_nanos(wait);
            match step {
                Step::Offer { frames, full, last } => {
                    ledger.offer(&mut pipe, now, FrameInfo::coalesced(frames, full, last), number);
                }
                Step::Change(change) => pipe.change(now, &change),
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
        ledger.check(&pipe.statistics(now));
        prop_assert!(ledger.inside.is_empty());
        prop_assert_eq!(ledger.offered, ledger.delivered + ledger.dropped);
    }
}
