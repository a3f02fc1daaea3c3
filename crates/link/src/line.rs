//! Serialization: when the line is free and how long a frame takes on it, exactly.
//! Not here: what waits for the line (`queue`).

use netloom_units::Time;

use crate::RateLimit;

/// The line's clock.
///
/// A frame of `n` line bytes takes `8n·10⁹/rate` ns, rarely a whole number. The part below a
/// nanosecond is carried to the frame behind it, so that back-to-back frames keep the exact rate
/// for ever; after an idle moment it starts from zero.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// bit/s; `None` without a limit.
    rate: Option<u64>,
    /// When the last frame left the line, rounded down to a nanosecond.
    end: Time,
    /// What was rounded off, in 1/rate ns; less than `rate`.
    remainder: u64,
    /// Sum of all service times begun so far, in ns.
    committed: u64,
}

impl Line {
    pub fn new(rate: RateLimit, start: Time) -> Self {
        Self { rate: bits_per_second(rate), end: start, remainder: 0, committed: 0 }
    }

    /// Puts a frame of `line_bytes` on the line at `now` or when the line is free, whichever is
    /// later. Returns when its last bit is on the line.
    #[inline]
    pub fn serve(&mut self, now: Time, line_bytes: u64) -> Time {
        if now > self.end {
            self.end = now;
            self.remainder = 0;
        }
        if let Some(rate) = self.rate {
            let nanos = self.advance(rate, line_bytes);
            self.committed = self.committed.saturating_add(nanos);
            self.end = Time::from_nanos(self.end.as_nanos().saturating_add(nanos));
        }
        self.end
    }

    /// Takes the frame off the line at `now`, before it is through.
    pub fn abort(&mut self, now: Time) {
        self.committed = self.busy(now);
        self.end = self.end.min(now);
        self.remainder = 0;
    }

    /// A new rate, from the next frame on.
    pub fn set_rate(&mut self, rate: RateLimit) {
        let rate = bits_per_second(rate);
        self.remainder = match (self.rate, rate) {
            // Below 2⁶⁴: the remainder is less than the old rate, so the result is below the new.
            (Some(old), Some(new)) => {
                (u128::from(self.remainder) * u128::from(new) / u128::from(old)) as u64
            }
            _ => 0,
        };
        self.rate = rate;
    }

    /// Time spent sending up to `now`, in ns.
    pub fn busy(&self, now: Time) -> u64 {
        self.committed.saturating_sub(self.end.since(now).as_nanos())
    }

    /// Whole nanoseconds for `line_bytes`, keeping the rest.
    #[inline]
    fn advance(&mut self, rate: u64, line_bytes: u64) -> u64 {
        const NANOBITS_PER_BYTE: u64 = 8_000_000_000;
        let narrow = line_bytes
            .checked_mul(NANOBITS_PER_BYTE)
            .and_then(|work| work.checked_add(self.remainder));
        if let Some(work) = narrow {
            self.remainder = work % rate;
            return work / rate;
        }
        let work =
            u128::from(line_bytes) * u128::from(NANOBITS_PER_BYTE) + u128::from(self.remainder);
        self.remainder = (work % u128::from(rate)) as u64;
        u64::try_from(work / u128::from(rate)).unwrap_or(u64::MAX)
    }
}

fn bits_per_second(rate: RateLimit) -> Option<u64> {
    match rate {
        RateLimit::Unlimited => None,
        RateLimit::Limited(rate) => Some(rate.bits_per_second()),
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Rate;

    use super::*;

    fn line(bits: u64) -> Line {
        let rate = Rate::from_bits_per_second(bits).unwrap();
        Line::new(RateLimit::Limited(rate), Time::ZERO)
    }

    #[test]
    fn back_to_back_frames_keep_the_exact_rate() {
        for rate in [3, 7, 1_000_003, 99_999_989, 999_999_937, 10_000_000_000_000] {
            let mut line = line(rate);
            let mut bytes = 0u128;
            for index in 0..10_000u64 {
                let length = 60 + index % 1459;
                bytes += u128::from(length);
                let end = line.serve(Time::ZERO, length);
                let exact = bytes * 8_000_000_000 / u128::from(rate);
                assert_eq!(u128::from(end.as_nanos()), exact, "{rate} bit/s, frame {index}");
            }
            assert_eq!(line.busy(Time::from_nanos(u64::MAX)), line.end.as_nanos());
        }
    }

    #[test]
    fn an_idle_moment_forgets_the_remainder() {
        let mut line = line(3);
        assert_eq!(line.serve(Time::ZERO, 1).as_nanos(), 2_666_666_666);
        assert_eq!(line.serve(Time::from_nanos(2_666_666_667), 1).as_nanos(), 5_333_333_333);
    }

    #[test]
    fn a_new_rate_starts_with_the_next_frame() {
        let mut line = line(8_000_000_000);
        assert_eq!(line.serve(Time::ZERO, 100).as_nanos(), 100);
        line.set_rate(RateLimit::Limited(Rate::from_bits_per_second(800_000_000).unwrap()));
        assert_eq!(line.serve(Time::ZERO, 100).as_nanos(), 1100);
        line.set_rate(RateLimit::Unlimited);
        assert_eq!(line.serve(Time::ZERO, 100).as_nanos(), 1100);
    }

    #[test]
    fn enormous_super_frames_do_not_overflow() {
        let mut line = line(1);
        let end = line.serve(Time::ZERO, 65_535 * 65_619);
        assert_eq!(end.as_nanos(), u64::MAX);
    }
}
