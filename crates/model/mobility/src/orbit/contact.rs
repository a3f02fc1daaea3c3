//! Times at which satellites rise and set, and the choice of the satellite that a ground station
//! uses.

use netloom_units::{Angle, Duration, Time};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroundStation, Orbiting, circular};
use crate::Point;

/// A time for which a satellite is high enough above the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The first nanosecond at which the satellite is high enough.
    pub rise: Time,
    /// The first nanosecond after it at which the satellite is too low.
    pub set: Time,
}

/// Which of the satellites in sight a place uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The nearest one, at any time.
    #[default]
    Nearest,
    /// The one that stays longest, until it sets.
    Longest,
}

/// Interval between samples. Between two samples nothing rises and sets again, except passes that
/// the search of maxima finds.
const LOOK: Duration = Duration::from_secs(10);

/// Returns the times from `from` to `until` for which a satellite has at least this elevation. A
/// pass that is in progress at `from` or `until` begins or ends there.
pub fn passes(
    ground: &GroundStation,
    satellite: &dyn Orbiting,
    elevation: Angle,
    from: Time,
    until: Time,
) -> Vec<Pass> {
    spans(&|at: Time| ground.above(satellite, elevation, at), from, until)
}

/// Returns the times from `from` to `until` for which two satellites have a line of sight: the
/// straight line between them does not touch the Earth, a sphere of 6371 km.
pub fn sights(a: &dyn Orbiting, b: &dyn Orbiting, from: Time, until: Time) -> Vec<Pass> {
    spans(&|at: Time| clearance(a.position(at), b.position(at)), from, until)
}

