//! Nothing appears, vanishes, doubles or overtakes within its flow, whatever is offered, changed and
//! asked, under every queue discipline.

mod common;

use std::collections::HashMap;

use common::packet::{Packet, header};
use netloom_link::{
    Count, Discipline, Ecn, FrameInfo, Framing, Header, InFlight, LinkState, Loss, Pipe,
    PipeChange, PipeConfig, PipeStatistics, QueueChange, QueueLimit, RateLimit, Stream,
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

/// Every discipline, by default and with parameters that make it do much in little time.
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
        r#""drr""#,
        r#"{"drr":{"flows":2,"quantum":"256B"}}"#,
        r#"{"drr":{"classes":[{"match":{"dscp":1},"weight":9},{"match":{"dscp":2},"limit":"3packets"}]}}"#,
        r#"{"drr":{"classes":[{"match":{"dscp":1}},{"match":{"dscp":2},"weight":9}]}}"#,
        r#""wf2q+""#,
        r#"{"wf2q+":{"flows":2}}"#,
        r#"{"wf2q+":{"classes":[{"match":{"dscp":1},"weight":9},{"match":{"dscp":2},"limit":"1ms"}]}}"#,
        r#"{"wf2q+":{"classes":[{"match":{"dscp":1}},{"match":{"dscp":2},"weight":65536}]}}"#,
        r#""prio""#,
        r#"{"prio":{"classes":[{"match":{"dscp":2}},{},{"match":{"dscp":1}}]}}"#,
    ];
    prop::sample::select(written.to_vec()).prop_map(|text| serde_json::from_str(text).unwrap())
}

/// Six flows: two per DSCP, one of them with ECN, and one that is not IP.
fn header_of(flow: u16) -> Option<Header> {
    let ecn = if flow.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable };
    (flow != 5).then(|| Header { dscp: (flow / 2) as u8, ecn, ..header(flow) })
}

fn a_change() -> impl Strategy<Value = PipeChange> {
    let queue = (option::of(discipline()), option::of(limit()))
        .prop_map(|(discipline, limit)| QueueChange { discipline, limit });
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

/// What the test itself has seen.
#[derive(Default)]
struct Ledger {
    offered: Count,
    delivered: Count,
    dropped: Count,
    inside: HashMap<u64, FrameInfo>,
    /// For each flow.
    last_out: HashMap<u16, u64>,
    last_release: Time,
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
            Ok(()) => assert!(self.inside.insert(packet.number, info).is_none()),
            Err(rejected) => {
                assert_eq!(rejected.frame, packet);
                add(&mut self.dropped, &info);
            }
        }
    }

    fn poll(&mut self, pipe: &mut Pipe<Packet>, now: Time) {
        while let Some(delivery) = pipe.poll(now) {
            let packet = delivery.frame;
            let info = self.inside.remove(&packet.number).expect("came in, goes out once");
            assert_eq!(info, delivery.info);
            assert!(delivery.release <= now && delivery.passage.offered <= delivery.release);
            assert!(self.last_release <= delivery.release, "in order of release");
            self.last_release = delivery.release;
            let before = self.last_out.insert(packet.flow, packet.number);
            assert!(before.is_none_or(|before| before < packet.number), "in order within the flow");
            if packet.is_marked() {
                add(&mut self.marked, &info);
            }
            add(&mut self.delivered, &info);
        }
        while let Some(dropped) = pipe.poll_dropped() {
            let info = self.inside.remove(&dropped.frame.number).expect("came in, dropped once");
            add(&mut self.dropped, &info);
        }
    }

    fn check(&self, statistics: &PipeStatistics) {
        let s = statistics;
        assert_eq!(s.offered, self.offered);
        assert_eq!(s.delivered, self.delivered);
        assert!(s.marked.frames >= self.marked.frames, "marked frames may be lost later");
        assert_eq!(s.offered, s.delivered + s.dropped.total() + s.queue.now + s.in_flight);
        assert!(s.busy_ns <= s.at.since(s.since).as_nanos());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

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
        for (number, (step, wait)) in (0..).zip(steps) {
            now += Duration::from_nanos(wait);
            match step {
                Step::Offer { flow, frames, full, last } => {
                    let packet = Packet { number, flow, header: header_of(flow) };
                    ledger.offer(&mut pipe, now, FrameInfo::coalesced(frames, full, last), packet);
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
