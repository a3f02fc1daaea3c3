//! Loss and bit errors: the share of datagrams that do not arrive.

use std::time::Duration;

use crate::lab::datagrams::{Receiver, Sender};
use crate::{linked, print_trust};

/// Half the width of a 99 % interval, in standard deviations.
const Z99: f64 = 2.5758;

/// Bernoulli loss from 10⁻⁵ to 0.9.
pub fn losses() {
    println!("\nloss: datagrams in frames of 60 bytes; wanted: inside the 99 % binomial interval");
    for (percent, frames) in [
        ("0.001%", 1_000_000),
        ("0.01%", 500_000),
        ("0.1%", 200_000),
        ("1%", 100_000),
        ("10%", 100_000),
        ("50%", 100_000),
        ("90%", 100_000),
    ] {
        let probability: netloom_units::Probability = percent.parse().expect("a probability");
        let properties = format!(r#"{{"loss":"{percent}"}}"#);
        lost(percent, &properties, 60, frames, probability.value());
    }
}

/// Bit error rates at two frame lengths.
pub fn bit_errors() {
    println!("\nbit errors: wanted: frames lost inside the 99 % interval of 1-(1-p)^(8L)");
    for (ber, frames) in [("1e-8", 300_000), ("1e-6", 100_000), ("1e-4", 50_000)] {
        for length in [100, 1514] {
            let rate: netloom_link::BitErrorRate = ber.parse().expect("a bit error rate");
            let wanted = rate.frame_error_probability(length as u64);
            let properties = format!(r#"{{"ber":{ber}}}"#);
            lost(&format!("{ber}, {length} B"), &properties, length, frames, wanted);
        }
    }
}

fn lost(name: &str, properties: &str, length: usize, frames: u64, probability: f64) {
    let ([a, b], dataplane) = linked(properties, "{}", 7);
    let (mut sender, receiver) = (Sender::new(&a), Receiver::new(&b));
    let arrivals = receiver.collect_while(Duration::from_millis(300), || {
        sender.send_all(frames, length, &dataplane);
    });
    let lost = frames as f64 - arrivals.len() as f64;
    let mean = frames as f64 * probability;
    let deviation = (mean * (1.0 - probability)).sqrt();
    let (low, high) = (mean - Z99 * deviation, mean + Z99 * deviation);
    let verdict = if (low..=high).contains(&lost) { "inside" } else { "OUTSIDE" };
    println!("  {name:>12}: {lost} of {frames} lost; interval {low:.1} to {high:.1}: {verdict}");
    let timing = dataplane.timing().expect("timing");
    let overflow = b.counter("Udp", "RcvbufErrors");
    if timing.unmodelled.total() + overflow > 0 {
        println!("      {overflow} more were lost in the receiver's socket");
        print_trust(&timing);
    }
}
