//! The extreme value of a measurement over a sliding window, in constant space: the best values of
//! three parts of the window are kept (Kathleen Nichols' algorithm, as BBR's draft refers to it:
//! draft-cardwell-iccrg-bbr-congestion-control-00 §4.1.2.1). Not here: what is measured.

use netloom_units::{Duration, Time};

/// The greatest value over a window of an ever-growing count (rounds, microseconds).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Greatest {
    best: [(u64, u64); 3],
}

impl Greatest {
    /// Forgets everything but `value` at `at`.
    pub fn reset(&mut self, at: u64, value: u64) {
        self.best = [(at, value); 3];
    }

    /// Takes `value` at `at`. Returns the greatest value of the last `window`.
    pub fn update(&mut self, window: u64, at: u64, value: u64) -> u64 {
        let sample = (at, value);
        if value >= self.best[0].1 || at.saturating_sub(self.best[2].0) > window {
            self.reset(at, value);
            return value;
        }
        if value >= self.best[1].1 {
            self.best[1] = sample;
            self.best[2] = sample;
        } else if value >= self.best[2].1 {
            self.best[2] = sample;
        }
        self.expire(window, sample);
        self.value()
    }

    /// Removes values that have left the window. A part of the window without a new value gets this
    /// one.
    fn expire(&mut self, window: u64, sample: (u64, u64)) {
        let age = sample.0.saturating_sub(self.best[0].0);
        if age > window {
            self.best = [self.best[1], self.best[2], sample];
            if sample.0.saturating_sub(self.best[0].0) > window {
                self.best = [self.best[1], self.best[2], sample];
            }
        } else if self.best[1].0 == self.best[0].0 && age > window / 4 {
            self.best[1] = sample;
            self.best[2] = sample;
        } else if self.best[2].0 == self.best[1].0 && age > window / 2 {
            self.best[2] = sample;
        }
    }

    /// Returns the greatest value.
    pub const fn value(&self) -> u64 {
        self.best[0].1
    }
}

/// The least duration over a window of time.
#[derive(Debug, Clone)]
pub(crate) struct Least {
    window: u64,
    /// Holds complements, so that its greatest value is the least one.
    filter: Greatest,
    any: bool,
}

impl Least {
    pub fn new(window: Duration) -> Self {
        Self { window: window.as_nanos(), filter: Greatest::default(), any: false }
    }

    pub fn update(&mut self, now: Time, value: Duration) {
        let flipped = u64::MAX - value.as_nanos();
        if self.any {
            self.filter.update(self.window, now.as_nanos(), flipped);
        } else {
            self.filter.reset(now.as_nanos(), flipped);
            self.any = true;
        }
    }

    pub fn value(&self) -> Option<Duration> {
        self.any.then(|| Duration::from_nanos(u64::MAX - self.filter.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_is_never_below_what_the_window_holds() {
        let mut filter = Greatest::default();
        let values: Vec<u64> = (0..200u64).map(|n| n * 7919 % 101).collect();
        filter.reset(0, values[0]);
        for (at, value) in values.iter().enumerate().skip(1) {
            let shown = filter.update(10, at as u64, *value);
            let exact = values[at.saturating_sub(10)..=at].iter().max().unwrap();
            // Three values stand for the window. The result is exact when fresh, and never above
            // the maximum.
            assert!(shown <= *exact && shown >= *value, "{at}: {shown} {exact}");
        }
    }

    #[test]
    fn the_least_leaves_with_its_window() {
        let mut least = Least::new(Duration::from_secs(10));
        assert_eq!(least.value(), None);
        for second in 0..30 {
            let rtt = if second == 3 { 5 } else { 50 };
            least.update(Time::from_nanos(second * 1_000_000_000), Duration::from_millis(rtt));
            let expected = if (3..=13).contains(&second) { 5 } else { 50 };
            assert_eq!(least.value(), Some(Duration::from_millis(expected)), "{second}");
        }
    }
}
