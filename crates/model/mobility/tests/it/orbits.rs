//! Orbits compared with results that other code computed from the same formulas.

use std::collections::BTreeSet;

use netloom_mobility::Geographic;
use netloom_mobility::orbit::{
    Choice, Circular, Earth, Elements, GroundStation, Orbiting, Pass, WalkerConfig, contacts,
    distance, grid_of, passes, schedule, sights,
};
use netloom_units::{Angle, DataFormat, Duration, Stream, Time};

use crate::common::{at, second};

const LIGHT: f64 = 299_792_458.0;

fn walker(json: &str) -> WalkerConfig {
    let walker: WalkerConfig = serde_json::from_str(json).unwrap();
    walker.check().unwrap();
    walker
}

fn starlink() -> WalkerConfig {
    walker(
        r#"{"inclination": "53deg", "planes": 72, "satellites": 1584, "phasing": 39,
            "altitude": "550km"}"#,
    )
}

fn iridium() -> WalkerConfig {
    walker(
        r#"{"inclination": "86.4deg", "planes": 6, "satellites": 66, "phasing": 2,
            "altitude": "780km", "star": true}"#,
    )
}

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, not {expected}");
}

/// Returns the delays of the shortest and the longest link to the next plane, in ms.
fn beside(walker: &WalkerConfig, is_seam: impl Fn(u32) -> bool) -> (f64, f64) {
    let orbits = walker.orbits();
    let mut range = (f64::INFINITY, 0.0f64);
    for number in (0..walker.satellites).filter(|number| !is_seam(*number)) {
        let Some(other) = walker.neighbours(number).beside else { continue };
        for seconds in (0..6000).step_by(60) {
            let length =
                distance(&orbits[number as usize], &orbits[other as usize], second(seconds));
            let delay = length / LIGHT * 1e3;
            range = (range.0.min(delay), range.1.max(delay));
        }
    }
    range
}

#[test]
fn starlink_s_first_shell_has_the_lengths_of_its_geometry() {
    let walker = starlink();
    let orbits = walker.orbits();
    close(orbits[0].period() / 60.0, 95.50, 0.005);
    for number in [0, 21, 700] {
        let ahead = walker.neighbours(number).ahead;
        let length = distance(&orbits[number as usize], &orbits[ahead as usize], second(77));
        close(length / 1000.0, 1969.9, 0.05);
        close(length / LIGHT * 1e3, 6.571, 0.0005);
    }
    // Around the whole Earth planes and places add up, so that the last plane's links are like all
    // others.
    let (shortest, longest) = beside(&walker, |_| false);
    close(longest, 5.04, 0.005);
    let (_, last) = beside(&walker, |number| number < 1584 - 22);
    close(last, 5.04, 0.005);
    assert!(shortest > 4.7, "{shortest}");
    // The nearest satellite of the next plane is nearer.
    let nearest = (0..6000).step_by(30).flat_map(|seconds| {
        let places = orbits.iter().map(move |orbit| orbit.position(second(seconds)));
        let places: Vec<_> = places.take(44).collect();
        (22..44).map(move |other| places[0].distance(places[other]) / LIGHT * 1e3)
    });
    close(nearest.fold(f64::INFINITY, f64::min), 1.81, 0.01);
    // Each satellite adds two links, and each link is counted once.
    let links: usize = (0..walker.satellites)
        .map(|number| 1 + usize::from(walker.neighbours(number).beside.is_some()))
        .sum();
    assert_eq!(links, 2 * 1584);
}

#[test]
fn iridium_has_a_seam() {
    let walker = iridium();
    let orbits = walker.orbits();
    close(distance(&orbits[0], &orbits[1], Time::ZERO) / LIGHT * 1e3, 13.440, 0.0005);
    let links: usize =
        (0..66).map(|number| 1 + usize::from(walker.neighbours(number).beside.is_some())).sum();
    assert_eq!(links, 66 + 55);
    let refused =
        |json: &str| serde_json::from_str::<WalkerConfig>(json).unwrap().check().unwrap_err();
    let bad = r#"{"inclination": "53deg", "planes": 7, "satellites": 66, "altitude": "550km"}"#;
    assert!(refused(bad).contains("no multiple"));
    let low = r#"{"inclination": "53deg", "planes": 6, "satellites": 66, "altitude": "5km"}"#;
    assert!(refused(low).contains("from 100km"));
}

