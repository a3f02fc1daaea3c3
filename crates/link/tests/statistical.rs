//! Laws that hold on average. Seeds are fixed, so a result never changes from run to run; the
//! bounds are those that a correct model misses once in a hundred seeds.

mod common;

use common::{config, ns, pipe};
use netloom_link::{FrameInfo, Pipe, Stream};
use netloom_units::Time;

/// Frames lost of `total` at `percent`.
fn lost(percent: f64, total: u64, seed: u64) -> u64 {
    let config = config(&format!(r#"{{"loss":"{percent}%"}}"#));
    let mut pipe = Pipe::new(config, Stream::new(seed, "loss/forward"), Time::ZERO);
    for number in 0..total {
        pipe.offer(ns(number), FrameInfo::single(100), number).unwrap();
        while pipe.poll(ns(number)).is_some() {}
        while pipe.poll_dropped().is_some() {}
    }
    pipe.statistics(ns(total)).dropped.loss.frames
}

#[test]
fn loss_is_inside_the_99_percent_binomial_interval() {
    for (percent, total) in [(0.01, 1_000_000), (1.0, 200_000), (10.0, 100_000), (90.0, 50_000)] {
        let p = percent / 100.0;
        let expected = p * total as f64;
        let bound = 2.576 * (expected * (1.0 - p)).sqrt();
        let lost = lost(percent, total, 42) as f64;
        assert!((lost - expected).abs() <= bound, "{percent}%: {lost} of {total}, ±{bound:.0}");
    }
}

#[test]
fn certain_loss_loses_all_and_no_loss_none() {
    assert_eq!(lost(100.0, 10_000, 1), 10_000);
    assert_eq!(lost(0.0, 10_000, 1), 0);
}

/// Losses are independent: the frame after a lost one is lost as often as any.
#[test]
fn losses_do_not_cluster() {
    let mut pipe = pipe(r#"{"loss":"20%"}"#);
    let (mut after_loss, mut both, mut previous) = (0.0, 0.0, false);
    for number in 0..200_000 {
        pipe.offer(ns(number), FrameInfo::single(100), number).unwrap();
        let lost = pipe.poll(ns(number)).is_none();
        after_loss += f64::from(u8::from(previous));
        both += f64::from(u8::from(previous && lost));
        previous = lost;
    }
    let bound = 2.576 * (0.2 * 0.8 / after_loss).sqrt();
    assert!((both / after_loss - 0.2_f64).abs() <= bound, "{}", both / after_loss);
}

/// M/D/1: Poisson arrivals at load ρ, service time D: mean wait ρ·D / 2(1 − ρ) (Pollaczek 1930,
/// Khinchine 1932). Batch means of 40 batches give the interval.
#[test]
fn m_d_1_mean_wait_is_inside_the_99_percent_interval() {
    // 1000 bytes at 8 Mbit/s: D = 1 ms.
    for (load, seed) in [(0.5, 1), (0.8, 2)] {
        let waits = batch_means(load, seed, 40, 25_000);
        let mean = waits.iter().sum::<f64>() / 40.0;
        let variance = waits.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / 39.0;
        let bound = 2.708 * (variance / 40.0).sqrt(); // Student's t, 39 degrees of freedom
        let expected = load * 1e6 / (2.0 * (1.0 - load));
        assert!(
            (mean - expected).abs() <= bound,
            "ρ={load}: {mean:.0} ns, not {expected} ±{bound:.0}"
        );
        assert!(bound < 0.05 * expected, "the interval is too wide to tell: ±{bound:.0}");
    }
}

/// Mean waiting times in ns of consecutive batches of frames.
fn batch_means(load: f64, seed: u64, batches: usize, size: usize) -> Vec<f64> {
    let limit = r#"{"rate":"8Mbit/s","framing":"none","queue":{"limit":"1000000packets"}}"#;
    let mut pipe = Pipe::new(config(limit), Stream::new(seed, "unused"), Time::ZERO);
    let mut arrivals = Stream::new(seed, "arrivals");
    let mut clock = 0.0;
    let mut waits = Vec::with_capacity(batches * size);
    while waits.len() < batches * size {
        clock += -(1.0 - arrivals.uniform()).ln() * 1e6 / load;
        let now = ns(clock as u64);
        while let Some(delivery) = pipe.poll(now) {
            waits.push(delivery.release.since(delivery.passage.offered).as_nanos() as f64 - 1e6);
        }
        pipe.offer(now, FrameInfo::single(1000), 0u32).unwrap();
    }
    waits.chunks_exact(size).map(|batch| batch.iter().sum::<f64>() / size as f64).collect()
}
