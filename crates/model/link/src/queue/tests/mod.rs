//! The discipline of the guide to a first change (`docs/first-change.md`): the page prints
//! `lifo.rs` but for its variant of `Discipline`, which the guide's next step adds.
//! `tests/it/first_change.rs` compares them.

use netloom_units::{Duration, Time};

use super::lifo_of_the_guide::{Lifo, LifoConfig};
use super::{Kind, Queue, QueueConfig, QueueLimit};
use crate::background::LineFrame;
use crate::queue::discipline::Queued;
use crate::{DropReason, FrameInfo, Stream};

fn queue(packets: u32) -> Queue<u64> {
    let config = QueueConfig { limit: QueueLimit::Packets(packets), ..QueueConfig::default() };
    let queue = Queue::new(config, None, Stream::new(1, "x"));
    Queue { discipline: Kind::Single(Box::new(Lifo::new())), ..queue }
}

fn frame(number: u64) -> Queued<u64> {
    let info = FrameInfo::single(1000);
    Queued {
        frame: LineFrame::Real { frame: number, number },
        info,
        line_bytes: 1000,
        order: number,
        offered: Time::ZERO,
        arrival_uncertainty: Duration::ZERO,
        marked: false,
    }
}

#[test]
fn the_newest_leaves_first_and_a_full_queue_drops_the_arrival() {
    let mut queue = queue(3);
    for number in 1..=3 {
        queue.enqueue(Time::ZERO, frame(number)).expect("there is room");
    }
    let (refused, reason) = queue.enqueue(Time::ZERO, frame(4)).expect_err("it is full");
    assert_eq!((refused.frame.number(), reason), (Some(4), DropReason::QueueFull));
    assert_eq!((queue.backlog().frames, queue.backlog().bytes), (3, 3000));
    let order = std::iter::from_fn(|| queue.dequeue(Time::ZERO)?.frame.number());
    assert_eq!(order.collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(queue.backlog().frames, 0);
}

#[test]
fn its_parameters_are_none_yet() {
    let config: LifoConfig = serde_json::from_str("{}").expect("no parameters");
    assert_eq!((config, config.check()), (LifoConfig::default(), Ok(())));
    assert!(serde_json::from_str::<LifoConfig>(r#"{"drop":"head"}"#).is_err());
}