fn stuttgart() -> GroundStation {
    GroundStation::new(Geographic { lat: 48.78, lon: 9.18, alt: 0.0 }, Earth::Sphere(0.0)).unwrap()
}

/// Returns the satellite that a station uses, as a list of changes.
fn attachments(
    station: &GroundStation,
    satellites: &[&dyn Orbiting],
    elevation: Angle,
    choice: Choice,
    from: Time,
    until: Time,
) -> Vec<(Time, Option<usize>)> {
    let used = contacts(station, satellites, elevation, choice, 1, [from, until]);
    let passes = used.into_iter().flat_map(|(satellite, passes)| {
        passes.into_iter().map(move |pass| (pass.rise, pass.set, satellite))
    });
    let mut passes: Vec<_> = passes.collect();
    passes.sort_unstable();
    let mut changes = vec![];
    let mut free = from;
    for (rise, set, satellite) in passes {
        assert!(rise >= free, "one at a time");
        if rise > free {
            changes.push((free, None));
        }
        changes.push((rise, Some(satellite)));
        free = set;
    }
    changes
}

fn dynamic(orbits: &[Circular]) -> Vec<&dyn Orbiting> {
    orbits.iter().map(|orbit| orbit as &dyn Orbiting).collect()
}

/// In 90 min from Stuttgart, at an elevation of 25° or more: the nearest satellite changes each 37
/// s, and delays are 1.83 to 2.07 ms.
#[test]
fn stuttgart_sees_starlink() {
    let orbits = starlink().orbits();
    let satellites = dynamic(&orbits);
    let (station, until) = (stuttgart(), second(5400));
    let elevation = "25deg".parse().unwrap();
    let used = attachments(&station, &satellites, elevation, Choice::Nearest, Time::ZERO, until);
    let each = 5400.0 / (used.len() - 1) as f64;
    close(each, 37.0, 1.0);
    let delays = (0..5400).map(|seconds| {
        let after = used.partition_point(|(at, _)| *at <= second(seconds));
        let satellite = used[after - 1].1.expect("one is always in sight");
        distance(&station, satellites[satellite], second(seconds)) / LIGHT * 1e3
    });
    let (low, high) = delays
        .fold((f64::INFINITY, 0.0f64), |(low, high), delay| (low.min(delay), high.max(delay)));
    close(low, 1.83, 0.01);
    close(high, 2.07, 0.01);
    // With the choice of the longest pass, a satellite is used for longer.
    let longest = attachments(&station, &satellites, elevation, Choice::Longest, Time::ZERO, until);
    assert!(longest.len() * 3 < used.len(), "{}, {}", longest.len(), used.len());
}

/// At an elevation of 8.2° a satellite of Iridium is always in sight. Delays are 2.80 to 7.03 ms if
/// the nearest one is used.
#[test]
fn stuttgart_sees_iridium() {
    let orbits = iridium().orbits();
    let satellites = dynamic(&orbits);
    let (station, until) = (stuttgart(), second(5400));
    let elevation = "8.2deg".parse().unwrap();
    let used = attachments(&station, &satellites, elevation, Choice::Nearest, Time::ZERO, until);
    let mut range = (f64::INFINITY, 0.0f64);
    for seconds in 0..5400 {
        let after = used.partition_point(|(at, _)| *at <= second(seconds));
        let Some(satellite) = used[after - 1].1 else { continue };
        let delay = distance(&station, satellites[satellite], second(seconds)) / LIGHT * 1e3;
        range = (range.0.min(delay), range.1.max(delay));
    }
    close(range.0, 2.80, 0.01);
    close(range.1, 7.03, 0.02);
}

