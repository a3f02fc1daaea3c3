//! Shifts by late offers: the model's correction is compared with the same pipe without stalls,
//! frame by frame, whatever else happens to the frames.

use std::collections::BTreeMap;

use crate::common::{config, pipe};
use netloom_link::{FrameInfo, Pipe, Stream};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

/// Length of frames, which take 100 us each at 80 Mbit/s without framing.
const BYTES: u32 = 1000;
const SERVICE: u64 = 100;
const LINE: &str = r#""rate": "80Mbit/s", "framing": "none""#;

fn micros(time: u64) -> Time {
    Time::from_nanos(time * 1000)
}

/// The times at which frames came and at which they were offered, in us.
type Frames = Vec<(u64, u64)>;

/// Offers each frame at its second time to a pipe of `text`. Returns for every frame that arrives
/// the time at which it left the line and its shift, in ns.
fn run(text: &str, frames: &[(u64, u64)]) -> BTreeMap<u64, (u64, u64)> {
    run_through(text, frames, Pipe::expect_late_offers)
}

/// The same through a pipe that is prepared first.
fn run_through(
    text: &str,
    frames: &[(u64, u64)],
    prepare: impl Fn(&mut Pipe<u64>),
) -> BTreeMap<u64, (u64, u64)> {
    let mut pipe = Pipe::<u64>::new(config(text), Stream::new(1, "test/forward"), Time::ZERO);
    prepare(&mut pipe);
    let mut out = BTreeMap::new();
    let mut collect = |pipe: &mut Pipe<u64>, now| {
        while let Some(delivery) = pipe.poll(now) {
            let passage = delivery.passage;
            let what = (passage.serialized.as_nanos(), passage.shift.as_nanos());
            let twice = out.insert(delivery.frame, what);
            assert!(twice.is_none_or(|other| other == what), "a duplicate differs: {passage:?}");
        }
    };
    for (number, (came, offered)) in (0..).zip(frames) {
        collect(&mut pipe, micros(*offered));
        let arrival_uncertainty = Duration::from_micros(offered - came);
        let _ = pipe.offer_late(
            micros(*offered),
            arrival_uncertainty,
            FrameInfo::single(BYTES),
            number,
        );
    }
    while let Some(deadline) = pipe.next_deadline() {
        collect(&mut pipe, deadline);
    }
    out
}

/// Returns frames that come after the given pauses, with stalls in which nobody reads the device.
/// After a stall, the frames that came meanwhile are offered one after the other.
fn stalled(steps: &[(u64, Option<u64>)]) -> Frames {
    let (mut came, mut offered, mut blind) = (0, 0, 0);
    let each = |(pause, stall): &(u64, Option<u64>)| {
        came += pause;
        blind = blind.max(came + stall.unwrap_or(0));
        offered = if blind > came { blind.max(offered + 1) } else { came.max(offered + 1) };
        (came, offered)
    };
    steps.iter().map(each).collect()
}

/// Returns pauses of 150 us on average, with occasional stalls of up to 2 ms.
fn steps() -> impl Strategy<Value = Vec<(u64, Option<u64>)>> {
    prop::collection::vec((1u64..300, prop::option::weighted(0.05, 1u64..2000)), 1..200)
}

/// Returns impairments of frames behind the line.
fn fates() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""loss": "0%""#,
        r#""loss": "3%""#,
        r#""loss": "60%""#,
        r#""loss": {"gilbert_elliott": {"p": "5%", "r": "20%"}}"#,
        r#""ber": 1e-5"#,
        r#""ber": 1e-4"#,
        r#""corrupt": "30%""#,
        r#""duplicate": "30%", "loss": "10%""#,
        r#""delay": "5ms", "reorder": {"probability": "30%"}, "loss": "10%", "duplicate": "10%""#,
        r#""delay": "5ms", "jitter": "2ms", "loss": "10%""#,
    ])
}

