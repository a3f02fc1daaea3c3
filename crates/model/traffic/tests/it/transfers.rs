//! Transfers: when they begin, how much they send, and the frames that they consist of.

use netloom_traffic::{Flows, Model, Sizes};
use netloom_units::Stream;

use crate::common::{model, refused, source};

const WEB: &str = r#"{"flows":{"arrivals":{"poisson":5},
    "bytes":{"pareto":{"mean":"100kB","shape":1.2,"most":"100MB"}},"rate":"10Mbit/s"}}"#;

fn flows(json: &str, seed: u64) -> Flows {
    let Model::Flows(config) = model(json) else { panic!("{json}") };
    config.flows(&Stream::new(seed, "test")).unwrap()
}

#[test]
fn transfers_begin_as_a_poisson_process() {
    let begun = flows(WEB, 1).take_while(|flow| flow.at.as_nanos() < 10_000_000_000_000).count();
    // 50,000 ± 2.576 · √50,000.
    assert!((begun as f64 - 50_000.0).abs() < 576.0, "{begun}");
}

#[test]
fn gaps_may_have_any_distribution() {
    let json = r#"{"flows":{"arrivals":{"gaps":"2s"},"bytes":"10kB","rate":"1Mbit/s"}}"#;
    let begun: Vec<u64> = flows(json, 1).take(4).map(|flow| flow.at.as_nanos()).collect();
    assert!(begun[0] < 2_000_000_000);
    assert!(begun.windows(2).all(|pair| pair[1] - pair[0] == 2_000_000_000));
    let mean = model(json).moments(&Sizes::default(), None).unwrap().mean;
    assert_eq!(mean, 40_000.0);
}

#[test]
fn frames_of_a_transfer_are_its_bytes_at_its_rate() {
    let json = r#"{"flows":{"file":["0, 0, 3000","0.5, 2, 4000, 4"]}}"#;
    let frames: Vec<_> = source(json, 1).map(|f| (f.at.as_nanos(), f.bytes)).collect();
    assert_eq!(frames[..2], [(0, 1514), (0, 1486)]);
    let half = 500_000_000;
    // 4000 bytes in 2 s: a frame of 1000 bytes every 0.5 s.
    let expected: Vec<_> = (0..4).map(|n| (half + n * half, 1000)).collect();
    assert_eq!(frames[2..], expected);
    let paced = r#"{"flows":{"arrivals":{"gaps":"100s"},"bytes":"3kB","rate":"1Mbit/s"}}"#;
    let frames: Vec<_> = source(paced, 1).take(2).collect();
    assert_eq!(frames[1].at.since(frames[0].at).as_nanos(), 12_112_000);
    assert_eq!((frames[0].bytes, frames[1].bytes), (1514, 1486));
}

#[test]
fn all_bytes_of_many_transfers_are_sent() {
    let json = r#"{"flows":{"arrivals":{"poisson":20},"bytes":{"exponential":"20kB"},
        "rate":"100Mbit/s"}}"#;
    let end = 100_000_000_000;
    let offered: u64 =
        flows(json, 3).take_while(|f| f.at.as_nanos() < end).map(|f| f.bytes.bytes()).sum();
    let frames = source(json, 3).take_while(|frame| frame.at.as_nanos() < end);
    let sent: u64 = frames.map(|frame| u64::from(frame.bytes)).sum();
    // The transfers that began last may still be sending.
    assert!(sent <= offered && offered - sent < 200_000, "{sent} of {offered}");
}

#[test]
fn requests_and_thoughts_are_drawn_alike_for_a_seed() {
    let json = r#"{"http":{"requests":3,"sizes":{"exponential":"10kB"},
        "think":{"exponential":"1s"}}}"#;
    let Model::Http(config) = model(json) else { panic!() };
    let exchanges = |seed| config.exchanges(&Stream::new(seed, "x")).unwrap().collect::<Vec<_>>();
    assert_eq!(exchanges(1), exchanges(1));
    assert_ne!(exchanges(1), exchanges(2));
    assert_eq!(exchanges(1).len(), 3);
    assert_eq!(exchanges(1)[0].think.as_nanos(), 0);
    assert!(exchanges(1)[1].think.as_nanos() > 0);
}

#[test]
fn tcp_paces_some_models_itself() {
    for json in [r#"{"bulk":{}}"#, r#"{"http":{"sizes":"10kB"}}"#] {
        let error = model(json).source(&Sizes::default(), None, &Stream::new(1, "x")).unwrap_err();
        assert!(error.to_string().contains("sends when TCP lets it"), "{error}");
    }
}

#[test]
fn transfers_that_make_no_sense_are_refused() {
    for (json, words) in [
        (r#"{"flows":{"arrivals":{"poisson":5}}}"#, "either `arrivals` and `bytes`, or a `file`"),
        (r#"{"flows":{"arrivals":{"poisson":0},"bytes":"1kB"}}"#, "must be above 0"),
        (r#"{"bulk":{"connections":0}}"#, "from 1 to 10000"),
        (r#"{"http":{"sizes":"10kB","requests":0}}"#, "1 or more"),
        (r#"{"ping":{"interval":"0s"}}"#, "must be above 0"),
        (r#"{"vbr":{"file":["1kB"],"frame_rate":0}}"#, "must be from 0.001"),
    ] {
        let error = refused(json);
        assert!(error.contains(words), "{json}: {error}");
    }
}