/// Stations with several links have the nearest satellites, or keep those that set last; with the
/// choice of paths they have all in sight.
#[test]
fn stations_have_several_links() {
    let orbits = starlink().orbits();
    let satellites = dynamic(&orbits);
    let (station, times) = (stuttgart(), [Time::ZERO, second(600)]);
    let elevation = "25deg".parse().unwrap();
    let used = |choice, most| contacts(&station, &satellites, elevation, choice, most, times);
    let at = |used: &[(usize, Vec<Pass>)], now: Time| -> Vec<usize> {
        let is_used = |passes: &[Pass]| passes.iter().any(|p| p.rise <= now && now < p.set);
        used.iter().filter(|(_, passes)| is_used(passes)).map(|(satellite, _)| *satellite).collect()
    };
    let (nearest, longest) = (used(Choice::Nearest, 3), used(Choice::Longest, 3));
    let all = used(Choice::Path, 3);
    let longest_one = used(Choice::Longest, 1);
    for seconds in 0..600 {
        let now = second(seconds);
        let limit = 25f64.to_radians();
        let mut seen: Vec<usize> = (0..satellites.len())
            .filter(|satellite| station.elevation(satellites[*satellite], now) >= limit)
            .collect();
        let mut here = at(&all, now);
        here.sort_unstable();
        assert_eq!(here, seen, "at {now}");
        let away = |satellite: &usize| distance(&station, satellites[*satellite], now);
        seen.sort_by(|a, b| away(a).total_cmp(&away(b)));
        seen.truncate(3);
        seen.sort_unstable();
        let mut here = at(&nearest, now);
        here.sort_unstable();
        assert_eq!(here, seen, "at {now}");
        // There are always more than three in sight.
        assert_eq!(at(&longest, now).len(), 3, "at {now}");
        assert_eq!(at(&longest_one, now).len(), 1, "at {now}");
    }
    // Links of the longest passes end when satellites set, and not before.
    for (satellite, passes) in &longest {
        let Some(own) = all.iter().find(|(other, _)| other == satellite) else { panic!() };
        for pass in passes {
            assert!(own.1.iter().any(|whole| whole.set == pass.set), "{satellite}: {pass:?}");
        }
    }
}

/// The Earth may be turned at the start: stations see what those further east see otherwise.
#[test]
fn the_earth_may_be_turned_at_the_start() {
    let orbits = starlink().orbits();
    let place = |lon: f64| Geographic { lat: 48.78, lon, alt: 0.0 };
    let turned = GroundStation::new(place(9.18), Earth::Sphere(30f64.to_radians())).unwrap();
    let east = GroundStation::new(place(39.18), Earth::Sphere(0.0)).unwrap();
    for seconds in [0, 777] {
        let (a, b) = (turned.position(second(seconds)), east.position(second(seconds)));
        close(a.distance(b), 0.0, 1e-3);
        let below = Earth::Sphere(30f64.to_radians()).below(&orbits[0], second(seconds));
        let same = Earth::Sphere(0.0).below(&orbits[0], second(seconds));
        close((same.lon - below.lon).rem_euclid(360.0), 30.0, 1e-9);
    }
}

#[test]
fn satellites_rise_and_set_at_their_elevation() {
    let orbits = starlink().orbits();
    let (station, elevation) = (stuttgart(), "25deg".parse().unwrap());
    let limit = 25f64.to_radians();
    let mut count = 0;
    for orbit in orbits.iter().step_by(11) {
        let found = passes(&station, orbit, elevation, Time::ZERO, second(20_000));
        for pass in &found {
            count += 1;
            assert!(pass.rise < pass.set);
            for end in [pass.rise, pass.set] {
                if end > Time::ZERO && end < second(20_000) {
                    // A satellite rises by some 0.001 radians a second.
                    close(station.elevation(orbit, end), limit, 1e-9);
                }
            }
        }
        // Compare with samples each second.
        for seconds in 0..20_000 {
            let now = second(seconds);
            let is_up = station.elevation(orbit, now) >= limit;
            let within = found.iter().any(|pass| pass.rise <= now && now < pass.set);
            assert_eq!(is_up, within, "at {now}");
        }
    }
    assert!(count > 100, "{count}");
}

