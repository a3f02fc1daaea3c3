//! Measures what a frame costs on its way into datagrams and out of them: `cargo bench -p
//! netloom-tunnel --bench stream`. Prints ns of CPU time a frame, by turns with two copies of its
//! bytes, which is the least that any tunnel does. Nothing is sealed, and no socket is there.

use std::hint::black_box;

use netloom_tunnel::{Clear, Path, Receiver, Record, Sender};

/// Bytes of a datagram: an underlay with an MTU of 1500.
const SEGMENT: usize = 1472;
const PATH: Path = Path { session: 1, number: 1 };
/// Frames of a burst, as one wake-up reads.
const BURST: u64 = 64;
/// Bytes of frames in a turn.
const BYTES: u64 = 200 << 20;
const TURNS: usize = 9;

fn main() {
    println!("bytes  sent ns  received ns  two copies ns");
    for bytes in [60, 1442, 65_226] {
        let turns: Vec<[f64; 3]> = (0..TURNS).map(|_| measure(bytes)).collect();
        let median = |which: usize| {
            let mut all: Vec<f64> = turns.iter().map(|turn| turn[which]).collect();
            all.sort_by(f64::total_cmp);
            all[TURNS / 2]
        };
        println!("{bytes:>5}  {:>7.0}  {:>11.0}  {:>13.0}", median(0), median(1), median(2));
    }
}

/// Returns ns a frame: to send it, to receive it, and to copy it twice.
fn measure(bytes: usize) -> [f64; 3] {
    let bursts = (BYTES / bytes as u64 / BURST).min(10_000);
    let sent = send(bytes, bursts, |_| ());
    let mut wire = Vec::new();
    let mut carry = |burst: &[u8]| {
        wire.clear();
        wire.extend_from_slice(burst);
        black_box(&wire);
    };
    let carried = send(bytes, bursts, &mut carry);
    let mut receiver = Receiver::new(PATH, Clear, 0..BURST as u32);
    let received = send(bytes, bursts, |burst| {
        wire.clear();
        wire.extend_from_slice(burst);
        for datagram in wire.chunks_mut(SEGMENT) {
            let take = |record: &Record, frame: &[u8]| {
                black_box((record.release, frame));
            };
            receiver.datagram(datagram, take).expect("it was sent");
        }
    });
    [sent, received - carried, copy(bytes, bursts)]
}

/// Sends bursts of frames. Returns ns a frame.
fn send(bytes: usize, bursts: u64, mut take: impl FnMut(&[u8])) -> f64 {
    let mut sender = Sender::new(PATH, SEGMENT, Clear).expect("it is allowed");
    let frame = vec![7; bytes];
    let begun = cpu_time();
    for sequence in 0..bursts {
        for pipe in 0..BURST as u32 {
            sender.push(&record(pipe, sequence), [black_box(&frame), &[]]);
        }
        take(sender.finish().bytes);
    }
    (cpu_time() - begun) as f64 / (bursts * BURST) as f64
}

/// Copies each frame of such bursts twice, into memory that is in the caches. Returns ns a frame.
fn copy(bytes: usize, bursts: u64) -> f64 {
    let (frame, mut first, mut second) = (vec![7; bytes], vec![0; bytes], vec![0; bytes]);
    let begun = cpu_time();
    for _ in 0..bursts * BURST {
        first.copy_from_slice(black_box(&frame));
        second.copy_from_slice(black_box(&first));
        black_box(&second);
    }
    (cpu_time() - begun) as f64 / (bursts * BURST) as f64
}

fn record(pipe: u32, sequence: u64) -> Record {
    let (release, shift, cuts, marked) = (sequence as i64, 0, 0, false);
    let number = sequence;
    Record { pipe, sequence, frames: 1, number, release, shift, cuts, marked, virtio: [0; 10] }
}

/// Returns the CPU time of this thread in ns, in steps of a tick of the kernel.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
    let first = text.split(' ').next().expect("it has three numbers");
    first.parse().expect("the first one is a number")
}
