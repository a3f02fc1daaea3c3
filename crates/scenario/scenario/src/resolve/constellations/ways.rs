//! The links of a constellation: their ends, the times when they are up, and their delays over
//! time.

use netloom_link::{Delay, DelayPoint, DelaySchedule};
use netloom_mobility::orbit::{self, GroundStation, Orbiting, Pass};
use netloom_units::{Duration, Time};

use super::super::report::Report;
use super::{ELEVATION, isl};
use crate::constellation::Sky;
use crate::decode::Spanned;
use crate::diagnostic::Diagnostic;
use crate::raw::{RawConstellation, RawGround, RawIsl};
use crate::spec::{Constellation, Orbits};

/// Speed of light, in m/s.
const LIGHT: f64 = 299_792_458.0;

/// Largest difference between delays and those of the exact distance, in s: below one microsecond.
const NEAR: f64 = 0.9e-6;

/// A link between two nodes.
pub(super) struct Way {
    pub ends: [String; 2],
    pub delay: Delay,
    /// Times when the link is up.
    pub up: Vec<Pass>,
}

/// Returns all links of a constellation for `duration` from the beginning of a run.
pub(super) fn find(
    name: &Spanned<String>,
    raw: &Spanned<RawConstellation>,
    constellation: &Constellation,
    duration: Duration,
    report: &mut Report<'_>,
) -> Vec<Way> {
    let until = Time::ZERO + duration;
    let sky = match constellation.sky(duration) {
        Ok(sky) => sky,
        Err(error) => {
            let span = raw.tle.as_ref().map_or(name.span, |tle| tle.span);
            report.error(Diagnostic::error(span, error.to_string()));
            return Vec::new();
        }
    };
    let mut ways = match isl(raw, report) {
        RawIsl::Grid => grid(name, constellation, &sky, until, report),
        RawIsl::None => Vec::new(),
    };
    for (station, ground) in raw.ground.iter() {
        if let Some(place) = constellation.ground.get(&station.value)
            && let Ok(place) = GroundStation::new(*place, sky.earth)
        {
            ways.extend(to_ground(station, ground, &place, constellation, &sky, until, report));
        }
    }
    ways
}

/// Returns the links between satellites.
fn grid(
    name: &Spanned<String>,
    constellation: &Constellation,
    sky: &Sky,
    until: Time,
    report: &mut Report<'_>,
) -> Vec<Way> {
    let Orbits::Walker(walker) = &constellation.orbits else { return Vec::new() };
    let mut ways = Vec::new();
    for pair in walker.grid() {
        let [a, b] = pair.map(|number| sky.satellites[number as usize].as_ref());
        let ends = pair.map(|number| constellation.satellite(number as usize));
        let up = orbit::sights(a, b, Time::ZERO, until);
        if up.is_empty() {
            let message =
                format!("the Earth is between `{}` and `{}` all the time", ends[0], ends[1]);
            let help = "take more satellites or a higher altitude, or leave these links out with \
                        `isl: none`";
            report.error(Diagnostic::error(name.span, message).with_help(help));
            return Vec::new();
        }
        let delay = delay(a, b, &up);
        ways.push(Way { ends, delay, up });
    }
    ways
}

/// Returns the links of a place on the ground, one for each satellite that it ever uses, in the
/// order of first use.
fn to_ground(
    station: &Spanned<String>,
    raw: &Spanned<RawGround>,
    place: &GroundStation,
    constellation: &Constellation,
    sky: &Sky,
    until: Time,
    report: &mut Report<'_>,
) -> Vec<Way> {
    let satellites: Vec<&dyn Orbiting> =
        sky.satellites.iter().map(|satellite| satellite.as_ref()).collect();
    let elevation = raw.elevation.unwrap_or(ELEVATION);
    let used = orbit::attachments(place, &satellites, elevation, raw.choose, Time::ZERO, until);
    let mut passes: Vec<(usize, Vec<Pass>)> = Vec::new();
    for (index, (rise, satellite)) in used.iter().enumerate() {
        let set = used.get(index + 1).map_or(until, |(next, _)| *next);
        let Some(satellite) = satellite.filter(|_| set > *rise) else { continue };
        let pass = Pass { rise: *rise, set };
        match passes.iter_mut().find(|(known, _)| *known == satellite) {
            Some((_, passes)) => passes.push(pass),
            None => passes.push((satellite, vec![pass])),
        }
    }
    if passes.is_empty() {
        let message = format!(
            "`{}` sees no satellite of `{}` from {elevation} on during the run",
            station.value, constellation.name
        );
        let help = "take a lower `elevation`, or a constellation that comes there";
        report.error(Diagnostic::warning(station.span, message).with_help(help));
    }
    let way = |(satellite, up): (usize, Vec<Pass>)| {
        let ends = [station.value.clone(), constellation.satellite(satellite)];
        let delay = delay(place, satellites[satellite], &up);
        Way { ends, delay, up }
    };
    passes.into_iter().map(way).collect()
}

/// Returns the delay while a link is up.
fn delay(a: &dyn Orbiting, b: &dyn Orbiting, up: &[Pass]) -> Delay {
    let length = |at| orbit::distance(a, b, at);
    // `schedule` compares half the tolerance with the error at the middle and the quarters of a
    // line.
    let tolerance = 2.0 * NEAR * LIGHT;
    let lines = up.iter().flat_map(|pass| orbit::schedule(length, pass.rise, pass.set, tolerance));
    let mut points: Vec<DelayPoint> = lines
        .map(|line| DelayPoint {
            at: line.at.since(Time::ZERO),
            delay: Duration::from_nanos((line.metres / LIGHT * 1e9).round() as u64),
        })
        .collect();
    points.dedup_by_key(|point| point.at);
    let Some(start) = points.first().copied() else { return Delay::ZERO };
    if points.iter().all(|point| point.delay == start.delay) {
        return start.delay.into();
    }
    if start.at > Duration::ZERO {
        // No frame passes before this time.
        points.insert(0, DelayPoint { at: Duration::ZERO, ..start });
    }
    DelaySchedule::new(points, None).map_or(start.delay.into(), Delay::Schedule)
}