/// With four satellites on an orbit, as with three, the Earth hides neighbours from each other.
/// With eleven it does not. Two satellites on different orbits have a line of sight from time to
/// time.
#[test]
fn the_earth_hides_satellites_from_each_other() {
    let plane = |satellites: u32| {
        walker(&format!(
            r#"{{"inclination": "90deg", "planes": 1, "satellites": {satellites},
                "altitude": "780km"}}"#
        ))
    };
    let orbits = plane(4).orbits();
    assert_eq!(sights(&orbits[0], &orbits[1], Time::ZERO, second(600)), []);
    let orbits = plane(11).orbits();
    let seen = sights(&orbits[0], &orbits[1], Time::ZERO, second(600));
    assert_eq!((seen.len(), seen[0].rise, seen[0].set), (1, Time::ZERO, second(600)));
    let (a, b) = (Circular::new(780e3, 0.0, 0.0, 0.0), Circular::new(780e3, 1.5, 0.0, 1.0));
    let seen = sights(&a, &b, Time::ZERO, second(12_000));
    // The height of the line between two satellites at the same distance r from the centre.
    let height = |at: Time| {
        let half = distance(&a, &b, at) / 2.0;
        (7_151e3f64.powi(2) - half * half).sqrt() - 6_371e3
    };
    assert!(seen.len() > 3, "{seen:?}");
    for pass in &seen[1..seen.len() - 1] {
        close(height(pass.rise), 0.0, 0.01);
        close(height(pass.set), 0.0, 0.01);
    }
}

