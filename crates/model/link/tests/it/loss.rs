//! The rate and law of each loss model.

use crate::common::statistics::{Z_99, assert_geometric, assert_mean, assert_share};
use crate::common::{change, config, losses, pipe};
use netloom_link::{Data, DataFormat, Loss, LossPattern, Pipe, Stream};
use netloom_units::Time;

/// Returns the losses among `total` frames with the loss `text`, in the notation of scenarios.
fn lost(text: &str, total: u64, seed: u64) -> Vec<bool> {
    let config = config(&format!(r#"{{"loss":{text}}}"#));
    losses(&mut Pipe::new(config, Stream::new(seed, "loss/forward"), Time::ZERO), total)
}

fn count(lost: &[bool]) -> u64 {
    lost.iter().filter(|lost| **lost).count() as u64
}

/// Returns the lengths of the runs of `what`, without the first and the last, which may be
/// incomplete.
fn runs(lost: &[bool], what: bool) -> Vec<u64> {
    let runs: Vec<&[bool]> = lost.chunk_by(|a, b| a == b).collect();
    let inner = &runs[1..runs.len() - 1];
    inner.iter().filter(|run| run[0] == what).map(|run| run.len() as u64).collect()
}

#[test]
fn independent_losses_have_the_configured_rate() {
    for (percent, total) in
        [(0.001, 4_000_000), (0.01, 1_000_000), (1.0, 200_000), (10.0, 100_000), (90.0, 50_000)]
    {
        let lost = lost(&format!(r#""{percent}%""#), total, 42);
        assert_share(count(&lost), total, percent / 100.0, &format!("{percent}%"));
    }
}

#[test]
fn certain_loss_loses_all_and_no_loss_none() {
    assert_eq!(count(&lost(r#""100%""#, 10_000, 1)), 10_000);
    assert_eq!(count(&lost(r#""0%""#, 10_000, 1)), 0);
}

#[test]
fn independent_losses_do_not_cluster() {
    let lost = lost(r#""20%""#, 200_000, 1);
    assert_geometric(&runs(&lost, true), 0.8, "losses in a row");
    assert_geometric(&runs(&lost, false), 0.2, "receptions in a row");
}

/// A Gilbert channel (all frames lost in the bad state): bursts and gaps are geometric.
#[test]
fn gilbert_bursts_and_gaps_are_geometric() {
    for (p, r) in [(0.02, 0.25), (0.3, 0.6)] {
        let text =
            format!(r#"{{"gilbert_elliott":{{"p":"{}%","r":"{}%"}}}}"#, p * 100.0, r * 100.0);
        let lost = lost(&text, 400_000, 7);
        assert_geometric(&runs(&lost, true), r, "bursts");
        assert_geometric(&runs(&lost, false), p, "gaps");
    }
}

/// The rate with losses in both states. The interval allows for the duration of states: with `b`
/// and `g` the losses in the states, `π` the share of the bad one and `λ = 1 - p - r`, the variance
/// of the mean is `(q(1 - q) + 2(b - g)²π(1 - π)λ/(1 - λ)) / n`.
#[test]
fn gilbert_elliott_loses_in_both_states() {
    for (p, r, bad, good) in [(0.01, 0.1, 0.5, 0.001), (0.2, 0.3, 1.0, 0.05), (1e-5, 0.5, 1.0, 0.0)]
    {
        let percent = |p: f64| format!("{}%", p * 100.0);
        let text = format!(
            r#"{{"gilbert_elliott":{{"p":"{}","r":"{}","bad":"{}","good":"{}"}}}}"#,
            percent(p),
            percent(r),
            percent(bad),
            percent(good)
        );
        let n = 2_000_000.0;
        let lost = count(&lost(&text, n as u64, 12)) as f64 / n;
        let (share, lambda) = (p / (p + r), 1.0 - p - r);
        let rate = share * bad + (1.0 - share) * good;
        let clustering = 2.0 * (bad - good) * (bad - good) * share * (1.0 - share) * lambda;
        let variance = (rate * (1.0 - rate) + clustering / (1.0 - lambda)) / n;
        let bound = Z_99 * variance.sqrt();
        assert!((lost - rate).abs() <= bound, "{text}: {lost}, not {rate} ±{bound}");
    }
}

#[test]
fn gilbert_elliott_begins_in_the_good_state() {
    let lost = lost(r#"{"gilbert_elliott":{"p":"100%","r":"0%"}}"#, 100, 1);
    assert!(!lost[0] && lost[1..].iter().all(|lost| *lost));
}

#[test]
fn four_states_lose_as_their_formula_says() {
    let text = r#"{"four_state":{"p13":"2%","p31":"20%","p32":"30%","p23":"40%","p14":"1%"}}"#;
    let lost = lost(text, 2_000_000, 3);
    let (p13, p31, p32, p23, p14) = (0.02, 0.2, 0.3, 0.4, 0.01);
    let rate = (p14 + p13 / p31) / (1.0 + p14 + p13 / p31 * (1.0 + p32 / p23));
    let values: Vec<f64> = lost.iter().map(|lost| f64::from(u8::from(*lost))).collect();
    assert_mean(&values, rate, 0.002, "four states");
}

#[test]
fn four_state_bursts_end_by_either_way_out_of_loss() {
    let text = r#"{"four_state":{"p13":"5%","p31":"20%","p32":"30%","p23":"40%"}}"#;
    assert_geometric(&runs(&lost(text, 400_000, 5), true), 0.5, "losses in a row");
}

#[test]
fn isolated_losses_stay_alone() {
    let lost = lost(r#"{"four_state":{"p13":"0%","p31":"100%","p14":"10%"}}"#, 200_000, 9);
    assert!(runs(&lost, true).iter().all(|run| *run == 1));
    assert_geometric(&runs(&lost, false), 0.1, "receptions in a row");
}

#[test]
fn a_pattern_is_followed_exactly() {
    let lost = lost(r#"{"pattern":"0011 010"}"#, 1000, 1);
    let expected: Vec<bool> = (0..1000).map(|k| [2, 3, 5].contains(&(k % 7))).collect();
    assert_eq!(lost, expected);
}

#[test]
fn every_nth_frame_is_lost() {
    let lost = lost(r#"{"every":100}"#, 1000, 1);
    let places: Vec<usize> = (0..1000).filter(|k| lost[*k]).collect();
    assert_eq!(places, [99, 199, 299, 399, 499, 599, 699, 799, 899, 999]);
    assert_eq!(count(&self::lost(r#"{"every":1}"#, 10, 1)), 10);
}

#[test]
fn a_trace_is_followed_exactly() {
    let text = "# seen on a bad day\n0001\n1 # alone\n\n00\n";
    let mut trace: Data<LossPattern> = Data::File("bad.loss".into());
    trace.load(text).unwrap();
    let mut config = config("{}");
    config.loss = Loss::Trace(trace);
    let lost = losses(&mut Pipe::new(config, Stream::new(1, "t"), Time::ZERO), 70);
    let expected: Vec<bool> = (0..70).map(|k| [3, 4].contains(&(k % 7))).collect();
    assert_eq!(lost, expected);
}

#[test]
fn invalid_loss_models_are_refused_with_a_reason() {
    let error = |text: &str| serde_json::from_str::<Loss>(text).unwrap_err().to_string();
    assert!(error(r#"{"every":0}"#).contains("1 or more"));
    assert!(error(r#"{"pattern":""}"#).contains("at least one"));
    assert!(error(r#"{"pattern":"0x1"}"#).contains("`x`"));
    let too_much = r#"{"four_state":{"p13":"60%","p31":"10%","p14":"50%"}}"#;
    assert!(error(too_much).contains("`p13` and `p14`"), "{}", error(too_much));
    let error = LossPattern::parse("01\n\n0a").unwrap_err().to_string();
    assert!(error.starts_with("line 3: `a`"), "{error}");
}

/// A change of another property, or a change to the same model, keeps the state of a model.
#[test]
fn a_model_that_no_change_touches_keeps_its_state() {
    for loss in [
        r#"{"pattern":"00101"}"#,
        r#"{"every":7}"#,
        r#"{"gilbert_elliott":{"p":"10%","r":"20%"}}"#,
        r#"{"four_state":{"p13":"10%","p31":"20%"}}"#,
        r#""30%""#,
    ] {
        let text = format!(r#"{{"loss":{loss}}}"#);
        let (mut left_alone, mut changed) = (pipe(&text), pipe(&text));
        let expected = losses(&mut left_alone, 1000);
        let mut seen = losses(&mut changed, 333);
        changed.change(crate::common::ms(1), &change(&text));
        changed.change(crate::common::ms(1), &change(r#"{"duplicate":"0%","ber":0}"#));
        let at = crate::common::ms(1);
        for number in 333..1000 {
            changed.offer(at, netloom_link::FrameInfo::single(100), number).unwrap();
            seen.push(changed.poll(at).is_none());
        }
        assert_eq!(seen, expected, "{loss}");
    }
}
