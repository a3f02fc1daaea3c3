//! The growth of the variance with the time that is summed over.

use netloom_units::Duration;

/// The variance of the bits sent in periods of one length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VariancePoint {
    /// Length of each period.
    pub time: Duration,
    /// Variance in bit².
    pub variance: f64,
    /// Number of periods of which the variance was computed.
    pub count: usize,
}

/// Estimates the Hurst parameter as half the slope of log variance over log time. It is only a
/// hint: it is too low if memory is long, because the series' own mean explains too much.
///
/// Returns `None` for fewer than two points, if nothing varies, and if the slope is none of a Hurst
/// parameter, which is above 0 and below 1.
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
    let hurst = covariance / spread / 2.0;
    (hurst > 0.0 && hurst < 1.0).then_some(hurst)
}