/// Returns the least height of the line between two places above the ground, in m.
fn clearance(a: Point, b: Point) -> f64 {
    let way = b - a;
    let square = way.dot(way);
    let share = if square > 0.0 { (-a.dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    (a + way * share).length() - circular::RADIUS
}

/// Returns the times for which a smooth function is 0 or more.
fn spans(above: &impl Fn(Time) -> f64, from: Time, until: Time) -> Vec<Pass> {
    let is_up = |at: Time| above(at) >= 0.0;
    let mut passes: Vec<Pass> = Vec::new();
    let mut rise = is_up(from).then_some(from);
    let mut now = from;
    while now < until {
        let next = (now + LOOK).min(until);
        let is_up_then = is_up(next);
        // A pass may be shorter than the interval between samples. Its highest point is then
        // between two samples.
        let middle = match (rise, is_up_then) {
            (None, false) => highest(above, now, next).filter(|at| is_up(*at)),
            _ => None,
        };
        let ends = middle.map(|at| (at, true)).into_iter().chain([(next, is_up_then)]);
        for (end, is_up_there) in ends {
            match (rise, is_up_there) {
                (None, true) => rise = Some(first(now, end, is_up)),
                (Some(begun), false) => {
                    let set = first(now, end, |at| !is_up(at));
                    passes.push(Pass { rise: begun, set });
                    rise = None;
                }
                _ => {}
            }
            now = end;
        }
    }
    passes.extend(rise.map(|rise| Pass { rise, set: until }));
    passes
}

/// Returns the first nanosecond of (`from`, `until`] at which a condition holds. It must hold at
/// `until` and not at `from`.
fn first(from: Time, until: Time, holds: impl Fn(Time) -> bool) -> Time {
    let (mut low, mut high) = (from.as_nanos(), until.as_nanos());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(Time::from_nanos(middle)) { high = middle } else { low = middle }
    }
    Time::from_nanos(high)
}

/// Returns the time of a function's maximum, to a microsecond, unless the maximum is at an end of
/// the interval. The function must have one extremum at most.
fn highest(function: &impl Fn(Time) -> f64, from: Time, until: Time) -> Option<Time> {
    const NEAR: Duration = Duration::from_millis(1);
    let rises = function(from + NEAR) > function(from);
    let falls = function(until - NEAR) > function(until);
    if !(rises && falls) {
        return None;
    }
    let (mut low, mut high) = (from.as_nanos(), until.as_nanos());
    while high - low > 1000 {
        let third = (high - low) / 3;
        let (left, right) = (low + third, high - third);
        if function(Time::from_nanos(left)) < function(Time::from_nanos(right)) {
            low = left;
        } else {
            high = right;
        }
    }
    Some(Time::from_nanos(low))
}

/// Returns the satellite that a ground station uses, as a list of changes from `from` to `until`.
/// `None` means that no satellite is in sight.
pub fn attachments(
    ground: &GroundStation,
    satellites: &[&dyn Orbiting],
    elevation: Angle,
    choice: Choice,
    from: Time,
    until: Time,
) -> Vec<(Time, Option<usize>)> {
    let all = satellites.iter().map(|one| passes(ground, *one, elevation, from, until)).collect();
    match choice {
        Choice::Longest => longest(all, from),
        Choice::Nearest => nearest(ground, satellites, all, from, until),
    }
}

/// Keeps a satellite until it sets. Then chooses the one in sight that sets last.
fn longest(passes: Vec<Vec<Pass>>, from: Time) -> Vec<(Time, Option<usize>)> {
    let mut passes: Vec<(Pass, usize)> = passes
        .into_iter()
        .enumerate()
        .flat_map(|(satellite, passes)| passes.into_iter().map(move |pass| (pass, satellite)))
        .collect();
    passes.sort_by_key(|(pass, satellite)| (pass.rise, *satellite));
    let (mut used, mut now, mut next) = (Vec::new(), from, 0);
    let mut last: Option<(Pass, usize)> = None;
    loop {
        while let Some((pass, satellite)) = passes.get(next).filter(|(pass, _)| pass.rise <= now) {
            if last.is_none_or(|(last, _)| pass.set > last.set) {
                last = Some((*pass, *satellite));
            }
            next += 1;
        }
        now = match (last.filter(|(pass, _)| pass.set > now), passes.get(next)) {
            (Some((pass, satellite)), _) => {
                used.push((now, Some(satellite)));
                pass.set
            }
            (None, Some((pass, _))) => {
                used.push((now, None));
                pass.rise
            }
            (None, None) => {
                used.push((now, None));
                break;
            }
        };
    }
    used.dedup_by_key(|(_, satellite)| *satellite);
    used
}

/// Chooses the nearest satellite in sight. It changes where two distances are equal; that time is
/// solved for between two samples.
fn nearest(
    ground: &GroundStation,
    satellites: &[&dyn Orbiting],
    passes: Vec<Vec<Pass>>,
    from: Time,
    until: Time,
) -> Vec<(Time, Option<usize>)> {
    // The interval is so short that the nearest satellite changes at most once between two samples.
    const LOOK: Duration = Duration::from_secs(1);
    let mut ends: Vec<Time> =
        passes.iter().flatten().flat_map(|pass| [pass.rise, pass.set]).collect();
    ends.sort_unstable();
    let in_sight = |at: Time| -> Vec<usize> {
        let sees = |passes: &Vec<Pass>| {
            let after = passes.partition_point(|pass| pass.rise <= at);
            after > 0 && passes[after - 1].set > at
        };
        (0..satellites.len()).filter(|satellite| sees(&passes[*satellite])).collect()
    };
    let best = |seen: &[usize], at: Time| -> Option<usize> {
        let place = ground.position(at);
        let away = |satellite: usize| satellites[satellite].position(at).distance(place);
        seen.iter().copied().min_by(|a, b| away(*a).total_cmp(&away(*b)))
    };
    let mut used: Vec<(Time, Option<usize>)> = Vec::new();
    let mut change = |at: Time, satellite: Option<usize>| {
        if used.last().is_none_or(|(_, last)| *last != satellite) {
            used.push((at, satellite));
        }
    };
    let (mut now, mut next_end) = (from, 0);
    let mut seen = in_sight(now);
    let mut current = best(&seen, now);
    change(now, current);
    while now < until {
        while ends.get(next_end).is_some_and(|end| *end <= now) {
            next_end += 1;
        }
        let end = ends.get(next_end).copied().unwrap_or(until);
        let next = (now + LOOK).min(until).min(end);
        let found = best(&seen, next);
        if found != current {
            change(first(now, next, |at| best(&seen, at) != current), found);
        }
        if next == end {
            seen = in_sight(next);
        }
        current = best(&seen, next);
        change(next, current);
        now = next;
    }
    used
}
