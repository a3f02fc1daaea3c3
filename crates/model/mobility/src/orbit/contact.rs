//! Times at which satellites rise and set, and the choice of the satellites that a ground station
//! uses.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use netloom_units::{Angle, Duration, Time};
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

/// Which of the satellites in sight a place has links to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The nearest ones, at any time.
    #[default]
    Nearest,
    /// Those that stay longest, until they set.
    Longest,
    /// All of them: the path decides which one is used.
    Path,
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

/// Returns the satellites that a ground station has links to from `from` to `until`, each with the
/// times of its link, in the order of first use. `most` is the largest number of links at a time,
/// which [`Choice::Path`] does not have.
pub fn contacts(
    ground: &GroundStation,
    satellites: &[&dyn Orbiting],
    elevation: Angle,
    choice: Choice,
    most: usize,
    [from, until]: [Time; 2],
) -> Vec<(usize, Vec<Pass>)> {
    let passes = |satellite: &&dyn Orbiting| passes(ground, *satellite, elevation, from, until);
    let all: Vec<Vec<Pass>> = satellites.iter().map(passes).collect();
    let mut used = match choice {
        Choice::Path => all.into_iter().enumerate().filter(|(_, own)| !own.is_empty()).collect(),
        Choice::Longest => while_used(longest(all, most, from), until),
        Choice::Nearest => while_used(nearest(ground, satellites, all, most, [from, until]), until),
    };
    used.sort_by_key(|(_, passes)| passes.first().map(|pass| pass.rise));
    used
}

/// The satellites that are used from a time on, in ascending order.
type Use = (Time, Vec<usize>);

/// Returns the times of each satellite that is used.
fn while_used(uses: Vec<Use>, until: Time) -> Vec<(usize, Vec<Pass>)> {
    let mut all: BTreeMap<usize, Vec<Pass>> = BTreeMap::new();
    for (index, (rise, satellites)) in uses.iter().enumerate() {
        let set = uses.get(index + 1).map_or(until, |(next, _)| *next);
        for satellite in satellites.iter().filter(|_| set > *rise) {
            let passes = all.entry(*satellite).or_default();
            match passes.last_mut().filter(|last| last.set == *rise) {
                Some(last) => last.set = set,
                None => passes.push(Pass { rise: *rise, set }),
            }
        }
    }
    all.into_iter().collect()
}

/// Keeps satellites until they set. Then chooses the ones in sight that set last.
fn longest(passes: Vec<Vec<Pass>>, most: usize, from: Time) -> Vec<Use> {
    let mut passes: Vec<(Pass, usize)> = passes
        .into_iter()
        .enumerate()
        .flat_map(|(satellite, passes)| passes.into_iter().map(move |pass| (pass, satellite)))
        .collect();
    passes.sort_by_key(|(pass, satellite)| (pass.rise, *satellite));
    let mut coming = passes.into_iter().peekable();
    let (mut now, mut uses) = (from, Vec::new());
    let mut used: Vec<(Pass, usize)> = Vec::new();
    let mut others: Vec<(Pass, usize)> = Vec::new();
    loop {
        others.extend(std::iter::from_fn(|| coming.next_if(|(pass, _)| pass.rise <= now)));
        used.retain(|(pass, _)| pass.set > now);
        others.retain(|(pass, _)| pass.set > now);
        // Of those that set last, the one that rose first.
        others.sort_by_key(|(pass, satellite)| (Reverse(pass.set), pass.rise, *satellite));
        let free = most.saturating_sub(used.len()).min(others.len());
        used.extend(others.drain(..free));
        let mut satellites: Vec<usize> = used.iter().map(|(_, satellite)| *satellite).collect();
        satellites.sort_unstable();
        uses.push((now, satellites));
        let rise = coming.peek().filter(|_| used.len() < most).map(|(pass, _)| pass.rise);
        let ends = used.iter().map(|(pass, _)| pass.set);
        match ends.chain(rise).min() {
            Some(next) => now = next,
            None => return uses,
        }
    }
}

/// Chooses the nearest satellites in sight. The choice changes where two distances are equal; that
/// time is solved for between two samples.
fn nearest(
    ground: &GroundStation,
    satellites: &[&dyn Orbiting],
    passes: Vec<Vec<Pass>>,
    most: usize,
    [from, until]: [Time; 2],
) -> Vec<Use> {
    // The interval is so short that no satellite is chosen and left again between two samples.
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
    let best = |seen: &[usize], at: Time| -> Vec<usize> {
        let place = ground.position(at);
        let away = |satellite: usize| satellites[satellite].position(at).distance(place);
        let mut near: Vec<(f64, usize)> = seen.iter().map(|one| (away(*one), *one)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut near: Vec<usize> = near.into_iter().take(most).map(|(_, one)| one).collect();
        near.sort_unstable();
        near
    };
    let mut uses: Vec<Use> = Vec::new();
    let mut change = |at: Time, satellites: &[usize]| {
        if uses.last().is_none_or(|(_, last)| last != satellites) {
            uses.push((at, satellites.to_vec()));
        }
    };
    let (mut now, mut next_end) = (from, 0);
    let mut seen = in_sight(now);
    let mut current = best(&seen, now);
    change(now, &current);
    while now < until {
        while ends.get(next_end).is_some_and(|end| *end <= now) {
            next_end += 1;
        }
        let end = ends.get(next_end).copied().unwrap_or(until);
        let next = (now + LOOK).min(until).min(end);
        let found = best(&seen, next);
        while found != current {
            now = first(now, next, |at| best(&seen, at) != current);
            current = best(&seen, now);
            change(now, &current);
        }
        if next == end {
            seen = in_sight(next);
        }
        current = best(&seen, next);
        change(next, &current);
        now = next;
    }
    uses
}
