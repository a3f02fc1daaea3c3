//! The main axes of a symmetric matrix, by power iteration.

/// Rounds for each axis.
const ROUNDS: usize = 100;

/// Returns the two main axes of a matrix of `size` rows, of length 1, each with the factor by which
/// the matrix stretches it. `times` multiplies the matrix with a vector.
pub(super) fn main_axes(size: usize, times: impl Fn(&[f64]) -> Vec<f64>) -> [(Vec<f64>, f64); 2] {
    let first = axis(size, 0, &[], &times);
    let second = axis(size, 1, &first.0, &times);
    [first, second]
}

/// Returns the main axis at a right angle to `other`.
fn axis(
    size: usize,
    number: usize,
    other: &[f64],
    times: impl Fn(&[f64]) -> Vec<f64>,
) -> (Vec<f64>, f64) {
    // Any start works whose components are not all equal.
    let start =
        |index: usize| ((index * 7919 + number * 104_729 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let (mut vector, mut length): (Vec<f64>, f64) = ((0..size).map(start).collect(), 0.0);
    for _ in 0..ROUNDS {
        let part = dot(&vector, other);
        vector.iter_mut().zip(other).for_each(|(value, other)| *value -= part * other);
        vector = times(&vector);
        length = dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|value| *value /= length.max(1e-9));
    }
    (vector, length)
}

/// Returns the product of two vectors; of one that is empty, 0.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
