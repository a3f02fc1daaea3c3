//! The pipe model alone: offer, poll, deadline, without devices.

use std::time::{Duration, Instant};

use netloom_link::{FrameInfo, Pipe, Stream};
use netloom_units::Time;

use crate::wire::config;

const FRAMES: u64 = 5_000_000;

const PIPES: [&str; 4] = [
    "{}",
    r#"{"delay":"10ms"}"#,
    r#"{"rate":"10Gbit/s","delay":"10ms","queue":{"limit":"1000packets"}}"#,
    r#"{"rate":"10Gbit/s","delay":"10ms","loss":"1%","queue":{"limit":"1000packets"}}"#,
];

/// Frames of 1514 bytes, 1231 ns apart: a line of 10 Gbit/s at its rate.
pub fn run(_: Duration) {
    println!("\npipe model alone, one core, virtual time; goal 20 million frames/s");
    for text in PIPES {
        let mut pipe = Pipe::new(config(text), Stream::new(1, "bench"), Time::ZERO);
        let start = Instant::now();
        let mut delivered = 0u64;
        for number in 0..FRAMES {
            let now = Time::from_nanos(number * 1231);
            let _ = pipe.offer(now, FrameInfo::single(1514), number);
            while pipe.poll(now).is_some() {
                delivered += 1;
            }
            while pipe.poll_dropped().is_some() {}
            std::hint::black_box(pipe.next_deadline());
        }
        let nanos = start.elapsed().as_nanos() as f64 / FRAMES as f64;
        let millions = 1e3 / nanos;
        println!("  {millions:5.1} million frames/s ({nanos:.1} ns; {delivered} out)  {text}");
    }
}
