//! Satellites as nodes: the delays of their links follow the distances, and links go up and down as
//! satellites rise and set.

use std::collections::BTreeMap;

use netloom_link::{Delay, LinkState, PipeConfig};
use netloom_scenario::{Scenario, Start, TimelineAction, load};
use netloom_units::{Duration, Stream};

const LIGHT: f64 = 299_792_458.0;
const EARTH: f64 = 6_371_000.0;

fn scenario(topology: &str) -> Scenario {
    let text = format!("name: x\nduration: 600s\ntopology:\n{topology}");
    let loaded = load(&text).unwrap_or_else(|bad| panic!("{}", bad.render("x", &text)));
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings.render("x", &text));
    loaded.scenario
}

const STARLINK: &str = "
  nodes: {}
  constellations:
    star:
      walker: { inclination: 53deg, planes: 72, satellites: 1584, phasing: 39, altitude: 550km }
      ground:
        stuttgart: { lat: 48.78, lon: 9.18 }
        tokyo: { lat: 35.68, lon: 139.69, choose: longest }
";

/// Returns the position in m of a node of Starlink's first shell, from the satellite's name.
fn place(node: &str, seconds: f64) -> [f64; 3] {
    let degrees = |value: f64| value.to_radians();
    let ground = match node {
        "stuttgart" => Some((48.78, 9.18)),
        "tokyo" => Some((35.68, 139.69)),
        _ => None,
    };
    if let Some((lat, lon)) = ground {
        let (lat, lon) = (degrees(lat), degrees(lon) + 7.292_115_9e-5 * seconds);
        return [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()].map(|x| x * EARTH);
    }
    let mut numbers = node.split('-').skip(1).map(|number| number.parse::<f64>().unwrap() - 1.0);
    let (plane, slot) = (numbers.next().unwrap(), numbers.next().unwrap());
    let radius = EARTH + 550e3;
    let rate = (3.986_004_418e14 / radius.powi(3)).sqrt();
    let node = degrees(360.0 * plane / 72.0);
    let along = degrees(360.0 * slot / 22.0 + 360.0 * 39.0 * plane / 1584.0) + rate * seconds;
    let (x, y, tilt) = (along.cos(), along.sin(), degrees(53.0));
    [
        radius * (x * node.cos() - y * tilt.cos() * node.sin()),
        radius * (x * node.sin() + y * tilt.cos() * node.cos()),
        radius * y * tilt.sin(),
    ]
}

fn seconds_of_light(a: &str, b: &str, seconds: f64) -> f64 {
    let (a, b) = (place(a, seconds), place(b, seconds));
    let square: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
    square.sqrt() / LIGHT
}

/// Returns the changes of each link's state in order: the time, and whether the link is up from
/// then on. The first change is at 0.
fn states(scenario: &Scenario) -> BTreeMap<&str, Vec<(Duration, bool)>> {
    let first = |pipe: &PipeConfig| vec![(Duration::ZERO, pipe.state == LinkState::Up)];
    let links = scenario.links.iter();
    let mut states: BTreeMap<&str, Vec<(Duration, bool)>> =
        links.map(|link| (link.name.as_str(), first(&link.forward))).collect();
    for event in &scenario.timeline {
        let (Start::At(at), TimelineAction::SetLink { link, change, .. }) =
            (&event.at, &event.action)
        else {
            panic!("{event:?}")
        };
        let changes = states.get_mut(link.as_str()).unwrap();
        let is_up = change.state == Some(LinkState::Up);
        let last = changes.last().unwrap();
        assert!(last.0 < *at && last.1 != is_up, "{link} at {at}: {changes:?}");
        changes.push((*at, is_up));
    }
    states
}

fn is_up(changes: &[(Duration, bool)], at: Duration) -> bool {
    changes[changes.partition_point(|(since, _)| *since <= at) - 1].1
}

