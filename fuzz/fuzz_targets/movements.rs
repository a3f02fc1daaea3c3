//! Movements, obstacles, losses, error tables, antennas and elements of any text are read or
//! refused. Movements that are read can be written, and read again. The first byte picks the
//! format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_mobility::orbit::{Elements, Orbiting, grid_of};
use netloom_mobility::{Movements, Plane, TraceFormat, Traces};
use netloom_radio::{AntennaPattern, ErrorTable, PairLosses, Polygons};
use netloom_units::{DataFormat, Duration, Time};

fn movements(traces: Traces) {
    let lines = Vec::<String>::from(traces.clone());
    let again = Traces::try_from(lines).expect("what is read can be written");
    assert!(traces.names().eq(again.names()));
    if traces.may_be_degrees() && traces.format() != Some(TraceFormat::Ns2) {
        assert!(traces.clone().in_degrees().is_ok_and(|degrees| degrees.needs_plane()));
    }
    let plane = traces.first_place().and_then(|place| Plane::new(place).ok());
    let path = |node: &str| traces.trajectory(node, plane.as_ref(), Time::ZERO, &|point| point);
    let nodes = traces.names().map(|node| Ok((node.to_owned(), path(node)?)));
    let Ok(nodes) = nodes.collect::<Result<Vec<_>, netloom_mobility::MobilityError>>() else {
        return;
    };
    let all = Movements { nodes: &nodes, until: traces.last(), plane: plane.as_ref() };
    for (format, ..) in TraceFormat::ALL {
        if let Ok(text) = format.write(&all) {
            format.read(&text).expect("what is written can be read");
        }
    }
}

/// Orbits have a grid of links, each once and between two satellites.
fn orbits(elements: Elements) {
    let Ok((orbits, _)) = elements.orbits(Duration::from_secs(600)) else { return };
    let all: Vec<&dyn Orbiting> = orbits.iter().map(|orbit| orbit as &dyn Orbiting).collect();
    let links = grid_of(&all);
    let ordered = links.iter().map(|[a, b]| [*a.min(b), *a.max(b)]);
    assert_eq!(ordered.collect::<std::collections::BTreeSet<_>>().len(), links.len());
    let count = all.len() as u32;
    assert!(links.iter().all(|[a, b]| a != b && *a < count && *b < count));
}

fuzz_target!(|input: (u8, &str)| {
    let (format, text) = input;
    match format % 11 {
        0 => drop(Traces::parse(text).map(movements)),
        1 => drop(TraceFormat::Ns2.read(text).map(movements)),
        2 => drop(TraceFormat::Bonnmotion.read(text).map(movements)),
        3 => drop(TraceFormat::Fcd.read(text).map(movements)),
        4 => drop(TraceFormat::Gpx.read(text).map(movements)),
        5 => drop(TraceFormat::Csv.read(text).map(movements)),
        6 => drop(Polygons::parse(text)),
        7 => drop(PairLosses::parse(text)),
        8 => drop(ErrorTable::parse(text)),
        9 => drop(AntennaPattern::parse(text)),
        _ => drop(Elements::parse(text).map(orbits)),
    }
});
