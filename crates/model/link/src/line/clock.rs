//! Serialization at a known rate, exactly. Not here: which rate holds when.

use netloom_units::{Duration, Rate, Time};

/// 10⁻⁹ bits in a byte.
const NANOBITS_PER_BYTE: u64 = 8_000_000_000;

/// The clock of the line.
///
/// A frame of `n` line bytes takes `8n·10⁹/rate` ns, rarely a whole number. The fraction of a
/// nanosecond is carried over to the next frame, so back-to-back frames keep the exact rate for
/// ever. After an idle moment the fraction starts from zero.
///
/// With a token bucket of depth `b`, a frame leaves once the bucket holds its bytes, and the bucket
/// fills at the rate. That is the same clock, running `b` ahead:
/// `end = max(now, clock - 8b·10⁹/rate)`.
#[derive(Debug, Clone)]
pub(crate) struct LineClock {
    /// Time at which the line, without the bucket, would have sent everything so far, rounded down
    /// to a nanosecond.
    end: Time,
    /// The fraction that was rounded off, in 1/rate ns. It is less than `rate`.
    remainder: u64,
    /// The rate, which is also the unit of `remainder`.
    rate: Rate,
}

impl LineClock {
    pub fn new(rate: Rate, start: Time) -> Self {
        Self { end: start, remainder: 0, rate }
    }

    /// Sends `line_bytes` from `now` on, or from when the line is free if that is later. Returns
    /// the time at which the last bit is on the line.
    #[inline]
    pub fn send(&mut self, now: Time, line_bytes: u64, burst: Duration) -> Time {
        if now > self.end {
            self.end = now;
            self.remainder = 0;
        }
        let nanos = self.nanos_for(line_bytes);
        self.end = Time::from_nanos(self.end.as_nanos().saturating_add(nanos));
        if burst == Duration::ZERO { self.end } else { now.max(self.end - burst) }
    }

    /// Time at which the line has sent everything, without regard to the bucket.
    pub fn busy_until(&self) -> Time {
        self.end
    }

    /// Cancels everything that would be sent after `now`.
    pub fn abort(&mut self, now: Time) {
        self.end = self.end.min(now);
        self.remainder = 0;
    }

    /// Takes back `line_bytes` that were sent last, without an idle moment, from `end` on.
    pub fn take_back(&mut self, line_bytes: u64, end: Time) {
        let rate = u128::from(self.rate.bits_per_second());
        let work = u128::from(line_bytes) * u128::from(NANOBITS_PER_BYTE) % rate;
        self.remainder = ((u128::from(self.remainder) + rate - work) % rate) as u64;
        self.end = end;
    }

    /// Keeps the line busy until `end` at least.
    pub fn hold(&mut self, end: Time) {
        if end > self.end {
            self.end = end;
            self.remainder = 0;
        }
    }

    /// Sets the rate from the next frame on.
    pub fn set_rate(&mut self, rate: Rate) {
        if rate != self.rate {
            let [old, new] = [self.rate, rate].map(|rate| u128::from(rate.bits_per_second()));
            // The result fits into 64 bits: the remainder is less than the old rate, so the result
            // is less than the new one.
            self.remainder = (u128::from(self.remainder) * new / old) as u64;
            self.rate = rate;
        }
    }

    /// The current rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the whole nanoseconds for `line_bytes`, and keeps the fraction.
    #[inline]
    fn nanos_for(&mut self, line_bytes: u64) -> u64 {
        let rate = self.rate.bits_per_second();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(bits: u64) -> LineClock {
        LineClock::new(Rate::from_bits_per_second(bits).unwrap(), Time::ZERO)
    }

    fn send(clock: &mut LineClock, now: u64, line_bytes: u64) -> u64 {
        clock.send(Time::from_nanos(now), line_bytes, Duration::ZERO).as_nanos()
    }

    #[test]
    fn back_to_back_frames_keep_the_exact_rate() {
        for rate in [3, 7, 1_000_003, 99_999_989, 999_999_937, 10_000_000_000_000] {
            let mut clock = clock(rate);
            let mut bytes = 0u128;
            for index in 0..10_000u64 {
                let length = 60 + index % 1459;
                bytes += u128::from(length);
                let exact = bytes * 8_000_000_000 / u128::from(rate);
                let end = send(&mut clock, 0, length);
                assert_eq!(u128::from(end), exact, "{rate} bit/s, frame {index}");
            }
        }
    }

    #[test]
    fn an_idle_moment_forgets_the_remainder() {
        let mut clock = clock(3);
        assert_eq!(send(&mut clock, 0, 1), 2_666_666_666);
        assert_eq!(send(&mut clock, 2_666_666_667, 1), 5_333_333_333);
    }

    #[test]
    fn a_new_rate_starts_with_the_next_frame() {
        let mut clock = clock(8_000_000_000);
        assert_eq!(send(&mut clock, 0, 100), 100);
        clock.set_rate(Rate::from_bits_per_second(800_000_000).unwrap());
        assert_eq!(send(&mut clock, 0, 100), 1100);
    }

    #[test]
    fn a_bucket_lets_its_depth_go_at_once_and_then_the_rate() {
        let mut clock = clock(8_000_000);
        let burst = Duration::from_micros(3000);
        let ends: Vec<u64> =
            (0..5).map(|_| clock.send(Time::ZERO, 1000, burst).as_nanos() / 1000).collect();
        assert_eq!(ends, [0, 0, 0, 1000, 2000]);
        // After 2 ms without a frame the bucket holds 2000 bytes.
        let later = Time::from_nanos(4_000_000);
        let ends: Vec<u64> =
            (0..3).map(|_| clock.send(later, 1000, burst).as_nanos() / 1000).collect();
        assert_eq!(ends, [4000, 4000, 5000]);
    }

    #[test]
    fn enormous_super_frames_do_not_overflow() {
        assert_eq!(send(&mut clock(1), 0, 65_535 * 65_619), Time::MAX.as_nanos());
    }
}