/// At a thousand random times of random links, the delay is that of the distance to a microsecond.
#[test]
fn delays_are_those_of_the_distance() {
    let scenario = scenario(STARLINK);
    assert_eq!(scenario.nodes.len(), 1584 + 2);
    let between = scenario.links.iter().filter(|link| link.endpoints[0].node.starts_with("star"));
    assert_eq!(between.count(), 2 * 1584);
    let states = states(&scenario);
    let mut stream = Stream::new(1, "links");
    let mut count = 0;
    while count < 1000 {
        // Every other sample is a link to the ground.
        let ground = scenario.links.len() - 2 * 1584;
        let number = match count % 2 {
            0 => stream.below(2 * 1584),
            _ => 2 * 1584 + stream.below(ground as u64),
        };
        let link = &scenario.links[number as usize];
        let at = Duration::from_nanos(stream.below(600_000_000_000));
        if !is_up(&states[link.name.as_str()], at) {
            continue;
        }
        count += 1;
        let [a, b] = link.endpoints.each_ref().map(|end| end.node.as_str());
        let expected = seconds_of_light(a, b, at.as_secs_f64());
        for pipe in [&link.forward, &link.reverse] {
            let delay = pipe.delay.at(at).as_secs_f64();
            assert!((delay - expected).abs() < 1e-6, "{a}, {b}, {at}: {delay}, {expected}");
        }
    }
    // Distances along planes are constant; between planes they are nearly linear for 30 s or so.
    let points = scenario.links.iter().take(2 * 1584).map(|link| match &link.forward.delay {
        Delay::Constant(_) => 1,
        Delay::Schedule(schedule) => schedule.points().len(),
    });
    let points: Vec<usize> = points.collect();
    assert_eq!(points.iter().filter(|count| **count == 1).count(), 1584);
    assert!(points.iter().all(|count| *count < 50), "{:?}", points.iter().max());
}

/// A place has a link to one satellite at a time, at an elevation of at least 25°. The nearest one
/// changes every 37 s.
#[test]
fn places_on_the_ground_use_one_satellite_at_a_time() {
    let scenario = scenario(STARLINK);
    let states = states(&scenario);
    for (station, changes) in [("stuttgart", 13..20), ("tokyo", 2..7)] {
        let links: Vec<_> = scenario.links.iter().map(|link| &link.endpoints).collect();
        let links = links.iter().filter(|ends| ends[0].node == station);
        let links: Vec<&str> = links.map(|ends| ends[1].node.as_str()).collect();
        assert!(changes.contains(&(links.len() - 1)), "{station}: {links:?}");
        for second in 0..600 {
            let at = Duration::from_secs(second) + Duration::from_nanos(1);
            let used = links
                .iter()
                .filter(|satellite| is_up(&states[format!("{station}--{satellite}").as_str()], at));
            let used: Vec<_> = used.collect();
            assert_eq!(used.len(), 1, "{station} at {second} s: {used:?}");
            let delay = seconds_of_light(station, used[0], at.as_secs_f64());
            // 550 km vertically, 1124 km at 25°.
            assert!((1.83e-3..3.76e-3).contains(&delay), "{delay}");
            if station == "stuttgart" {
                assert!(delay < 2.08e-3, "{delay}");
            }
        }
    }
}

/// The first and last planes of a star move against each other, and have no links.
#[test]
fn stars_have_a_seam() {
    let scenario = scenario(
        "
  groups: { sats: { services: [ospf] } }
  nodes:
    user: { group: sats, kind: router }
  constellations:
    iridium:
      walker:
        { inclination: 86.4deg, planes: 6, satellites: 66, phasing: 2, altitude: 780km, star: true }
      isl: grid
      group: sats
      link: { rate: 10Mbit/s }
      ground: { user: { lat: 48.78, lon: 9.18, elevation: 8.2deg } }
",
    );
    let links: Vec<&str> = scenario.links.iter().map(|link| link.name.as_str()).collect();
    let isl: Vec<&str> = links.iter().copied().filter(|name| name.starts_with("irid")).collect();
    assert_eq!(isl.len(), 66 + 55);
    assert!(isl.contains(&"iridium-1-1--iridium-2-1"));
    assert!(!isl.iter().any(|name| name.contains("iridium-1-") && name.contains("iridium-6-")));
    // The nodes of the file remain, and come first.
    assert_eq!(scenario.nodes[0].name, "user");
    assert!(scenario.nodes.iter().all(|node| node.groups == ["sats"]));
    assert_eq!(scenario.nodes.len(), 67);
    let link = scenario.link("iridium-1-1--iridium-1-2").unwrap();
    assert!((link.forward.delay.nominal().as_secs_f64() - 13.440e-3).abs() < 5e-7);
    assert_eq!(link.forward.rate.to_string(), "10Mbit/s");
    states(&scenario);
}

