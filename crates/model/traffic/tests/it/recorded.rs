//! Recorded arrivals, pictures, requests and rates.

use netloom_traffic::{FrameSource, Line, Model, Sizes};
use netloom_units::Stream;

use crate::common::{bits, first, model, refused, sized, source};

fn all(source: FrameSource) -> Vec<(u64, u32)> {
    source.map(|frame| (frame.at.as_nanos(), frame.bytes)).collect()
}

#[test]
fn a_trace_is_repeated_to_the_nanosecond() {
    let json = r#"{"trace":{"file":["0.000000001 60","0.5 1514","0.5 61"],"repeat":"1s"}}"#;
    let frames: Vec<_> = source(json, 1).take(5).map(|f| (f.at.as_nanos(), f.bytes)).collect();
    assert_eq!(
        frames,
        [
            (1, 60),
            (500_000_000, 1514),
            (500_000_000, 61),
            (1_000_000_001, 60),
            (1_500_000_000, 1514)
        ]
    );
}

#[test]
fn a_trace_ends_unless_it_repeats() {
    assert_eq!(all(source(r#"{"trace":{"file":["0 60","0.5 1514"]}}"#, 1)).len(), 2);
}

#[test]
fn stretches_are_exact() {
    let stretched = |stretch: &str| {
        let json = format!(
            r#"{{"trace":{{"file":["0 60","0.000000010 60","3600.000000007 60"],
               "stretch":{stretch}}}}}"#
        );
        all(source(&json, 1)).into_iter().map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(stretched("10"), [0, 100, 36_000_000_000_070]);
    assert_eq!(stretched("0.1"), [0, 1, 360_000_000_000]);
    assert_eq!(stretched("1000"), [0, 10_000, 3_600_000_000_007_000]);
}

#[test]
fn a_load_stretches_a_trace_to_its_mean() {
    let json = r#"{"trace":{"file":["0 1000","0.5 1000"],"repeat":"1s","load":"50%"}}"#;
    let line = Line { rate: "80kbit/s".parse().unwrap(), framing: netloom_units::Framing::None };
    let trace = model(json).source(&Sizes::default(), Some(&line), &Stream::new(1, "x")).unwrap();
    let frames: Vec<_> = trace.take(3).map(|frame| frame.at.as_nanos()).collect();
    // The recorded rate is 16 kbit/s, the wanted one 40 kbit/s.
    assert_eq!(frames, [0, 200_000_000, 400_000_000]);
    assert_eq!(model(json).moments(&Sizes::default(), Some(&line)).unwrap().mean, 40_000.0);
}

#[test]
fn a_trace_that_repeats_before_its_end_is_refused() {
    let early = model(r#"{"trace":{"file":["0 60","2 60"],"repeat":"2s"}}"#);
    let error = early.source(&Sizes::default(), None, &Stream::new(1, "x")).unwrap_err();
    assert_eq!(error.to_string(), "`repeat: 2s` is not after the last arrival, at 2s");
    let error = refused(r#"{"trace":{"file":"a","stretch":1,"load":"1%"}}"#);
    assert!(error.contains("one of `stretch` and `load`, not both"), "{error}");
}

#[test]
fn pictures_are_cut_into_frames() {
    let json = r#"{"vbr":{"file":["3000B","100B"],"frame_rate":25}}"#;
    let frames: Vec<_> = source(json, 1).take(5).map(|f| (f.at.as_nanos(), f.bytes)).collect();
    let second = 40_000_000;
    assert_eq!(
        frames,
        [(0, 1514), (0, 1486), (second, 100), (2 * second, 1514), (2 * second, 1486)]
    );
    let mean = model(json).moments(&Sizes::default(), None).unwrap().mean;
    assert_eq!(mean, 1550.0 * 8.0 * 25.0);
}

#[test]
fn requests_have_an_interval_and_a_number() {
    let json = r#"{"ping":{"interval":"200ms","count":3}}"#;
    let frames = all(sized(json, Sizes::Constant(98), 1));
    assert_eq!(frames, [(0, 98), (200_000_000, 98), (400_000_000, 98)]);
}

#[test]
fn frames_follow_a_schedule_of_rates() {
    let json = r#"{"rates":{"schedule":[{"at":"0s","rate":"1Mbit/s"},{"at":"10s","rate":"3Mbit/s"}],
        "repeat":"20s"}}"#;
    let second = |from: u64| {
        let frames = first(source(json, 1), from as f64 + 1.0);
        let late = frames.filter(|frame| frame.at.as_nanos() >= from * 1_000_000_000);
        late.map(|frame| f64::from(frame.bytes) * 8.0).sum::<f64>()
    };
    // A second may hold one frame more or less.
    for (from, rate) in [(0, 1e6), (9, 1e6), (10, 3e6), (19, 3e6), (20, 1e6)] {
        assert!((second(from) - rate).abs() <= 12_112.0, "{from} s: {}", second(from));
    }
    assert!((bits(source(json, 1), 40.0) - 80e6).abs() <= 12_112.0);
    assert_eq!(model(json).moments(&Sizes::default(), None).unwrap().mean, 2e6);
}

#[test]
fn rates_of_a_file_may_be_none_and_end() {
    let json = r#"{"rates":{"file":["8kbit/s","0","16kbit/s"],"step":"1s"}}"#;
    let frames = all(sized(json, Sizes::Constant(100), 1));
    assert!(frames.iter().all(|(at, _)| !(1_000_000_000..2_000_000_000).contains(at)));
    // 24 kbit hold 30 frames, minus the part of one that is never completed.
    assert!((29..=30).contains(&frames.len()), "{}", frames.len());
    let steps: Vec<_> = fluid(&model(json));
    assert_eq!(
        steps,
        [(0, 8e3), (1_000_000_000, 0.0), (2_000_000_000, 16e3), (3_000_000_000, 0.0)]
    );
}

fn fluid(model: &Model) -> Vec<(u64, f64)> {
    let fluid = model.fluid(&Sizes::default(), None, &Stream::new(1, "x")).unwrap();
    fluid
        .map(|step| (step.at.as_nanos(), step.rate.map_or(0.0, |rate| rate.bits_per_second())))
        .collect()
}
