//! Counters that one thread writes and another reads: lateness by buckets, traffic by slots of
//! time.

use std::sync::atomic::{AtomicU64, Ordering};

use netloom_units::{Duration, Time};

/// Number of buckets in an octave of lateness.
const OCTAVE: usize = 4;
pub(crate) const BUCKETS: usize = 64 * OCTAVE;
/// Length of a slot of traffic (δ of Maier 2011, Eq. 4.1), and number of slots, which are reused in
/// turn. A reader that looks less often cannot know in which slot bytes were counted.
pub(crate) const SLOT: Duration = Duration::from_millis(10);
pub(crate) const SLOTS: u64 = 32;

/// Adds to a counter that only this thread writes.
#[inline]
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

/// Returns the number of the slot that contains `at`.
#[inline]
pub(crate) fn slot_of(at: Time) -> u64 {
    at.as_nanos() / SLOT.as_nanos()
}

/// Returns the bucket of `nanos`: its octave, and the quarter within it.
#[inline]
pub(crate) fn bucket(nanos: u64) -> usize {
    let octave = nanos.checked_ilog2().unwrap_or(0) as usize;
    let quarter = if octave < 2 { 0 } else { (nanos >> (octave - 2)) as usize % OCTAVE };
    octave * OCTAVE + quarter
}

/// Returns the longest time in a bucket, in ns.
pub(crate) fn longest_of(bucket: usize) -> u64 {
    u64::try_from(above(bucket) - 1).unwrap_or(u64::MAX)
}

/// Returns the shortest time in a bucket, in ns.
pub(crate) fn shortest_of(bucket: usize) -> u64 {
    let (octave, quarter) = (bucket / OCTAVE, (bucket % OCTAVE) as u64);
    if octave < 2 { (1 << octave) & !1 } else { (4 + quarter) << (octave - 2) }
}

/// Returns the shortest time above a bucket, in ns.
fn above(bucket: usize) -> u128 {
    let (octave, quarter) = (bucket / OCTAVE, (bucket % OCTAVE) as u128);
    if octave < 2 { 2 << octave } else { (5 + quarter) << (octave - 2) }
}

/// Returns the increase of `counter` since it was `read`.
pub(crate) fn since(counter: &AtomicU64, read: &mut u64) -> u64 {
    let now = counter.load(Ordering::Relaxed);
    now - std::mem::replace(read, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_a_quarter_of_an_octave() {
        for exponent in 0..64 {
            for part in [0, 1, 2, 3] {
                let value = (1u64 << exponent) + part * ((1u64 << exponent) / 4);
                let (shortest, longest) = (shortest_of(bucket(value)), longest_of(bucket(value)));
                assert!(shortest <= value && value <= longest, "{value}");
                assert_eq!(bucket(longest), bucket(value), "{value}");
                assert_eq!(bucket(shortest), bucket(value), "{value}");
                assert!((longest - shortest) as f64 <= value as f64 / 4.0 + 1.0, "{value}");
            }
        }
        assert_eq!((bucket(0), longest_of(bucket(u64::MAX))), (0, u64::MAX));
    }
}
