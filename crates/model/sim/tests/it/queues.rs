//! Queues compared with theory, through three hops.

use netloom_link::Stream;
use netloom_units::{Duration, Time};

use crate::common::{Sketch, at, counted, datagrams, whole};

/// Payload of datagrams whose frames have 1000 bytes: they take 1 ms at 8 Mbit/s without framing.
const PAYLOAD: u32 = 1000 - 42;
const LINE: &str = r#"{"rate":"8Mbit/s","framing":"none","queue":{"limit":"1000000packets"}}"#;

#[test]
fn a_regular_stream_waits_nowhere_to_the_nanosecond() {
    // D/D/1 at a load of 0.99: each of three lines takes exactly 1 ms.
    let (sketch, from, _) = Sketch::chain(1, &[LINE; 3]);
    let sent = (0..10_000).map(|number| (number * 1_010_000, PAYLOAD)).collect();
    let mut cell = whole(sketch.network, vec![datagrams(from, "10.0.2.2", sent)]);
    cell.advance(at(20_000)).expect("no loop");
    let counts = counted(&cell, 0);
    assert_eq!(counts.received.frames, 10_000);
    let way = Duration::from_millis(3);
    assert_eq!(counts.delay.extremes(), Some((way, way)));
}

#[test]
fn a_burst_waits_as_long_as_what_is_before_it() {
    // Ten frames are sent at once. The k-th leaves the first line after k ms, and the two other
    // lines add 1 ms each.
    let (sketch, from, _) = Sketch::chain(1, &[LINE; 3]);
    let sent = vec![(0, PAYLOAD); 10];
    let mut cell = whole(sketch.network, vec![datagrams(from, "10.0.2.2", sent)]);
    cell.advance(at(100)).expect("no loop");
    let counts = counted(&cell, 0);
    assert_eq!(counts.delay.sum_ns(), (1..=10u128).map(|k| (k + 2) * 1_000_000).sum());
}

/// Returns the times of a Poisson process with `rate` events per second, in ns.
fn poisson(stream: &mut Stream, rate: f64, count: usize) -> Vec<u64> {
    let mut now = 0.0;
    (0..count)
        .map(|_| {
            now += -(1.0 - stream.uniform()).ln() / rate * 1e9;
            now as u64
        })
        .collect()
}

/// Returns the mean delay of a run in ns.
fn mean_delay(links: &[&str; 3], sent: Vec<(u64, u32)>) -> f64 {
    let end = sent.last().map_or(0, |(at, _)| *at);
    let count = sent.len();
    let (sketch, from, _) = Sketch::chain(1, links);
    let mut cell = whole(sketch.network, vec![datagrams(from, "10.0.2.2", sent)]);
    let over = Time::from_nanos(end) + Duration::from_secs(60);
    cell.advance(over).expect("no loop");
    assert_eq!(counted(&cell, 0).received.frames, count as u64);
    counted(&cell, 0).delay.sum_ns() as f64 / count as f64
}

/// Whether `expected` is in the 99 % interval of the means of independent runs.
fn in_interval(means: &[f64], expected: f64) -> (bool, f64, f64) {
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (n - 1.0);
    // Student's t at 0.995 for 19 degrees of freedom.
    let half = 2.861 * (variance / n).sqrt();
    ((mean - expected).abs() <= half, mean, half)
}

#[test]
fn poisson_arrivals_at_a_line_of_constant_service_wait_as_in_an_m_d_1() {
    // Frames queue at the first hop. Behind it they are at least 1 ms apart and do not wait.
    let load = 0.7;
    let means: Vec<f64> = (0..20)
        .map(|run| {
            let mut stream = Stream::new(run, "m/d/1");
            let times = poisson(&mut stream, load * 1000.0, 10_000);
            mean_delay(&[LINE; 3], times.into_iter().map(|at| (at, PAYLOAD)).collect())
        })
        .collect();
    // The mean wait is ρ/(2(1−ρ)) of 1 ms; three services of 1 ms add to it.
    let expected = (load / (2.0 * (1.0 - load)) + 3.0) * 1e6;
    let (inside, mean, half) = in_interval(&means, expected);
    assert!(inside, "{mean} ± {half}, expected {expected}");
}

#[test]
fn poisson_arrivals_of_exponential_length_wait_as_in_an_m_m_1() {
    // The lines before and after are fast. Their times depend on the length of the frame and are
    // subtracted.
    let fast = r#"{"rate":"8Gbit/s","framing":"none","queue":{"limit":"1000000packets"}}"#;
    let load = 0.6;
    // 42 bytes are headers. Lengths beyond them are exponential, scaled so that the mean service is
    // 1 ms. The Pollaczek-Khinchine formula gives the wait for the lengths that are sent.
    let mut squares = 0.0;
    let mut sum = 0.0;
    let mut frames = 0.0;
    let means: Vec<f64> = (0..20)
        .map(|run| {
            let mut stream = Stream::new(run, "m/m/1");
            let times = poisson(&mut stream, load * 10_000.0, 10_000);
            let sent: Vec<(u64, u32)> = times
                .into_iter()
                .map(|at| {
                    let bytes = (-(1.0 - stream.uniform()).ln() * 100.0).round().min(1400.0);
                    (at, (bytes as u32).saturating_sub(42))
                })
                .collect();
            let mut own = 0.0;
            for (_, payload) in &sent {
                // Service in µs: at 8 Mbit/s, one for each byte.
                let service = f64::from(payload + 42);
                sum += service;
                squares += service * service;
                frames += 1.0;
                own += service * (1.0 + 2.0 / 1000.0);
            }
            mean_delay(&[fast, LINE, fast], sent.clone()) - own / sent.len() as f64 * 1e3
        })
        .collect();
    let (service, square) = (sum / frames, squares / frames);
    let rate = load * 10_000.0 / 1e6;
    let expected = rate * square / (2.0 * (1.0 - rate * service)) * 1e3;
    let (inside, mean, half) = in_interval(&means, expected);
    assert!(inside, "{mean} ± {half}, expected {expected}");
}
