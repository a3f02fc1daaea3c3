//! Stamps that cannot be.

use netloom_clock::{Config, Estimator, Exchange, ExchangeError, Steering};
use proptest::prelude::*;

const PLAIN: Steering = Steering { rate: 0, slew: 0 };

#[test]
fn stamps_that_contradict_each_other_are_refused_and_change_nothing() {
    let mut estimator = Estimator::new(Config::default());
    estimator.add(Exchange { t1: 0, t2: 5, t3: 6, t4: 10 }, PLAIN, PLAIN).unwrap();
    let line = estimator.line();
    for (exchange, error) in [
        (
            Exchange { t1: 20, t2: 25, t3: 26, t4: 19 },
            ExchangeError::OursBackwards { t1: 20, t4: 19 },
        ),
        (
            Exchange { t1: 20, t2: 25, t3: 24, t4: 30 },
            ExchangeError::TheirsBackwards { t2: 25, t3: 24 },
        ),
        (
            Exchange { t1: 20, t2: i64::MIN, t3: 24, t4: 30 },
            ExchangeError::OutOfRange { stamp: i64::MIN },
        ),
    ] {
        assert_eq!(estimator.add(exchange, PLAIN, PLAIN), Err(error));
        assert_eq!(estimator.line(), line);
    }
    let text = ExchangeError::OursBackwards { t1: 20, t4: 19 }.to_string();
    assert!(text.contains("19 ns") && text.contains("20 ns"), "{text}");
}

proptest! {
    /// Whatever a peer sends, it is refused or gives a line of finite numbers.
    #[test]
    fn no_stamps_or_reports_break_the_estimator(
        stamps in prop::collection::vec((any::<[i64; 4]>(), 0u32..62, any::<[i32; 2]>()), 1..40),
    ) {
        let mut estimator = Estimator::new(Config::default());
        for (stamps, shift, [rate, slew]) in stamps {
            let [t1, t2, t3, t4] = stamps.map(|stamp| stamp >> shift);
            let ours = Steering { rate, slew: slew.unsigned_abs() };
            let (t1, t4) = (t1.min(t4), t1.max(t4));
            let (t2, t3) = (t2.min(t3), t2.max(t3));
            let before = estimator.line();
            match estimator.add(Exchange { t1, t2, t3, t4 }, ours, PLAIN) {
                Ok(_) => {
                    let line = estimator.line().unwrap();
                    prop_assert!(line.rate.is_finite() && line.growth >= 0.0, "{line:?}");
                    estimator.offset(t1);
                    line.to_ours(line.to_theirs(t1));
                }
                Err(_) => prop_assert_eq!(estimator.line(), before),
            }
        }
    }
}
