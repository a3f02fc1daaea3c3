//! Means of the models, the parameters that they refuse, and the consistency of frames, bursts and
//! rates.

use netloom_traffic::{Line, Sizes, TrafficError};
use netloom_units::{Framing, Stream};

use crate::common::{bits, first, model, refused, sized, source};

const ON_OFF: &str = r#"{"on_off":{"sources":20,"on":{"exponential":"100ms"},
    "off":{"exponential":"300ms"},"rate":"2Mbit/s"}}"#;
const PPBP: &str = r#"{"ppbp":{"load":"10Mbit/s","bursts":100,"burst":"1s","hurst":0.8}}"#;

#[test]
fn cbr_is_exact() {
    let gaps: Vec<u64> = first(source(r#"{"cbr":{"rate":"12112kbit/s"}}"#, 1), 1.0)
        .map(|frame| frame.at.as_nanos())
        .collect();
    assert_eq!(gaps.len(), 1000);
    assert!(gaps.windows(2).all(|pair| pair[1] - pair[0] == 1_000_000));
}

#[test]
fn means_are_as_written() {
    for (json, mean, seconds, share) in [
        (r#"{"cbr":{"rate":"3Mbit/s"}}"#, 3e6, 100.0, 1e-3),
        // 24,700 frames: 2.576/√24,700 = 0.016.
        (r#"{"poisson":{"rate":"3Mbit/s"}}"#, 3e6, 100.0, 0.017),
        (ON_OFF, 1e7, 400.0, 0.02),
        (PPBP, 1e7, 400.0, 0.03),
    ] {
        assert_eq!(model(json).moments(&Sizes::default(), None).unwrap().mean, mean, "{json}");
        let measured = bits(source(json, 7), seconds) / seconds;
        assert!((measured / mean - 1.0).abs() < share, "{json}: {measured}");
    }
}

#[test]
fn means_hold_for_frames_of_many_lengths() {
    for json in [r#"{"cbr":{"rate":"3Mbit/s"}}"#, r#"{"poisson":{"rate":"3Mbit/s"}}"#, ON_OFF] {
        let mean = model(json).moments(&Sizes::Imix, None).unwrap().mean;
        let measured = bits(sized(json, Sizes::Imix, 3), 400.0) / 400.0;
        assert!((measured / mean - 1.0).abs() < 0.02, "{json}: {measured}");
    }
}

#[test]
fn times_never_go_back() {
    for json in [ON_OFF, PPBP] {
        let frames: Vec<_> = first(source(json, 5), 20.0).collect();
        assert!(frames.len() > 1000 && frames.is_sorted_by_key(|frame| frame.at), "{json}");
    }
}

#[test]
fn a_share_of_a_line_counts_framing() {
    let line = Line { rate: "100Mbit/s".parse().unwrap(), framing: Framing::Ethernet };
    let half = model(r#"{"poisson":{"load":"50%"}}"#);
    let frames = Sizes::Constant(60);
    // 60 bytes take 84 bytes on the line.
    let mean = half.moments(&frames, Some(&line)).unwrap().mean;
    assert!((mean - 50e6 * 60.0 / 84.0).abs() < 1.0, "{mean}");
    let error = half.moments(&frames, None).unwrap_err();
    assert!(matches!(error, TrafficError::ShareOfNothing(_)), "{error}");
}

#[test]
fn frames_and_rates_have_the_same_bursts() {
    for json in [ON_OFF, PPBP] {
        let stream = Stream::new(9, "test");
        let fluid = model(json).fluid(&Sizes::default(), None, &stream).unwrap();
        let (mut work, mut last) = (0.0, (0.0, 0.0));
        for step in fluid {
            let at = step.at.as_nanos() as f64 / 1e9;
            work += (at.min(50.0) - last.0) * last.1;
            last = (at, step.rate.map_or(0.0, |rate| rate.bits_per_second()));
            if at >= 50.0 {
                break;
            }
        }
        let frames = bits(source(json, 9), 50.0);
        assert!((frames / work - 1.0).abs() < 0.01, "{json}: {frames} and {work}");
    }
}

#[test]
fn nonsense_is_refused_with_its_reason() {
    for (json, words) in [
        (r#"{"cbr":{}}"#, "one of `rate` and `load` is needed"),
        (r#"{"cbr":{"rate":"1Mbit/s","load":"3%"}}"#, "not both"),
        (r#"{"poisson":{"load":"0%"}}"#, "a load is above 0%"),
        (r#"{"poisson":{"lod":"1%"}}"#, "unknown field `lod`"),
        (r#"{"ppbp":{"load":"1%","burst":"1s","hurst":0.8}}"#, "not one"),
        (
            r#"{"ppbp":{"load":"1%","burst_rate":"1Mbit/s","bursts":2,"burst":"1s","hurst":0.8}}"#,
            "two of `load`, `burst_rate` and `bursts`, not three",
        ),
        (r#"{"ppbp":{"load":"1%","bursts":2,"burst":"1s","hurst":1}}"#, "below 1"),
        (
            r#"{"on_off":{"on":{"pareto":{"mean":"1s","shape":0.9}},"off":"1s"}}"#,
            "`shape: 0.9` has no mean: above 1",
        ),
        (r#"{"on_off":{"sources":0,"on":"1s","off":"1s"}}"#, "from 1 to 100000"),
        (r#"{"on_off":{"on":"0s","off":"1s"}}"#, "must be above 0"),
    ] {
        let error = refused(json);
        assert!(error.contains(words), "{json}: {error}");
    }
    let tiny = model(r#"{"on_off":{"on":"1us","off":"1s","rate":"1kbit/s"}}"#);
    let error = tiny.source(&Sizes::default(), None, &Stream::new(1, "x")).unwrap_err();
    assert!(matches!(error, TrafficError::TooLittle { .. }), "{error}");
}

#[test]
fn models_are_written_as_they_are_read() {
    for json in [
        r#"{"cbr":{"load":"40%"}}"#,
        r#"{"on_off":{"sources":50,"on":{"pareto":{"mean":"1s","shape":1.4,"most":"1min"}},
            "off":{"exponential":"1s"},"rate":"500kbit/s"}}"#,
        r#"{"ppbp":{"burst_rate":"5Mbit/s","bursts":2.5,"burst":"1s","hurst":0.8,
            "start":"empty"}}"#,
    ] {
        let without_blanks: String = json.split_whitespace().collect();
        assert_eq!(serde_json::to_string(&model(json)).unwrap(), without_blanks);
    }
}