/// A grid contains each link once, however few satellites there are.
#[test]
fn grids_have_each_link_once() {
    assert_eq!(iridium().grid().len(), 66 + 55);
    assert_eq!(starlink().grid().len(), 2 * 1584);
    let small =
        walker(r#"{"inclination": "53deg", "planes": 2, "satellites": 4, "altitude": "1000km"}"#);
    assert_eq!(small.grid(), [[0, 1], [0, 2], [1, 3], [2, 3]]);
    let one =
        walker(r#"{"inclination": "53deg", "planes": 1, "satellites": 1, "altitude": "1000km"}"#);
    assert!(one.grid().is_empty());
}

/// The neighbours of a constellation that is only known by its orbits are those of Walker's grid,
/// whatever order its satellites are in.
#[test]
fn a_grid_is_found_without_its_planes() {
    let sorted = |links: Vec<[u32; 2]>| -> BTreeSet<[u32; 2]> {
        let ordered = links.iter().map(|[a, b]| [*a.min(b), *a.max(b)]);
        let all: BTreeSet<[u32; 2]> = ordered.collect();
        assert_eq!(all.len(), links.len(), "each link is there once");
        all
    };
    // Places beside each other are the nearest ones.
    let delta = walker(
        r#"{"inclination": "53deg", "planes": 24, "satellites": 528, "phasing": 9,
            "altitude": "550km"}"#,
    );
    for walker in [delta, iridium()] {
        let orbits = walker.orbits();
        assert_eq!(sorted(grid_of(&dynamic(&orbits))), sorted(walker.grid()));
        // In another order: satellite `order[n]` of the constellation is the n-th.
        let mut order: Vec<usize> = (0..orbits.len()).collect();
        let mut stream = Stream::new(1, "order");
        for place in (1..order.len()).rev() {
            order.swap(place, stream.below(place as u64 + 1) as usize);
        }
        let mixed: Vec<Circular> = order.iter().map(|number| orbits[*number]).collect();
        let found = grid_of(&dynamic(&mixed)).into_iter();
        let found = found.map(|pair| pair.map(|place| order[place as usize] as u32)).collect();
        assert_eq!(sorted(found), sorted(walker.grid()));
    }
    // A satellite is missing: each of the others in its plane still has a link ahead.
    let mut orbits = starlink().orbits();
    orbits.remove(100);
    let links = sorted(grid_of(&dynamic(&orbits)));
    assert_eq!(links.len(), 1583 + 72 * 22 - 2);
    assert!(grid_of(&[]).is_empty());
    assert!(grid_of(&dynamic(&orbits[..1])).is_empty());
}

/// A satellite above a place on the ground is 90° above its horizon.
#[test]
fn satellites_are_above_the_place_below_them() {
    let orbit = iridium().orbits()[7];
    for seconds in [0, 100, 3000, 90_000] {
        let below = Earth::Sphere(0.0).below(&orbit, second(seconds));
        close(below.alt, 780e3, 1.0);
        let there = Geographic { alt: 0.0, ..below };
        let station = GroundStation::new(there, Earth::Sphere(0.0)).unwrap();
        close(station.elevation(&orbit, second(seconds)).to_degrees(), 90.0, 1e-4);
    }
}

/// Delays at 1,000 times have an error below a microsecond.
#[test]
fn schedules_follow_distances() {
    let walker = iridium();
    let orbits = walker.orbits();
    let tolerance = LIGHT * 0.5e-6;
    let mut stream = Stream::new(1, "times");
    for number in 0..20u32 {
        let neighbours = walker.neighbours(number);
        let other = neighbours.beside.unwrap_or(neighbours.ahead);
        let length = |at: Time| distance(&orbits[number as usize], &orbits[other as usize], at);
        let lines = schedule(length, Time::ZERO, second(600), tolerance);
        assert!(lines.len() < 600, "{}", lines.len());
        for _ in 0..50 {
            let now = at(stream.below(600_000));
            let after = lines.partition_point(|line| line.at <= now);
            let (start, end) = (lines[after - 1], lines[after.min(lines.len() - 1)]);
            let share = match end.at.since(start.at).as_secs_f64() {
                0.0 => 0.0,
                seconds => now.since(start.at).as_secs_f64() / seconds,
            };
            let line = start.metres + (end.metres - start.metres) * share;
            close(line / LIGHT * 1e6, length(now) / LIGHT * 1e6, 1.0);
        }
    }
}

/// Elements of Vallado's tests. The first positions are those of his report.
#[test]
fn two_line_elements_are_propagated_by_sgp4() {
    let text = "# a test\nVANGUARD\n\
        1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753\n\
        2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667\n";
    let elements = Elements::parse(text).unwrap();
    let (orbits, earth) = elements.orbits(Duration::from_secs(6 * 3600)).unwrap();
    assert_eq!(orbits[0].name(), "VANGUARD");
    let start = orbits[0].position(Time::ZERO);
    close(start.x / 1000.0, 7_022.465_292_66, 0.01);
    close(start.y / 1000.0, -1_400.082_967_55, 0.01);
    close(start.z / 1000.0, 0.039_951_55, 0.01);
    let later = orbits[0].position(second(6 * 3600));
    close(later.x / 1000.0, -7_154.031_202_02, 0.05);
    close(later.y / 1000.0, -3_783.176_825_04, 0.05);
    close(later.z / 1000.0, -3_536.194_122_94, 0.05);
    // A place on the ground turns with the Earth once in a sidereal day.
    let station =
        GroundStation::new(Geographic { lat: 48.78, lon: 9.18, alt: 250.0 }, earth).unwrap();
    let apart = distance(&station, &station, Time::ZERO);
    assert_eq!(apart, 0.0);
    close(station.position(Time::ZERO).distance(station.position(second(86_164))), 0.0, 100.0);
    let json = serde_json::to_string(&elements).unwrap();
    assert_eq!(serde_json::from_str::<Elements>(&json).unwrap(), elements);
    for (text, part) in [
        ("", "at least one"),
        (
            "1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753\n",
            "no second line",
        ),
        ("1 00005U\n2 00005\n", "line 1"),
        (
            "1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  475!\n\
             2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667\n",
            "checksum",
        ),
    ] {
        let error = Elements::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
