//! How the variance grows with the time that is summed over.

use netloom_units::Duration;

/// The variance of what was sent in times of one length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VariancePoint {
    /// How long each time is.
    pub time: Duration,
    /// The variance in bit².
    pub variance: f64,
    /// How many times it was taken of.
    pub count: usize,
}

/// The Hurst parameter as half the slope of log variance over log time. A hint only: it is low
/// where memory is long, since the series' own mean explains too much.
///
/// `None` for fewer than two points, and where nothing varies.
pub fn variance_time_hurst(points: &[VariancePoint]) -> Option<f64> {
    if points.len() < 2 || points.iter().any(|point| point.variance <= 0.0) {
        return None;
    }
    let pairs: Vec<(f64, f64)> = points
        .iter()
        .map(|point| (libm::log(point.time.as_secs_f64()), libm::log(point.variance)))
        .collect();
    let n = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
    let (x, y) = (x / n, y / n);
    let covariance: f64 = pairs.iter().map(|pair| (pair.0 - x) * (pair.1 - y)).sum();
    let spread: f64 = pairs.iter().map(|pair| (pair.0 - x) * (pair.0 - x)).sum();
    Some(covariance / spread / 2.0)
}