/// Satellites of two-line elements have links to the ground only.
#[test]
fn two_line_elements_become_satellites() {
    let text = "name: x
duration: 40000s
topology:
  nodes: {}
  constellations:
    station:
      tle:
        - ISS (ZARYA)
        - 1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927
        - 2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537
      ground:
        equator: { lat: 0, lon: 0, elevation: 0deg }
        pole: { lat: 90, lon: 0, elevation: 0deg }
";
    let loaded = load(text).unwrap_or_else(|bad| panic!("{}", bad.render("x", text)));
    let warnings = loaded.warnings.render("x", text);
    assert!(warnings.contains("`pole` sees no satellite of `station` from 0deg on"), "{warnings}");
    let scenario = loaded.scenario;
    let names: Vec<&str> = scenario.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["station-1", "equator", "pole"]);
    let json = serde_json::to_string(&scenario).unwrap();
    assert_eq!(serde_json::from_str::<Scenario>(&json).unwrap(), scenario);
    let [link] = &scenario.links[..] else { panic!("{:?}", scenario.links) };
    assert_eq!(link.name, "equator--station-1");
    // Between the altitude of the space station and the distance to the horizon.
    let (least, most) = (link.forward.delay.least(), link.forward.delay.most());
    assert!(least > Duration::from_micros(1000) && most < Duration::from_micros(8000));
    assert!(!scenario.timeline.is_empty());
    states(&scenario);
}

/// Returns the shortest round trip between two nodes at a time, in ms, over links that are up.
fn round_trip(
    scenario: &Scenario,
    states: &BTreeMap<&str, Vec<(Duration, bool)>>,
    ends: [&str; 2],
    at: Duration,
) -> Option<f64> {
    let mut ways: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for link in scenario.links.iter().filter(|link| is_up(&states[link.name.as_str()], at)) {
        let [a, b] = link.endpoints.each_ref().map(|end| end.node.as_str());
        let delay = link.forward.delay.at(at).as_millis_f64();
        ways.entry(a).or_default().push((b, delay));
        ways.entry(b).or_default().push((a, delay));
    }
    let mut distances = BTreeMap::from([(ends[0], 0.0)]);
    let mut queue: Vec<(f64, &str)> = vec![(0.0, ends[0])];
    while let Some(nearest) = (0..queue.len()).min_by(|a, b| queue[*a].0.total_cmp(&queue[*b].0)) {
        let (way, node) = queue.swap_remove(nearest);
        if node == ends[1] {
            return Some(2.0 * way);
        }
        for (next, delay) in ways.get(node).into_iter().flatten() {
            let way = way + delay;
            if distances.get(next).is_none_or(|known| way < *known) {
                distances.insert(next, way);
                queue.push((way, next));
            }
        }
    }
    None
}

