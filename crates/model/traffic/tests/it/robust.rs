//! Models with extreme parameters: each is either refused, or sends in order without a panic.

use netloom_traffic::{Model, Sizes};
use netloom_units::Stream;
use proptest::prelude::*;

/// Number of frames that are checked.
const FRAMES: usize = 300;

fn duration() -> impl Strategy<Value = String> {
    const LENGTHS: &[&str] =
        &["1ns", "37ns", "1us", "999us", "20ms", "1s", "17min", "1h", "5000000h"];
    proptest::sample::select(LENGTHS).prop_map(Into::into)
}

fn distribution() -> impl Strategy<Value = String> {
    let mean = duration;
    let shape = proptest::sample::select(&[0.1, 0.5, 1.000_001, 1.4, 3.0, 1000.0][..]);
    prop_oneof![
        mean().prop_map(|mean| format!(r#""{mean}""#)),
        mean().prop_map(|mean| format!(r#"{{"exponential":"{mean}"}}"#)),
        (duration(), duration())
            .prop_map(|(from, to)| format!(r#"{{"uniform":{{"from":"{from}","to":"{to}"}}}}"#)),
        (mean(), shape.clone())
            .prop_map(|(mean, k)| format!(r#"{{"pareto":{{"mean":"{mean}","shape":{k}}}}}"#)),
        (mean(), shape.clone(), duration()).prop_map(|(mean, shape, most)| format!(
            r#"{{"pareto":{{"mean":"{mean}","shape":{shape},"most":"{most}"}}}}"#
        )),
        (mean(), shape.clone())
            .prop_map(|(mean, s)| format!(r#"{{"lognormal":{{"mean":"{mean}","sigma":{s}}}}}"#)),
        (mean(), shape)
            .prop_map(|(mean, k)| format!(r#"{{"weibull":{{"mean":"{mean}","shape":{k}}}}}"#)),
    ]
}

fn rate() -> impl Strategy<Value = String> {
    const RATES: &[&str] = &["1bit/s", "9kbit/s", "3Mbit/s", "1Gbit/s", "10Tbit/s"];
    proptest::sample::select(RATES).prop_map(Into::into)
}

fn model() -> impl Strategy<Value = String> {
    let hurst = proptest::sample::select(&[0.500_001, 0.6, 0.8, 0.99, 0.999_999][..]);
    let a_second = proptest::sample::select(&[1e-9, 0.3, 100.0, 1e6, 1e9][..]);
    prop_oneof![
        rate().prop_map(|rate| format!(r#"{{"cbr":{{"rate":"{rate}"}}}}"#)),
        rate().prop_map(|rate| format!(r#"{{"poisson":{{"rate":"{rate}"}}}}"#)),
        (1u32..4, distribution(), distribution(), rate()).prop_map(|(n, on, off, rate)| format!(
            r#"{{"on_off":{{"sources":{n},"on":{on},"off":{off},"rate":"{rate}"}}}}"#
        )),
        (rate(), a_second.clone(), duration(), hurst.clone()).prop_map(
            |(rate, bursts, burst, hurst)| format!(
                r#"{{"ppbp":{{"load":"{rate}","bursts":{bursts},"burst":"{burst}",
                   "hurst":{hurst}}}}}"#
            )
        ),
        (a_second, distribution(), rate()).prop_map(|(begun, gaps, rate)| {
            let gaps = if begun < 1.0 {
                format!(r#"{{"gaps":{gaps}}}"#)
            } else {
                format!(r#"{{"poisson":{begun}}}"#)
            };
            format!(
                r#"{{"flows":{{"arrivals":{gaps},"bytes":{{"exponential":"9kB"}},
                   "rate":"{rate}"}}}}"#
            )
        }),
        (rate(), rate(), duration(), duration()).prop_map(|(first, second, step, repeat)| format!(
            r#"{{"rates":{{"file":["{first}","0","{second}"],"step":"{step}",
               "repeat":"{repeat}"}}}}"#
        )),
        (duration(), 0.001..1000.0f64).prop_map(|(repeat, stretch)| format!(
            r#"{{"trace":{{"file":["0 60","0.000000030 1514"],"repeat":"{repeat}",
               "stretch":{stretch}}}}}"#
        )),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_model_is_refused_or_sends_in_order(json in model(), seed in any::<u64>()) {
        let Ok(model) = serde_json::from_str::<Model>(&json) else { return Ok(()) };
        for sizes in [Sizes::Imix, Sizes::Constant(1)] {
            let Ok(source) = model.source(&sizes, None, &Stream::new(seed, "x")) else { continue };
            let frames: Vec<_> = source.take(FRAMES).collect();
            prop_assert!(frames.is_sorted_by_key(|frame| frame.at), "{json}");
            prop_assert!(frames.iter().all(|frame| frame.bytes > 0), "{json}");
        }
        if let Ok(fluid) = model.fluid(&Sizes::Imix, None, &Stream::new(seed, "x")) {
            let steps: Vec<_> = fluid.take(FRAMES).collect();
            prop_assert!(steps.first().is_none_or(|step| step.at.as_nanos() == 0), "{json}");
            prop_assert!(steps.windows(2).all(|pair| pair[0].at < pair[1].at), "{json}");
        }
    }

    #[test]
    fn any_text_is_a_recording_or_refused(text in "[0-9., \n\t#a-zBs/]{0,80}") {
        use netloom_units::DataFormat;
        use netloom_traffic::{Arrivals, FlowList, Pictures, RateList, SizeList};
        let _ = (Arrivals::parse(&text), FlowList::parse(&text), Pictures::parse(&text));
        let _ = (RateList::parse(&text), SizeList::parse(&text));
    }
}
