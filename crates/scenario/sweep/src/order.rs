//! Order of the runs.

use netloom_units::Stream;

/// Returns the numbers of `points` points in the order in which they are run with a seed. It is
/// shuffled, so that what drifts with time falls on no parameter, and always the same.
pub fn order(points: usize, seed: u64) -> Vec<usize> {
    let mut stream = Stream::new(seed, "sweep");
    let mut order: Vec<usize> = (0..points).collect();
    // Fisher and Yates.
    for last in (1..points).rev() {
        let other = stream.below(last as u64 + 1) as usize;
        order.swap(last, other);
    }
    order
}
