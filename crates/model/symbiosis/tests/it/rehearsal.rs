//! The whole loop in virtual time: results that must be exact, and how closely the small network
//! follows.

use netloom_link::{Emission, Framing, PipeConfig, QueueLimit, RateLimit, Stream};
use netloom_symbiosis::LossMethod;
use netloom_symbiosis::rehearsal::{
    Fate, Inherited, Lag, Method, Recording, Scene, SceneLink, closed, follow, record,
};
use netloom_units::{Duration, Rate, Time};

const FRAME: u32 = 1500;
const BITS: u64 = 8 * FRAME as u64;

/// Returns a line that serves `frames` frames per second, with room for `room` frames.
fn line(frames: u64, room: u32) -> PipeConfig {
    let rate = Rate::from_bits_per_second(frames * BITS).unwrap();
    let mut config = PipeConfig { framing: Framing::None, ..PipeConfig::default() };
    config.rate = RateLimit::Limited(rate);
    config.queue.limit = QueueLimit::Packets(room);
    config
}

/// Returns frames at random times, `rate` per second on average.
fn poisson(rate: f64, seconds: (u64, u64), seed: u64, name: &str) -> Vec<Emission> {
    let mut stream = Stream::new(seed, name);
    let (mut at, end) = (seconds.0 as f64, seconds.1 as f64);
    let mut frames = Vec::new();
    loop {
        at -= (1.0 - stream.uniform()).ln() / rate;
        if at >= end {
            return frames;
        }
        frames.push(Emission { at: Time::from_nanos((at * 1e9) as u64), bytes: FRAME });
    }
}

fn scene(links: Vec<(PipeConfig, Vec<Emission>)>, real: Vec<Emission>) -> Scene {
    let links = links.into_iter().map(|(config, cross)| SceneLink { config, cross }).collect();
    Scene { links, real, full: FRAME, period: Duration::from_secs(1), seed: 1 }
}

/// Returns a link of 100 frames/s with room for 20. It is offered 60 real and 60 other frames per
/// second for 30 s.
fn congested(seed: u64) -> Scene {
    let cross = poisson(60.0, (0, 30), seed, "cross");
    scene(vec![(line(100, 20), cross)], poisson(60.0, (0, 30), seed, "real"))
}

/// Returns three links in series, of which the second is too slow for some seconds.
fn series(seed: u64) -> Scene {
    let mut slow = line(50, 50);
    slow.delay = Duration::from_millis(12).into();
    let links = vec![
        (line(200, 50), poisson(100.0, (0, 30), seed, "1")),
        (slow, poisson(40.0, (5, 15), seed, "2")),
        (line(100, 50), poisson(50.0, (0, 30), seed, "3")),
    ];
    scene(links, poisson(30.0, (0, 30), seed, "real"))
}

