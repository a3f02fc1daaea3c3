//! What kernels report, and what follows from it.

use netloom_clock::{Config, Estimator, Event, Exchange, Kernel, Steering};

const QUIET: Kernel = Kernel { frequency: 0, tick: 10_000, offset: 0, constant: 2, adjtime: 0 };
const PLAIN: Steering = Steering { rate: 0, slew: 0 };

#[test]
fn rates_of_kernels_are_in_ppb() {
    assert_eq!(QUIET.steering(), PLAIN);
    // 500 ppm is the most that the kernel takes.
    let fast = Kernel { frequency: 500 << 16, ..QUIET };
    assert_eq!(fast.steering(), Steering { rate: 500_000, slew: 0 });
    let slow = Kernel { frequency: -(500 << 16), ..QUIET };
    assert_eq!(slow.steering(), Steering { rate: -500_000, slew: 0 });
    // chrony's greatest slew: 83,333 ppm.
    let chrony = Kernel { tick: 10_833, frequency: 333 << 14, ..QUIET };
    assert_eq!(chrony.steering(), Steering { rate: 83_383_250, slew: 0 });
}

#[test]
fn what_a_kernel_still_removes_is_slew_in_either_direction() {
    // The loop removes a sixteenth of 1.6 ms in the first second: 100,000 ns/s.
    for offset in [1_600_000, -1_600_000] {
        let slewing = Kernel { offset, ..QUIET }.steering();
        assert_eq!(slewing, Steering { rate: 0, slew: 100_001 });
    }
    let single = Kernel { adjtime: -3, ..QUIET }.steering();
    assert_eq!(single, Steering { rate: 0, slew: 500_001 });
}

#[test]
fn wild_reports_are_limited() {
    let wild = Kernel {
        frequency: i64::MAX,
        tick: i64::MIN,
        offset: i64::MIN,
        constant: i64::MIN,
        adjtime: i64::MIN,
    };
    let steering = wild.steering();
    let mut estimator = Estimator::new(Config::default());
    for time in 0..10 {
        let exchange = Exchange { t1: time, t2: time, t3: time, t4: time };
        estimator.add(exchange, steering, Steering { rate: i32::MIN, slew: u32::MAX }).unwrap();
    }
    let line = estimator.line().unwrap();
    assert!(line.rate.is_finite() && line.growth.is_finite());
}

/// An exchange over a path of 50 µs each way between clocks `apart`.
fn exchange(at: i64, apart: i64) -> Exchange {
    Exchange { t1: at, t2: at + apart + 50_000, t3: at + apart + 50_000, t4: at + 100_000 }
}

fn after_a_minute() -> Estimator {
    let mut estimator = Estimator::new(Config::default());
    for number in 0..1200 {
        let event = estimator.add(exchange(number * 50_000_000, 0), PLAIN, PLAIN).unwrap();
        assert_eq!(event, None);
    }
    estimator
}

#[test]
fn an_event_says_since_when_a_kernel_may_have_steered_and_how_much_that_may_be() {
    let mut estimator = after_a_minute();
    let steered = Steering { rate: 83_333_000, slew: 0 };
    let event = estimator.add(exchange(1200 * 50_000_000, 0), PLAIN, steered).unwrap();
    let Some(Event::Steered { since, by }) = event else { panic!("{event:?}") };
    assert_eq!(since, 1199 * 50_000_000);
    // 83,333 ppm of 50.1 ms are 4.17 ms.
    assert!((4_170_000..9_000_000).contains(&by), "{by}");
    // The same report again is no event.
    let apart = 4_166_650;
    let event = estimator.add(exchange(1201 * 50_000_000, apart), PLAIN, steered).unwrap();
    assert_eq!(event, None);
    let rate = estimator.line().unwrap().rate;
    assert!((0.083..0.0837).contains(&rate), "{rate}");
    // Neither is an older report that comes late.
    let event = estimator.add(exchange(1199 * 50_000_000 + 1000, 0), PLAIN, PLAIN).unwrap();
    assert_eq!(event, None);
    assert!((estimator.line().unwrap().rate - rate).abs() < 1e-5);
}

#[test]
fn a_jump_begins_anew() {
    for jump in [-1_000_000, 1_000_000] {
        let mut estimator = after_a_minute();
        let event = estimator.add(exchange(1200 * 50_000_000, jump), PLAIN, PLAIN).unwrap();
        // The rate may be 500 ppm off where exchanges contradict each other.
        let Some(Event::Stepped { by, .. }) = event else { panic!("{event:?}") };
        assert!((870_000..=900_100).contains(&by), "{by}");
        assert_eq!(estimator.exchanges(), 1);
        let offset = estimator.offset(1200 * 50_000_000 + 100_000).unwrap();
        assert!(offset.contains(jump) && offset.bound <= 50_100, "{offset:?}");
    }
}

#[test]
fn what_is_forgotten_has_no_answer() {
    let estimator = after_a_minute();
    assert!(estimator.offset(1199 * 50_000_000 - 12_000_000_000).is_some());
    assert_eq!(estimator.offset(30_000_000_000), None);
    assert_eq!(estimator.exchanges(), 256);
    assert_eq!(Estimator::new(Config::default()).line(), None);
}
