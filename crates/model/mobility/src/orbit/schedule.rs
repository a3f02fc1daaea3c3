//! Approximation of a distance over time by straight lines. A link's delay follows these.

use netloom_units::{Duration, Time};

/// A distance at a time. Between two of these points the distance is linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScheduledDistance {
    /// Time of the point.
    pub at: Time,
    /// Distance in m.
    pub metres: f64,
}

/// Returns straight lines that follow a smooth `distance` (in m) from `from` to `until`. The error
/// is at most about `tolerance` m.
///
/// A line is halved if its distance to the function at the middle or at a quarter exceeds half the
/// tolerance.
pub fn schedule(
    distance: impl Fn(Time) -> f64,
    from: Time,
    until: Time,
    tolerance: f64,
) -> Vec<ScheduledDistance> {
    // A line is never longer than this, even if it seems straight: a satellite may leave the line
    // and come back to it in between.
    const LONGEST: Duration = Duration::from_secs(120);
    let point = |at: Time| ScheduledDistance { at, metres: distance(at) };
    let mut lines = vec![point(from)];
    while let Some(start) = lines.last().copied().filter(|last| last.at < until) {
        let mut end = point((start.at + LONGEST).min(until));
        while end.at.since(start.at) > Duration::from_micros(1)
            && !is_straight(&distance, start, end, tolerance / 2.0)
        {
            let half = end.at.since(start.at).as_nanos() / 2;
            end = point(start.at + Duration::from_nanos(half));
        }
        lines.push(end);
    }
    lines
}

/// Whether a distance is within `tolerance` of a line, at the line's middle and quarters.
fn is_straight(
    distance: &impl Fn(Time) -> f64,
    start: ScheduledDistance,
    end: ScheduledDistance,
    tolerance: f64,
) -> bool {
    let length = end.at.since(start.at).as_nanos();
    [0.25, 0.5, 0.75].into_iter().all(|share| {
        let at = start.at + Duration::from_nanos((length as f64 * share) as u64);
        let line = start.metres + (end.metres - start.metres) * share;
        (distance(at) - line).abs() <= tolerance
    })
}
