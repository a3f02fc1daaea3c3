//! The first frames of each model. A change here would change every stored experiment.

use netloom_traffic::Sizes;

use crate::common::sized;

/// Returns times in ns and lengths of the first four frames.
fn begin(json: &str) -> Vec<(u64, u32)> {
    let frames = sized(json, Sizes::Imix, 1).take(4);
    frames.map(|frame| (frame.at.as_nanos(), frame.bytes)).collect()
}

#[test]
fn first_frames_never_change() {
    for (json, expected) in [
        (
            r#"{"cbr":{"rate":"1Mbit/s"}}"#,
            [(1_398_318, 590), (6_118_318, 590), (6_598_318, 60), (11_318_318, 590)],
        ),
        (
            r#"{"poisson":{"rate":"1Mbit/s"}}"#,
            [(4_021_565, 590), (9_402_807, 590), (9_701_791, 60), (19_249_540, 590)],
        ),
        (
            r#"{"on_off":{"sources":3,"on":{"pareto":{"mean":"1s","shape":1.4}},
                "off":{"exponential":"1s"},"rate":"500kbit/s"}}"#,
            [(1_782_701, 590), (11_222_701, 590), (12_182_701, 60), (21_622_701, 590)],
        ),
        (
            r#"{"ppbp":{"load":"1Mbit/s","bursts":10,"burst":"1s","hurst":0.8}}"#,
            [(177_746, 590), (4_424_936, 590), (4_977_746, 60), (9_224_936, 60)],
        ),
    ] {
        assert_eq!(begin(json), expected, "{json}");
    }
}
