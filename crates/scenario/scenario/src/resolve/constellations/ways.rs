//! The links of a constellation: their ends, the times when they are up, and their delays over
//! time.

use netloom_document::{Diagnostic, Spanned};
use netloom_link::{Delay, DelayPoint, DelaySchedule};
use netloom_mobility::orbit::{self, GroundStation, Orbiting, Pass};
use netloom_units::{Duration, Time};

use super::super::report::Report;
use super::defaults::{ELEVATION, isl};
use crate::constellation::Sky;
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

/// Largest number of positions that are computed to find when satellites see each other and the
/// ground. Orbits are sampled at this interval at least.
const MOST_SAMPLES: u64 = 1_000_000_000;
const SAMPLE: Duration = Duration::from_secs(10);

/// Returns all links of a constellation for `duration` from the beginning of a run, or `None` after
/// an error.
pub(super) fn find(
    name: &Spanned<String>,
    raw: &Spanned<RawConstellation>,
    constellation: &Constellation,
    duration: Duration,
    report: &mut Report<'_>,
) -> Option<Vec<Way>> {
    let until = Time::ZERO + duration;
    let sky = match constellation.sky(duration) {
        Ok(sky) => sky,
        Err(error) => {
            let span = raw.tle.as_ref().map_or(name.span, |tle| tle.span);
            report.error(Diagnostic::error(span, error.to_string()));
            return None;
        }
    };
    let pairs = match (isl(raw), &constellation.orbits) {
        (RawIsl::Grid, Orbits::Walker(walker)) => walker.grid(),
        (RawIsl::Grid, Orbits::Tle(_)) => orbit::grid_of(&sky.all()),
        (RawIsl::None, _) => Vec::new(),
    };
    let couples = (pairs.len() + sky.satellites.len() * constellation.ground.len()) as u64;
    let samples = couples.saturating_mul(duration.as_nanos().div_ceil(SAMPLE.as_nanos()));
    if samples > MOST_SAMPLES {
        let message = format!(
            "contacts of `{}` cannot be computed for {duration}: {couples} pairs each {SAMPLE}",
            name.value
        );
        let help = "take a shorter `duration`, or fewer satellites or places on the ground";
        report.error(Diagnostic::error(name.span, message).with_help(help));
        return None;
    }
    let mut ways = grid(name, constellation, &sky, &pairs, until, report)?;
    for (station, ground) in raw.ground.iter() {
        if let Some(place) = constellation.ground.get(&station.value)
            && let Ok(place) = GroundStation::new(*place, sky.earth)
        {
            ways.extend(to_ground(station, ground, &place, constellation, &sky, until, report));
        }
    }
    Some(ways)
}

/// Returns the links between satellites. In a grid that a Walker constellation has by its numbers,
/// a link that is never up is an error; in one of two-line elements, which may be of any
/// satellites, it is left out.
fn grid(
    name: &Spanned<String>,
    constellation: &Constellation,
    sky: &Sky,
    pairs: &[[u32; 2]],
    until: Time,
    report: &mut Report<'_>,
) -> Option<Vec<Way>> {
    let (mut ways, mut hidden) = (Vec::new(), 0);
    for pair in pairs {
        let [a, b] = pair.map(|number| sky.satellites[number as usize].as_ref());
        let ends = pair.map(|number| constellation.satellite(number as usize));
        let up = orbit::sights(a, b, Time::ZERO, until);
        match (&constellation.orbits, up.is_empty()) {
            (_, false) => ways.push(Way { ends, delay: delay(a, b, &up), up }),
            (Orbits::Tle(_), true) => hidden += 1,
            (Orbits::Walker(_), true) => {
                let [first, second] = &ends;
                let message = format!("the Earth is between `{first}` and `{second}` all the time");
                let help = "take more satellites or a higher altitude, or leave these links out \
                            with `isl: none`";
                report.error(Diagnostic::error(name.span, message).with_help(help));
                return None;
            }
        }
    }
    if hidden > 0 {
        let message = format!(
            "{hidden} of {} links between satellites of `{}` are left out: the Earth is between \
             their ends all the time",
            pairs.len(),
            name.value
        );
        let help = "a `tle` file of a whole shell has neighbours that see each other";
        report.error(Diagnostic::warning(name.span, message).with_help(help));
    }
    Some(ways)
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
    let satellites = sky.all();
    let elevation = raw.elevation.unwrap_or(ELEVATION);
    let most = raw.links.as_ref().map_or(1, |links| links.value as usize);
    let times = [Time::ZERO, until];
    let passes = orbit::contacts(place, &satellites, elevation, raw.choose, most, times);
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
