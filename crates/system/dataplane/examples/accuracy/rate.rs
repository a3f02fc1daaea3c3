//! Rates: the speed of frames at the end of a saturated line.

use std::thread;
use std::time::{Duration, Instant};

use crate::lab::datagrams::{Receiver, Sender};
use crate::{linked, print_trust};

const SPAN: Duration = Duration::from_secs(3);
/// After the start, the kernel takes some 50 ms to move senders and receivers off the worker's
/// processor.
const SETTLING: Duration = Duration::from_millis(500);
/// Time by which a sender is ahead of the line, for times in which it has no processor.
const AHEAD: Duration = Duration::from_millis(10);

/// Measures rates from 100 kbit/s to 10 Gbit/s.
pub fn measure() {
    println!("\nrate: a busy line, frames of 1514 bytes, Ethernet framing, 3 s");
    println!("  wanted: error ≤ 0.5 % up to 1 Gbit/s");
    for rate in ["100kbit/s", "1Mbit/s", "10Mbit/s", "100Mbit/s", "1Gbit/s"] {
        datagrams(rate);
    }
    println!(
        "  wanted: error ≤ 2 % at 10 Gbit/s (TCP, because no sender here fills it frame by frame)"
    );
    tcp("10Gbit/s");
}

/// Sends a little less than the line carries, until the machine has found a processor for each
/// thread. Then sends a little more, and measures the output.
fn datagrams(text: &str) {
    let rate: netloom_units::Rate = text.parse().expect("a rate");
    let bits = rate.bits_per_second() as f64;
    let per_frame = 1538.0 * 8.0 / bits;
    let ahead = (AHEAD.as_secs_f64() / per_frame).max(100.0);
    let properties =
        format!(r#"{{"rate":"{text}","queue":{{"limit":"{}packets"}}}}"#, 2 * ahead as u64);
    let ([a, b], dataplane) = linked(&properties, "{}", 1);
    let pipe = || dataplane.pipes().expect("pipes").swap_remove(0).statistics;
    let (mut sender, receiver) = (Sender::new(&a), Receiver::new(&b));
    let mut settled = (0, 0);
    let arrivals = receiver.collect_while(Duration::from_millis(500), || {
        send(&mut sender, SETTLING, 0.0, 0.9 / per_frame);
        settled = (sender.sent(), pipe().busy_ns);
        // Half a queue ahead of the line at first, then always 10 % faster.
        send(&mut sender, SPAN, ahead, 1.1 / per_frame);
    });
    let arrivals: Vec<_> = arrivals.iter().filter(|arrival| arrival.number >= settled.0).collect();
    // The line is busy from the first frame to the last, so each frame arrives one service time
    // after the previous one, unless the sender had too little processor time.
    let (first, last) = (arrivals[0], arrivals[arrivals.len() - 1]);
    let seconds = (last.received - first.received) as f64 / 1e9;
    let measured = (arrivals.len() - 1) as f64 * 1538.0 * 8.0 / seconds;
    let error = (measured / bits - 1.0) * 100.0;
    println!(
        "  {text:>10}: {measured:14.0} bit/s, error {error:+.4} % ({} frames)",
        arrivals.len()
    );
    let busy = (pipe().busy_ns - settled.1) as f64 / 1e9;
    let idle = seconds + per_frame - busy;
    if idle > seconds / 1000.0 {
        println!("      no measure of the rate: the sender left the line idle for {idle:.3} s");
    }
    print_trust(&dataplane.timing().expect("timing"));
}

/// Sends `ahead` frames at once, then `rate` per second, for `span`.
fn send(sender: &mut Sender, span: Duration, ahead: f64, rate: f64) {
    let (start, before) = (Instant::now(), sender.sent());
    while start.elapsed() < span {
        let due = ahead + start.elapsed().as_secs_f64() * rate;
        while ((sender.sent() - before) as f64) < due {
            sender.send(1514);
        }
        thread::sleep(Duration::from_micros(300));
    }
}

fn tcp(text: &str) {
    let properties = format!(r#"{{"rate":"{text}","queue":{{"limit":"20ms"}}}}"#);
    let (namespaces, dataplane) = linked(&properties, "{}", 1);
    crate::load::tcp_goodput(&namespaces, SETTLING);
    let before = dataplane.pipes().expect("pipes")[0].statistics.clone();
    let bits = crate::load::tcp_goodput(&namespaces, SPAN);
    let pipe = dataplane.pipes().expect("pipes")[0].statistics.clone();
    let wanted = 10e9 * 1448.0 / 1538.0;
    let span = pipe.at.since(before.at).as_nanos() as f64;
    let busy = (pipe.busy_ns - before.busy_ns) as f64 / span;
    let error = (bits / wanted - 1.0) * 100.0;
    println!("  {text:>10}: {bits:14.0} bit/s of TCP payload at the receiver, error {error:+.4} %");
    println!("      the line was busy {:.2} % of the time", busy * 100.0);
    print_trust(&dataplane.timing().expect("timing"));
}
