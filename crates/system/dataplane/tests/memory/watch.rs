//! A monitor receives reports of errors in a running data plane as they occur.

use std::time::Instant;

use crate::common::*;
use netloom_dataplane::{AnomalyKind, Dataplane, Limits, Loss, Watch};
use netloom_units::Duration;

/// Looks until `enough` accepts everything reported so far.
fn look(
    dataplane: &Dataplane,
    watch: &mut Watch,
    enough: impl Fn(&[AnomalyKind], u64) -> bool,
) -> Vec<AnomalyKind> {
    let (mut seen, mut punctual) = (Vec::new(), 0);
    let deadline = Instant::now() + PATIENCE;
    while !enough(&seen, punctual) {
        assert!(Instant::now() < deadline, "{seen:?}, {punctual} punctual");
        let common = watch.look(dataplane.now(), false, |anomaly| seen.push(anomaly.what));
        punctual += common.punctual.iter().map(|(_, frames)| frames).sum::<u64>();
        std::thread::yield_now();
    }
    seen
}

#[test]
fn every_frame_is_punctual_or_late() {
    let (dataplane, left, _right) = one_link(r#"{"delay":"1ms"}"#);
    let mut watch = dataplane.watch(PATIENT).unwrap();
    assert!((0..50).all(|_| left.send(&frame(2, 1, 60))));
    assert_eq!(look(&dataplane, &mut watch, |_, punctual| punctual == 50), []);

    // No clock is exact to a nanosecond, so all frames are late. The new watch replaces the old
    // one.
    let nothing = Limits { tolerance: Duration::ZERO, ..PATIENT };
    let mut strict = dataplane.watch(nothing).unwrap();
    assert!((0..50).all(|_| left.send(&frame(2, 1, 60))));
    let late = |seen: &[AnomalyKind]| -> u64 {
        let frames = seen.iter().map(|seen| match seen {
            AnomalyKind::Late { pipe, frames, .. } if *pipe == forward(0) => *frames,
            other => panic!("{other:?}"),
        });
        frames.sum()
    };
    look(&dataplane, &mut strict, |seen, punctual| late(seen) + punctual == 50);
    assert_eq!(watch.look(dataplane.now(), false, |seen| panic!("{seen:?}")).punctual, []);
}

#[test]
fn a_loss_is_reported_with_its_pipe_and_its_cause() {
    let ((a, left), (b, _right)) = (device(), device_of(2));
    let wiring = wiring(vec![link("l", [a, b], "{}")]);
    let dataplane = Dataplane::start(wiring, options()).unwrap();
    let mut watch = dataplane.watch(PATIENT).unwrap();
    assert!((0..3).all(|_| left.send(&frame(2, 1, 60))) && left.send(&[1, 2, 3]));
    let seen = look(&dataplane, &mut watch, |seen, _| seen.len() == 2);
    let lost = |loss| AnomalyKind::Lost { pipe: forward(0), loss, frames: 1 };
    assert_eq!(seen, [lost(Loss::DeviceFull), lost(Loss::Malformed)]);
}

#[test]
fn a_time_without_a_look_at_devices_is_reported() {
    let (dataplane, left, _right) = one_link("{}");
    // Moving a frame takes longer than zero.
    let mut watch = dataplane.watch(Limits { pause: Duration::ZERO, ..PATIENT }).unwrap();
    assert!(left.send(&frame(2, 1, 60)));
    look(&dataplane, &mut watch, |seen, _| {
        seen.iter()
            .any(|seen| matches!(seen, AnomalyKind::Pause { lasted } if *lasted > Duration::ZERO))
    });
}

/// The largest upper bound of lateness of any frame so far.
fn at_most(watch: &mut Watch, frames: u64) -> Duration {
    let (mut seen, mut most) = (0, Duration::ZERO);
    eventually("all frames left", || {
        for pipe in watch.lateness() {
            seen += pipe.at_most.by.iter().map(|(_, frames)| frames).sum::<u64>();
            most =
                pipe.at_most.by.iter().map(|(at_most, _)| *at_most).max().max(Some(most)).unwrap();
        }
        seen >= frames
    });
    most
}

#[test]
fn a_frame_that_ends_a_sleep_is_as_late_as_it_waited() {
    const WAITED: Duration = Duration::from_millis(30);
    let (dataplane, left, _right) = one_link(r#"{"delay":"1ms"}"#);
    let mut watch = dataplane.watch(PATIENT).unwrap();
    for burst in 0..3 {
        // The worker sleeps, and may not be late by more than the time for which it has slept.
        std::thread::sleep(2 * std::time::Duration::from(WAITED));
        assert!(left.send_late(WAITED.into(), &frame(2, 1, 60)));
        let bound = at_most(&mut watch, 1);
        assert!(bound >= WAITED, "burst {burst}: {bound}");
    }
}

#[test]
fn a_sleep_bounds_arrivals_that_nobody_knows() {
    let ((a, left), (b, _right)) = (device(), device());
    left.hide_arrivals();
    let wiring = wiring(vec![link("l", [a, b], "{}")]);
    let dataplane = Dataplane::start(wiring, options()).unwrap();
    let mut watch = dataplane.watch(PATIENT).unwrap();
    for _ in 0..50 {
        std::thread::sleep(std::time::Duration::from_millis(7));
        assert!(left.send(&frame(2, 1, 60)));
    }
    // A frame comes at any moment of a sleep of 500 us, so one in five is within a fifth of it:
    // all fifty are with a probability below 1e-34.
    let bound = at_most(&mut watch, 50);
    assert!(bound > Duration::from_micros(100), "{bound}");
}
