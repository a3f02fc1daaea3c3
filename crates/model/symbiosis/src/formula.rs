//! The equations of Erazo 2013, §5.3, by their numbers. Rates are in frames a second, times in
//! seconds.

/// (5.1): the mean number of frames in an M/D/1 system at `load`, from 0 to below 1.
pub fn mean_number(load: f64) -> f64 {
    load + load * load / (2.0 * (1.0 - load))
}

/// (5.2), Little's law: the mean time in a system with so many frames at an arrival `rate` above 0.
pub fn mean_time(number: f64, rate: f64) -> f64 {
    number / rate
}

/// (5.7): the load at which frames that arrive at `rate` are in an M/D/1 system for the mean
/// `time`. The smaller root of ρ² − 2(1+x)ρ + 2x = 0 with x the product of both.
pub fn load(time: f64, rate: f64) -> f64 {
    let x = time * rate;
    1.0 + x - (1.0 + x * x).sqrt()
}

/// (5.9): the service rate at which frames that arrive at `rate` are in an M/D/1 system for the
/// mean `time`, which is above 0.
///
/// The thesis divides `rate` by (5.7), which needs a rate above 0 and cancels where little arrives:
/// at a product of 10⁻¹⁰, 7 digits are left. Multiplied by the sum that its difference has as
/// counterpart it needs neither, and tends to `1 / time`.
pub fn service_rate(time: f64, rate: f64) -> f64 {
    let x = time * rate;
    (1.0 + x + (1.0 + x * x).sqrt()) / (2.0 * time)
}

/// (5.10): the share of frames that a path loses whose links lose `shares`, one after the other.
pub fn path_loss(shares: impl IntoIterator<Item = f64>) -> f64 {
    1.0 - shares.into_iter().fold(1.0, |passes, share| passes * (1.0 - share))
}

/// (5.11): how long a line is held whose backlog is `small` instead of `large`, in time.
pub fn hold(large: f64, small: f64) -> f64 {
    (large - small).max(0.0)
}

/// (5.12) to (5.14): the service `rate` with what it takes to drain, within a period, the excess
/// of a backlog that is `small` instead of `large`, in time.
pub fn draining_rate(rate: f64, large: f64, small: f64, period: f64) -> f64 {
    // A rate may be infinite, and infinitely often nothing is no number.
    if small <= large {
        return rate;
    }
    let excess = rate * (small - large);
    rate + excess / period
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The thesis's own form of (5.9).
    fn as_written(time: f64, rate: f64) -> f64 {
        rate / load(time, rate)
    }

    fn near(a: f64, b: f64, relative: f64) -> bool {
        (a - b).abs() <= relative * b.abs()
    }

    /// By hand: ρ = 1/2 gives L = 1/2 + (1/4)/1 = 3/4; at 50 frames/s that is 15 ms, and a line of
    /// 100 frames/s.
    #[test]
    fn half_a_load_by_hand() {
        assert_eq!(mean_number(0.5), 0.75);
        assert_eq!(mean_time(0.75, 50.0), 0.015);
        assert!(near(load(0.015, 50.0), 0.5, 1e-15));
        assert!(near(service_rate(0.015, 50.0), 100.0, 1e-15));
    }

    /// By hand: ρ = 9/10 gives L = 0.9 + 0.81/0.2 = 4.95; at 750 frames/s 6.6 ms, and 2500/3.
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

    /// At x = 10⁻¹⁰ the rate is (1 + x/2 + …)/W; the form as written has lost half of its digits.
    #[test]
    fn little_that_arrives_does_not_cancel() {
        let (time, rate) = (1e-3, 1e-7);
        let exact = (1.0 + 0.5e-10) / time;
        assert!(near(service_rate(time, rate), exact, 1e-15));
        let error = (as_written(time, rate) / exact - 1.0).abs();
        assert!((1e-9..1e-6).contains(&error), "{error:e}");
    }

    /// Against the sum of the thesis: p₁ + p₂(1−p₁) + p₃(1−p₁)(1−p₂).
    #[test]
    fn losses_of_a_path_are_those_of_its_links() {
        let shares: [f64; 3] = [0.1, 0.25, 0.5];
        let sum = 0.1 + 0.25 * 0.9 + 0.5 * 0.9 * 0.75;
        assert!(near(path_loss(shares), sum, 1e-15));
        assert_eq!(path_loss([]), 0.0);
        assert_eq!(path_loss([0.2, 1.0]), 1.0);
    }

    /// By hand: 300 ms instead of 100 at 50 frames/s are 10 frames; 20 a second more in half a
    /// second.
    #[test]
    fn what_is_too_much_drains_and_what_is_too_little_is_held() {
        assert!(near(draining_rate(50.0, 0.1, 0.3, 0.5), 70.0, 1e-14));
        assert_eq!(draining_rate(50.0, 0.3, 0.1, 0.5), 50.0);
        assert_eq!(draining_rate(f64::INFINITY, 0.0, 0.0, 0.5), f64::INFINITY);
        assert!(near(hold(0.3, 0.1), 0.2, 1e-15));
        assert_eq!(hold(0.1, 0.3), 0.0);
    }
}
