//! Every file format handles any text: it is parsed or refused, and the parsed data can be used.

use crate::common::{config, drain, ns};
use netloom_link::{
    Data, DataFormat, DistributionTable, FrameInfo, LossPattern, Offsets, OverheadProfile, Pipe,
    PipeConfig, RateLimit, RateTrace, Stream,
};
use netloom_units::Time;
use proptest::prelude::*;

/// Returns text that is nearly in one of the formats, or any text.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => (0u64..5000).prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => (-2.0f64..2.0).prop_map(|n| n.to_string()),
        2 => proptest::sample::select(&[
            "prob delay", "delay prob", "loss-level", "samples", "name", "bw", "0.5", "1", "0",
            "-1ms", "2ms", "1e308", "nan", "inf", "01101", "#", "\r", "\u{a0}", "9999999h",
        ][..]).prop_map(str::to_owned),
    ];
    let separator = prop_oneof![3 => Just("\n"), 2 => Just(" "), 1 => Just("")];
    prop_oneof![
        4 => proptest::collection::vec((word, separator), 0..40)
            .prop_map(|words| words.into_iter().map(|(word, end)| word + end).collect()),
        1 => any::<String>(),
    ]
}

/// Parses `text` as a `T`; `None` if it is refused with a message of reasonable length.
fn read<T: DataFormat>(text: &str) -> Option<Data<T>> {
    let mut data = Data::File("file".into());
    match data.load(text) {
        Ok(()) => Some(data),
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 400, "{message}");
            None
        }
    }
}

/// Checks that a pipe with `config` carries frames and conserves them.
fn use_it(config: &PipeConfig) {
    let mut pipe = Pipe::new(config.clone(), Stream::new(1, "any"), Time::ZERO);
    for number in 0..5 {
        let _ = pipe.offer(ns(number), FrameInfo::single(1514), number);
    }
    drain(&mut pipe);
    while pipe.poll_dropped().is_some() {}
    let statistics = pipe.statistics(ns(u64::MAX));
    assert_eq!(statistics.offered, statistics.delivered + statistics.dropped.total());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_read_or_refused(text in text()) {
        use netloom_link::{Jitter, JitterDistribution as Kind, Loss};
        let deviation = "2000000h".parse().unwrap();
        let jitter = |distribution| Jitter { distribution, ..Jitter::default() };
        let mut configs = Vec::new();
        let plain = || config(r#"{"delay":"1ms"}"#);
        if let Some(trace) = read::<RateTrace>(&text) {
            configs.push(PipeConfig { rate: RateLimit::Trace(trace), ..plain() });
        }
        if let Some(mac_overhead) = read::<OverheadProfile>(&text) {
            configs.push(PipeConfig { mac_overhead, ..plain() });
        }
        if let Some(trace) = read::<LossPattern>(&text) {
            configs.push(PipeConfig { loss: Loss::Trace(trace), ..plain() });
        }
        if let Some(samples) = read::<Offsets>(&text) {
            let pattern = jitter(Kind::Pattern(samples.clone()));
            configs.push(PipeConfig { jitter: pattern, ..plain() });
            configs.push(PipeConfig { jitter: jitter(Kind::Empirical(samples)), ..plain() });
        }
        if let Some(table) = read::<DistributionTable>(&text) {
            configs.push(PipeConfig { jitter: jitter(Kind::Table(table, deviation)), ..plain() });
        }
        for config in configs {
            use_it(&config);
            // The engine receives exactly the configuration that was parsed.
            let sent = serde_json::to_string(&config).unwrap();
            prop_assert_eq!(serde_json::from_str::<PipeConfig>(&sent).unwrap(), config);
        }
    }
}