proptest! {
    /// All draws are taken in the order of the line, so the same frames are lost in both pipes.
    #[test]
    fn a_shift_is_the_difference_to_a_pipe_without_stalls(steps in steps(), fates in fates()) {
        let frames = stalled(&steps);
        let prompt: Vec<_> = frames.iter().map(|(came, _)| (*came, *came)).collect();
        let text = format!(r#"{{{LINE}, "queue": {{"limit": "100000packets"}}, {fates}}}"#);
        let (late, prompt) = (run(&text, &frames), run(&text, &prompt));
        prop_assert!(late.keys().eq(prompt.keys()), "other frames arrive");
        for (number, (left, shift)) in late {
            prop_assert_eq!((number, shift), (number, left - prompt[&number].0));
        }
    }

    /// Without stalls, nothing is late, whatever is lost in front of, on and behind the line.
    #[test]
    fn without_stalls_nothing_shifts(
        pauses in prop::collection::vec(1u64..150, 1..300),
        fates in fates(),
        queue in prop::sample::select(vec![
            r#"{"limit": "2packets"}"#,
            r#"{"limit": "100packets"}"#,
            r#"{"discipline": "codel"}"#,
        ]),
    ) {
        let mut came = 0;
        let frames: Frames = pauses.iter().map(|pause| { came += pause; (came, came) }).collect();
        let late = run(&format!(r#"{{{LINE}, "queue": {queue}, {fates}}}"#), &frames);
        prop_assert!(late.values().all(|(_, shift)| *shift == 0), "{:?}", late);
    }

    /// A line that is offered more than it carries has work after every stall. Only frames of a
    /// first stall, before the queue has filled, may be late, and by no more than that stall.
    #[test]
    fn a_busy_line_takes_no_loss_for_lateness(
        stalls in prop::collection::vec(prop::option::weighted(0.02, 100u64..900), 5000),
        fates in fates(),
    ) {
        let steps: Vec<_> = stalls.into_iter().map(|stall| (SERVICE * 5 / 6, stall)).collect();
        let config = format!(r#"{{{LINE}, "queue": {{"limit": "100packets"}}, {fates}}}"#);
        let late = run(&config, &stalled(&steps));
        let worst = late.values().map(|(_, shift)| *shift).max();
        prop_assert!(worst <= Some(900_000), "{} us late", worst.unwrap_or(0) / 1000);
    }
}

/// Returns the shifts of frames on a plain line, in us, after checking them against the line
/// without stalls.
fn shifts(frames: &[(u64, u64)]) -> Vec<u64> {
    let prompt: Vec<_> = frames.iter().map(|(came, _)| (*came, *came)).collect();
    let text = format!(r#"{{{LINE}, "queue": {{"limit": "100000packets"}}}}"#);
    let (late, prompt) = (run(&text, frames), run(&text, &prompt));
    let each = |(number, (left, shift)): (u64, (u64, u64))| {
        assert_eq!(shift, left - prompt[&number].0, "frame {number}");
        shift / 1000
    };
    late.into_iter().map(each).collect()
}

#[test]
fn frames_that_wait_behind_a_late_frame_are_late_too() {
    // One frame alone; two in one stall; one after a stall while the line still catches up; one
    // after an idle moment.
    let frames =
        [(1000, 1000), (2000, 2500), (2050, 2501), (2650, 2650), (2750, 2750), (9000, 9000)];
    assert_eq!(shifts(&frames), [0, 500, 500, 50, 50, 0]);
}

#[test]
fn a_busy_line_makes_up_for_a_stall() {
    // The line has work for all of the stall.
    let frames: Vec<_> =
        (0..20).map(|_| (1000, 1000)).chain([(1500, 2000), (2500, 2500)]).collect();
    assert!(shifts(&frames).iter().all(|shift| *shift == 0));
}

#[test]
fn a_frame_that_the_channel_loses_was_on_the_line() {
    // The first frame is 500 us late. Then frames come at the distance of one service time, and
    // every other one is lost. The line is never idle, so the rest are as late as the first.
    let frames: Vec<_> = (0..10)
        .map(|n| (1000 + n * SERVICE, 1000 + n * SERVICE))
        .map(|(came, offered)| (came, offered.max(1500)))
        .collect();
    let late = run(&format!(r#"{{{LINE}, "loss": {{"pattern": "01"}}}}"#), &frames);
    let late: Vec<_> =
        late.into_iter().map(|(number, (_, shift))| (number, shift / 1000)).collect();
    assert_eq!(late, [(0, 500), (2, 500), (4, 500), (6, 500), (8, 500)]);
}

#[test]
fn a_cut_leaves_the_line_free() {
    let mut pipe = pipe(&format!(r#"{{{LINE}, "in_flight": "drop"}}"#));
    let info = FrameInfo::single(BYTES);
    pipe.offer_late(micros(1000), Duration::from_micros(500), info, 0).unwrap();
    pipe.change(micros(1050), &crate::common::change(r#"{"state": "down"}"#));
    pipe.change(micros(1060), &crate::common::change(r#"{"state": "up"}"#));
    pipe.offer(micros(1070), info, 1).unwrap();
    let delivery = pipe.poll(micros(2000)).unwrap();
    // 20 us of idle line are all that it may owe to the first.
    assert_eq!(delivery.passage.shift, Duration::ZERO);
}

#[test]
fn a_second_later_a_stall_is_forgotten() {
    // After the stall the line always has fifty frames to send, so later stalls do not affect it.
    let stall = [(10_000, 11_000)].into_iter().chain([(11_001, 11_001); 50]);
    let rest = (1..20_000).map(|n| {
        let came = 11_000 + n * SERVICE;
        (came, if n % 100 == 50 { came + 50 } else { came })
    });
    let late = run(
        &format!(r#"{{{LINE}, "queue": {{"limit": "1000packets"}}}}"#),
        &stall.chain(rest).collect::<Vec<_>>(),
    );
    assert_eq!(late[&0].1, 1_000_000);
    assert_eq!(late[&9_000].1, 99_000);
    assert_eq!(late[&12_000].1, 0);
}

/// Returns the frames of several devices in the order in which they are offered. The frames of the
/// first device are read late by its stalls, the others at once.
fn of_several(steps: &[(u64, Option<u64>)], others: &[u64]) -> Frames {
    let mut came = 0;
    let prompt = others.iter().map(|pause| {
        came += pause;
        (came, came)
    });
    let mut frames: Frames = stalled(steps).into_iter().chain(prompt).collect();
    frames.sort_by_key(|(_, offered)| *offered);
    frames
}

proptest! {
    /// A frame may have been overtaken by frames of other devices while it waited unread. None is
    /// later than its shift, but for what differences of arrival up to 500 us do. A pipe that
    /// does not remember when frames came states no smaller shifts.
    #[test]
    fn a_shift_bounds_lateness_also_where_frames_of_several_devices_meet(
        steps in prop::collection::vec(
            (200u64..900, prop::option::weighted(0.1, 2000u64..20_000)),
            1..60,
        ),
        others in prop::collection::vec(200u64..900, 1..60),
    ) {
        let frames = of_several(&steps, &others);
        // The line without stalls takes them in the order in which they came.
        let mut order: Vec<usize> = (0..frames.len()).collect();
        order.sort_by_key(|index| frames[*index].0);
        let prompt: Frames =
            order.iter().map(|index| (frames[*index].0, frames[*index].0)).collect();
        let text = format!(r#"{{{LINE}, "queue": {{"limit": "100000packets"}}}}"#);
        let (late, prompt) = (run(&text, &frames), run(&text, &prompt));
        for (number, index) in (0..).zip(order) {
            let (left, shift) = late[&(index as u64)];
            let lateness = left.saturating_sub(prompt[&number].0);
            // Both devices send a frame in 550 us on average.
            let slack = 500_000 + 6 * SERVICE * 1000;
            prop_assert!(lateness <= shift + slack, "frame {index}: {lateness} {shift}");
        }
        for (index, (_, without)) in run_through(&text, &frames, |_| {}) {
            prop_assert!(without >= late[&index].1, "frame {index}: {without} {:?}", late[&index]);
        }
    }
}

#[test]
fn a_late_frame_overtakes_what_came_from_elsewhere() {
    // A frame of another device is on its way while the first one waits unread for 40 ms.
    let frames = [(1_000, 1_000), (49_000, 49_000), (10_000, 50_000)];
    let late = run(&format!("{{{LINE}}}"), &frames);
    assert_eq!(late[&2].1, 40_000_000);
}