fn delay(fates: &[Fate]) -> f64 {
    let all: Vec<f64> =
        fates.iter().filter_map(|fate| Some(fate.left?.since(fate.sent).as_secs_f64())).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

fn lost(fates: &[Fate]) -> Vec<usize> {
    (0..fates.len()).filter(|place| fates[*place].left.is_none()).collect()
}

fn apart(recording: &Recording, small: &[Fate]) -> f64 {
    (delay(small) / delay(&recording.fates) - 1.0).abs()
}

const METHODS: [Method; 2] = [Method::MD1, Method::CrossTraffic];

#[test]
fn the_same_scene_gives_the_same_fates() {
    for method in METHODS {
        let scene = series(1);
        let (first, second) = (record(&scene), record(&series(1)));
        assert_eq!(first, second);
        for lag in [Lag::None, Lag::Period] {
            let fates = follow(&scene, &first, method, lag);
            assert_eq!(fates, follow(&scene, &second, method, lag));
        }
    }
}

/// In the closed loop, the original receives real frames only from the small network. The results
/// equal those of following a recording one period late.
#[test]
fn a_closed_loop_is_what_a_recording_gives() {
    for method in METHODS {
        for scene in [congested(1), series(1)] {
            let recording = record(&scene);
            let (original, small) = closed(&scene, method);
            assert_eq!(original, recording.fates);
            assert_eq!(small, follow(&scene, &recording, method, Lag::Period));
        }
    }
}

/// Each frame has exactly one fate, and none leaves before it was sent and served.
#[test]
fn frames_are_conserved() {
    for method in METHODS {
        let scene = series(2);
        let recording = record(&scene);
        for fates in [recording.fates.clone(), follow(&scene, &recording, method, Lag::Period)] {
            assert!(fates.iter().map(|fate| fate.sent).eq(scene.real.iter().map(|one| one.at)));
            let shortest = Duration::from_millis(12);
            assert!(
                fates.iter().all(|fate| fate.left.is_none_or(|left| left > fate.sent + shortest))
            );
        }
        let offered: u32 = recording.reports.iter().map(|links| links[0].offered).sum();
        assert_eq!(offered as usize, scene.real.len());
        let all: usize = recording.reports.iter().flatten().map(|link| link.lost.len()).sum();
        assert_eq!(all, lost(&recording.fates).len());
    }
}

/// In the same period, a single link loses exactly the frames that the original loses.
#[test]
fn losses_by_position_are_the_same_frames() {
    let scene = congested(3);
    let recording = record(&scene);
    let small = follow(&scene, &recording, Method::MD1, Lag::None);
    let expected = lost(&recording.fates);
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(lost(&small), expected);
}

/// One period late, the number of losses is the same, except for those of the last periods.
#[test]
fn losses_by_position_are_as_many_a_period_late() {
    for seed in 1..=5 {
        let scene = congested(seed);
        let recording = record(&scene);
        let small = lost(&follow(&scene, &recording, Method::MD1, Lag::Period)).len();
        let last = recording.reports.iter().rev().take(3).flatten();
        let unused: usize = last.map(|link| link.lost.len()).sum();
        let expected = lost(&recording.fates).len();
        assert!(small <= expected && small + unused >= expected, "{small} of {expected}");
    }
}

/// With the other traffic repeated in the same period, the small network equals the original,
/// except for the rounding of times to microseconds.
#[test]
fn cross_traffic_without_lag_is_the_original() {
    for scene in [congested(4), series(4)] {
        let recording = record(&scene);
        let small = follow(&scene, &recording, Method::CrossTraffic, Lag::None);
        assert_eq!(lost(&small), lost(&recording.fates));
        for (a, b) in small.iter().zip(&recording.fates) {
            let nanos = |fate: &Fate| fate.left.map_or(0, Time::as_nanos);
            assert!(nanos(a).abs_diff(nanos(b)) <= 3000, "{a:?} {b:?}");
        }
    }
}

/// The mean delay over five seeds at a load of 80 %, which is what the methods are meant to
/// reproduce.
#[test]
fn delays_of_poisson_traffic_follow() {
    for (method, lag, most) in [
        (Method::MD1, Lag::None, 0.05),
        (Method::MD1, Lag::Period, 0.08),
        (Method::CrossTraffic, Lag::Period, 0.05),
    ] {
        let mut sums = (0.0, 0.0);
        for seed in 1..=5 {
            let cross = poisson(400.0, (0, 60), seed, "cross");
            let scene =
                scene(vec![(line(1000, 500), cross)], poisson(400.0, (0, 60), seed, "real"));
            let recording = record(&scene);
            let small = follow(&scene, &recording, method, lag);
            sums = (sums.0 + delay(&small), sums.1 + delay(&recording.fates));
        }
        let error = (sums.0 / sums.1 - 1.0).abs();
        assert!(error < most, "{method:?}, {lag:?}: {error}");
    }
}

/// §4: on a line that is just fast enough, inheriting the backlog removes most of the error.
#[test]
fn inheriting_the_backlog_is_what_makes_it_follow() {
    let error = |inherited| {
        let method = Method::Md1(inherited, LossMethod::Positions);
        let each = (1..=10).map(|seed| {
            let cross = poisson(10.0, (0, 30), seed, "cross");
            let scene = scene(vec![(line(40, 1000), cross)], poisson(30.0, (0, 30), seed, "real"));
            let recording = record(&scene);
            let small = follow(&scene, &recording, method, Lag::None);
            delay(&small) / delay(&recording.fates) - 1.0
        });
        (each.sum::<f64>() / 10.0).abs()
    };
    let (with, without) = (error(Inherited::Head), error(Inherited::Not));
    assert!(with < 0.05 && without > 4.0 * with, "{with} {without}");
}

/// Evenly spaced real frames never wait for each other, so md1 gives them too little delay.
/// Repeating the other traffic does not.
#[test]
fn evenly_spaced_frames_need_the_cross_traffic() {
    let gap = 2_500_000;
    let frame = |number: u64| Emission { at: Time::from_nanos(number * gap + 1), bytes: FRAME };
    let real: Vec<_> = (0..24_000).map(frame).collect();
    let scene = scene(vec![(line(800, 1000), poisson(320.0, (0, 60), 1, "cross"))], real);
    let recording = record(&scene);
    let md1 = apart(&recording, &follow(&scene, &recording, Method::MD1, Lag::Period));
    let cross = apart(&recording, &follow(&scene, &recording, Method::CrossTraffic, Lag::Period));
    assert!(md1 > 0.3, "{md1}");
    assert!(cross < 0.03, "{cross}");
}

/// Case 7 at its worst place: congestion shows in the small network within three seconds.
#[test]
fn congestion_arrives_within_three_seconds() {
    let scene = series(6);
    let recording = record(&scene);
    let second = |fates: &[Fate]| {
        let late = |fate: &&Fate| {
            fate.left.is_some_and(|left| left.since(fate.sent) > Duration::from_millis(300))
        };
        fates.iter().find(late).map(|fate| fate.sent.as_nanos() / 1_000_000_000).unwrap()
    };
    let begin = second(&recording.fates);
    for method in METHODS {
        let small = second(&follow(&scene, &recording, method, Lag::Period));
        assert!((begin..=begin + 3).contains(&small), "{method:?}: {begin} {small}");
    }
}
