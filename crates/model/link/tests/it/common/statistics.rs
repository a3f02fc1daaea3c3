//! Statistical assertions. A correct model fails each of them for one in a hundred seeds. Seeds are
//! fixed, so a result never changes from run to run.

/// Normal quantile: 99 % of draws are within this number of standard deviations.
pub const Z_99: f64 = 2.576;

/// Student's t at 39 degrees of freedom, for means of 40 batches.
const T_99_OF_40: f64 = 2.708;

/// Asserts that `hits` of `total` independent draws is inside the 99 % interval for `probability`.
pub fn assert_share(hits: u64, total: u64, probability: f64, what: &str) {
    let expected = total as f64 * probability;
    let bound = Z_99 * (expected * (1.0 - probability)).sqrt();
    let distance = (hits as f64 - expected).abs();
    assert!(distance <= bound, "{what}: {hits} of {total}, not {expected:.1} ±{bound:.1}");
}

/// Asserts that the mean of `values`, which may depend on their neighbours, is inside its 99 %
/// interval around `expected`, computed from the means of 40 batches. The interval must be narrower
/// than `precision`.
pub fn assert_mean(values: &[f64], expected: f64, precision: f64, what: &str) {
    let size = values.len() / 40;
    let means: Vec<f64> =
        values.chunks_exact(size).take(40).map(|b| b.iter().sum::<f64>() / size as f64).collect();
    let mean = means.iter().sum::<f64>() / 40.0;
    let variance = means.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / 39.0;
    let bound = T_99_OF_40 * (variance / 40.0).sqrt();
    assert!((mean - expected).abs() <= bound, "{what}: {mean}, not {expected} ±{bound}");
    assert!(bound <= precision, "{what}: the interval is too wide to tell: ±{bound}");
}

/// Asserts that `counts` agree with `expected` by Pearson's χ² at 99 %. Every expected count must
/// be at least 5.
pub fn assert_counts(counts: &[u64], expected: &[f64], what: &str) {
    assert_eq!(counts.len(), expected.len());
    assert!(expected.iter().all(|e| *e >= 5.0), "{what}: too few to tell: {expected:?}");
    let terms = counts.iter().zip(expected).map(|(n, e)| (*n as f64 - e).powi(2) / e);
    let (statistic, freedom) = (terms.sum::<f64>(), counts.len() as f64 - 1.0);
    // Wilson and Hilferty 1931.
    let spread = 2.0 / (9.0 * freedom);
    let bound = freedom * (1.0 - spread + 2.326 * spread.sqrt()).powi(3);
    assert!(statistic <= bound, "{what}: χ² {statistic:.1} > {bound:.1}: {counts:?}, {expected:?}");
}

/// Asserts that `lengths`, each at least 1, follow the geometric law of `end`: length `k` has the
/// probability `(1 - end)^(k - 1) · end`.
pub fn assert_geometric(lengths: &[u64], end: f64, what: &str) {
    let total = lengths.len() as f64;
    let (mut counts, mut expected, mut rest) = (Vec::new(), Vec::new(), 1.0);
    let mut tail = lengths.len() as u64;
    for length in 1.. {
        let (here, behind) = (rest * end, rest * (1.0 - end));
        if total * here.min(behind) < 5.0 || counts.len() == 30 {
            break;
        }
        let count = lengths.iter().filter(|l| **l == length).count() as u64;
        counts.push(count);
        expected.push(total * here);
        (rest, tail) = (behind, tail - count);
    }
    counts.push(tail);
    expected.push(total * rest);
    assert_counts(&counts, &expected, what);
}

/// Asserts that `values` follow the distribution function `law` by Kolmogorov and Smirnov at 99 %;
/// `law` may jump.
pub fn assert_law(values: &[i64], law: impl Fn(f64) -> f64, what: &str) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let n = sorted.len() as f64;
    let mut largest = 0.0f64;
    let mut index = 0;
    while index < sorted.len() {
        let value = sorted[index];
        let next = index + sorted[index..].partition_point(|other| *other == value);
        // Values are whole numbers, so half a unit beside them is to the left and to the right of a
        // jump.
        let left = (law(value as f64 - 0.5) - index as f64 / n).abs();
        let right = (law(value as f64 + 0.5) - next as f64 / n).abs();
        largest = largest.max(left).max(right);
        index = next;
    }
    assert!(largest <= 1.628 / n.sqrt(), "{what}: distance {largest} > {}", 1.628 / n.sqrt());
}
