//! Measures the cost of a segment for an endpoint: bulk data through a path with a rate, a delay
//! and losses. The cost includes both ends and their acknowledgements. `cargo bench -p
//! netloom-tcp`.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use netloom_tcp::{Algorithm, Config, Endpoint, Segment, Transmit};
use netloom_units::{Duration, Time};

/// Payload packets of each run.
const PACKETS: u64 = 300_000;
const RUNS: u32 = 5;

fn main() {
    let stub = baseline();
    println!("ns per segment (payload or acknowledgement), best of {RUNS} runs of {PACKETS}");
    println!("and as a multiple of moving a segment through the same path: {stub:.1} ns");
    println!("{:<34}{:>10}{:>8}{:>14}{:>12}", "path", "ns", "×", "segments", "lost");
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr] {
        row(algorithm, "1 Gbit/s, 1 ms", 1_000_000_000, 1, 500_000, 0, stub);
        row(algorithm, "100 Mbit/s, 50 ms", 100_000_000, 50, 1_000_000, 0, stub);
        row(algorithm, "100 Mbit/s, 50 ms, 0.1 % lost", 100_000_000, 50, 1_000_000, 1000, stub);
        row(algorithm, "1 Gbit/s, 50 ms, 1 % lost", 1_000_000_000, 50, 5_000_000, 100, stub);
    }
}

/// One direction of the path: a line with a rate, a buffer and a delay, which loses every n-th
/// packet.
struct Line {
    /// Picoseconds for each byte.
    byte_ps: u64,
    delay: Duration,
    buffer: Duration,
    busy_until: Time,
    lose_each: u64,
    count: u64,
    lost: u64,
    flying: VecDeque<(Time, Transmit)>,
}

impl Line {
    fn new(rate: u64, delay_ms: u64, buffer: u64, lose_each: u64) -> Self {
        let byte_ps = 8_000_000_000_000 / rate;
        Self {
            byte_ps,
            delay: Duration::from_millis(delay_ms),
            buffer: Duration::from_nanos(buffer * byte_ps / 1000),
            busy_until: Time::ZERO,
            lose_each,
            count: 0,
            lost: 0,
            flying: VecDeque::new(),
        }
    }

    fn offer(&mut self, now: Time, transmit: Transmit) {
        self.count += 1;
        let unlucky = self.lose_each > 0 && self.count.is_multiple_of(self.lose_each);
        if unlucky || self.busy_until.since(now) > self.buffer {
            self.lost += 1;
            return;
        }
        let bytes = transmit.segment.packet_bytes(20) + 14;
        let begin = self.busy_until.max(now);
        self.busy_until = begin + Duration::from_nanos(bytes * self.byte_ps / 1000);
        self.flying.push_back((self.busy_until + self.delay, transmit));
    }
}

fn pump(endpoint: &mut Endpoint, line: &mut Line, now: Time) {
    while let Some(Transmit { segment, sack }) = endpoint.poll_transmit(now) {
        let mut rest = segment;
        while let Some(first) = rest.split_off(1) {
            line.offer(now, Transmit { segment: first, sack });
        }
        line.offer(now, Transmit { segment: rest, sack });
    }
}

/// Runs until `PACKETS` packets have been sent. Returns the number of segments that arrived and of
/// packets lost.
fn run(algorithm: Algorithm, mut lines: [Line; 2]) -> (u64, u64) {
    let config = Arc::new(Config { congestion_control: algorithm, ..Config::default() });
    let mut ends = [Endpoint::connect(Time::ZERO, config.clone(), 1), Endpoint::listen(config, 2)];
    let mut segments = 0;
    let mut now = Time::ZERO;
    pump(&mut ends[0], &mut lines[0], now);
    while lines[0].count < PACKETS {
        let arrivals = [0, 1].map(|from: usize| lines[from].flying.front().map(|(at, _)| *at));
        let deadlines = [0, 1].map(|end: usize| ends[end].next_deadline());
        let candidates = arrivals.iter().chain(&deadlines).flatten().copied();
        now = now.max(candidates.min().expect("something is always due"));
        for from in [0, 1] {
            let to = 1 - from;
            while lines[from].flying.front().is_some_and(|(at, _)| *at <= now) {
                let Some((_, transmit)) = lines[from].flying.pop_front() else { break };
                ends[to].handle_segment(now, &transmit.segment, &transmit.sack);
                segments += 1;
                serve(&mut ends[to], &mut lines[to], now, to == 0);
            }
            if ends[from].next_deadline().is_some_and(|at| at <= now) {
                ends[from].handle_timeout(now);
                serve(&mut ends[from], &mut lines[from], now, from == 0);
            }
        }
    }
    (segments, lines[0].lost)
}

/// Acts as the application of an end: writes as much as it may, or reads everything that has
/// arrived.
fn serve(end: &mut Endpoint, line: &mut Line, now: Time, writes: bool) {
    while end.poll_event().is_some() {}
    if writes {
        end.write(now, u64::MAX);
    } else {
        end.read(now, u64::MAX);
    }
    pump(end, line, now);
}

fn row(
    algorithm: Algorithm,
    name: &str,
    rate: u64,
    delay_ms: u64,
    buffer: u64,
    lose_each: u64,
    stub: f64,
) {
    let mut best = f64::MAX;
    let (mut segments, mut lost) = (0, 0);
    for _ in 0..RUNS {
        let lines =
            [Line::new(rate, delay_ms, buffer, lose_each), Line::new(rate, delay_ms, buffer, 0)];
        let begin = Instant::now();
        (segments, lost) = run(algorithm, lines);
        best = best.min(begin.elapsed().as_nanos() as f64 / segments as f64);
    }
    let name = format!("{algorithm}: {name}");
    println!("{name:<34}{best:>10.1}{:>8.1}{segments:>14}{lost:>12}", best / stub);
}

/// Cost of the path alone: a segment is offered and taken.
fn baseline() -> f64 {
    let transmit = Transmit {
        segment: Segment { len: 1448, mss: 1448, ..Segment::EMPTY },
        sack: netloom_tcp::SackBlocks::NONE,
    };
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let mut line = Line::new(1_000_000_000, 1, 500_000, 0);
        let (mut now, mut sum) = (Time::ZERO, 0u64);
        let begin = Instant::now();
        for _ in 0..PACKETS {
            now += Duration::from_micros(13);
            line.offer(now, transmit);
            while line.flying.front().is_some_and(|(at, _)| *at <= now) {
                let taken = line.flying.pop_front();
                sum += taken.map_or(0, |(_, transmit)| u64::from(transmit.segment.len));
            }
        }
        std::hint::black_box(sum);
        best = best.min(begin.elapsed().as_nanos() as f64 / PACKETS as f64);
    }
    best
}