/// Kuiper's first shell, as in Hypatia (Kassing et al., IMC 2020, figure 3): satellites of every
/// other plane are half a place ahead, the run begins on 2000-01-01, and stations reach satellites
/// up to 1260 km away. The round trip from Manila to Dalian is 25 to 48 ms within 200 s.
#[test]
fn round_trips_of_a_free_choice_are_those_of_hypatia() {
    let text = |choose: &str| {
        format!(
            "name: x
duration: 200s
topology:
  nodes: {{}}
  constellations:
    kuiper:
      walker:
        {{ inclination: 51.9deg, planes: 34, satellites: 1156, phasing: 17, altitude: 630km }}
      meridian: 99.9678deg
      ground:
        manila: {{ lat: 14.6042, lon: 120.9822, elevation: 25.2deg, choose: {choose} }}
        dalian: {{ lat: 38.9228, lon: 121.6298, elevation: 25.2deg, choose: {choose} }}
"
        )
    };
    let range = |choose: &str| {
        let text = text(choose);
        let loaded = load(&text).unwrap_or_else(|bad| panic!("{}", bad.render("x", &text)));
        let states = states(&loaded.scenario);
        // The shortest way is there for seconds only.
        let seconds = (0..24).chain((24..200).step_by(8)).chain(124..132);
        let trips = seconds.map(|second| {
            let at = Duration::from_secs(second) + Duration::from_nanos(1);
            round_trip(&loaded.scenario, &states, ["manila", "dalian"], at).expect("a path")
        });
        trips.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), trip| {
            (low.min(trip), high.max(trip))
        })
    };
    let (low, high) = range("path");
    assert!((low - 25.4).abs() < 0.2 && (high - 48.1).abs() < 0.2, "{low} to {high}");
    // A link at a time makes it many times as long: one satellite moves north, the other south.
    let (_, high) = range("nearest");
    assert!(high > 80.0, "{high}");
}

#[test]
fn stations_have_as_many_links_as_they_say() {
    let with = |keys: &str| {
        format!(
            "
  nodes: {{}}
  constellations:
    star:
      walker: {{ inclination: 53deg, planes: 72, satellites: 1584, phasing: 39, altitude: 550km }}
      isl: none
      ground: {{ stuttgart: {{ lat: 48.78, lon: 9.18, {keys} }} }}
"
        )
    };
    let most_and_least = |keys: &str| {
        let scenario = scenario(&with(keys));
        let states = states(&scenario);
        let count = |second: u64| {
            let at = Duration::from_secs(second) + Duration::from_nanos(1);
            states.values().filter(|changes| is_up(changes, at)).count()
        };
        let counts = || (0..600).map(count);
        (counts().min().unwrap(), counts().max().unwrap())
    };
    assert_eq!(most_and_least("links: 1"), (1, 1));
    assert_eq!(most_and_least("links: 3"), (3, 3));
    assert_eq!(most_and_least("links: 2, choose: longest"), (2, 2));
    let (least, most) = most_and_least("choose: path");
    assert!(least > 3 && most > least, "{least} to {most}");
    for (keys, words) in [
        ("links: 0", "a station without links reaches nobody"),
        ("links: 2, choose: path", "has links to all satellites in sight"),
    ] {
        let text = format!("name: x\nduration: 600s\ntopology:{}", with(keys));
        let error = load(&text).unwrap_err().render("x", &text);
        assert!(error.contains(words), "{error}");
    }
}

/// Returns a line of a two-line element set, with its checksum.
fn with_checksum(line: &str) -> String {
    let sum: u32 = line.chars().map(|c| c.to_digit(10).unwrap_or(u32::from(c == '-'))).sum();
    format!("{line}{}", sum % 10)
}

/// Returns a scenario with a shell of two-line elements, as Hypatia writes it: planes one after the
/// other, every other one half a place ahead.
fn shell(planes: u32, each: u32, keys: &str) -> String {
    let mut lines = String::new();
    for plane in 0..planes {
        for place in 0..each {
            let number = plane * each + place + 1;
            let node = 360.0 * f64::from(plane) / f64::from(planes);
            let shift = if plane % 2 == 1 { 180.0 / f64::from(each) } else { 0.0 };
            let anomaly = shift + 360.0 * f64::from(place) / f64::from(each);
            let first = format!(
                "1 {number:05}U 00000ABC 00001.00000000  .00000000  00000-0  00000+0 0    0"
            );
            let second = format!(
                "2 {number:05}  51.9000 {node:8.4} 0000001   0.0000 {anomaly:8.4} 14.80000000    0"
            );
            let lines_of_one = [with_checksum(&first), with_checksum(&second)];
            lines += &format!("        - '{}'\n        - '{}'\n", lines_of_one[0], lines_of_one[1]);
        }
    }
    format!(
        "name: x\nduration: 60s\ntopology:\n  nodes: {{}}\n  constellations:\n    shell:\n      \
         {keys}\n      tle:\n{lines}"
    )
}

