//! Bit errors, corruption and duplicates.

use crate::common::statistics::{Z_99, assert_counts, assert_law, assert_share};
use crate::common::{Noted, change, config, ns};
use netloom_link::{DropReason, FrameInfo, Pipe, PipeStatistics, Stream};
use netloom_units::Time;

/// Sends `total` frames of `bytes` bytes. Returns the delivered frames in order, and the
/// statistics.
fn send(text: &str, total: u64, bytes: u32, seed: u64) -> (Vec<Noted>, PipeStatistics) {
    let mut pipe = Pipe::new(config(text), Stream::new(seed, "bits/forward"), Time::ZERO);
    let mut out = Vec::new();
    for number in 0..total {
        pipe.offer(ns(number), FrameInfo::single(bytes), Noted::new(number)).unwrap();
        out.extend(std::iter::from_fn(|| pipe.poll(ns(number))).map(|delivery| delivery.frame));
        while let Some(dropped) = pipe.poll_dropped() {
            assert_eq!(dropped.reason, DropReason::BitError);
        }
    }
    (out, pipe.statistics(ns(total)))
}

/// Probability that a frame is hit.
fn hit(ber: f64, bytes: u32) -> f64 {
    1.0 - (1.0 - ber).powf(8.0 * f64::from(bytes))
}

