//! Statistics over the last seconds: the beginning of a window, and the effect of time without
//! events. `observed` tests that windows are exact in general.

use crate::common::{burst, drain, ms, pipe};
use netloom_link::{Count, Window, WindowError};
use netloom_units::{Duration, Time};

fn last(seconds: u64) -> Window {
    Window::new(Duration::from_secs(seconds)).unwrap()
}

#[test]
fn a_window_begins_on_a_whole_second() {
    let mut pipe = pipe("{}");
    for tenth in 0..60 {
        burst(&mut pipe, ms(tenth * 100), tenth, 1, 100);
        drain(&mut pipe);
    }
    let recent = pipe.recent_statistics(ms(5950), last(2));
    assert_eq!((recent.since, recent.at), (ms(3000), ms(5950)));
    assert_eq!(recent.offered, Count { frames: 30, bytes: 3000 });
    let recent = pipe.recent_statistics(ms(6000), last(2));
    assert_eq!((recent.since, recent.offered.frames), (ms(4000), 20));
    let recent = pipe.recent_statistics(ms(6000), last(60));
    assert_eq!(recent, pipe.statistics(ms(6000)));
}

#[test]
fn an_idle_minute_leaves_only_the_total() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","delay":"10ms"}"#);
    burst(&mut pipe, ms(500), 0, 5, 1000);
    drain(&mut pipe);
    let recent = pipe.recent_statistics(ms(61_000), last(60));
    assert_eq!((recent.since, recent.offered.frames), (ms(1000), 0));
    assert_eq!((recent.delay, recent.load, recent.queue.maximum.frames), (None, 0.0, 0));
    let total = pipe.statistics(ms(61_000));
    assert_eq!((total.delivered.frames, total.queue.maximum.frames), (5, 4));
}

#[test]
fn a_frame_that_takes_minutes_is_in_every_window() {
    let mut pipe = pipe(r#"{"rate":"100bit/s","framing":"none","queue":{"limit":"9packets"}}"#);
    burst(&mut pipe, ms(0), 0, 2, 2500);
    // The first frame is on the line until 200 s, and the second one waits until then.
    for seconds in [10, 150, 199] {
        let recent = pipe.recent_statistics(ms(seconds * 1000), last(60));
        assert_eq!((recent.load, recent.queue.mean_frames), (1.0, 1.0), "at {seconds} s");
        assert_eq!(recent.queue.maximum.frames, 1);
    }
    let recent = pipe.recent_statistics(ms(210_000), last(20));
    assert_eq!((recent.load, recent.queue.mean_frames), (1.0, 0.5));
    drain(&mut pipe);
    let total = pipe.statistics(ms(500_000));
    assert_eq!((total.busy_ns, total.queue.mean_frames), (400_000_000_000, 0.4));
    assert_eq!(pipe.recent_statistics(ms(500_000), last(60)).load, 0.0);
}

#[test]
fn a_delivery_counts_in_the_second_of_its_release() {
    let mut pipe = pipe(r#"{"delay":"900ms"}"#);
    burst(&mut pipe, ms(1000), 0, 1, 100);
    burst(&mut pipe, ms(1200), 1, 1, 100);
    // The frames are collected late, in second 7. They were released in seconds 1 and 2.
    while pipe.poll(ms(7000)).is_some() {}
    let recent = pipe.recent_statistics(ms(7000), last(5));
    assert_eq!((recent.since, recent.delivered.frames), (ms(2000), 1));
    assert_eq!(pipe.recent_statistics(ms(7000), last(4)).delivered.frames, 0);
    assert_eq!(pipe.recent_statistics(ms(7000), last(60)).delivered.frames, 2);
}

#[test]
fn time_may_come_to_its_end() {
    let mut pipe = pipe(r#"{"rate":"1bit/s"}"#);
    burst(&mut pipe, ms(0), 0, 3, 1000);
    drain(&mut pipe);
    let end = Time::from_nanos(u64::MAX);
    assert_eq!(pipe.statistics(end).delivered.frames, 3);
    burst(&mut pipe, end, 3, 1, 1000);
    assert_eq!(pipe.recent_statistics(end, last(1)).offered.frames, 1);
}

#[test]
fn a_window_has_from_one_to_sixty_seconds() {
    assert_eq!("5s".parse::<Window>().unwrap(), last(5));
    for wrong in ["999ms", "61s", "0s"] {
        let error = wrong.parse::<Window>().unwrap_err();
        assert!(matches!(error, WindowError::Range { .. }), "{wrong}: {error}");
    }
    assert!(matches!("5".parse::<Window>().unwrap_err(), WindowError::Duration(_)));
}
