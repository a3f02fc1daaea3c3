//! SUMO's floating car data: `<timestep time="1.00"><vehicle id="a" x="…" y="…"/></timestep>`.
//! Persons and containers are read like vehicles. A node that a time step does not contain is
//! absent from then on.

use std::collections::BTreeMap;

use netloom_units::{DataError, Time};

use super::xml::{self, Element, Item};
use super::{Fix, Movements, Traces, fixes, text};
use crate::Point;

/// Whether a text looks like FCD.
pub(super) fn seems(text: &str) -> bool {
    xml::begins_with(text, "fcd-export")
}

/// The state of the reader, up to a time step.
#[derive(Default)]
struct State {
    traces: Traces,
    /// Times of the current and of the first step.
    now: Option<Time>,
    first: Option<Time>,
    /// Positions of the nodes in the previous step, and in the current one.
    before: BTreeMap<String, Point>,
    here: BTreeMap<String, Point>,
    /// Last positions of all nodes that any step has contained.
    known: BTreeMap<String, Point>,
}

pub(super) fn read(text: &str) -> Result<Traces, DataError> {
    let mut state = State::default();
    xml::read(text, &mut |item| match item {
        Item::Open(element) => match element.name {
            "timestep" => state.step(&element),
            "vehicle" | "person" | "container" => state.seen(&element),
            _ => Ok(()),
        },
        Item::Close("timestep") => {
            state.end();
            Ok(())
        }
        _ => Ok(()),
    })?;
    Ok(state.traces)
}

impl State {
    fn step(&mut self, element: &Element<'_>) -> Result<(), String> {
        let now = text::time(&element.need("time")?)?;
        if self.now.is_some_and(|before| now <= before) {
            return Err(format!("the time step {now} comes after a later one"));
        }
        self.now = Some(now);
        self.first.get_or_insert(now);
        Ok(())
    }

    fn seen(&mut self, element: &Element<'_>) -> Result<(), String> {
        let at = self.now.ok_or("a vehicle outside a time step")?;
        let (id, number) = (element.need("id")?, |name: &str| text::number(&element.need(name)?));
        let z = element.attribute("z")?.map_or(Ok(0.0), |z| text::number(&z))?;
        let point = Point::new(number("x")?, number("y")?, z);
        if !self.before.contains_key(&id) {
            self.appears(&id, at, point);
        }
        self.traces.push(&id, Fix { at, point, on: true });
        self.known.insert(id.clone(), point);
        self.here.insert(id, point);
        Ok(())
    }

    /// Records the absence, up to this step, of a node that was not in the previous one.
    fn appears(&mut self, id: &str, at: Time, point: Point) {
        if self.known.contains_key(id) {
            // The node comes back at another place without having moved there.
            let was = self.known[id];
            self.traces.push(id, Fix { at, point: was, on: false });
        } else if self.first.is_some_and(|first| first < at) {
            self.traces.push(id, Fix { at: Time::ZERO, point, on: false });
        }
    }

    fn end(&mut self) {
        let here = std::mem::take(&mut self.here);
        for (id, point) in &self.before {
            if let (false, Some(at)) = (here.contains_key(id), self.now) {
                self.traces.push(id, Fix { at, point: *point, on: false });
            }
        }
        self.before = here;
    }
}

/// Writes a time step for each time at which a leg begins or ends.
pub(super) fn write(movements: &Movements<'_>) -> Result<String, String> {
    let mut times: Vec<Time> = movements
        .nodes
        .iter()
        .flat_map(|(_, path)| fixes(path, movements.until))
        .map(|fix| fix.at)
        .collect();
    times.push(movements.until);
    times.sort_unstable();
    times.dedup();
    let is_there = |at: &Time| movements.nodes.iter().any(|(_, path)| path.on(*at));
    if !times.iter().any(is_there) {
        return Err("no node is there at any time, and FCD lists those that are".into());
    }
    let mut text = String::from("<fcd-export>\n");
    for at in times {
        text += &format!("    <timestep time=\"{}\">\n", text::written(at));
        for (name, path) in movements.nodes.iter().filter(|(_, path)| path.on(at)) {
            let Point { x, y, z } = path.position(at);
            let name = quick_xml::escape::escape(name.as_str());
            text += &format!("        <vehicle id=\"{name}\" x=\"{x}\" y=\"{y}\" z=\"{z}\"/>\n");
        }
        text += "    </timestep>\n";
    }
    Ok(text + "</fcd-export>\n")
}