#[test]
fn frames_are_dropped_as_often_as_their_length_says() {
    for (ber, bytes, total) in [
        (1e-5, 60, 400_000),
        (1e-5, 1514, 100_000),
        (1e-7, 1514, 1_000_000),
        (1e-3, 60, 50_000),
        (2e-4, 1514, 50_000),
    ] {
        let (out, statistics) = send(&format!(r#"{{"ber":{ber}}}"#), total, bytes, 2);
        let dropped = statistics.dropped.bit_error.frames;
        assert_share(dropped, total, hit(ber, bytes), &format!("{ber} at {bytes} bytes"));
        assert_eq!(out.len() as u64 + dropped, total);
        assert!(out.iter().all(|frame| frame.flipped.is_empty()));
        assert_eq!(statistics.corrupted.frames, 0);
    }
}

/// There are as many flipped frames as there would be dropped ones. The number of flipped bits
/// agrees with the rate, and all positions are equally likely. This holds for rare and for frequent
/// errors.
#[test]
fn flipped_bits_are_independent_and_anywhere() {
    for (ber, bytes, total) in
        [(1e-5, 60, 200_000), (1e-4, 1514, 40_000), (0.01, 1514, 2000), (0.3, 300, 400)]
    {
        let text = format!(r#"{{"ber":{ber},"bit_errors":"flip"}}"#);
        let (out, statistics) = send(&text, total, bytes, 4);
        let what = format!("{ber} at {bytes} bytes");
        assert_eq!((out.len() as u64, statistics.dropped.total().frames), (total, 0));
        assert_share(statistics.corrupted.frames, total, hit(ber, bytes).min(1.0), &what);
        let flipped: Vec<i64> =
            out.iter().flat_map(|frame| &frame.flipped).map(|bit| *bit as i64).collect();
        let bits = 8 * u64::from(bytes);
        assert_share(flipped.len() as u64, total * bits, ber, &what);
        let law = |bit: f64| ((bit + 1.0).floor() / bits as f64).clamp(0.0, 1.0);
        assert_law(&flipped, law, &what);
        for frame in &out {
            assert!(frame.flipped.windows(2).all(|pair| pair[0] < pair[1]), "each once, in order");
        }
    }
}

/// Number of flips in a frame, given that there is at least one: the mean is `8L·p / q`.
#[test]
fn a_hit_frame_has_the_mean_number_of_flips() {
    let (ber, bytes) = (2e-4, 1514);
    let (out, _) = send(r#"{"ber":2e-4,"bit_errors":"flip"}"#, 50_000, bytes, 6);
    let flips: Vec<f64> =
        out.iter().map(|f| f.flipped.len() as f64).filter(|flips| *flips > 0.0).collect();
    let mean = flips.iter().sum::<f64>() / flips.len() as f64;
    let all = 8.0 * f64::from(bytes) * ber;
    let expected = all / hit(ber, bytes);
    // Variance of a binomial number, given that it is not zero.
    let variance = (all * (1.0 - ber) + all * all) / hit(ber, bytes) - expected * expected;
    let bound = Z_99 * (variance / flips.len() as f64).sqrt();
    assert!((mean - expected).abs() <= bound, "{mean}, not {expected} ±{bound}");
}

#[test]
fn all_bits_wrong_is_a_rate_too() {
    let (out, _) = send(r#"{"ber":1,"bit_errors":"flip"}"#, 3, 60, 1);
    assert!(out.iter().all(|frame| frame.flipped == (0..480).collect::<Vec<_>>()));
    let (_, statistics) = send(r#"{"ber":1}"#, 10, 60, 1);
    assert_eq!(statistics.dropped.bit_error.frames, 10);
}

#[test]
fn corruption_flips_one_bit_anywhere() {
    let (out, statistics) = send(r#"{"corrupt":"25%"}"#, 100_000, 60, 8);
    assert_share(statistics.corrupted.frames, 100_000, 0.25, "corrupt");
    let mut counts = [0; 480];
    for frame in out.iter().filter(|frame| !frame.flipped.is_empty()) {
        assert_eq!(frame.flipped.len(), 1);
        counts[frame.flipped[0] as usize] += 1;
    }
    let each = statistics.corrupted.frames as f64 / 480.0;
    assert_counts(&counts, &[each; 480], "positions");
}

/// If a bit error and corruption hit the same bit, it is right again.
#[test]
fn a_bit_flipped_twice_is_right() {
    let text = r#"{"ber":1,"bit_errors":"flip","corrupt":"100%"}"#;
    let (out, _) = send(text, 10, 60, 1);
    assert!(out.iter().all(|frame| frame.flipped.len() == 479));
}

#[test]
fn duplicates_come_right_behind_with_the_same_content() {
    let (out, statistics) = send(r#"{"duplicate":"10%","corrupt":"50%"}"#, 100_000, 60, 3);
    assert_share(statistics.duplicated.frames, 100_000, 0.1, "duplicates");
    assert_eq!(out.len() as u64, 100_000 + statistics.duplicated.frames);
    let runs: Vec<&[Noted]> = out.chunk_by(|a, b| a.number == b.number).collect();
    assert_eq!(runs.len(), 100_000);
    assert!(runs.iter().all(|run| run.len() <= 2 && run[0] == run[run.len() - 1]));
}

#[test]
fn errors_taken_away_leave_nothing_behind() {
    let mut pipe = Pipe::new(
        config(r#"{"ber":1,"bit_errors":"flip","duplicate":"1%"}"#),
        Stream::new(1, "p"),
        Time::ZERO,
    );
    pipe.offer(ns(0), FrameInfo::single(60), Noted::new(0)).unwrap();
    assert_eq!(pipe.poll(ns(0)).unwrap().frame.flipped.len(), 480);
    pipe.change(ns(1), &change(r#"{"ber":0}"#));
    pipe.offer(ns(1), FrameInfo::single(60), Noted::new(1)).unwrap();
    assert_eq!(pipe.poll(ns(1)).unwrap().frame, Noted::new(1));
}

/// Super-frames that were queued before draws were configured share one draw of each kind, and
/// their content stays unchanged.
#[test]
fn queued_super_frames_share_a_draw_and_keep_their_content() {
    let mut pipe = Pipe::new(
        config(r#"{"rate":"1Mbit/s","queue":{"limit":"1MB"}}"#),
        Stream::new(1, "p"),
        Time::ZERO,
    );
    let info = FrameInfo::coalesced(3, 1514, 500);
    for number in 0..20 {
        pipe.offer(ns(0), info, Noted::new(number)).unwrap();
    }
    let all = r#"{"corrupt":"100%","duplicate":"100%","ber":1e-4,"bit_errors":"flip"}"#;
    pipe.change(ns(1), &change(all));
    let mut out = Vec::new();
    while let Some(deadline) = pipe.next_deadline() {
        out.extend(std::iter::from_fn(|| pipe.poll(deadline)).map(|delivery| delivery.frame));
    }
    assert_eq!(out, (0..20).map(Noted::new).collect::<Vec<_>>());
    assert_eq!(pipe.coalesce(crate::common::ms(2000), &info, &Noted::new(0)), 1);
}
