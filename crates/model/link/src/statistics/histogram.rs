//! A compact store of delays: a logarithmic histogram that covers only the range of the delays.

/// Buckets per octave. A value is known to within half of 1/64, 0.8 %.
const OCTAVE: usize = 64;

/// Buckets for all values of 64 bits.
const BUCKETS: usize = 59 * OCTAVE;

/// A histogram of values, with a precision of 1 %.
///
/// Values below 128 have one bucket each; each octave above has 64 buckets of equal width. Only the
/// octaves from the smallest to the largest value take memory, 512 bytes each.
#[derive(Debug, Default, Clone)]
pub struct Histogram {
    /// Bucket of `counts[0]`, a multiple of [`OCTAVE`].
    first: usize,
    counts: Vec<u64>,
}

/// A bucket and its count, in a histogram that stores only buckets with values. A bucket may occur
/// more than once.
pub(super) type Sparse = (u16, u32);

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        // Compares the contents, not the memory.
        self.filled().eq(other.filled())
    }
}

impl Eq for Histogram {}

impl Histogram {
    /// Adds `value` with the count `times`.
    #[inline]
    pub fn record(&mut self, value: u64, times: u64) {
        self.add(bucket(value), times);
    }

    /// Adds the counts of `sparse`.
    pub(super) fn add_sparse(&mut self, sparse: &[Sparse]) {
        for (bucket, times) in sparse {
            self.add(usize::from(*bucket), u64::from(*times));
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, times) in other.filled() {
            self.add(bucket, times);
        }
    }

    /// Moves the contents into `sparse`. The memory is kept.
    pub(super) fn drain_into(&mut self, sparse: &mut Vec<Sparse>) {
        // Memory is reserved once and exactly, because there will be sixty of these.
        sparse.reserve_exact(self.filled().count());
        for (bucket, times) in self.filled() {
            push_sparse(sparse, bucket, times);
        }
        self.counts.fill(0);
    }

    /// Returns the smallest value such that at least the share `share` (0 to 1) of all `total`
    /// values is not above it. The result is the middle of its bucket.
    pub fn quantile(&self, share: f64, total: u64) -> u64 {
        let rank = ((share * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut below = 0;
        for (bucket, times) in self.filled() {
            below += times;
            if below >= rank {
                return middle(bucket);
            }
        }
        0
    }

    /// The buckets that contain values, in order, with their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (u16, u64)> {
        // The number of buckets fits into 16 bits.
        self.filled().map(|(bucket, times)| (bucket as u16, times))
    }

    /// Adds `times` values to a bucket. Returns whether the bucket exists.
    pub fn record_in(&mut self, bucket: u16, times: u64) -> bool {
        let exists = usize::from(bucket) < BUCKETS;
        if exists {
            self.add(bucket.into(), times);
        }
        exists
    }

    fn filled(&self) -> impl Iterator<Item = (usize, u64)> {
        let buckets = self.counts.iter().enumerate().filter(|(_, times)| **times > 0);
        buckets.map(|(index, times)| (self.first + index, *times))
    }

    #[inline]
    fn add(&mut self, bucket: usize, times: u64) {
        match bucket.checked_sub(self.first).and_then(|index| self.counts.get_mut(index)) {
            Some(count) => *count += times,
            None => self.widen(bucket, times),
        }
    }

    /// Adds `times` to `bucket` after making room for it, in whole octaves.
    #[cold]
    fn widen(&mut self, bucket: usize, times: u64) {
        let octave = bucket - bucket % OCTAVE;
        if self.counts.is_empty() {
            self.first = octave;
        }
        if octave < self.first {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.first - octave));
            self.first = octave;
        }
        let length = self.counts.len().max(octave + OCTAVE - self.first);
        self.counts.resize(length, 0);
        self.counts[bucket - self.first] += times;
    }
}

/// Adds `times` to the bucket of `value`.
pub(super) fn record_sparse(sparse: &mut Vec<Sparse>, value: u64, times: u64) {
    push_sparse(sparse, bucket(value), times);
}

fn push_sparse(sparse: &mut Vec<Sparse>, bucket: usize, mut times: u64) {
    // The number of buckets fits into 16 bits.
    let bucket = bucket as u16;
    while times > u64::from(u32::MAX) {
        sparse.push((bucket, u32::MAX));
        times -= u64::from(u32::MAX);
    }
    sparse.push((bucket, times as u32));
}

/// Returns the bucket of a value.
#[inline]
pub(super) fn bucket(value: u64) -> usize {
    // Below 128 the shift is 0, and the bucket is the value itself.
    let shift = (u64::BITS - 7).saturating_sub(value.leading_zeros()) as usize;
    shift * OCTAVE + (value >> shift) as usize
}

fn middle(bucket: usize) -> u64 {
    let shift = (bucket / OCTAVE).saturating_sub(1);
    let low = ((bucket - shift * OCTAVE) as u64) << shift;
    low + (1u64 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_hold_their_middle() {
        assert_eq!(bucket(0), 0);
        for value in 1..100_000u64 {
            let step = bucket(value) - bucket(value - 1);
            assert!(step <= 1, "{value}");
        }
        for index in 0..=bucket(u64::MAX) {
            assert_eq!(bucket(middle(index)), index);
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn a_value_is_known_within_one_percent() {
        for exponent in 0..64 {
            for value in [1u64 << exponent, (1 << exponent) + (1 << exponent) / 3] {
                let error = middle(bucket(value)).abs_diff(value) as f64 / value as f64;
                assert!(error < 0.01, "{value}: {error}");
            }
        }
    }

    #[test]
    fn quantiles_are_those_of_the_values() {
        let mut histogram = Histogram::default();
        (1..=100).rev().for_each(|value| histogram.record(value, 2));
        assert_eq!(histogram.quantile(0.5, 200), 50);
        assert_eq!(histogram.quantile(0.99, 200), 99);
        assert_eq!(histogram.quantile(1.0, 200), 100);
        assert_eq!(histogram.quantile(0.0, 200), 1);
    }

    #[test]
    fn a_sparse_copy_holds_the_same() {
        let (mut dense, mut sum, mut sparse) =
            (Histogram::default(), Histogram::default(), Vec::new());
        for (value, times) in [(3, 1), (1_000_000, u64::from(u32::MAX) * 2), (40, 7)] {
            dense.record(value, times);
        }
        dense.drain_into(&mut sparse);
        sum.add_sparse(&sparse);
        let total = u64::from(u32::MAX) * 2 + 8;
        assert_eq!(sum.filled().map(|(_, times)| times).sum::<u64>(), total);
        assert_eq!(sum.quantile(1.0 / total as f64, total), 3);
        assert_eq!(dense.filled().count(), 0);
    }

    #[test]
    fn the_memory_follows_the_spread() {
        let mut histogram = Histogram::default();
        histogram.record(10_000_000, 1);
        assert_eq!(histogram.counts.len(), OCTAVE);
        histogram.record(80_000_000, 1);
        assert!(histogram.counts.len() <= 5 * OCTAVE);
    }
}
