//! One-way delays, from the sender's timestamp to the receiving kernel's.

use std::thread;
use std::time::Duration;

use crate::lab::datagrams::{Receiver, Sender};
use crate::{linked, print_trust, quantile};

const PROBES: u64 = 1000;

/// Measures delays from zero to one second.
pub fn measure() {
    println!("\ndelay: {PROBES} datagrams, 3 ms apart, one way, error in µs");
    println!("  wanted: median ≤ 50 µs, p99 ≤ 3 × the machine's own wake-up p99");
    for text in ["0ns", "100us", "1ms", "10ms", "100ms", "1s"] {
        one_way(text);
    }
}

fn one_way(text: &str) {
    let ([a, b], dataplane) = linked(&format!(r#"{{"delay":"{text}"}}"#), "{}", 1);
    let delay: netloom_units::Duration = text.parse().expect("a delay");
    let (mut sender, receiver) = (Sender::new(&a), Receiver::new(&b));
    let arrivals = receiver.collect_while(Duration::from_millis(1500), || {
        // Let both hosts resolve each other's addresses first.
        sender.send(100);
        thread::sleep(Duration::from_millis(200) + 3 * std::time::Duration::from(delay));
        for _ in 0..PROBES {
            sender.send(100);
            thread::sleep(Duration::from_millis(3));
        }
    });
    let late = |sent: i64| (sent - delay.as_nanos() as i64) as f64 / 1e3;
    let probes = arrivals.iter().filter(|arrival| arrival.number > 0);
    let mut errors: Vec<f64> = probes.map(|arrival| late(arrival.one_way())).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let timing = dataplane.timing().expect("timing");
    println!(
        "  {text:>6}: median {:6.1}  p99 {:6.1}  max {:7.1}  ({} of {PROBES}); \
         p99 is {:.2} × the wake-up's",
        quantile(&errors, 0.5),
        quantile(&errors, 0.99),
        quantile(&errors, 1.0),
        errors.len(),
        quantile(&errors, 0.99) / (timing.wakeup.p99_ns as f64 / 1e3)
    );
    print_trust(&timing);
}
