//! The equations of Erazo 2013, §5.3, with their numbers. Rates are in frames per second, times in
//! seconds.
//!
//! ```
//! use netloom_symbiosis::formula::{mean_number, mean_time, service_rate};
//!
//! // At half its load, a line of 1,000 frames per second holds 0.75 of them on average.
//! let time = mean_time(mean_number(0.5), 500.0);
//! assert_eq!(time, 0.0015);
//! // The line that holds frames for that time, when as many arrive, is found again.
//! assert!((service_rate(time, 500.0) - 1000.0).abs() < 1e-9);
//! ```

/// (5.1): returns the mean number of frames in an M/D/1 system at `load`, which is from 0 to below
/// 1.
pub fn mean_number(load: f64) -> f64 {
    load + load * load / (2.0 * (1.0 - load))
}

/// (5.2), Little's law: returns the mean time in a system that holds `number` frames on average.
/// The arrival `rate` must be above 0.
pub fn mean_time(number: f64, rate: f64) -> f64 {
    number / rate
}

/// (5.7): returns the load at which frames that arrive at `rate` are in an M/D/1 system for the
/// mean `time`. It is the smaller root of ρ² − 2(1+x)ρ + 2x = 0, where x is the product of both.
pub fn load(time: f64, rate: f64) -> f64 {
    let x = time * rate;
    1.0 + x - (1.0 + x * x).sqrt()
}

/// (5.9): returns the service rate at which frames that arrive at `rate` are in an M/D/1 system for
/// the mean `time`, which must be above 0.
///
/// The thesis divides `rate` by (5.7). That needs a rate above 0, and loses digits by cancellation
/// if little arrives: at a product of 10⁻¹⁰, 7 digits are left. This form is expanded by the sum
/// that is the conjugate of the difference in (5.7). It does not have these limits, and tends to `1
/// / time`.
pub fn service_rate(time: f64, rate: f64) -> f64 {
    let x = time * rate;
    (1.0 + x + (1.0 + x * x).sqrt()) / (2.0 * time)
}

/// (5.10): returns the share of frames that a path loses if its links, one after the other, lose
/// `shares`.
pub fn path_loss(shares: impl IntoIterator<Item = f64>) -> f64 {
    1.0 - shares.into_iter().fold(1.0, |passes, share| passes * (1.0 - share))
}

/// (5.11): returns the time for which a line is held whose backlog is `small` instead of `large`.
/// Backlogs are times.
pub fn hold(large: f64, small: f64) -> f64 {
    (large - small).max(0.0)
}

/// (5.12) to (5.14): returns the service rate that drains, within a period, the excess of a backlog
/// that is `small` instead of `large`. Backlogs are times. `rate` is the service rate without an
/// excess.
pub fn draining_rate(rate: f64, large: f64, small: f64, period: f64) -> f64 {
    // A rate may be infinite, and infinity times zero is not a number.
    if small <= large {
        return rate;
    }
    let excess = rate * (small - large);
    rate + excess / period
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Form of (5.9) in the thesis.
    fn as_written(time: f64, rate: f64) -> f64 {
        rate / load(time, rate)
    }

    fn near(a: f64, b: f64, relative: f64) -> bool {
        (a - b).abs() <= relative * b.abs()
    }

    /// Computed by hand: ρ = 1/2 gives L = 1/2 + (1/4)/1 = 3/4. At 50 frames/s this is 15 ms, with
    /// a line of 100 frames/s.
    #[test]
    fn half_a_load_by_hand() {
        assert_eq!(mean_number(0.5), 0.75);
        assert_eq!(mean_time(0.75, 50.0), 0.015);
        assert!(near(load(0.015, 50.0), 0.5, 1e-15));
        assert!(near(service_rate(0.015, 50.0), 100.0, 1e-15));
    }

    /// Computed by hand: ρ = 9/10 gives L = 0.9 + 0.81/0.2 = 4.95. At 750 frames/s this is 6.6 ms,
    /// with a line of 2500/3 frames/s.
    #[test]
    fn a_high_load_by_hand() {
        assert!(near(mean_number(0.9), 4.95, 1e-14));
        assert!(near(service_rate(4.95 / 750.0, 750.0), 2500.0 / 3.0, 1e-14));
    }

    #[test]
    fn the_service_rate_puts_the_time_back() {
        for exponent in -30..=30 {
            let rate = 100.0;
            let time = 10f64.powf(f64::from(exponent) / 10.0) / rate;
            let load = rate / service_rate(time, rate);
            let back = mean_time(mean_number(load), rate);
            assert!(near(back, time, 1e-12), "{time}: {back}");
            assert!(near(as_written(time, rate), service_rate(time, rate), 1e-9));
        }
    }

    #[test]
    fn nothing_that_arrives_leaves_one_over_the_time() {
        assert_eq!(service_rate(0.02, 0.0), 50.0);
        assert!(near(service_rate(0.02, 1e-9), 50.0, 1e-10));
    }

    /// At x = 10⁻¹⁰ the rate is (1 + x/2 + …)/W. The form of the thesis has lost half of its
    /// digits.
    #[test]
    fn little_that_arrives_does_not_cancel() {
        let (time, rate) = (1e-3, 1e-7);
        let exact = (1.0 + 0.5e-10) / time;
        assert!(near(service_rate(time, rate), exact, 1e-15));
        let error = (as_written(time, rate) / exact - 1.0).abs();
        assert!((1e-9..1e-6).contains(&error), "{error:e}");
    }

    /// Compared with the sum in the thesis: p₁ + p₂(1−p₁) + p₃(1−p₁)(1−p₂).
    #[test]
    fn losses_of_a_path_are_those_of_its_links() {
        let shares: [f64; 3] = [0.1, 0.25, 0.5];
        let sum = 0.1 + 0.25 * 0.9 + 0.5 * 0.9 * 0.75;
        assert!(near(path_loss(shares), sum, 1e-15));
        assert_eq!(path_loss([]), 0.0);
        assert_eq!(path_loss([0.2, 1.0]), 1.0);
    }

    /// Computed by hand: 300 ms instead of 100 ms at 50 frames/s are 10 frames. They take 20 more
    /// frames per second for half a second.
    #[test]
    fn what_is_too_much_drains_and_what_is_too_little_is_held() {
        assert!(near(draining_rate(50.0, 0.1, 0.3, 0.5), 70.0, 1e-14));
        assert_eq!(draining_rate(50.0, 0.3, 0.1, 0.5), 50.0);
        assert_eq!(draining_rate(f64::INFINITY, 0.0, 0.0, 0.5), f64::INFINITY);
        assert!(near(hold(0.3, 0.1), 0.2, 1e-15));
        assert_eq!(hold(0.1, 0.3), 0.0);
    }
}
