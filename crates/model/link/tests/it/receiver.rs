//! The interface at the far end takes packets up to its MTU, with the room for a VLAN tag that
//! drivers of Linux have.

use netloom_link::{
    DropReason, Dscp, Frame, FrameInfo, Header, Occurrence, Pipe, PipeConfig, Stream,
};
use netloom_units::Time;
use proptest::prelude::*;

use crate::common::{config, ms, ns};

/// A frame with or without a tag outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tagged(bool);

impl Frame for Tagged {
    fn header(&self) -> Option<Header> {
        None
    }
    fn tag_bytes(&self) -> u32 {
        if self.0 { 4 } else { 0 }
    }
    fn mark_congestion(&mut self) {}
    fn remark(&mut self, _: Dscp) {}
    fn flip_bits(&mut self, _: &[u64]) {}
    fn duplicate(&self) -> Self {
        *self
    }
}

fn pipe(config: PipeConfig, mtu: Option<u32>) -> Pipe<Tagged> {
    let mut pipe = Pipe::new(config, Stream::new(1, "a/forward"), Time::ZERO);
    pipe.set_receiver_mtu(mtu);
    pipe
}

/// Whether a frame of these bytes with an MTU of 1500 at the far end arrives.
fn arrives(bytes: u32, tagged: bool) -> bool {
    let mut pipe = pipe(PipeConfig::default(), Some(1500));
    pipe.offer(ns(0), FrameInfo::single(bytes), Tagged(tagged)).unwrap();
    let arrived = pipe.poll(ns(0)).is_some();
    let dropped = pipe.poll_dropped().map(|dropped| dropped.reason);
    assert_eq!(dropped, (!arrived).then_some(DropReason::ReceiverMtu));
    let counts = pipe.statistics(ns(1));
    assert_eq!(counts.dropped.receiver_mtu.frames, u64::from(!arrived));
    assert_eq!(counts.delivered.frames, u64::from(arrived));
    arrived
}

#[test]
fn frames_up_to_the_mtu_and_a_tag_arrive() {
    for (bytes, tagged, expected) in [
        (60, false, true),
        (1514, false, true),
        // Room for a tag, which is there whether it is used or not.
        (1518, false, true),
        (1519, false, false),
        (8042, false, false),
        (1518, true, true),
        (1522, true, true),
        (1523, true, false),
    ] {
        assert_eq!(arrives(bytes, tagged), expected, "{bytes} bytes, tag: {tagged}");
    }
}

/// A frame that is too long uses the line like any other, and takes draws of the channel.
#[test]
fn a_long_frame_is_lost_at_the_far_end() {
    let text = r#"{"rate":"8Mbit/s","framing":"none","loss":"30%"}"#;
    let fates = |mtu| {
        let mut pipe = pipe(config(text), mtu);
        pipe.record_events(true);
        for number in 0..200 {
            let bytes = if number % 3 == 0 { 8000 } else { 1000 };
            pipe.offer(ms(10 * number), FrameInfo::single(bytes), Tagged(false)).unwrap();
        }
        let mut short = Vec::new();
        while let Some(delivery) = pipe.poll(ms(10_000)) {
            if delivery.info.bytes() == 1000 {
                short.push(delivery.release);
            }
        }
        (short, pipe.statistics(ms(10_000)), std::iter::from_fn(move || pipe.poll_event()))
    };
    let (all, without, _) = fates(None);
    let (short, with, events) = fates(Some(1500));
    assert_eq!(all, short, "other frames arrive as without the limit");
    assert_eq!(with.busy_ns, without.busy_ns);
    assert_eq!(with.dropped.loss, without.dropped.loss);
    let long = without.delivered.frames - short.len() as u64;
    assert!(long > 30, "{long}");
    assert_eq!(with.dropped.receiver_mtu.frames, long);
    let reason = DropReason::ReceiverMtu;
    let lost = events.filter(|event| {
        matches!(event.what, Occurrence::Dropped { reason: why, serialized: Some(_), .. }
            if why == reason)
    });
    assert_eq!(lost.count() as u64, long);
}

#[test]
fn the_limit_changes_while_frames_pass() {
    let mut pipe = pipe(PipeConfig::default(), Some(9000));
    let mut passes = |at, mtu| {
        pipe.set_receiver_mtu(mtu);
        pipe.offer(ns(at), FrameInfo::single(9014), Tagged(false)).unwrap();
        pipe.poll(ns(at)).is_some()
    };
    assert!(passes(1, Some(9000)));
    assert!(!passes(2, Some(8995)));
    assert!(passes(3, None));
}

proptest! {
    /// The pieces of a super-frame arrive as they would by themselves.
    #[test]
    fn super_frames_are_judged_by_their_pieces(
        mtu in 576u32..9000, full in 100u32..9100, last in 100u32..9100, frames in 2u32..40,
    ) {
        let info = FrameInfo::coalesced(frames, full, last.min(full));
        let mut one = pipe(PipeConfig::default(), Some(mtu));
        let together = one.coalesce(ns(0), &info, &Tagged(false));
        if full > mtu + 18 {
            prop_assert_eq!(together, 1);
        } else {
            prop_assert_eq!(together, frames);
            one.offer(ns(0), info, Tagged(false)).unwrap();
            prop_assert!(one.poll(ns(0)).is_some());
        }
    }
}