/// Satellites of two-line elements have links to each other in a grid, on demand.
#[test]
fn shells_of_two_line_elements_have_a_grid() {
    let text = shell(12, 12, "isl: grid");
    let loaded = load(&text).unwrap_or_else(|bad| panic!("{}", bad.render("x", &text)));
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings.render("x", &text));
    let links: Vec<&str> = loaded.scenario.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links.len(), 2 * 144);
    // Along the planes, and to the same place of the next plane in the order of the file.
    for link in [
        "shell-1--shell-2",
        "shell-12--shell-1",
        "shell-1--shell-13",
        "shell-24--shell-36",
        "shell-144--shell-12",
    ] {
        let other = link.split("--").collect::<Vec<_>>();
        let reverse = format!("{}--{}", other[1], other[0]);
        assert!(links.contains(&link) || links.contains(&reverse.as_str()), "{link}: {links:?}");
    }
    // Satellites too far apart to see each other have no links, which is said.
    let text = shell(3, 3, "isl: grid");
    let loaded = load(&text).unwrap_or_else(|bad| panic!("{}", bad.render("x", &text)));
    let warnings = loaded.warnings.render("x", &text);
    assert!(warnings.contains("links between satellites of `shell` are left out"), "{warnings}");
    let text = shell(8, 12, "meridian: 10deg");
    let error = load(&text).unwrap_err().render("x", &text);
    assert!(error.contains("follows from the dates of two-line elements"), "{error}");
}

/// What cannot be computed in minutes is refused before anything is computed.
#[test]
fn a_run_of_centuries_is_refused() {
    let text = format!("name: x\nduration: 5000000h\ntopology:\n{STARLINK}");
    let error = load(&text).unwrap_err();
    let shown = error.render("x", &text);
    assert!(shown.contains("cannot be computed for 5000000h"), "{shown}");
    assert_eq!(error.error_count(), 1, "{shown}");
}

/// A mistake in a constellation is the only one that is reported: what names its satellites and
/// links is right, or would be.
#[test]
fn satellites_of_a_bad_constellation_are_no_further_mistakes() {
    let rest = "
      ground: { here: { lat: 48.78, lon: 9.18 } }
processes:
  - { name: p, node: star-1-1, command: 'true' }
  - { name: q, node: here, command: 'true' }
traffic:
  - { name: t, from: here, to: star-2, cbr: { rate: 1Mbit/s } }
timeline:
  - { at: 10s, link: here--star-1, set: { delay: 1ms } }
";
    for (orbits, words) in [
        ("tle: ['1 25544U', '2 25544']", "line 1"),
        ("tle: missing.tle", "missing.tle"),
        ("walker: { inclination: 53deg, planes: 7, satellites: 66, altitude: 550km }", "multiple"),
        ("walker: { inclination: 53deg, planes: 6, satelites: 66, altitude: 550km }", "satelites"),
        ("isl: none", "walker"),
    ] {
        let text = format!(
            "name: x\nduration: 60s\ntopology:\n  nodes: {{}}\n  constellations:\n    star:\n      \
             {orbits}{rest}"
        );
        let error = load(&text).unwrap_err();
        let shown = error.render("x", &text);
        assert!(shown.contains(words), "{orbits}: {shown}");
        assert!(!shown.contains("there is no node"), "{orbits}: {shown}");
        assert!(!shown.contains("there is no link"), "{orbits}: {shown}");
    }
}
