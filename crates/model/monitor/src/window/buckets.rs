//! Delays in buckets: 16 to an octave, so that a bucket's upper edge is at most 1/16 above any
//! delay in it.

use netloom_units::Duration;

const BITS: u32 = 4;

/// Number of buckets.
pub const COUNT: usize = ((64 - BITS as usize) + 1) << BITS;

/// Returns the bucket of a delay.
#[inline]
pub fn of(delay: Duration) -> usize {
    let nanos = delay.as_nanos();
    // Below 16 ns every delay has its own bucket.
    let shift = (64 - BITS).saturating_sub(nanos.leading_zeros() + 1);
    ((u64::from(shift) << BITS) + (nanos >> shift)) as usize
}

/// Returns the longest delay of a bucket.
pub fn upper_edge(bucket: usize) -> Duration {
    let bucket = bucket as u64;
    // From the second octave on, the leading bit of the mantissa is part of the bucket's number.
    let shift = (bucket >> BITS).saturating_sub(1);
    let mantissa = bucket - (shift << BITS);
    Duration::from_nanos(
        u64::try_from(((u128::from(mantissa) + 1) << shift) - 1).unwrap_or(u64::MAX),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_delay_is_within_a_sixteenth_of_its_edge(bits in 0u32..64, low in any::<u64>()) {
            let nanos = low >> bits;
            let bucket = of(Duration::from_nanos(nanos));
            prop_assert!(bucket < COUNT);
            let edge = upper_edge(bucket).as_nanos();
            prop_assert!(edge >= nanos && edge - nanos <= nanos / 16);
            prop_assert!(bucket == 0 || upper_edge(bucket - 1).as_nanos() < nanos);
        }
    }
}
